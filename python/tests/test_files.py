"""Logs in files, in the formats and compressions that people have, by path, pattern and folder."""

import gzip
from pathlib import Path

import pyarrow as pa
import pytest

import shardlane as sl

STREAM = sl.ShardMap.kinesis(4)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A folder with a log of four rows in three files, and what writers put beside them."""
    (tmp_path / "day=1").mkdir()
    (tmp_path / "day=1" / "a.tsv.gz").write_bytes(gzip.compress(b"key\tsize\na\t1\nb\t2\n"))
    (tmp_path / "day=1" / "b.csv").write_text("size;key\n3;c\n")
    (tmp_path / "c.ndjson").write_text('{"key": "d", "size": 4}\n')
    (tmp_path / "_SUCCESS").touch()
    return tmp_path


def test_paths_patterns_and_folders_are_one_log(log: Path) -> None:
    """They may be text or paths, alone or in a list."""
    for source in (log, str(log), [log / "c.ndjson", log / "day=*"], str(log / "**" / "*.*")):
        replay = STREAM.replay(source)
        assert replay.tally.records == 4, source
        assert replay.faults == []
    assert STREAM.replay(str(log / "day=1" / "*.tsv.gz")).tally.records == 2
    with pytest.raises(sl.InvalidInput, match="no file matches"):
        STREAM.replay(str(log / "*.parquet"))


def test_a_format_can_be_told(log: Path) -> None:
    """What is told is taken, and refused if it cannot be."""
    path = log / "kafka.txt"
    path.write_text("user:1|3|5\nJP|0|-1\n")
    replay = STREAM.replay(path, kcat_format=r"%k|%p|%S\n", size_includes_key=True)
    assert (replay.tally.records, replay.tally.bytes) == (2, 5)
    assert STREAM.replay(path, key="c1", delimiter="|", header=False).tally.records == 2
    assert STREAM.replay(path, input_format="keys").tally.records == 2
    assert sl.skew(path, input_format="keys", places=[8]).records == 2
    moves = STREAM.compare(sl.ShardMap.kinesis(8), path, input_format="keys")
    assert moves.keys == 2
    with pytest.raises(sl.InvalidInput, match="does not begin with PAR1"):
        STREAM.replay(path, input_format="parquet")
    with pytest.raises(sl.InvalidInput, match="there is no format"):
        STREAM.replay(path, input_format="xlsx")  # type: ignore[arg-type]
    with pytest.raises(sl.InvalidInput, match="has no %k"):
        STREAM.replay(path, kcat_format="%p")


def test_what_is_missing_is_told_or_raises(log: Path) -> None:
    """A file that ends early costs the rows behind its end, and strict makes that an error."""
    whole = gzip.compress(b"key\n" + b"".join(b"user-%d\n" % i for i in range(50_000)))
    path = log / "cut.gz"
    path.write_bytes(whole[: len(whole) // 2])
    replay = STREAM.replay(path)
    assert 0 < replay.tally.records < 50_000
    (fault,) = replay.faults
    assert fault.startswith(f"the gzip of {path} ends early")
    with pytest.raises(sl.InvalidInput, match=r"ends early.*--strict is set"):
        STREAM.replay(path, strict=True)


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_arrow_as_pyarrow_writes_it_is_read(tmp_path: Path, compression: str | None) -> None:
    """Files, streams and Feather, with keys in every layout."""
    keys = ["user-1", "JP", None, "user-1"] * 1000
    options = pa.ipc.IpcWriteOptions(compression=compression, emit_dictionary_deltas=True)
    path = tmp_path / "log"
    for column in (
        pa.array(keys),
        pa.array(keys, pa.large_string()),
        pa.array(keys, pa.string_view()),
        pa.array(keys).dictionary_encode(),
    ):
        table = pa.table({"note": ["x"] * 4000, "key": column})
        for new in (pa.ipc.new_file, pa.ipc.new_stream):
            with new(path, table.schema, options=options) as writer:
                writer.write_table(table, max_chunksize=1500)
            replay = STREAM.replay(path)
            assert replay.tally.records == 3000, (new, column.type)
            assert replay.faults == []
