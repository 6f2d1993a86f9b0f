"""Logs whose pages are looked at: an ordinary one, and some that try to break a page."""

import csv
import math
import random
from collections.abc import Iterable
from pathlib import Path

START = 1_767_225_600  # 2026-01-01T00:00:00Z

Row = tuple[str, int, float] | tuple[str, int]


def write(path: Path, rows: Iterable[Row]) -> Path:
    """Writes a log as CSV: key, size and, if it has one, second."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        for number, row in enumerate(rows):
            if number == 0:
                writer.writerow(("user_id", "size", "ts")[: len(row)])
            writer.writerow(row)
    return path


def clicks(seconds: int = 5400) -> Iterable[Row]:
    """Clicks of an hour and a half, with five minutes in which one tenant does too much."""
    chance = random.Random(7)
    for second in range(seconds):
        is_busy = 1800 <= second < 2100
        for _ in range(int(30 + 15 * math.sin(second / 500)) + 50 * is_busy):
            if is_busy and chance.random() < 0.6:
                key = "tenant-acme"
            else:
                key = f"user-{int(chance.paretovariate(0.6) % 20_000)}"
            yield key, chance.randint(200, 4000), START + second


def timeless() -> Iterable[Row]:
    """Clicks of which nobody knows when they were."""
    return [row[:2] for row in clicks(60)]


def hostile() -> Iterable[Row]:
    """Keys that are long, wide, right to left, markup or no text."""
    keys = [
        "<script>console.error('run')</script>",
        "<img src=x onerror=console.error(1)>",
        "長" * 85,
        "W" * 256,
        "\u202eright to left",
        "שלום עולם",
        "a\tb\nc\x1b[31m",
        "&lt;&amp;\"'",
        "👩‍🚀" * 20,
    ]
    for second in range(120):
        for place, key in enumerate(keys):
            yield key, 10**6, START + second * (1 + place)


def wide(shards: int = 3000) -> Iterable[Row]:
    """Many keys over many shards and a day, so that most have no row of their own."""
    chance = random.Random(8)
    for i in range(6 * shards):
        yield f"order-{i}", chance.randint(100, 10**6), START + chance.randrange(86_400)
