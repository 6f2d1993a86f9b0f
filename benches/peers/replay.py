"""Measures a whole replay against DuckDB, ClickHouse and polars on the same files, in one run.

Parquet: shard, second, records and bytes of every record, over 64 even shards, by one thread and by
two; the same answer in each engine's SQL. CSV and NDJSON.gz: our replay against what the others
need only to read those columns. Hot keys: a replay with and without. Wall time, medians of turns
taken one after another; turns in which a probe of processor speed is slow are dropped.

usage: python benches/peers/replay.py [--rows N] [--rounds N] [--threads N] [--csv OUT]
"""

# A script that prints; imports wait until the packages are known to be there; the queries are made
# of constants; columns are of a package that has no types.
# ruff: noqa: ANN401, INP001, PLC0415, S603, S608, T201
import argparse
import csv
import gzip
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from hashlib import md5
from pathlib import Path
from typing import Any

SHARDS = 64
SEED = 1
USERS = 1_000_000
HOUR = 3_600_000_000
START = 1_700_000_000_000_000
PROBE = b"x" * (1 << 16)
SLOW = 1.15

Run = Callable[[], object]


def make(rows: int, folder: Path) -> None:
    """An hour of a log, as Parquet, CSV and NDJSON.gz, with keys of 8 to 40 bytes and some hot."""
    import duckdb
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(SEED)
    lengths = random.integers(8, 40, USERS, endpoint=True)
    letters = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", dtype=np.uint8)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    text = letters[random.integers(0, 32, int(offsets[-1]), dtype=np.uint8)]
    users = pa.StringArray.from_buffers(USERS, pa.py_buffer(offsets), pa.py_buffer(text))
    law = np.arange(1, USERS + 1) ** -1.1
    law /= law.sum()
    time_type = pa.timestamp("us", "UTC")
    schema = pa.schema([("user_id", pa.string()), ("size", pa.int32()), ("ts", time_type)])
    parquet = folder / "log.parquet"
    with pq.ParquetWriter(parquet, schema) as writer:
        for first in range(0, rows, 1_000_000):
            count = min(1_000_000, rows - first)
            user = random.integers(0, USERS, count)
            user[: count // 10] = random.choice(USERS, count // 10, p=law)
            random.shuffle(user)
            times = START + ((first + np.arange(count)) * (HOUR / rows)).astype(np.int64)
            sizes = random.integers(100, 2_000, count, dtype=np.int32)
            columns = [
                users.take(pa.array(user)),
                pa.array(sizes),
                pa.array(times).cast(time_type),
            ]
            writer.write_batch(pa.record_batch(columns, schema=schema))
    engine = duckdb.connect()
    engine.execute("SET threads = 2")
    select = (
        "SELECT user_id, size, strftime(ts::TIMESTAMP, '%Y-%m-%dT%H:%M:%S.%fZ') AS ts, "
        f"'GET /cart' AS request, 200 AS status FROM '{parquet}'"
    )
    engine.execute(f"COPY ({select}) TO '{folder / 'log.csv'}' (HEADER)")
    engine.execute(f"COPY ({select}) TO '{folder / 'log.ndjson'}' (FORMAT json)")
    with (folder / "log.ndjson").open("rb") as plain, gzip.open(
        folder / "log.ndjson.gz", "wb", compresslevel=6
    ) as packed:
        while block := plain.read(1 << 24):
            packed.write(block)


def runs(folder: Path, threads: int) -> dict[str, Run]:
    """What is measured, by name: `figure/engine`."""
    import duckdb
    import polars as pl
    import shardlane as sl
    from chdb import session

    stream = sl.ShardMap.kinesis(SHARDS)
    parquet, text, packed = (folder / f"log.{end}" for end in ("parquet", "csv", "ndjson.gz"))
    columns = {"key": "user_id", "bytes": "size", "time": "ts"}

    def replay(path: Path, top: int = 0) -> Any:
        return stream.replay(str(path), **columns, top=top, threads=threads)

    duck = duckdb.connect()
    duck.execute(f"SET threads = {threads}")
    # `md5_number` reads the digest little-endian, so its lowest byte is the digest's first.
    duck_sql = (
        "SELECT (n & 255) >> 2 AS shard, epoch(ts)::BIGINT AS second, count(*), "
        "sum(size + strlen(user_id)) FROM (SELECT (md5_number(user_id) & 255)::INTEGER AS n, *"
        f" FROM '{parquet}') GROUP BY ALL"
    )
    clickhouse = session.Session()
    clickhouse_sql = (
        "SELECT bitShiftRight(reinterpretAsUInt8(substring(MD5(user_id), 1, 1)), 2) AS shard, "
        "toUnixTimestamp(toDateTime(ts)) AS second, count(), sum(size + length(user_id)) FROM "
        f"file('{parquet}', Parquet) GROUP BY shard, second"
    )
    limit = f"SETTINGS max_threads = {threads}"
    read = "count(user_id), sum(size), max(ts)"

    def polars_read(scan: Any) -> Any:
        return scan.select(pl.col("user_id").count(), pl.col("size").sum(), pl.col("ts").max())

    check(replay(parquet), duck.execute(duck_sql).fetchall(), folder)
    return {
        "parquet/shardlane": lambda: replay(parquet),
        "parquet/duckdb": lambda: duck.execute(duck_sql).fetchall(),
        "parquet/chdb": lambda: clickhouse.query(f"{clickhouse_sql} {limit} FORMAT Null"),
        "hot-keys/shardlane": lambda: replay(parquet, top=10),
        "csv/shardlane": lambda: replay(text),
        "csv/duckdb": lambda: duck.execute(f"SELECT {read} FROM '{text}'").fetchall(),
        "csv/polars": lambda: polars_read(pl.scan_csv(text, try_parse_dates=True)).collect(),
        "ndjson.gz/shardlane": lambda: replay(packed),
        "ndjson.gz/duckdb": lambda: duck.execute(f"SELECT {read} FROM '{packed}'").fetchall(),
        "ndjson.gz/polars": lambda: polars_read(pl.scan_ndjson(packed)).collect(),
    }


def check(found: Any, rows: list[Any], folder: Path) -> None:
    """Both engines count what hashlib says of a sample, and the same in all."""
    import pyarrow.parquet as pq

    records, sizes = [0] * SHARDS, [0] * SHARDS
    for shard, _, count, size in rows:
        records[shard] += count
        sizes[shard] += int(size)
    ours = found.shards
    if ours["records"].to_pylist() != records or ours["bytes"].to_pylist() != sizes:
        raise SystemExit("DuckDB's SQL and the replay count differently")
    import shardlane as sl

    keys = pq.ParquetFile(folder / "log.parquet").read_row_group(0)["user_id"][:10_000]
    shards = sl.ShardMap.kinesis(SHARDS).route(keys).to_pylist()
    for key, shard in zip(keys.to_pylist(), shards, strict=True):
        if md5(key.encode(), usedforsecurity=False).digest()[0] >> 2 != shard:
            raise SystemExit(f"{key} is routed to {shard}")


def probe() -> float:
    """Seconds that some fixed work takes just now."""
    before = time.perf_counter()
    for _ in range(100):
        md5(PROBE, usedforsecurity=False).digest()
    return time.perf_counter() - before


def measure(folder: Path, threads: int, rounds: int) -> dict[str, list[tuple[float, float]]]:
    """For each name, the wall seconds of each turn and the slower probe around it."""
    todo = runs(folder, threads)
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in todo}
    for turn in range(rounds + 1):
        for name, run in todo.items():
            speed = probe()
            before = time.perf_counter()
            run()
            seconds = time.perf_counter() - before
            # The first turn warms up.
            if turn:
                taken[name].append((seconds, max(speed, probe())))
    return taken


def medians(taken: dict[str, list[tuple[float, float]]]) -> dict[str, tuple[float, int]]:
    """Median seconds of the undisturbed turns, and how many those are."""
    best = min(speed for turns in taken.values() for _, speed in turns)
    found = {}
    for name, turns in taken.items():
        quiet = [seconds for seconds, speed in turns if speed <= best * SLOW]
        kept = quiet if len(quiet) >= 3 else [seconds for seconds, _ in turns]  # noqa: PLR2004
        found[name] = (statistics.median(kept), len(quiet))
    return found


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=10_000_000, help="records of the log")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--csv", type=Path, help="a file to write the table to")
    parser.add_argument("--folder", type=Path, help="where the files are, or are to be made")
    parser.add_argument("--only", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        table = medians(measure(options.folder, options.only, options.rounds))
        writer = csv.writer(sys.stdout)
        writer.writerows((name, *figures) for name, figures in table.items())
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        if not (folder / "log.ndjson.gz").exists():
            make(options.rows, folder)
        print(f"python {platform.python_version()}, {options.rows} records, {SHARDS} shards")
        print(f"{'figure':<32} {'seconds':>9} {'M rows/s':>9} {'shardlane is':>13}  kept")
        lines = []
        for threads in options.threads:
            # polars settles its number of threads when it starts.
            command = [sys.executable, __file__, "--only", str(threads), "--folder", str(folder)]
            command += ["--rounds", str(options.rounds)]
            env = {**os.environ, "POLARS_MAX_THREADS": str(threads)}
            out = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
            found = {
                name: (float(seconds), int(kept))
                for name, seconds, kept in csv.reader(out.stdout.splitlines())
            }
            for name, (seconds, kept) in found.items():
                what, engine = name.split("/")
                own = found[f"{'parquet' if what == 'hot-keys' else what}/shardlane"][0]
                is_own = engine == "shardlane" and what != "hot-keys"
                times = "" if is_own else f"{seconds / own:.2f}"
                figure = f"{what}/{engine}/{threads}"
                rate = options.rows / seconds
                shown = f"{times} x" if times else ""
                print(f"{figure:<32} {seconds:>9.3f} {rate / 1e6:>9.2f} {shown:>13}  {kept}")
                lines.append((figure, f"{seconds:.4f}", round(rate), times, kept))
        if options.csv:
            with options.csv.open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(("figure", "seconds", "rows_per_second", "shardlane_times", "kept"))
                writer.writerows(lines)


if __name__ == "__main__":
    main()
