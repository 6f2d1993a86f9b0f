"""Tallies against a plain count in Python."""

import collections
import copy
import datetime as dt
import pickle
import random
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shardlane as sl
from oracle import oracle

START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def log(seed: int, rows: int) -> pa.Table:
    """A skewed log with sizes, times in the order of the rows, and weights."""
    rng = random.Random(seed)
    return pa.table(
        {
            "user_id": [f"user-{int(rng.paretovariate(0.8)) % 500}" for _ in range(rows)],
            "size": [rng.randint(0, 2000) for _ in range(rows)],
            "ts": pa.array(
                [START + dt.timedelta(milliseconds=3 * i) for i in range(rows)],
                pa.timestamp("us", "UTC"),
            ),
            "weight": [rng.randint(0, 3) for _ in range(rows)],
        }
    )


def counted(shard_map: sl.ShardMap, table: pa.Table, *, weighted: bool) -> list[tuple[int, int]]:
    """Records and bytes of each shard, counted one by one."""
    shard_of = oracle(shard_map)
    totals = [[0, 0] for _ in range(len(shard_map))]
    for row in table.to_pylist():
        key = row["user_id"].encode()
        weight = row["weight"] if weighted else 1
        shard = shard_of(key)
        totals[shard][0] += weight
        totals[shard][1] += weight * (row["size"] + len(key))
    return [(records, size) for records, size in totals]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
def test_totals_are_those_of_a_plain_count(weighted: bool, threads: int) -> None:
    shard_map = sl.ShardMap.kinesis(7)
    table = log(1, 5000)
    tally = shard_map.tally(
        table,
        key="user_id",
        bytes="size",
        time="ts",
        weight="weight" if weighted else None,
        threads=threads,
    )
    expected = counted(shard_map, table, weighted=weighted)
    if not weighted:
        # "weight" is a usual name, so that it has to be out of the way not to be taken.
        tally = shard_map.tally(table.drop_columns("weight"), key="user_id", bytes="size")
    shards = tally.shards
    assert shards.column_names == ["index", "id", "records", "bytes", "share"]
    found = zip(shards["records"].to_pylist(), shards["bytes"].to_pylist(), strict=True)
    assert list(found) == expected
    assert tally.records == sum(records for records, _ in expected)
    assert tally.bytes == sum(size for _, size in expected)
    assert tally.unassigned == 0


def test_hot_keys_are_those_of_a_counter_when_few_keys_are_counted() -> None:
    shard_map = sl.ShardMap.kinesis(4)
    table = log(2, 5000)
    keys = table["user_id"].to_pylist()
    expected = collections.Counter(keys)
    hot = pa.table(shard_map.tally(table, key="user_id", weight=None, top=5).hot_keys).to_pylist()
    unweighted = pa.table(shard_map.tally(keys, top=5).hot_keys).to_pylist()
    assert len(hot) == 5
    for row in unweighted:
        assert row["records"] == expected[row["key"]]
        assert row["key_bytes"] == row["key"].encode()
        assert row["shard"] == shard_map.shard_of(row["key"])
        assert row["share"] == expected[row["key"]] / 5000
        assert row["error"] == 0
    assert [row["records"] for row in unweighted] == sorted(expected.values(), reverse=True)[:5]
    assert len(shard_map.tally(keys, top=0).hot_keys) == 0


@pytest.mark.parametrize(
    "convert",
    [
        lambda table: table,
        lambda table: table.to_batches(max_chunksize=100),
        lambda table: iter(table.to_batches(max_chunksize=100)),
        lambda table: (pl.DataFrame(batch) for batch in table.to_batches(max_chunksize=100)),
        pl.DataFrame,
        lambda table: table.to_pandas(),
        lambda table: table.to_reader(max_chunksize=7),
        duckdb.from_arrow,
    ],
    ids=["table", "list", "iterator", "generator", "polars", "pandas", "reader", "duckdb"],
)
def test_every_kind_of_table_is_counted_alike(convert: Any) -> None:
    shard_map = sl.ShardMap.kinesis(5)
    table = log(3, 1000)
    options: Any = {"key": "user_id", "bytes": "size", "time": "ts"}
    expected = shard_map.tally(table, **options)
    tally = shard_map.tally(convert(table), **options)
    assert tally.shards == expected.shards
    assert tally.hot_keys == expected.hot_keys


def test_usual_names_are_guessed_and_others_asked_for(stream: sl.ShardMap) -> None:
    frame = pl.DataFrame({"partition_key": ["a", "b"], "size": [10, 20]})
    assert stream.tally(frame).bytes == 32
    with pytest.raises(sl.InvalidInput, match="which column of the data is the partition key"):
        stream.tally(frame.rename({"partition_key": "who"}))
    with pytest.raises(sl.InvalidInput, match="partition_key"):
        stream.tally(frame, key="partition_keys")
    with pytest.raises(sl.UnsupportedType, match="size"):
        stream.tally(frame.with_columns(pl.concat_list("size")), bytes="size")


def test_sizes_may_include_the_key(stream: sl.ShardMap) -> None:
    frame = pl.DataFrame({"key": ["user-1"], "size": [100]})
    assert stream.tally(frame).bytes == 106
    assert stream.tally(frame, size_includes_key=True).bytes == 100


def test_rows_that_cannot_be_used_are_counted_by_reason(stream: sl.ShardMap) -> None:
    frame = pl.DataFrame(
        {
            "key": ["a", None, "", "k" * 257, "b", "c", "d"],
            "size": [1, 1, 1, 1, -1, None, 1],
            "explicit_hash_key": [None, None, None, None, None, None, "007"],
        }
    )
    tally = stream.tally(frame)
    assert tally.records == 1
    assert tally.rejected == {
        "null_key": 1,
        "empty_key": 1,
        "key_too_long": 1,
        "malformed_explicit_hash_key": 1,
        "null_bytes": 1,
        "negative_bytes": 1,
    }


def test_explicit_hash_keys_decide(stream: sl.ShardMap) -> None:
    frame = pl.DataFrame({"key": ["a"] * 2, "explicit_hash_key": ["0", str(2**128 - 1)]})
    assert stream.tally(frame).shards["records"].to_pylist() == [1, 0, 0, 1]


def test_a_time_of_whole_numbers_has_the_unit_that_is_told_or_shows(stream: sl.ShardMap) -> None:
    frame = pl.DataFrame({"key": ["a"], "at": [1_767_225_600_000]})
    guessed = stream.replay(frame, time="at")
    assert guessed.timeline["window_start"].to_pylist() == [START]
    assert "is taken to be ms by their size" in guessed.summary()
    with pytest.raises(sl.InvalidInput, match="unit"):
        stream.tally(pl.DataFrame({"key": ["a"], "at": [1]}), time="at")
    replay = stream.replay(frame, time="at", time_unit="ms")
    assert replay.timeline["window_start"].to_pylist() == [START]
    with pytest.raises(sl.InvalidInput, match="type s, ms, us or ns"):
        stream.tally(frame, time="at", time_unit="minutes")  # type: ignore[arg-type]


@pytest.mark.parametrize("window", ["60s", "1m", 60, dt.timedelta(minutes=1)])
def test_a_window_is_said_in_several_ways(stream: sl.ShardMap, window: Any) -> None:
    table = log(4, 100)
    replay = stream.replay(table, key="user_id", time="ts", window=window)
    assert set(replay.timeline["window_start"].to_pylist()) == {START}
    # Only tallies with the same window merge.
    twin = stream.tally(table, key="user_id", time="ts", window="1m")
    assert replay.tally.merge(twin).records == 2 * twin.records


@pytest.mark.parametrize(
    "window",
    ["", "0s", "1", "1.5s", "-1s", "s", 0, -1, 1.5, None, dt.timedelta(milliseconds=99), "400d"],
)
def test_a_window_that_is_none_is_refused(stream: sl.ShardMap, window: Any) -> None:
    with pytest.raises(sl.InvalidInput, match="1s"):
        stream.tally(["a"], window=window)


@pytest.mark.parametrize("top", [-1, 1.5, "10", None, 10**9])
def test_a_number_of_hot_keys_that_makes_no_sense_is_refused(stream: sl.ShardMap, top: Any) -> None:
    with pytest.raises(sl.InvalidInput, match="top=10"):
        stream.tally(["a"], top=top)


def test_tallies_of_parts_merge_into_that_of_the_whole() -> None:
    shard_map = sl.ShardMap.kinesis(3)
    table = log(5, 3000)
    options: Any = {"key": "user_id", "bytes": "size", "time": "ts"}
    parts = [shard_map.tally(table.slice(start, 1000), **options) for start in (0, 1000, 2000)]
    whole = shard_map.tally(table, **options)
    merged = parts[2].merge(parts[0]).merge(parts[1])
    assert merged.shards == whole.shards
    assert merged.hot_keys == whole.hot_keys
    assert merged.to_bytes() == whole.to_bytes()
    # A part does not change, and no rows change nothing.
    assert parts[0].records == shard_map.tally(table.slice(0, 1000), **options).records
    assert whole.merge(shard_map.tally(table.slice(0, 0), **options)).to_bytes() == whole.to_bytes()


def test_tallies_of_unlike_kinds_do_not_merge(stream: sl.ShardMap) -> None:
    tally = stream.tally(["a"])
    for other in (sl.ShardMap.kinesis(5).tally(["a"]), stream.tally(["a"], window="1m")):
        with pytest.raises(sl.InvalidInput):
            tally.merge(other)


def test_a_tally_travels_as_bytes(stream: sl.ShardMap) -> None:
    tally = stream.tally(log(6, 1000), key="user_id", bytes="size", time="ts")
    data = tally.to_bytes()
    assert isinstance(data, bytes)
    for twin in (
        sl.Tally.from_bytes(data),
        pickle.loads(pickle.dumps(tally)),
        copy.deepcopy(tally),
    ):
        assert twin.to_bytes() == data
        assert twin.shards == tally.shards
        assert twin.hot_keys == tally.hot_keys


@pytest.mark.parametrize("damage", [b"", b"no tally", "cut", "flip"])
def test_bytes_that_are_no_tally_are_refused(stream: sl.ShardMap, damage: Any) -> None:
    good = stream.tally(["a", "b"]).to_bytes()
    bad = {"cut": good[:-1], "flip": bytes([good[0] ^ 1]) + good[1:]}.get(damage, damage)
    with pytest.raises(sl.CorruptTally):
        sl.Tally.from_bytes(bad)


def test_a_projection_says_when_and_where_it_throttles(stream: sl.ShardMap) -> None:
    keys = ["user-1"] * 3 + ["JP"]
    projection = stream.tally(keys).project()
    # Three of four records go to one shard, which takes 1,000 a second.
    assert projection.throttle_records_per_second == pytest.approx(4000 / 3)
    assert projection.shard == stream.shard_of("user-1")
    assert projection.binding_limit == "records_per_second"
    assert projection.model == "tumbling"
    assert projection.limits == sl.Limits.kinesis()
    assert projection.headroom is None
    assert projection.shards["throttled_records"].to_pylist() == [None] * 4
    assert len(projection.throttles) == 0
    tight = stream.tally(keys).project(sl.Limits.kinesis(bytes_per_second=18), model="tumbling")
    assert tight.binding_limit == "bytes_per_second"
    assert tight.throttle_records_per_second == pytest.approx(4)
    assert "shardId-000000000003 meets bytes_per_second at 4 records/s" in repr(tight)
    assert "nothing was counted" in repr(stream.tally([]).project())
    with pytest.raises(sl.InvalidInput, match="type tumbling"):
        stream.tally(keys).project(model="leaky")


def test_limits_are_dated_and_can_be_overridden() -> None:
    limits = sl.Limits.kinesis(records_per_second=500)
    assert (limits.records_per_second, limits.bytes_per_second) == (500, 1_048_576)
    assert limits.sources["records_per_second"] == "given"
    assert limits.sources["bytes_per_second"].startswith("https://")
    assert "(read 20" in limits.sources["bytes_per_second"]
    assert limits.system == "kinesis"
    assert limits != sl.Limits.kinesis()
    for wrong in (0, -1, 1.5, "1000", True, 2**64):
        with pytest.raises(sl.InvalidInput, match="records_per_second=1000"):
            sl.Limits.kinesis(records_per_second=wrong)  # type: ignore[arg-type]


def test_a_pandas_index_does_not_get_in_the_way(stream: sl.ShardMap) -> None:
    frame = pd.DataFrame({"key": ["a", "b", "c"], "size": [1, 2, 3]})
    assert stream.tally(frame[frame["size"] > 1]).records == 2
