"""Measures ClickHouse, DuckDB and the installed shardlane on the same key columns.

Route and group by count and bytes over 1,024 even shards, one thread, CPU time, medians of turns
taken in one process; and the ten hottest keys. No query of the engines handles uneven ranges
exactly, so there are none here. Each engine reads its own table in memory.

usage: python benches/peers/peers.py [--rows N] [--rounds N] [--csv OUT]
"""

# A script that prints; imports wait until the packages are known to be there; the queries are made
# of constants; a column is of a package that has no types.
# ruff: noqa: ANN401, ARG001, INP001, PLC0415, S608, T201
import argparse
import csv
import importlib
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from hashlib import md5
from pathlib import Path
from typing import Any

SHARDS = 1024
TOP = 10
SEED = 1
PACKAGES = {
    "numpy": "numpy",
    "pyarrow": "pyarrow",
    "duckdb": "duckdb",
    "chdb": "chdb",
    "shardlane": "./python",
}
REQUIRED = ("numpy", "pyarrow")

# The digest's first 10 bits are the shard: 1,024 even ranges of a big-endian number.
CLICKHOUSE_SHARD = "bitShiftRight(reinterpretAsUInt32(reverse(substring(MD5(k), 1, 4))), 22)"
# `md5_number` reads the digest little-endian, so its lowest byte is the digest's first.
DUCKDB_SHARD = "((n & 255) << 2) | (n >> 14)"
DUCKDB_NUMBER = "(md5_number(k) & 65535)::INTEGER"

Runs = dict[str, Callable[[], object]]


def columns(rows: int) -> Iterator[tuple[str, Any]]:
    """Key columns of each shape by name, as pyarrow arrays."""
    import numpy as np

    random = np.random.default_rng(SEED)
    for name, lengths in {
        "8B": np.full(rows, 8),
        "16B": np.full(rows, 16),
        "20B": np.full(rows, 20),
        "36B": np.full(rows, 36),
        "mix": random.integers(8, 40, rows, endpoint=True),
    }.items():
        yield name, column(random, lengths)


def hot_columns(rows: int) -> Iterator[tuple[str, Any]]:
    """Columns with and without hot keys: Zipf(1.1) over 1 M keys of 20 bytes, and distinct ones."""
    import numpy as np

    random = np.random.default_rng(SEED)
    distinct = min(rows, 1_000_000)
    pool = column(random, np.full(distinct, 20))
    law = np.arange(1, distinct + 1) ** -1.1
    yield "zipf-1.1", pool.take(random.choice(distinct, rows, p=law / law.sum()))
    yield "distinct", column(random, np.full(rows, 20))


def column(random: Any, lengths: Any) -> Any:
    """A column of random keys of base-32 letters."""
    import numpy as np
    import pyarrow as pa

    letters = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", dtype=np.uint8)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    text = letters[random.integers(0, 32, int(offsets[-1]), dtype=np.uint8)]
    return pa.StringArray.from_buffers(len(lengths), pa.py_buffer(offsets), pa.py_buffer(text))


def clickhouse(chdb: Any, keys: Any, parquet: Path) -> tuple[Runs, Any]:
    """ClickHouse on a Memory table."""
    from chdb import session

    engine = session.Session()
    engine.query("CREATE DATABASE IF NOT EXISTS bench")
    engine.query("DROP TABLE IF EXISTS bench.t")
    engine.query(
        "CREATE TABLE bench.t ENGINE = Memory AS SELECT assumeNotNull(k) AS k "
        f"FROM file('{parquet}', Parquet)"
    )
    one = "SETTINGS max_threads = 1"

    def ask(query: str) -> str:
        return str(engine.query(f"{query} {one}", "CSV"))

    group = f"SELECT {CLICKHOUSE_SHARD} AS s, count(), sum(length(k)) FROM bench.t GROUP BY s"
    starts = [i << 22 for i in range(SHARDS)]
    uneven = (
        "SELECT roundDown(reinterpretAsUInt32(reverse(substring(MD5(k), 1, 4))), "
        f"{starts}) AS s, count(), sum(length(k)) FROM bench.t GROUP BY s"
    )
    runs: Runs = {
        "tally": lambda: ask(f"SELECT sum(cityHash64(*)) FROM ({group})"),
        "tally-any-ranges": lambda: ask(f"SELECT sum(cityHash64(*)) FROM ({uneven})"),
        "hot-keys": lambda: ask(f"SELECT topK({TOP})(k) FROM bench.t"),
    }
    counts = [line.split(",") for line in ask(f"{group} ORDER BY s").split()]
    return runs, {int(s): (int(n), int(b)) for s, n, b in counts}


def duck(duckdb: Any, keys: Any, parquet: Path) -> tuple[Runs, Any]:
    """DuckDB on a table in memory."""
    engine = duckdb.connect()
    engine.execute("SET threads = 1")
    engine.execute(f"CREATE TABLE t AS SELECT k FROM '{parquet}'")
    group = (
        f"SELECT {DUCKDB_SHARD} AS s, count(*), sum(strlen(k)) "
        f"FROM (SELECT {DUCKDB_NUMBER} AS n, k FROM t) GROUP BY s"
    )
    runs: Runs = {
        "tally": lambda: engine.execute(group).fetchall(),
        "hot-keys": lambda: engine.execute(f"SELECT approx_top_k(k, {TOP}) FROM t").fetchall(),
    }
    return runs, {s: (n, int(b)) for s, n, b in engine.execute(group).fetchall()}


def ours(shardlane: Any, keys: Any, parquet: Path) -> tuple[Runs, Any]:
    """The installed wheel on the pyarrow column itself."""
    stream = shardlane.ShardMap.kinesis(SHARDS)
    runs: Runs = {
        "route": lambda: stream.route(keys, threads=1),
        "tally": lambda: stream.tally(keys, top=0, threads=1),
        "hot-keys": lambda: stream.tally(keys, top=TOP, threads=1).hot_keys,
    }
    shards = stream.tally(keys, top=0, threads=1).shards
    counts = zip(shards["records"].to_pylist(), shards["bytes"].to_pylist(), strict=True)
    return runs, {s: both for s, both in enumerate(counts) if both[0]}


ENGINES = {"shardlane": ours, "chdb": clickhouse, "duckdb": duck}


def expected(keys: Any) -> dict[int, tuple[int, int]]:
    """Records and key bytes of each shard by hashlib."""
    counts: dict[int, tuple[int, int]] = {}
    for key in keys.to_pylist():
        text = key.encode()
        shard = int.from_bytes(md5(text, usedforsecurity=False).digest()[:4], "big") >> 22
        records, length = counts.get(shard, (0, 0))
        counts[shard] = (records + 1, length + len(text))
    return counts


def measure(keys: Any, rounds: int, names: set[str], modules: dict[str, Any]) -> dict[str, float]:
    """Median CPU seconds of each engine's queries of those names, taken by turns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    runs: Runs = {}
    with tempfile.TemporaryDirectory() as folder:
        parquet = Path(folder) / "keys.parquet"
        pq.write_table(pa.table({"k": keys}), parquet, use_dictionary=False)
        right = expected(keys)
        for engine, start in ENGINES.items():
            if engine in modules:
                queries, counts = start(modules[engine], keys, parquet)
                if counts != right:
                    raise SystemExit(f"{engine} counts other records than hashlib")
                runs |= {f"{q}/{engine}": run for q, run in queries.items() if q in names}
        seconds: dict[str, list[float]] = {name: [] for name in runs}
        order = list(runs)
        for turn in range(rounds + 1):
            for name in order[turn % len(order) :] + order[: turn % len(order)]:
                before = time.process_time()
                runs[name]()
                # The first turn warms up.
                if turn:
                    seconds[name].append(time.process_time() - before)
    return {name: statistics.median(taken) for name, taken in seconds.items()}


def load() -> dict[str, Any]:
    """The modules that are installed; says how to install the others."""
    modules = {}
    for name, package in PACKAGES.items():
        try:
            modules[name] = importlib.import_module(name)
        except ImportError:
            print(f"{name} is not installed; type: pip install {package}", file=sys.stderr)
    if not all(name in modules for name in REQUIRED):
        sys.exit(2)
    return modules


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1 << 22, help="keys of a column")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each query")
    parser.add_argument("--csv", type=Path, help="a file to write the table to")
    options = parser.parse_args()
    modules = load()
    versions = [f"{n} {getattr(m, '__version__', '')}".strip() for n, m in modules.items()]
    print(f"python {platform.python_version()}, {', '.join(versions)}; {options.rows} keys")
    print(f"{'figure':<36} {'M keys/s':>9} {'shardlane is':>13}")
    table = []
    for kind, names in (
        (columns, {"route", "tally", "tally-any-ranges"}),
        (hot_columns, {"hot-keys"}),
    ):
        for shape, keys in kind(options.rows):
            taken = measure(keys, options.rounds, names, modules)
            for name, seconds in taken.items():
                query, engine = name.split("/")
                own = taken.get(f"{query.removesuffix('-any-ranges')}/shardlane")
                times = seconds / own if own and engine != "shardlane" else None
                rate = options.rows / seconds
                figure = f"{query}/{engine}/{shape}"
                print(f"{figure:<36} {rate / 1e6:>9.2f} {f'{times:.2f} x' if times else '':>13}")
                table.append((figure, round(rate), f"{times:.3f}" if times else ""))
    if options.csv:
        with options.csv.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("figure", "keys_per_second", "shardlane_times"))
            writer.writerows(table)


if __name__ == "__main__":
    main()
