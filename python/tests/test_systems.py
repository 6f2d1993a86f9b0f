"""DynamoDB, Simple Log Service, and the life of a Kinesis stream."""

import json
import pickle
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import shardlane as sl
from oracle import digest
from test_vectors import rows


@pytest.mark.parametrize("row", rows("dynamodb_units.json", "requests"))
def test_requests_cost_the_units_of_the_capacity_pages(row: dict[str, Any]) -> None:
    log = pl.DataFrame({"key": ["a"] * 3, "size": [row["bytes"]] * 3})
    replay = sl.ShardMap.dynamodb(1).replay(log, key="key", operation=row["operation"])
    kind = "write_units" if "write" in row["operation"] else "read_units"
    assert replay.shards[kind].to_pylist() == [3 * row["units"]]


@pytest.mark.parametrize("row", rows("dynamodb_units.json", "bursts"))
def test_a_burst_lasts_as_long_as_what_was_kept(row: dict[str, Any]) -> None:
    assert sl.Limits.burst_seconds(row["capacity"], row["load"]) == row["seconds"]
    assert sl.Limits.burst_seconds(row["load"], row["capacity"]) is None
    assert sl.Limits.capacity_units("PutItem", 1_025) == 2
    with pytest.raises(sl.InvalidInput, match="no operation"):
        sl.Limits.capacity_units("delete-all", 1)


def test_a_column_of_operations_decides_row_by_row() -> None:
    log = pl.DataFrame(
        {
            "key": ["a"] * 5,
            "size": [4_096] * 5,
            "op": ["read", "GetItem", "PutItem", "nonsense", None],
        }
    )
    replay = sl.ShardMap.dynamodb(1).replay(log, key="key", operation_column="op")
    assert replay.shards["read_units"].to_pylist() == [2]
    assert replay.shards["write_units"].to_pylist() == [4]
    assert json.loads(replay.to_json())["input"]["rejected"] == {"unknown_operation": 2}


def test_a_hot_partition_throttles_by_its_units() -> None:
    second = pl.datetime_range(
        pl.datetime(2026, 1, 1), pl.datetime(2026, 1, 1), "1s", time_zone="UTC", eager=True
    )[0]
    log = pl.DataFrame({"key": ["a"] * 1_500, "ts": [second] * 1_500, "size": [1_000] * 1_500})
    table = sl.ShardMap.dynamodb(4)
    replay = table.replay(log, key="key", time="ts", operation="write")
    assert replay.throttles["throttled_records"].to_pylist() == [500]
    assert replay.throttles["binding_limit"].to_pylist() == ["write_units_per_second"]
    reads = table.replay(log, key="key", time="ts", operation="read")
    assert reads.throttles["throttled_records"].to_pylist() == []
    both = pl.concat([log.with_columns(op=pl.lit("read")), log.with_columns(op=pl.lit("write"))])
    limits = sl.Limits.dynamodb(unit_rule="linear-combination")
    shared = table.replay(both, key="key", time="ts", operation_column="op", limits=limits)
    assert shared.throttles["binding_limit"].to_pylist() == ["combined_units_per_second"]
    assert "simulated" in shared.summary()


def test_a_table_is_simulated_by_the_md5_and_by_other_seeds() -> None:
    keys = [f"user-{i}" for i in range(5_000)]
    table = sl.ShardMap.dynamodb(512)
    assert table.route(keys).to_pylist() == [
        int.from_bytes(digest(key.encode()), "big") * 512 >> 128 for key in keys
    ]
    other = sl.ShardMap.dynamodb(512, seed=1)
    moved = table.compare(other, keys)
    assert moved.keys_moved / moved.keys == pytest.approx(511 / 512, abs=0.01)
    assert moved.theory == pytest.approx(511 / 512)
    assert pickle.loads(pickle.dumps(other)) == other != table


def test_skew_has_a_floor_that_no_number_of_places_goes_below() -> None:
    keys = ["hot"] * 500 + [f"user-{i}" for i in range(9_500)]
    skew = sl.skew(keys, places=[8, 512], seeds=50)
    assert (skew.floor, skew.top_key) == (0.05, b"hot")
    eight, many = skew.table["median"].to_pylist()
    assert 0.125 < eight < 0.2
    assert 0.05 < many < 0.06
    seed_0 = skew.table["seed_0"].to_pylist()
    for places, share in zip((8, 512), seed_0, strict=True):
        counts = sl.ShardMap.dynamodb(places).tally(keys).shards["records"].to_pylist()
        assert max(counts) / 10_000 == pytest.approx(share)
    with pytest.raises(sl.InvalidInput, match="seeds"):
        sl.skew(keys, seeds=0)
    odd: list[Any] = [[0], [-1], [True], "8", 8]
    for wrong in odd:
        with pytest.raises(sl.InvalidInput, match="places"):
            sl.skew(keys, places=wrong)
    with pytest.raises(sl.InvalidInput, match="no row of the log could be used"):
        sl.skew(pl.Series([None, None], dtype=pl.String))


@pytest.mark.parametrize("row", rows("sls_hash_keys.json", "hash_keys"))
def test_hash_keys_name_shards_by_their_first_digits(row: dict[str, Any]) -> None:
    logstore = sl.ShardMap.sls(row["shards"])
    if row["shard"] is None:
        with pytest.raises(sl.InvalidInput, match="hexadecimal"):
            logstore.shard_of(None, explicit_hash_key=row["text"])
    else:
        assert logstore.shard_of(None, explicit_hash_key=row["text"]) == row["shard"]
    routed = logstore.route([None], explicit_hash_keys=[row["text"]])
    assert routed.to_pylist() == [row["shard"]]


@pytest.mark.parametrize("row", rows("sls_buckets.json", "adjusted"))
def test_adjusted_hashes_keep_their_buckets(row: dict[str, Any]) -> None:
    logstore = sl.ShardMap.sls(256, buckets=row["buckets"])
    assert logstore.shard_of(row["text"]) == int(row["first_byte"], 16)
    assert pickle.loads(pickle.dumps(logstore)) == logstore


def test_a_logstore_lives_as_its_service_says() -> None:
    logstore = sl.ShardMap.sls(4)
    assert logstore.shards["start"].to_pylist()[1] == "4" + "0" * 31
    split = logstore.split(3, "d0")
    assert split.shards["state"].to_pylist() == ["readwrite"] * 5 + ["readonly"]
    assert split.shard_of(None, explicit_hash_key="cf") == 3
    assert split.shards["id"].to_pylist()[3:] == ["4", "5", "3"]
    merged = logstore.merge("0")
    assert merged.shards["end"].to_pylist()[0] == "8" + "0" * 31
    with pytest.raises(sl.InvalidReshape, match="can not merge the last shard"):
        logstore.merge(3)
    listed = [
        {
            "shardID": shard["id"],
            "status": shard["state"],
            "inclusiveBeginKey": shard["start"],
            "exclusiveEndKey": shard["end"],
        }
        for shard in pl.DataFrame(split.shards).to_dicts()
    ]
    again = sl.ShardMap.from_sls_shards(listed)
    assert again.shards["start"].to_pylist() == split.shards["start"].to_pylist()
    listed[0]["exclusiveEndKey"] = "c" + "0" * 35
    with pytest.raises(sl.InvalidShardMap, match="36 characters"):
        sl.ShardMap.from_sls_shards(listed)
    listed[0]["exclusiveEndKey"] = "4" + "0" * 31
    for name, value, words in [
        ("status", "READWRITE", 'status of shard .* is "READWRITE"'),
        ("shardID", -1, "shardID of a shard is -1"),
        ("inclusiveBeginKey", None, "inclusiveBeginKey of shard .* is null"),
    ]:
        with pytest.raises(sl.InvalidShardMap, match=words):
            sl.ShardMap.from_sls_shards([{**listed[0], name: value}])
    assert logstore.shard_of(None, explicit_hash_key=0x5F << 120) == 1
    tally = logstore.tally([None, "a", None])
    assert (tally.unassigned, tally.records) == (2, 1)


def test_a_stream_is_read_parents_first() -> None:
    stream = sl.ShardMap.kinesis(2).split(0).merge(1)
    order = pl.DataFrame(stream.drain_order()).to_dicts()
    seen: set[str] = set()
    for shard in order:
        assert set(shard["after"]) <= seen
        seen.add(shard["id"])
    assert order[-1]["depth"] == 2
    gone = stream.expire("shardId-000000000000")
    assert len(pl.DataFrame(gone.drain_order())) == len(order) - 1
    assert pickle.loads(pickle.dumps(gone)) == gone


def test_reshapes_are_refused_as_the_service_does() -> None:
    stream = sl.ShardMap.kinesis(8)
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: stream.split(0, 1), "not both greater than one plus"),
        (lambda: stream.merge(0, 2), "not an adjacent pair"),
        (lambda: stream.resize(17), "at most 16"),
        (lambda: stream.resize(3), "at least 4"),
        (lambda: stream.grow(9), "type resize"),
        (lambda: stream.split(0).split("shardId-000000000000"), "already been merged or split"),
        (lambda: sl.ShardMap.kinesis(8, capacity_mode="on-demand").split(0), "ValidationException"),
    ]
    for refused, words in cases:
        with pytest.raises(sl.InvalidReshape, match=words):
            refused()
    with pytest.raises(sl.InvalidInput, match="no shard"):
        stream.split("shardId-9")
    with pytest.raises(sl.InvalidInput, match="hash value"):
        stream.split(0, "half")


def test_an_emulators_map_is_known() -> None:
    step = (2**128 - 1) // 2
    shards = [
        {
            "ShardId": f"shardId-{i:012}",
            "HashKeyRange": {"StartingHashKey": str(start), "EndingHashKey": str(end)},
        }
        for i, (start, end) in enumerate([(0, step - 1), (step, 2**128 - 1)])
    ]
    assert sl.ShardMap.from_list_shards(shards).emulator == "kinesis-mock"
    assert sl.ShardMap.kinesis(2).emulator is None
