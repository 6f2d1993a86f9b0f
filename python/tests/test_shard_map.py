"""Shard maps: even ones, and those that the service lists."""

import copy
import datetime as dt
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import shardlane as sl

TOP = 2**128 - 1


def listed(number: int, start: int, end: int, **more: Any) -> dict[str, Any]:
    """One shard as ListShards writes it."""
    return {
        "ShardId": f"shardId-{number:012}",
        "HashKeyRange": {"StartingHashKey": str(start), "EndingHashKey": str(end)},
        "SequenceNumberRange": {"StartingSequenceNumber": "49"},
        **more,
    }


CLOSED = {"SequenceNumberRange": {"StartingSequenceNumber": "49", "EndingSequenceNumber": "50"}}
SPLIT = [
    listed(0, 0, TOP, **CLOSED),
    listed(2, 2**127, TOP, ParentShardId="shardId-000000000000"),
    listed(1, 0, 2**127 - 1, ParentShardId="shardId-000000000000"),
]


def test_the_documented_ranges_of_three_shards() -> None:
    table = sl.ShardMap.kinesis(3).shards
    assert table.column_names == [
        "index",
        "id",
        "start",
        "end",
        "state",
        "parent",
        "adjacent_parent",
        "share",
    ]
    assert table["end"].to_pylist() == [
        "113427455640312821154458202477256070484",
        "226854911280625642308916404954512140969",
        "340282366920938463463374607431768211455",
    ]
    assert table["id"].to_pylist()[2] == "shardId-000000000002"
    assert table["state"].to_pylist() == ["OPEN"] * 3


def test_the_two_even_rules_differ_where_they_are_said_to() -> None:
    starts = {
        rule: sl.ShardMap.kinesis(6, even_rule=rule).shards["start"].to_pylist()[2]
        for rule in ("fixed-step", "rational")
    }
    assert starts["fixed-step"][-6:] == "070484"
    assert starts["rational"][-6:] == "070485"


@pytest.mark.parametrize("wrap", ["path", "str path", "text", "dict", "describe", "list", "tuple"])
def test_a_list_of_shards_is_read_in_every_form(tmp_path: Path, wrap: str) -> None:
    answer = {"Shards": SPLIT}
    path = tmp_path / "list-shards.json"
    path.write_text(json.dumps(answer))
    boto3 = {"StreamDescription": {**answer, "StreamCreationTimestamp": dt.datetime.now(dt.UTC)}}
    forms: dict[str, Any] = {
        "path": path,
        "str path": str(path),
        "text": "\n " + json.dumps(answer),
        "dict": answer,
        "describe": boto3,
        "list": SPLIT,
        "tuple": tuple(SPLIT),
    }
    shard_map = sl.ShardMap.from_list_shards(forms[wrap])
    assert len(shard_map) == 2
    assert shard_map.system == "kinesis"
    table = shard_map.shards
    assert table["index"].to_pylist() == [0, 1, None]
    assert table["state"].to_pylist() == ["OPEN", "OPEN", "CLOSED"]
    assert table["parent"].to_pylist() == ["shardId-000000000000"] * 2 + [None]
    assert shard_map.shard_of("user-1") == 1


@pytest.mark.parametrize(
    ("shards", "message"),
    [
        ([listed(0, 0, 5), listed(1, 7, TOP)], "leave out the hash values 6 to 6"),
        ([listed(0, 0, 5), listed(1, 5, TOP)], "share the hash values 5 to 5"),
        ([listed(0, 1, TOP)], "leave out the hash values 0 to 0"),
        ([listed(0, 0, TOP - 1)], "leave out"),
        ([listed(0, 0, TOP, **CLOSED)], "no shard takes writes"),
        ([], "no shard takes writes"),
        ([{"ShardId": "x"}], "ListShards or DescribeStream"),
        ({"Shards": SPLIT, "NextToken": "more"}, "one page"),
        ("[1, 2", "ListShards or DescribeStream"),
        ("{}", "ListShards or DescribeStream"),
        ([listed(0, 0, 2**128)], "from 0 to 340282366920938463463374607431768211455"),
    ],
)
def test_a_list_that_is_no_stream_is_refused(shards: Any, message: str) -> None:
    with pytest.raises(sl.InvalidShardMap, match=message) as raised:
        sl.ShardMap.from_list_shards(shards)
    assert isinstance(raised.value, ValueError)


def test_a_file_that_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    with pytest.raises(sl.Io, match="aws kinesis list-shards") as raised:
        sl.ShardMap.from_list_shards(path)
    assert isinstance(raised.value, OSError)
    assert raised.value.context == {"path": str(path)}


@pytest.mark.parametrize("source", [7, None, b"{}", 1.5])
def test_what_is_no_list_of_shards_is_refused(source: Any) -> None:
    with pytest.raises(sl.UnsupportedType, match="JSON file, JSON text"):
        sl.ShardMap.from_list_shards(source)


@pytest.mark.parametrize("shards", [0, -1, 2**20 + 1, 2**32, 2**200, 1.5, "4", None, True])
def test_a_number_of_shards_that_no_stream_has_is_refused(shards: Any) -> None:
    with pytest.raises(sl.InvalidShardMap, match="shards="):
        sl.ShardMap.kinesis(shards)


@pytest.mark.parametrize("option", ["even_rule", "key_length_unit"])
def test_unknown_rules_are_refused_with_the_known_ones(option: str) -> None:
    with pytest.raises(
        sl.InvalidInput, match=r"type (fixed-step or rational|code-points or utf16)"
    ):
        sl.ShardMap.kinesis(4, **{option: "even"})  # type: ignore[arg-type]


def test_maps_are_equal_when_their_shards_and_rules_are() -> None:
    assert sl.ShardMap.kinesis(4) == sl.ShardMap.kinesis(4)
    assert sl.ShardMap.kinesis(4) != sl.ShardMap.kinesis(5)
    assert sl.ShardMap.kinesis(4) != "kinesis"
    assert repr(sl.ShardMap.kinesis(1)) == "ShardMap(kinesis, 1 shard)"


@pytest.mark.parametrize("unit", ["code-points", "utf16-units"])
def test_maps_survive_pickling_and_copying(unit: Any) -> None:
    shard_map = sl.ShardMap.from_list_shards(SPLIT, key_length_unit=unit)
    for twin in (pickle.loads(pickle.dumps(shard_map)), copy.deepcopy(shard_map)):
        assert twin == shard_map
        assert twin.shards == shard_map.shards
