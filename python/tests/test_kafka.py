"""Kafka: partitioners, serializers, null keys, growth and salts."""

import csv
import pickle
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import shardlane as sl
from test_vectors import rows


@pytest.mark.parametrize("row", rows("kafka_partitioners.json", "routes"))
def test_keys_go_where_each_client_sends_them(row: dict[str, Any]) -> None:
    topic = sl.ShardMap.kafka(row["partitions"], partitioner=row["partitioner"])
    key = bytes.fromhex(row["key_hex"]) if "key_hex" in row else row["key"]
    assert topic.shard_of(key) == row["partition"]
    assert topic.route(["x", key, None]).to_pylist()[1] == row["partition"]
    assert topic.route(pa.array([key], pa.binary())).to_pylist() == [row["partition"]]


@pytest.mark.parametrize("row", rows("kafka_hashes.json", "hashes"))
def test_digests_are_the_hashes_that_clients_published(row: dict[str, Any]) -> None:
    names = {
        "murmur2": "java",
        "crc32": "rdkafka:consistent",
        "fnv1a": "sarama:hash",
        "kafkajs-legacy": "kafkajs:legacy",
        "java-string": "spring-cloud-stream",
    }
    topic = sl.ShardMap.kafka(3, partitioner=names[row["function"]])
    digests = topic.digest([row["key"], None])
    assert pa.array(digests).type == pa.uint32()
    found, null = digests.to_pylist()
    assert null is None
    signed = found - 2**32 if found >= 2**31 else found
    forms = {
        "signed": signed,
        "unsigned": found,
        "after_mask": found & 0x7FFFFFFF,
        "magnitude": abs(signed),
    }
    assert {name: row[name] for name in forms if name in row}.items() <= forms.items()


@pytest.mark.parametrize("row", rows("kafka_serializers.json", "values"))
def test_numbers_are_hashed_as_their_serializer_writes_them(row: dict[str, Any]) -> None:
    topic = sl.ShardMap.kafka(row["partitions"])
    serializer, value, expected = row["serializer"], row["value"], [row["partition"]]
    for keys in ([value], pl.Series([value]), pa.array([value], pa.int16()), [str(value)]):
        assert topic.route(keys, key_serializer=serializer).to_pylist() == expected


@pytest.mark.parametrize("row", rows("kafka_growth.json", "growths"))
def test_growing_moves_the_part_of_the_keys_that_theory_says(row: dict[str, Any]) -> None:
    topic = sl.ShardMap.kafka(row["from"])
    moves = topic.compare(topic.grow(row["to"]), [f"order-{i}" for i in range(10_000)])
    part, whole = row["theory"]
    assert moves.theory == pytest.approx(part / whole)
    assert moves.keys_moved == row.get("moved_of_10000", moves.keys_moved)
    assert sum(moves.flows["records"].to_pylist()) == moves.records_moved
    assert f"{moves.keys_moved:,} of 10,000 keys move" in moves.summary()


def test_records_without_a_key_are_unassigned_and_spread_as_an_estimate() -> None:
    log = pl.DataFrame({"key": ["a", None, None, None, "b"], "size": [10, 7, 7, 7, 10]})
    topic = sl.ShardMap.kafka(3)
    tally = topic.tally(log, key="key", bytes="size")
    assert (tally.records, tally.unassigned, tally.rejected) == (2, 3, {})
    assert sum(tally.shards["bytes"].to_pylist()) == 22
    again = sl.Tally.from_bytes(tally.to_bytes())
    assert (again.unassigned, again.to_bytes()) == (3, tally.to_bytes())
    tally = tally.merge(again)
    assert tally.unassigned == 6

    limits = sl.Limits.kafka(records_per_second=1)
    replay = topic.replay(log, key="key", limits=limits)
    assert replay.shards["spread_records_estimate"].to_pylist() == [1, 1, 1]
    assert "estimate" in replay.summary()


def test_peaks_count_in_every_record_that_is_spread() -> None:
    # One record without a key in each of six seconds: each partition gets one of every three.
    log = pl.DataFrame({"key": [None] * 6, "ts": range(6), "size": [100] * 6}).cast(
        {"key": pl.String}
    )
    limits = sl.Limits.kafka(bytes_per_second=99)
    replay = sl.ShardMap.kafka(3).replay(
        log, key="key", bytes="size", time="ts", time_unit="s", limits=limits
    )
    shards = replay.shards
    assert shards["spread_records_estimate"].to_pylist() == [2, 2, 2]
    assert shards["spread_bytes_estimate"].to_pylist() == [200, 200, 200]
    assert shards["peak_bytes_per_second"].to_pylist() == [100, 100, 100]
    assert shards["throttled_records"].to_pylist() == [2, 2, 2]


def test_kafka_without_limits_gives_nulls_and_no_verdict_on_throttling() -> None:
    replay = sl.ShardMap.kafka(3).replay(pa.array(["a", "b"]))
    assert replay.shards["headroom"].to_pylist() == [None] * 3
    assert replay.shards["binding_limit"].to_pylist() == [None] * 3


def test_a_serializer_that_cannot_write_a_value_rejects_its_row(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["key"], ["1001"], ["x"], ["-3"]])
    replay = sl.ShardMap.kafka(12).replay(path, key="key", key_serializer="long")
    assert '"unserializable_key": 1' in replay.to_json()
    with pytest.raises(sl.InvalidInput, match="key serializer"):
        sl.ShardMap.kafka(12).route(["x"], key_serializer="long", on_invalid="raise")
    with pytest.raises(sl.InvalidInput, match="no key serializer"):
        sl.ShardMap.kafka(12).route(["x"], key_serializer="int")  # type: ignore[arg-type]
    with pytest.raises(sl.UnsupportedType, match="give whole numbers"):
        sl.ShardMap.kafka(12).route(pa.array([1.5]), key_serializer="long")


@pytest.mark.parametrize("row", rows("salts.json", "buckets"))
def test_salts_put_the_bucket_behind_the_key(row: dict[str, Any]) -> None:
    salt = sl.Salt("by", row["buckets"], rule=row["rule"])
    assert salt.apply(["k"], [row["value"]]).to_pylist() == [b"k#%d" % row["bucket"]]


def test_a_salted_replay_is_the_replay_of_salted_keys() -> None:
    log = pl.DataFrame({"key": ["cust-big"] * 800, "order": [f"order-{i}" for i in range(800)]})
    topic, salt = sl.ShardMap.kafka(12), sl.Salt("order", 8)
    replay = topic.replay(log, key="key", salt=salt)
    salted = topic.tally(salt.apply(log["key"], log["order"]))
    assert replay.shards["records"].to_pylist() == salted.shards["records"].to_pylist()
    assert sum(count > 0 for count in salted.shards["records"].to_pylist()) == 6
    assert replay.hot_keys["key"].to_pylist()[0].startswith("cust-big#")
    with pytest.raises(sl.InvalidInput, match="is null"):
        salt.apply(["k"], [None])


def test_what_kafka_refuses_is_refused_with_its_reason() -> None:
    topic = sl.ShardMap.kafka(6)
    with pytest.raises(sl.InvalidReshape, match="cannot shrink"):
        topic.grow(5)
    with pytest.raises(sl.InvalidReshape, match="6 partitions already"):
        topic.grow(6)
    with pytest.raises(sl.InvalidInput, match="only DynamoDB has capacity units"):
        topic.tally(["a"], operation="write")
    with pytest.raises(sl.InvalidReshape, match="type grow"):
        topic.split(0)
    with pytest.raises(sl.InvalidShardMap):
        sl.ShardMap.kafka(0)
    with pytest.raises(sl.InvalidInput, match="did you mean rdkafka:murmur2"):
        sl.ShardMap.kafka(6, partitioner="rdkafka:murmur")
    with pytest.raises(sl.InvalidInput, match="only Kinesis and Simple Log Service"):
        topic.route(["a"], explicit_hash_keys=["0"])
    with pytest.raises(sl.InvalidInput, match="takes no hash"):
        sl.ShardMap.kafka(6, partitioner="rdkafka:random").digest(["a"])


def test_a_topic_survives_pickle_and_names_its_partitioner() -> None:
    topic = sl.ShardMap.kafka(6, partitioner="confluent-kafka")
    assert pickle.loads(pickle.dumps(topic)) == topic != sl.ShardMap.kafka(6)
    salt = sl.Salt("by", 4, rule="md5", separator="-")
    assert repr(pickle.loads(pickle.dumps(salt))) == repr(salt)
    for limits in (sl.Limits.kafka(bytes_per_second=5), sl.Limits.kinesis(), sl.Limits.sls()):
        assert pickle.loads(pickle.dumps(limits)) == limits
    assert topic.partitioner == "rdkafka:consistent_random"
    assert topic.shards["start"].to_pylist() == [None] * 6
