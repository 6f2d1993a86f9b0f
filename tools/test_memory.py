"""Replays longer and longer streams through a pipe and watches the resident memory.

It has to stay under 400 MB, and be flat: a stream twenty times as long may take a tenth more, and
no more. Run by `make test-memory`; the program is the argument.
"""

import os
import subprocess
import sys
from pathlib import Path

MOST_MB = 400
SHORT, LONG = 10_000_000, 200_000_000
MORE = 1.1


def peak_mb(program: str, rows: int) -> float:
    """The most resident memory of a replay of so many rows, each with a key of its own."""
    # The number is the key, and the time in microseconds.
    numbers = subprocess.Popen(
        ["/bin/sh", "-c", f"echo n; seq 1 {rows}"],
        stdout=subprocess.PIPE,
    )
    columns = ["--key", "n", "--time", "n", "--time-unit", "us"]
    with Path(os.devnull).open("wb") as nowhere:
        replay = subprocess.Popen(
            [program, "replay", "--kinesis", "64", "-", *columns, "--format", "json", "--quiet"],
            stdin=numbers.stdout,
            stdout=nowhere,
        )
        if numbers.stdout:
            numbers.stdout.close()
        _, status, usage = os.wait4(replay.pid, 0)
    numbers.wait()
    # 3 says that a shard is over its limit, which these are.
    if os.waitstatus_to_exitcode(status) not in (0, 3):
        sys.exit(f"the replay of {rows} rows failed")
    return usage.ru_maxrss / 1024


def main() -> None:
    """Compares a long stream with a short one."""
    program = sys.argv[1]
    short, long = (peak_mb(program, rows) for rows in (SHORT, LONG))
    print(f"{SHORT:,} rows: {short:.0f} MB; {LONG:,} rows: {long:.0f} MB resident")
    if long > MOST_MB or long > short * MORE:
        sys.exit(f"expected at most {MOST_MB} MB, and at most {MORE} times the short stream's")


if __name__ == "__main__":
    main()
