"""The vectors that every language's tests read."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import shardlane as sl

DATASETS = Path(__file__).parents[2] / "datasets"


def rows(file: str, name: str) -> list[dict[str, Any]]:
    """The rows of one file."""
    found: list[dict[str, Any]] = json.loads((DATASETS / "vectors" / file).read_text())[name]
    assert found
    return found


@pytest.mark.parametrize("row", rows("kinesis_routes.json", "routes"), ids=lambda row: row["key"])
def test_keys_have_the_digest_and_the_shards_of_the_vectors(row: dict[str, Any]) -> None:
    digest = sl.ShardMap.kinesis(1).digest([row["key"]]).to_pylist()[0]
    assert digest.hex() == row["md5"]
    assert int.from_bytes(digest, "big") == int(row["hash"])
    for count, shard in row["shards"].items():
        shard_map = sl.ShardMap.kinesis(int(count))
        assert shard_map.route([row["key"]]).to_pylist() == [shard]
        assert shard_map.shard_of(row["key"]) == shard


@pytest.mark.parametrize("row", rows("kinesis_maps.json", "even"))
def test_even_streams_have_the_ranges_of_the_vectors(row: dict[str, Any]) -> None:
    table = pa.table(sl.ShardMap.kinesis(row["shards"]).shards)
    assert [[shard["start"], shard["end"]] for shard in table.to_pylist()] == row["ranges"]


@pytest.mark.parametrize("row", rows("kinesis_maps.json", "rules_differ"))
def test_the_two_even_rules_differ_as_the_vectors_say(row: dict[str, Any]) -> None:
    for rule, start in row["start"].items():
        table = sl.ShardMap.kinesis(row["shards"], even_rule=rule).shards
        assert table["start"].to_pylist()[row["shard"]] == start


@pytest.mark.parametrize("row", rows("kinesis_keys.json", "spellings"))
def test_spellings_are_keys_of_their_own(row: dict[str, Any]) -> None:
    stream = sl.ShardMap.kinesis(4)
    for spelling in ("composed", "decomposed"):
        digest = stream.digest([row[spelling]]).to_pylist()[0]
        assert digest.hex() == row[f"{spelling}_md5"]


@pytest.mark.parametrize("unit", ["code-points", "utf16-units"])
@pytest.mark.parametrize("row", rows("kinesis_keys.json", "keys"))
def test_keys_are_taken_or_refused_as_the_vectors_say(row: dict[str, Any], unit: Any) -> None:
    key = row["text"]
    key = None if key is None else key * row.get("times", 1)
    shard_map = sl.ShardMap.kinesis(4, key_length_unit=unit)
    rejected = shard_map.tally([key]).rejected
    assert rejected == ({} if row[unit] == "accepted" else {row[unit]: 1})
    assert (shard_map.route([key]).null_count == 0) == (row[unit] == "accepted")


@pytest.mark.parametrize("row", rows("kinesis_explicit_hash_keys.json", "explicit_hash_keys"))
def test_explicit_hash_keys_are_as_the_vectors_say(row: dict[str, Any]) -> None:
    shard_map = sl.ShardMap.kinesis(row.get("shards", 3))
    routed = shard_map.route(["k"], explicit_hash_keys=[row["text"]]).to_pylist()
    assert routed == [row.get("shard")]
    log = pa.table({"key": ["k"], "explicit_hash_key": [row["text"]]})
    reason = row.get("refused")
    assert shard_map.tally(log).rejected == ({} if reason is None else {reason: 1})


@pytest.mark.parametrize("row", rows("kinesis_limits.json", "loads"))
def test_loads_are_throttled_as_the_vectors_say(row: dict[str, Any]) -> None:
    if "tumbling" not in row["expect"]:
        pytest.skip("an answer of another model")
    records = row["records"]
    log = pa.table(
        {
            "key": [record["key"] for record in records],
            "bytes": [record["data_bytes"] for record in records],
            "time": pa.array(
                [record["at_microseconds"] for record in records], pa.timestamp("us", "UTC")
            ),
            "weight": [record["records"] for record in records],
        }
    )
    limits = sl.Limits.kinesis(**row["limits"])
    replay = sl.ShardMap.kinesis(1).replay(
        log, limits=limits, size_includes_key=row.get("size_includes_key", False)
    )
    throttled = replay.shards["throttled_records"].to_pylist()
    assert throttled == [row["expect"]["tumbling"]["throttled_records"]]


@pytest.mark.parametrize("name", ["three_even", "three_even_describe_stream"])
def test_the_service_s_own_answers_are_read(name: str) -> None:
    shard_map = sl.ShardMap.from_list_shards(DATASETS / "shard_maps" / f"{name}.json")
    even = sl.ShardMap.kinesis(3).shards
    for column in ("start", "end"):
        assert shard_map.shards[column].to_pylist() == even[column].to_pylist()


@pytest.mark.parametrize("name", ["gap", "overlap", "all_closed", "first_page"])
def test_answers_that_are_no_stream_are_refused(name: str) -> None:
    with pytest.raises(sl.InvalidShardMap):
        sl.ShardMap.from_list_shards(DATASETS / "shard_maps" / f"{name}.json")
