"""A headless Chromium, spoken to over a pipe in its own DevTools protocol; nothing else is needed.

The browser has no network: whatever it asks for but the page itself is refused and noted.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
PATIENCE = 60.0


def program() -> str | None:
    """The path of a Chromium, if there is one."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Page:
    """One page in one window."""

    def __init__(self, write: int, read: int) -> None:
        """Opens an empty page; the browser listens on ``write`` and answers on ``read``."""
        self._write, self._read, self._rest, self._last = write, read, b"", 0
        self._session: str | None = None
        self.said: list[str] = []
        self.asked_for: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Network.setBlockedURLs", urls=["http://*", "https://*", "ws://*", "wss://*"])

    def call(self, method: str, **parameters: object) -> Any:
        """Calls a method of the protocol and waits for its result."""
        self._last += 1
        message: dict[str, object] = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, path: Path, width: int, height: int, *, touch: bool = False) -> None:
        """Shows a file in a window of that size, from the first to the last byte."""
        self.said, self.asked_for = [], []
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if touch else 1,
            mobile=touch,
        )
        self.call("Page.navigate", url=path.as_uri())
        end = time.monotonic() + PATIENCE
        while self.ask("document.readyState") != "complete":
            if time.monotonic() > end:
                raise TimeoutError(f"{path} did not load")
            time.sleep(0.05)
        # What is still on its way, such as a message of the console, comes before this answer.
        self.ask("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")

    def look(self, **media: str) -> None:
        """Shows the page as if for other media: ``media="print"``, or a feature by its name."""
        kind = media.pop("media", "")
        features = [
            {"name": name.replace("_", "-"), "value": value} for name, value in media.items()
        ]
        self.call("Emulation.setEmulatedMedia", media=kind, features=features)

    def ask(self, script: str) -> Any:
        """The value of a JavaScript expression."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def picture(self) -> bytes:
        """The whole page as PNG."""
        return self._bytes("Page.captureScreenshot", captureBeyondViewport=True)

    def printed(self) -> bytes:
        """The page as PDF, on A4."""
        return self._bytes(
            "Page.printToPDF", paperWidth=8.27, paperHeight=11.69, preferCSSPageSize=True
        )

    def _bytes(self, method: str, **parameters: object) -> bytes:
        return base64.b64decode(self.call(method, **parameters)["data"])

    def _next(self) -> dict[str, Any]:
        """The next message of the browser; takes note of what the page says and asks for."""
        while b"\0" not in self._rest:
            if not select.select([self._read], [], [], PATIENCE)[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self._read, 1 << 20)
            if not more:
                raise EOFError("the browser is gone")
            self._rest += more
        text, self._rest = self._rest.split(b"\0", 1)
        message: dict[str, Any] = json.loads(text)
        match message.get("method"):
            case "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded":
                self.said.append(json.dumps(message["params"]))
            case "Network.requestWillBeSent":
                self.asked_for.append(message["params"]["request"]["url"])
        return message


@contextmanager
def page() -> Iterator[Page]:
    """A page in a browser of its own, which ends with it."""
    path = program()
    if path is None:
        raise FileNotFoundError("there is no Chromium")
    to_browser, from_us = os.pipe()
    to_us, from_browser = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        # The browser reads on 3 and writes on 4. The shell puts the pipes there.
        command = 'a=$1 b=$2; shift 2; eval "exec 3<&$a 4>&$b"; exec "$@"'
        browser = subprocess.Popen(
            [
                *("bash", "-c", command, "bash", str(to_browser), str(from_browser)),
                *(path, *FLAGS, f"--user-data-dir={folder}"),
            ],
            pass_fds=(to_browser, from_browser),
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        try:
            yield Page(from_us, to_us)
        finally:
            browser.terminate()
            browser.wait()
            os.close(from_us)
            os.close(to_us)
