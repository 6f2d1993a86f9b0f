"""Errors: one class for each kind of the core's, under one base."""

import pickle

import pytest

import shardlane as sl
from shardlane import _shardlane

BUILTIN = {
    "InvalidInput": ValueError,
    "UnsupportedType": TypeError,
    "InvalidShardMap": ValueError,
    "InvalidReshape": ValueError,
    "CorruptTally": ValueError,
    "Io": OSError,
    "Cancelled": Exception,
    "Internal": RuntimeError,
}


def test_every_kind_of_error_has_a_class_and_every_class_a_kind() -> None:
    classes = {
        name
        for name in sl.__all__
        if isinstance(getattr(sl, name), type) and issubclass(getattr(sl, name), Exception)
    }
    assert classes == {*_shardlane.ERROR_KINDS, "ShardlaneError"}
    assert set(BUILTIN) == set(_shardlane.ERROR_KINDS)


@pytest.mark.parametrize("kind", _shardlane.ERROR_KINDS)
def test_a_class_is_shardlanes_and_what_python_calls_such_an_error(kind: str) -> None:
    error = getattr(sl, kind)
    assert issubclass(error, sl.ShardlaneError)
    assert issubclass(error, BUILTIN[kind])
    assert (error.__module__, error.__qualname__) == ("shardlane", kind)


def test_an_error_says_what_where_and_survives_pickling() -> None:
    overlap = [
        {"ShardId": "a", "HashKeyRange": {"StartingHashKey": "0", "EndingHashKey": "9"}},
        {"ShardId": "b", "HashKeyRange": {"StartingHashKey": "9", "EndingHashKey": "10"}},
    ]
    with pytest.raises(sl.InvalidShardMap) as raised:
        sl.ShardMap.from_list_shards(overlap)
    error = raised.value
    assert error.context == {"shards": "a and b"}
    assert "shards: a and b" in str(error)
    twin = pickle.loads(pickle.dumps(error))
    assert (type(twin), str(twin), twin.context) == (type(error), str(error), error.context)


def test_an_error_without_facts_has_an_empty_context(stream: sl.ShardMap) -> None:
    with pytest.raises(sl.InvalidInput) as raised:
        stream.shard_of("")
    assert raised.value.context == {}
