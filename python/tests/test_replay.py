"""Replays: files and frames, reports, progress."""

import datetime as dt
import json
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import shardlane as sl

START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


@pytest.fixture
def table() -> pa.Table:
    """Two seconds: 1,500 records of one key in the first, 10 of several in the second."""
    keys = ["user-1"] * 1500 + [f"user-{i}" for i in range(10)]
    times = [START] * 1500 + [START + dt.timedelta(seconds=1)] * 10
    return pa.table(
        {
            "user_id": keys,
            "size": [94] * len(keys),
            "ts": pa.array(times, pa.timestamp("us", "UTC")),
        }
    )


OPTIONS: Any = {"key": "user_id", "bytes": "size", "time": "ts"}


def check(replay: sl.Replay, stream: sl.ShardMap) -> None:
    """Checks the findings of the table above."""
    hot = stream.shard_of("user-1")
    shards = pa.table(replay.shards).to_pylist()
    assert [row["index"] for row in shards] == [0, 1, 2, 3]
    assert sum(row["records"] for row in shards) == 1510
    assert sum(row["bytes"] for row in shards) == 151_000
    assert [row["throttled_records"] for row in shards] == [
        500 if index == hot else 0 for index in range(4)
    ]
    assert shards[hot]["first_throttle"] == START
    assert shards[hot]["binding_limit"] == "records_per_second"
    throttles = pa.table(replay.throttles).to_pylist()
    assert [(row["shard"], row["window_start"]) for row in throttles] == [(hot, START)]
    timeline = pa.table(replay.timeline).to_pylist()
    assert sum(row["records"] for row in timeline) == 1510
    assert timeline[0] == {
        "window_start": START,
        "shard": hot,
        "id": f"shardId-{hot:012}",
        "records": 1500,
        "bytes": 150_000,
        "load": 1.5,
        "throttled_records": 500,
        "binding_limit": "records_per_second",
    }
    assert replay.hot_keys["key"].to_pylist()[0] == "user-1"
    assert replay.hot_keys["records"].to_pylist()[0] == 1501
    by_shard = pa.table(replay.hot_keys_by_shard).to_pylist()
    assert {row["key"] for row in by_shard} == {f"user-{i}" for i in range(10)}
    assert replay.projection.headroom == pytest.approx(1000 / 1500)


def test_a_frame_is_replayed(stream: sl.ShardMap, table: pa.Table) -> None:
    check(stream.replay(table, **OPTIONS), stream)
    check(stream.replay(pl.DataFrame(table), **OPTIONS, threads=1), stream)
    check(stream.replay(iter(table.to_batches(max_chunksize=100)), **OPTIONS), stream)


def test_files_are_replayed_one_after_another(
    stream: sl.ShardMap, table: pa.Table, tmp_path: Path
) -> None:
    whole, head, tail = tmp_path / "whole.parquet", tmp_path / "1.csv", tmp_path / "2.csv"
    pq.write_table(table, whole, compression="zstd")
    pyarrow.csv.write_csv(table.slice(0, 700), head)
    pyarrow.csv.write_csv(table.slice(700), tail)
    check(stream.replay(whole, **OPTIONS), stream)
    check(stream.replay(str(whole), **OPTIONS), stream)
    both: list[str | Path] = [head, str(tail)]
    check(stream.replay(both, **OPTIONS), stream)
    check(stream.replay((head, tail), **OPTIONS), stream)


def test_the_report_comes_as_text_json_and_html(
    stream: sl.ShardMap, table: pa.Table, tmp_path: Path
) -> None:
    replay = stream.replay(table, **OPTIONS)
    assert "user-1" in replay.summary()
    assert repr(replay) == replay.summary()
    report = json.loads(replay.to_json())
    assert report["system"] == "kinesis"
    assert report["input"]["records"] == 1510
    assert report["input"]["columns"]["key"] == "user_id"
    assert report["shards"][3]["throttled_records"] == 500
    path = tmp_path / "report.html"
    replay.to_html(path)
    page = path.read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert "<svg" in replay._repr_html_()
    assert "<html" not in replay._repr_html_()
    assert "<script" not in page
    with pytest.raises(sl.Io, match="directory that exists"):
        replay.to_html(tmp_path / "none" / "report.html")


def test_the_keys_of_throttled_windows_take_a_second_reading(
    stream: sl.ShardMap, table: pa.Table, tmp_path: Path
) -> None:
    path = tmp_path / "log.parquet"
    pq.write_table(table, path)
    of_second = [{"key": "user-1", "records": 1500, "bytes": 150_000, "share": 1.0, "error": 0}]
    for source in (path, table, table.to_batches(), pl.from_arrow(table)):
        replay = stream.replay(source, **OPTIONS)
        found = pa.table(replay.throttled_keys)
        assert found.select(list(of_second[0])).to_pylist() == of_second, type(source)
        assert "While shardId-" in replay.summary()
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    for source in (iter(table.to_batches()), reader):
        replay = stream.replay(source, **OPTIONS)
        assert len(replay.throttled_keys) == 0
        assert json.loads(replay.to_json())["throttled_keys"]["second_reading"] == "only_once"
    once = stream.replay(path, **OPTIONS, read_once=True)
    assert len(once.throttled_keys) == 0
    assert json.loads(once.to_json())["throttled_keys"]["second_reading"] == "turned_off"


def test_as_many_of_the_worst_minutes_are_told_as_asked_for(
    stream: sl.ShardMap, table: pa.Table
) -> None:
    assert len(json.loads(stream.replay(table, **OPTIONS).to_json())["timeline"]) == 1
    replay = stream.replay(table, **OPTIONS, worst_minutes=0)
    assert json.loads(replay.to_json())["timeline"] == []
    with pytest.raises(sl.InvalidInput, match="worst_minutes=5"):
        stream.replay(table, **OPTIONS, worst_minutes=-1)


def test_without_times_the_throttle_rate_is_still_known(stream: sl.ShardMap) -> None:
    replay = stream.replay(pa.array(["user-1", "JP"]))
    assert replay.projection.throttle_records_per_second == 2000
    assert replay.projection.headroom is None
    assert len(replay.timeline) == len(replay.throttles) == 0
    assert replay.shards["first_throttle"].to_pylist() == [None] * 4


def test_limits_can_be_overridden(stream: sl.ShardMap, table: pa.Table) -> None:
    replay = stream.replay(table, **OPTIONS, limits=sl.Limits.kinesis(records_per_second=2000))
    assert sum(replay.shards["throttled_records"].to_pylist()) == 0
    with pytest.raises(TypeError, match="limits"):
        stream.replay(table, **OPTIONS, limits={"records_per_second": 1})  # type: ignore[arg-type]


def test_a_log_without_rows_is_an_error_and_its_tally_is_not(
    stream: sl.ShardMap, table: pa.Table
) -> None:
    with pytest.raises(sl.InvalidInput, match="no rows"):
        stream.replay(table.slice(0, 0), **OPTIONS)
    assert stream.tally(table.slice(0, 0), **OPTIONS).records == 0


def test_strict_makes_a_bad_row_an_error(stream: sl.ShardMap) -> None:
    assert stream.replay(pa.array(["a", ""])).tally.rejected == {"empty_key": 1}
    with pytest.raises(sl.InvalidInput, match="the key is empty") as raised:
        stream.replay(pa.array(["a", ""]), strict=True)
    assert raised.value.context["first such row"] == "2"


@pytest.mark.parametrize("source", [7, None, b"log.parquet", object(), {"a": 1}])
def test_what_is_no_log_is_refused(stream: sl.ShardMap, source: Any) -> None:
    with pytest.raises(sl.UnsupportedType, match="source is a"):
        stream.replay(source)


def test_files_that_cannot_be_read_are_refused(stream: sl.ShardMap, tmp_path: Path) -> None:
    with pytest.raises(sl.Io, match=r"none\.parquet"):
        stream.replay(tmp_path / "none.parquet")
    with pytest.raises(sl.InvalidInput):
        stream.replay([])
    empty = tmp_path / "empty.csv"
    empty.touch()
    with pytest.raises(sl.InvalidInput, match="empty"):
        stream.replay(empty)
    with pytest.raises(sl.UnsupportedType, match="list of paths"):
        stream.replay([empty, 7])


def test_an_iterable_of_unlike_batches_is_refused(stream: sl.ShardMap) -> None:
    batches = [pa.record_batch({"key": ["a"]}), pa.record_batch({"key": [1]})]
    with pytest.raises(sl.InvalidInput, match="differ in their columns"):
        stream.replay(batches)
    with pytest.raises(sl.UnsupportedType, match="the iterable gave a int"):
        stream.replay(iter([batches[0], 7]))
    with pytest.raises(sl.InvalidInput, match="empty"):
        stream.replay(iter([]))


def test_what_an_iterable_raises_is_raised_on(stream: sl.ShardMap) -> None:
    def batches() -> Any:
        yield pa.record_batch({"key": ["a"]})
        raise LookupError("no more")

    for threads in (1, 2):
        with pytest.raises(LookupError, match="no more"):
            stream.replay(batches(), threads=threads)


def test_progress_is_told_as_rows_are_counted_and_is_all_of_them_in_the_end(
    stream: sl.ShardMap, table: pa.Table, tmp_path: Path
) -> None:
    told: list[tuple[int, int | None]] = []
    stream.replay(
        iter(table.to_batches(max_chunksize=500)),
        **OPTIONS,
        progress=lambda done, total: told.append((done, total)),
    )
    done = [done for done, _ in told]
    assert len(done) >= 4
    assert done == sorted(done)
    assert done[-1] == 1510
    path = tmp_path / "log.parquet"
    pq.write_table(table, path)
    told.clear()
    stream.replay(path, **OPTIONS, progress=lambda done, total: told.append((done, total)))
    assert told
    assert told[-1][1] == path.stat().st_size
    stream.replay(path, **OPTIONS, progress=False)


def test_what_a_progress_callback_raises_stops_the_replay(
    stream: sl.ShardMap, table: pa.Table
) -> None:
    calls = []

    def stop(done: int, _total: int | None) -> None:
        calls.append(done)
        raise LookupError("enough")

    for threads in (1, 2):
        calls.clear()
        batches = iter(table.to_batches(max_chunksize=10))
        with pytest.raises(LookupError, match="enough"):
            stream.replay(batches, **OPTIONS, progress=stop, threads=threads)
        assert len(calls) == 1
        assert calls[0] <= 10


def test_progress_true_shows_a_bar_of_tqdm(
    stream: sl.ShardMap, table: pa.Table, capsys: pytest.CaptureFixture[str]
) -> None:
    stream.replay(table, **OPTIONS, progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "rows" in shown.err
    assert "second reading" in shown.err
    stream.replay(table, **OPTIONS)
    assert capsys.readouterr() == ("", "")


def test_progress_true_without_tqdm_says_what_to_install(
    stream: sl.ShardMap, table: pa.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match="pip install tqdm"):
        stream.replay(table, **OPTIONS, progress=True)
    with pytest.raises(TypeError, match="callable"):
        stream.replay(table, **OPTIONS, progress="yes")  # type: ignore[arg-type]
