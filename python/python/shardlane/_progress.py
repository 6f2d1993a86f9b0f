"""What ``progress=`` turns into."""

from collections.abc import Callable
from typing import Any, Protocol

Callback = Callable[[int, int | None], object]


class Reporter(Protocol):
    """Is told how far the work has come."""

    def update(self, done: int, total: int | None, unit: str, rows: int, reading: int) -> None:
        """Takes what is done so far, of how much if that is known, and the unit of both.

        ``rows`` are those read so far; ``reading`` is 1, or 2 if the log is
        read again, from 0.
        """

    def close(self) -> None:
        """Ends the display."""


def reporter(progress: bool | Callback | None) -> Reporter | None:
    """The reporter that the argument ``progress`` asks for.

    Raises:
        TypeError: If it is neither a bool, nor None, nor callable.
    """
    if progress is None or progress is False:
        return None
    if progress is True:
        try:
            # Only here, since it is no dependency.
            from tqdm.auto import tqdm  # noqa: PLC0415
        except ImportError:
            raise ImportError(
                "progress=True needs tqdm: pip install tqdm, or pass a callable(done, total)"
            ) from None
        return _Bar(tqdm)
    if callable(progress):
        return _Call(progress)
    raise TypeError(f"progress={progress!r} was given; type True, None, or a callable(done, total)")


class _Call:
    def __init__(self, callback: Callback) -> None:
        self._callback = callback

    def update(self, done: int, total: int | None, _unit: str, _rows: int, _reading: int) -> None:
        self._callback(done, total)

    def close(self) -> None:
        pass


class _Bar:
    """A bar of tqdm, which shows the rate and the time left itself."""

    def __init__(self, tqdm: Callable[..., Any]) -> None:
        self._tqdm = tqdm
        self._bar: Any = None
        self._reading = 1

    def update(self, done: int, total: int | None, unit: str, rows: int, reading: int) -> None:
        if self._bar is None or reading != self._reading:
            # Sizes are known when the first batch is, and a second reading is another bar.
            self.close()
            self._reading = reading
            self._bar = self._tqdm(
                total=total,
                unit=unit,
                unit_scale=True,
                unit_divisor=1000,
                desc="second reading" if reading > 1 else None,
            )
        if unit != "rows":
            self._bar.set_postfix_str(f"{rows:,} rows", refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
