"""Logs that say where their records went, and the maps that they fit."""

import json
from pathlib import Path

import polars as pl
import pytest

import shardlane as sl

KEYS = [f"order-{i}" for i in range(2_000)]


def log(topic: sl.ShardMap, keys: list[str] = KEYS) -> pl.DataFrame:
    return pl.DataFrame({"key": keys, "partition": pl.Series(topic.route(keys))})


def test_a_log_of_the_map_agrees_in_every_row() -> None:
    topic = sl.ShardMap.kafka(12)
    found = topic.verify(log(topic), key="key", shard="partition")
    assert (found.rows, found.compared, found.agreed, found.agreement) == (2_000, 2_000, 2_000, 1.0)
    assert (found.unobserved, found.unassigned) == (0, 0)
    assert len(found.causes) == len(found.pairs) == len(found.disagreements) == 0
    assert repr(found) == "Verification(all 2,000 rows agree)"


def test_the_cause_of_a_disagreement_is_told() -> None:
    found = sl.ShardMap.kafka(12, partitioner="sarama:hash").verify(log(sl.ShardMap.kafka(12)))
    assert found.causes["code"].to_pylist() == ["partitioner"]
    assert found.causes["options"].to_pylist() == ["--kafka 12 --partitioner java"]
    assert len(found.disagreements) == 10
    assert sum(found.pairs["rows"].to_pylist()) == found.compared - found.agreed
    assert json.loads(found.to_json())["causes"][0]["code"] == "partitioner"
    assert "Likely causes" in found.summary()


def test_a_file_is_verified_like_a_table(tmp_path: Path) -> None:
    stream = sl.ShardMap.kinesis(4)
    ids = stream.shards["id"].to_pylist()
    shards = [ids[at] for at in stream.route(KEYS).to_pylist()]
    path = tmp_path / "log.parquet"
    pl.DataFrame({"pk": KEYS, "shard_id": shards}).write_parquet(path)
    assert stream.verify(path).agreement == 1.0
    found = sl.infer(path)
    assert found.fits
    assert found.are_ranges
    assert found.shards["name"].to_pylist() == ids
    assert found.candidates["options"].to_pylist()[0] == "--kinesis 4"


def test_the_rule_is_inferred() -> None:
    found = sl.infer(log(sl.ShardMap.kafka(7, partitioner="rdkafka:consistent")))
    best = found.candidates["partitioner"].to_pylist()[:3]
    assert best == ["rdkafka:consistent", "rdkafka:consistent_random", "sarama:crc32"]
    assert found.candidates["shards"].to_pylist()[0] == 7
    assert found.verdict.startswith("Kafka topic of rdkafka:consistent over 7 partitions")
    assert json.loads(found.to_json())["fits"] is True


def test_what_cannot_be_verified_says_what_to_type() -> None:
    with pytest.raises(sl.InvalidInput, match="shard="):
        sl.ShardMap.kafka(12).verify(pl.DataFrame({"key": KEYS}))
    with pytest.raises(sl.InvalidInput, match="shard="):
        sl.infer(pl.DataFrame({"key": KEYS}))
    with pytest.raises(sl.InvalidInput, match="simulated"):
        sl.ShardMap.dynamodb(4).verify(log(sl.ShardMap.kafka(4)))


def test_a_replay_tells_agreement_distinct_keys_and_warnings() -> None:
    topic = sl.ShardMap.kafka(4)
    replay = topic.replay(log(topic), key="key", shard="partition")
    assert replay.agreement == 1.0
    assert replay.distinct_keys == 2_000
    assert sum(replay.shards["distinct_keys"].to_pylist()) == 2_000
    assert [code for code, _ in replay.warnings] == ["no_times", "no_sizes"]
    assert replay.tally.distinct_keys == 2_000
    assert topic.replay(pl.DataFrame({"key": KEYS})).agreement is None
    assert topic.replay(pl.DataFrame({"key": KEYS}), top=0).distinct_keys is None
