"""The keys that every client is asked for, and how answers are compared."""

import random
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest
import shardlane as sl
from arro3.core import Array, DataType, Table

CLIENTS = Path(__file__).resolve().parent.parent
COUNTS = [1, 3, 6, 7, 12, 16, 100]


def keys() -> list[bytes]:
    """Keys of every kind, the same each time."""
    dice = random.Random(20130101)
    made = [b"", b"a", b"\0", b"\xff" * 3, "日本".encode(), "ä".encode(), "😀".encode()]
    made += [f"order-{i}".encode() for i in range(3_000)]
    made += [str(dice.randrange(10**18)).encode() for _ in range(2_000)]
    made += [str(uuid.UUID(int=dice.getrandbits(128))).encode() for _ in range(2_000)]
    made += [dice.randbytes(dice.randrange(1, 80)) for _ in range(3_000)]
    made += [b"k" * length for length in range(1, 300)]
    alphabet = "aZ9é日本😀 -_#"
    made += ["".join(dice.choices(alphabet, k=dice.randrange(1, 30))).encode() for _ in range(500)]
    return made


def expect(what: str, given: Iterable[object], expected: Iterable[object]) -> None:
    """Shows the first disagreements, if there are any."""
    pairs = list(zip(given, expected, strict=True))
    wrong = [(i, a, b) for i, (a, b) in enumerate(pairs) if a != b]
    shown = ", ".join(f"row {i}: {a!r}, expected {b!r}" for i, a, b in wrong[:3])
    assert not wrong, f"{what}: {len(wrong)} of {len(pairs)} disagree: {shown}"


def ours(partitioner: str, count: int, of: list[bytes | None]) -> list[int | None]:
    """The partitions that shardlane gives."""
    return sl.ShardMap.kafka(count, partitioner=partitioner).route(of).to_pylist()


def log_of(of: list[bytes | None], shards: Sequence[object]) -> Table:
    """A log of these keys and the shards that they went to."""
    ids = [str(shard) for shard in shards]
    return Table.from_pydict(
        {
            "key": Array(of, type=DataType.binary()),
            "shard": Array(ids, type=DataType.string()),
        }
    )


def compare(partitioner: str, ask: Callable[[list[bytes]], list[list[int]]]) -> None:
    """Compares a client's answers for every number of partitions."""
    of = keys()
    assert len(of) >= 10_000
    answers = ask(of)
    for at, count in enumerate(COUNTS):
        expect(f"{partitioner} of {count}", ours(partitioner, count, of), [a[at] for a in answers])


def tool(name: str) -> str:
    """The path of a program; without it, the test is skipped."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def run(command: list[str], place: Path, what: str, **options: object) -> None:
    """Fetches or builds a client; where that fails, the test is skipped."""
    done = subprocess.run(
        command, cwd=place, capture_output=True, text=True, check=False, **options
    )
    if done.returncode != 0:
        pytest.skip(f"{what}: {(done.stderr or done.stdout).strip()[-300:]}")


def asked(command: list[str], of: list[bytes]) -> list[list[int]]:
    """What a program answers to keys in hexadecimal."""
    lines = "".join(f"{key.hex()}\n" for key in of)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return [[int(number) for number in line.split()] for line in done.stdout.splitlines()]


def npm(folder: Path) -> tuple[str, Path]:
    """Node.js, and a folder with the packages."""
    node, manager = tool("node"), tool("npm")
    place = folder / "node"
    shutil.copytree(CLIENTS / "node", place)
    command = [manager, "install", "--no-audit", "--no-fund", "--loglevel=error"]
    run(command, place, "npm cannot install the packages")
    return node, place


def installed(packages: list[str], folder: Path) -> None:
    """Python packages in a folder that is put on the path."""
    target = folder / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, "--target", str(target), *packages], folder, "pip cannot install the packages")
    sys.path.append(str(target))
