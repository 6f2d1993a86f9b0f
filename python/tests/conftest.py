"""What several tests need."""

import pytest

import shardlane as sl


@pytest.fixture
def stream() -> sl.ShardMap:
    """A stream of four shards."""
    return sl.ShardMap.kinesis(4)
