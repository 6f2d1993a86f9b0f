"""Models, scales, retries and readers."""

from datetime import timedelta

import polars as pl
import pytest

import shardlane as sl

T18 = pl.DataFrame(
    {
        "key": ["0123456789"] * 2,
        "ts": [900, 1_100],
        "n": [1_000, 1_000],
    }
)
BURST = {"key": "key", "time": "ts", "time_unit": "ms", "weight": "n"}


def replayed(frame: pl.DataFrame, **options: object) -> sl.Replay:
    return sl.ShardMap.kinesis(1).replay(frame, **(BURST | options))  # type: ignore[arg-type]


def test_two_models_give_two_answers_to_t18() -> None:
    assert replayed(T18).shards["throttled_records"].to_pylist() == [0]
    bucket = replayed(T18, model="token-bucket")
    assert bucket.shards["throttled_records"].to_pylist() == [800]
    assert bucket.projection.model == "token-bucket"
    assert bucket.projection.headroom == 0.6
    larger = replayed(T18, model="token-bucket:records_burst=1500")
    assert larger.projection.model_parameters == {
        "records_burst": 1_500,
        "bytes_burst": 10_485_760,
    }
    assert larger.shards["throttled_records"].to_pylist() == [300]
    tally = sl.ShardMap.kinesis(1).tally(T18, window="100ms", **BURST)  # type: ignore[arg-type]
    projection = tally.project(model="token-bucket")
    assert projection.shards["throttled_records"].to_pylist() == [800]


@pytest.mark.parametrize("window", ["100ms", timedelta(milliseconds=100)])
def test_a_window_may_be_a_tenth_of_a_second(window: str | timedelta) -> None:
    replay = replayed(T18, window=window)
    assert replay.shards["throttled_records"].to_pylist() == [1_800]
    with pytest.raises(sl.InvalidInput, match="at least 100ms"):
        replayed(T18, window=timedelta(milliseconds=99))
    with pytest.raises(sl.InvalidInput, match="at least 100ms"):
        replayed(T18, window=timedelta(microseconds=100_500))


def test_more_of_the_same_traffic() -> None:
    replay = replayed(T18, scale=1.5)
    assert replay.projection.scale == 1.5
    assert replay.shards["throttled_records"].to_pylist() == [1_000]
    assert replay.shards["records"].to_pylist() == [2_000]
    with pytest.raises(sl.InvalidInput, match=r"for example 1\.5"):
        replayed(T18, scale=0)


def test_what_is_retried_tells_how_long_it_waits() -> None:
    burst = pl.DataFrame({"key": ["a", "a"], "ts": [0, 9_000], "n": [2_500, 1]})
    shards = replayed(burst, retry=True).shards
    assert shards["max_delay_seconds"].to_pylist() == [2.0]
    assert shards["max_backlog_records"].to_pylist() == [1_500]
    assert shards["backlog_at_end"].to_pylist() == [0]
    assert "max_delay_seconds" not in replayed(burst).shards.column_names


def test_readers_tell_how_far_they_fall_behind() -> None:
    burst = pl.DataFrame({"key": ["a"], "ts": [0], "n": [10_000]})
    topic = sl.ShardMap.kafka(1)
    replay = topic.replay(burst, reads=sl.Reads(records_per_second=1_000), **BURST)  # type: ignore[arg-type]
    assert replay.shards["max_lag_records"].to_pylist() == [9_000]
    assert replay.shards["max_lag_seconds"].to_pylist() == [9.0]
    assert replay.shards["reads_throttled"].to_pylist() == [False]
    polled = replayed(burst, reads=sl.Reads(consumers=3, polls_per_second=2))
    assert polled.shards["refused_calls_per_second"].to_pylist() == [1.0]
    with pytest.raises(sl.InvalidInput, match="only a Kinesis shard"):
        topic.replay(burst, reads=sl.Reads(consumers=3), **BURST)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"fan_out": True},
        {"consumers": 2, "records_per_second": 5},
        {"consumers": 2, "fan_out": True, "polls_per_second": 1},
        {"consumers": 0},
        {"records_per_second": 0},
    ],
)
def test_readers_that_cannot_be_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(sl.InvalidInput, match="type "):
        sl.Reads(**wrong)  # type: ignore[arg-type]


def test_limits_of_readers_and_tables() -> None:
    limits = sl.Limits.kinesis(reads_per_second=10)
    assert (limits.reads_per_second, limits.read_bytes_per_second) == (10, 2_097_152)
    assert limits.sources["reads_per_second"] == "given"
    table = sl.Limits.dynamodb(table_read_units_per_second=150)
    assert table.table_read_units_per_second == 150
    assert table.table_write_units_per_second is None
