"""Runs steps of the Makefile one after the other and adds up what their test runners say.

usage: tools/steps.py STEP...

Every step runs, also after one has failed. The last line is `N passed, N failed, N skipped`; the
exit code is 1 if anything failed. A step that reports no tests counts as one.
"""

import os
import re
import subprocess
import sys
import time
from collections import Counter

# The summary lines of cargo, of pytest, and of the tools of this folder.
CARGO = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored")
OUTCOMES = r"passed|failed|skipped|errors?"
SUMMARY = re.compile(rf"^=* ?(?=\d+ (?:{OUTCOMES}))(.*?)(?: in [\d.]+s.*)?$")
COUNT = re.compile(rf"(\d+) ({OUTCOMES})")
SKIPPED = re.compile(r"^skipped: ")
NAMES = {"error": "failed", "errors": "failed"}


def counts(line: str) -> Counter[str]:
    """What one line of output says about tests."""
    if found := CARGO.match(line):
        return Counter(
            dict(zip(("passed", "failed", "skipped"), map(int, found.groups()), strict=True))
        )
    if found := SUMMARY.match(line):
        total: Counter[str] = Counter()
        for number, name in COUNT.findall(found[1]):
            total[NAMES.get(name, name)] += int(number)
        return total
    return Counter(skipped=1) if SKIPPED.match(line) else Counter()


def run(step: str) -> tuple[Counter[str], bool]:
    """Runs one step and shows its output as it comes; its counts, and whether it went well."""
    command = [os.environ.get("MAKE", "make"), "--no-print-directory", step]
    total: Counter[str] = Counter()
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            total += counts(line.rstrip("\n"))
    good = process.returncode == 0
    if not good and not total["failed"]:
        total["failed"] += 1
    if not total:
        total["passed"] += 1
    return total, good


def main(steps: list[str]) -> int:
    """Runs the steps; the exit code."""
    table = []
    everything: Counter[str] = Counter()
    for step in steps:
        print(f"\n──── {step}", flush=True)
        start = time.monotonic()
        total, good = run(step)
        everything += total
        table.append((step, "ok" if good else "FAILED", time.monotonic() - start, total))
    print()
    for step, outcome, seconds, total in table:
        skipped = f", {total['skipped']} skipped" if total["skipped"] else ""
        passed = f"{total['passed']} passed, {total['failed']} failed{skipped}"
        print(f"{step:<14} {outcome:<6} {seconds:6.0f} s   {passed}")
    print(
        f"\n{everything['passed']} passed, {everything['failed']} failed, "
        f"{everything['skipped']} skipped"
    )
    return int(any(outcome != "ok" for _, outcome, _, _ in table))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
