"""The interpreter lock, signals, threads and forks."""

import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest

import shardlane as sl


def run(program: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Runs a program in an interpreter of its own."""
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=False,
        text=True,
        timeout=timeout,
    )


def test_other_threads_run_while_a_column_is_routed() -> None:
    shard_map = sl.ShardMap.kinesis(1000)
    keys = pa.array(["k" * 250] * 400_000)
    ticks, done = 0, threading.Event()

    def route() -> None:
        for _ in range(5):
            shard_map.route(keys, threads=1)
            shard_map.digest(keys)
        done.set()

    # With a lock held, the waits below would end only between the calls: at most ten times.
    worker = threading.Thread(target=route)
    worker.start()
    while not done.wait(0.0005):
        ticks += 1
    worker.join()
    assert ticks > 20


def test_threads_share_a_map_and_a_tally() -> None:
    shard_map = sl.ShardMap.kinesis(100)
    keys = pa.array([f"user-{i}" for i in range(50_000)])
    expected = shard_map.route(keys).to_pylist()
    tally = shard_map.tally(keys)
    with ThreadPoolExecutor(8) as pool:
        routed = list(pool.map(lambda _: shard_map.route(keys).to_pylist(), range(16)))
        merged = list(pool.map(lambda _: tally.merge(tally).records, range(16)))
    assert all(shards == expected for shards in routed)
    assert merged == [100_000] * 16


def test_a_forked_child_routes_after_its_parent_did() -> None:
    ran = run(
        "import os, pyarrow as pa, shardlane as sl, warnings\n"
        "warnings.simplefilter('ignore')\n"
        "stream = sl.ShardMap.kinesis(100)\n"
        "keys = pa.array([f'user-{i}' for i in range(500_000)])\n"
        "first = stream.route(keys, threads=None).to_pylist()\n"
        "child = os.fork()\n"
        "again = stream.route(keys).to_pylist() == first and stream.replay(keys).tally.records\n"
        "if child == 0:\n"
        "    os._exit(0 if again == 500_000 else 9)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), again)\n"
    )
    assert ran.stdout == "0 500000\n", ran.stderr


ENDLESS = """
import pyarrow as pa, shardlane as sl, sys
batch = pa.record_batch({"key": [f"user-{i}" for i in range(50_000)]})
def batches():
    yield batch
    print("running", flush=True)
    while True:
        yield batch
stream = sl.ShardMap.kinesis(8)
try:
    WORK
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize(
    "work",
    [
        "stream.replay(batches(), threads=1)",
        "stream.replay(batches(), threads=2)",
        "stream.tally(batches())",
        "stream.replay(pa.RecordBatchReader.from_batches(batch.schema, batches()))",
        "stream.route(pa.RecordBatchReader.from_batches(batch.schema, batches()))",
        "stream.digest(pa.RecordBatchReader.from_batches(batch.schema, batches()))",
    ],
)
def test_ctrl_c_stops_long_work_at_once(work: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS.replace("WORK", work)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "running\n"
            time.sleep(0.2)
            began = time.monotonic()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert out == "interrupted\n", err
    assert time.monotonic() - began < 5
