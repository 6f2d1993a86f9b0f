"""Runs README.md: every fenced block, from the top to the bottom, and compares what it prints.

- `sh` blocks run in a shell, `python` blocks in one Python session, `c` blocks are compiled and
  run; a `text` block right after one of them is what it must print. In such a text a line `...`
  stands for any lines, and ` ... ` within a line for anything.
- `rust` blocks are documentation tests of the crate; other blocks are only shown.
- `<!-- test: COMMAND -->` before a block runs COMMAND in its place, because the block would build
  what is built already. `<!-- test: fresh -->` leaves the block to `make test-fresh`.

With SHARDLANE_BLESS=1 the `text` blocks are rewritten with what is printed.

All of it happens in a scratch folder that looks like the project, with `.venv` active.
"""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^(?P<fence>`{3,})(?P<language>\w*)\s*$")
MARK = re.compile(r"^<!-- test: (?P<mark>.+) -->$")
WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"]


@dataclass
class Block:
    """A fenced block."""

    language: str
    text: str
    line: int
    mark: str = ""
    expected: str | None = None
    expected_line: int = 0


def blocks(markdown: str) -> list[Block]:
    """The fenced blocks, each with the text block that follows it as what it must print."""
    found: list[Block] = []
    block: Block | None = None
    mark = fence = ""
    adjacent = False
    for number, line in enumerate(markdown.splitlines(), start=1):
        if block is not None:
            if line.strip() != fence:
                block.text += line + "\n"
                continue
            if block.language == "text" and adjacent and found and found[-1].expected is None:
                found[-1].expected, found[-1].expected_line = block.text, block.line
            else:
                found.append(block)
            block, mark, adjacent = None, "", True
        elif opening := FENCE.match(line):
            fence = opening["fence"]
            block = Block(opening["language"], "", number, mark)
        elif marked := MARK.match(line):
            mark = marked["mark"]
        elif line.strip():
            adjacent = False
    return found


def compare(expected: str | None, printed: str) -> None:
    """Raises `AssertionError` if a block prints something other than the text after it."""
    if expected is None:
        return
    lines = [re.escape(line.rstrip()) for line in expected.rstrip().splitlines()]
    pattern = "\n".join(lines).replace(r"\.\.\.", ".*")
    actual = "\n".join(line.rstrip() for line in printed.rstrip().splitlines())
    if not re.fullmatch(pattern, actual, re.DOTALL):
        raise AssertionError(f"it prints\n{printed}\ninstead of\n{expected}")


def bless(markdown: str, printed: list[tuple[Block, str]]) -> str:
    """The page with what was printed in the blocks that say so, from the last to the first."""
    lines = markdown.splitlines()
    for block, text in reversed(printed):
        if block.expected is not None:
            start = block.expected_line
            end = start + len(block.expected.splitlines())
            lines[start:end] = text.rstrip().splitlines()
    return "\n".join(lines) + "\n"


def shell(command: str, folder: Path) -> str:
    """What a shell prints for `command`. Exit code 3, a shard over its limit, is no failure."""
    outcome = subprocess.run(
        ["sh", "-eu", "-c", command], cwd=folder, capture_output=True, text=True, check=False
    )
    if outcome.returncode not in {0, 3}:
        raise AssertionError(f"exit code {outcome.returncode}\n{outcome.stdout}{outcome.stderr}")
    return outcome.stdout


class Session:
    """One Python session."""

    def __init__(self) -> None:
        """Starts with no names."""
        self.names: dict[str, object] = {"__name__": "__main__"}

    def run(self, program: str, folder: Path) -> str:
        """What `program` prints."""
        printed = io.StringIO()
        with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
            exec(compile(program, "README.md", "exec"), self.names)  # noqa: S102 # our own text
        return printed.getvalue()


def c_program(program: str, folder: Path) -> str:
    """What a C program prints that is compiled with the shared library of the dev build."""
    (folder / "program.c").write_text(program, encoding="utf-8")
    library = ROOT / "target/debug/libshardlane.so"
    (folder / "libshardlane.so.0").symlink_to(library)
    command = [os.environ.get("CC", "cc"), *WARNINGS, "-Icapi/include", "program.c"]
    command += ["-o", "program", str(library), f"-Wl,-rpath,{folder}"]
    subprocess.run(command, cwd=folder, check=True)
    return shell("./program", folder)


class Page:
    """A page being run in a scratch folder that looks like the project."""

    def __init__(self, path: Path, folder: Path) -> None:
        """Reads the page and makes the folder."""
        self.path = path
        self.folder = folder
        self.markdown = path.read_text(encoding="utf-8")
        self.changed: list[tuple[Block, str]] = []
        self.runners: dict[str, Callable[[str, Path], str]] = {
            "sh": shell,
            "python": Session().run,
            "c": c_program,
        }
        for entry in ROOT.iterdir():
            (folder / entry.name).symlink_to(entry)

    def run(self, block: Block) -> None:
        """Runs one block; raises whatever is wrong with it."""
        if block.mark:
            printed = shell(block.mark, self.folder)
        else:
            printed = self.runners[block.language](block.text, self.folder)
        try:
            compare(block.expected, printed)
        except AssertionError:
            if "SHARDLANE_BLESS" not in os.environ:
                raise
            self.changed.append((block, printed))

    def run_all(self) -> tuple[int, int]:
        """Runs every block; how many passed and failed."""
        passed = failed = 0
        for block in blocks(self.markdown):
            if block.language not in self.runners:
                continue
            title = f"{self.path.name}:{block.line} {block.text.strip().splitlines()[0]}"
            if block.mark == "fresh":
                print(f"{title} ... left to make test-fresh")
                continue
            try:
                self.run(block)
            except Exception:  # noqa: BLE001 # whatever a block raises is its failure
                print(f"{title} ... FAILED\n{traceback.format_exc(limit=1)}")
                failed += 1
            else:
                print(f"{title} ... ok")
                passed += 1
        return passed, failed


def main() -> int:
    """Runs the page; the exit code."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    os.environ["COLUMNS"] = "100"
    with tempfile.TemporaryDirectory() as folder:
        page = Page(ROOT / "README.md", Path(folder))
        passed, failed = page.run_all()
    if page.changed:
        page.path.write_text(bless(page.markdown, page.changed), encoding="utf-8")
        print(f"{page.path.name}: {len(page.changed)} outputs rewritten")
    if passed + failed == 0:
        print(f"{page.path.name} has no block to run")
        failed = 1
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
