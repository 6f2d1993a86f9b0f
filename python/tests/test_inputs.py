"""Every kind of column that users have, each routed as a plain list is."""

import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arro3.core
import duckdb
import nanoarrow as na
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shardlane as sl

# Short and long, twice the same, with a null and with a text beyond ASCII.
KEYS = ["order-1001", "JP", None, "user-1", "日本", "JP", "k" * 100, "order-1001"]
DISTINCT = sorted({key for key in KEYS if key is not None})
BYTES = [None if key is None else key.encode() for key in KEYS]
FIXED = [None if key is None else key.encode()[:2].ljust(2) for key in KEYS]
INDEX_TYPES = [pa.int8(), pa.int16(), pa.int32(), pa.int64()]
INDEX_TYPES += [pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]


def relation(sql: str) -> Callable[[], Any]:
    """A DuckDB relation over the keys, in order."""

    def make() -> Any:
        connection = duckdb.connect()
        connection.execute("CREATE TYPE kind AS ENUM (SELECT unnest(?))", [DISTINCT])
        connection.execute("CREATE TABLE log AS SELECT unnest(?) AS key", [KEYS])
        return connection.sql(sql)

    return make


COLUMNS: dict[str, Callable[[], Any]] = {
    "list of str": lambda: KEYS,
    "list of bytes": lambda: BYTES,
    "list of both": lambda: [*KEYS[:4], *BYTES[4:]],
    "tuple": lambda: tuple(KEYS),
    "numpy object array": lambda: np.array(KEYS, dtype=object),
    "pyarrow string": lambda: pa.array(KEYS),
    "pyarrow large_string": lambda: pa.array(KEYS, pa.large_string()),
    "pyarrow string_view": lambda: pa.array(KEYS, pa.string_view()),
    "pyarrow binary": lambda: pa.array(BYTES, pa.binary()),
    "pyarrow large_binary": lambda: pa.array(BYTES, pa.large_binary()),
    "pyarrow binary_view": lambda: pa.array(BYTES, pa.binary_view()),
    "pyarrow sliced": lambda: pa.array(["x", None, *KEYS, "y"]).slice(2, len(KEYS)),
    "pyarrow sliced view": lambda: pa.array(["x" * 50, *KEYS], pa.string_view()).slice(1),
    "pyarrow sliced dictionary": lambda: pa.array(["x", *KEYS]).dictionary_encode().slice(1),
    "pyarrow chunked": lambda: pa.chunked_array([KEYS[:3], [], KEYS[3:4], KEYS[4:]]),
    "pyarrow chunked dictionary": lambda: pa.chunked_array(
        [pa.array(KEYS[:5]).dictionary_encode(), pa.array(KEYS[5:]).dictionary_encode()]
    ),
    "pyarrow dictionary of binary": lambda: pa.array(BYTES).dictionary_encode(),
    "pyarrow dictionary of large_string": lambda: pa.array(
        KEYS, pa.large_string()
    ).dictionary_encode(),
    "pyarrow dictionary with a null value": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, 3, 4, 1, 5, 0]), pa.array([*KEYS[:5], KEYS[6]])
    ),
    "pyarrow table": lambda: pa.table({"key": KEYS}),
    "pyarrow record batch": lambda: pa.record_batch({"key": KEYS}),
    "pyarrow reader": lambda: pa.table({"key": KEYS}).to_reader(max_chunksize=3),
    "polars Series": lambda: pl.Series(KEYS),
    "polars chunked Series": lambda: pl.concat([pl.Series(KEYS[:3]), pl.Series(KEYS[3:])]),
    "polars sliced Series": lambda: pl.Series(["x" * 50, *KEYS])[1:],
    "polars Binary": lambda: pl.Series(BYTES),
    "polars Categorical": lambda: pl.Series(KEYS, dtype=pl.Categorical),
    "polars Enum": lambda: pl.Series(KEYS, dtype=pl.Enum(DISTINCT)),
    "polars DataFrame": lambda: pl.DataFrame({"key": KEYS}),
    "pandas str": lambda: pd.Series(KEYS, dtype="str"),
    "pandas object": lambda: pd.Series(KEYS, dtype=object),
    "pandas object of bytes": lambda: pd.Series(BYTES, dtype=object),
    "pandas string[pyarrow]": lambda: pd.Series(KEYS, dtype="string[pyarrow]"),
    "pandas ArrowDtype": lambda: pd.Series(KEYS, dtype=pd.ArrowDtype(pa.string())),
    "pandas category": lambda: pd.Series(KEYS, dtype="category"),
    "pandas DataFrame": lambda: pd.DataFrame({"key": KEYS}),
    "DuckDB VARCHAR": relation("SELECT key FROM log"),
    "DuckDB BLOB": relation("SELECT encode(key) AS key FROM log"),
    "DuckDB ENUM": relation("SELECT key::kind AS key FROM log"),
    "arro3 Array": lambda: arro3.core.Array(pa.array(KEYS)),
    "arro3 ChunkedArray": lambda: arro3.core.ChunkedArray(pa.chunked_array([KEYS[:3], KEYS[3:]])),
    "arro3 Table": lambda: arro3.core.Table(pa.table({"key": KEYS})),
    "nanoarrow Array": lambda: na.Array(KEYS, na.string()),
    "nanoarrow c_array": lambda: na.c_array(KEYS, na.string()),
    "nanoarrow stream": lambda: na.ArrayStream(na.Array(KEYS, na.string())),
}


def indexed_by(index: pa.DataType) -> Callable[[], Any]:
    """A dictionary of the keys with indices of this type."""
    kind = pa.dictionary(index, pa.string())
    return lambda: pa.array(KEYS).dictionary_encode().cast(kind)


COLUMNS |= {f"pyarrow dictionary by {index}": indexed_by(index) for index in INDEX_TYPES}


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_kind_of_column_is_routed_as_a_list_is(stream: sl.ShardMap, kind: str) -> None:
    expected = [stream.shard_of(key) for key in KEYS]
    assert stream.route(COLUMNS[kind]()).to_pylist() == expected


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_kind_of_column_is_hashed_as_a_list_is(stream: sl.ShardMap, kind: str) -> None:
    assert stream.digest(COLUMNS[kind]()).to_pylist() == stream.digest(KEYS).to_pylist()


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_kind_of_column_is_counted_as_a_list_is(stream: sl.ShardMap, kind: str) -> None:
    tally = stream.tally(COLUMNS[kind]())
    assert tally.shards == stream.tally(KEYS).shards
    assert tally.rejected == {"null_key": 1}


def test_fixed_size_binary_is_routed_by_its_bytes(stream: sl.ShardMap) -> None:
    keys = pa.array(FIXED, pa.binary(2))
    assert stream.route(keys).to_pylist() == [stream.shard_of(key) for key in FIXED]
    assert stream.route(keys.slice(3)).to_pylist() == [stream.shard_of(key) for key in FIXED[3:]]


@pytest.mark.parametrize("make", [pa.nulls, lambda n: pl.Series([None] * n), lambda n: [None] * n])
def test_a_column_of_nulls_alone_has_no_shards(
    stream: sl.ShardMap, make: Callable[[int], Any]
) -> None:
    assert stream.route(make(3)).to_pylist() == [None] * 3
    assert stream.digest(make(3)).to_pylist() == [None] * 3


@pytest.mark.parametrize(
    "empty",
    [
        [],
        (),
        pa.array([], pa.string()),
        pa.chunked_array([], pa.string()),
        pl.Series([], dtype=pl.String),
    ],
)
def test_no_keys_give_no_shards(stream: sl.ShardMap, empty: Any) -> None:
    assert len(stream.route(empty)) == 0
    assert len(stream.digest(empty)) == 0


def test_a_table_of_several_columns_needs_a_name(stream: sl.ShardMap) -> None:
    table = pa.table({"user": KEYS, "size": range(len(KEYS))})
    expected = [stream.shard_of(key) for key in KEYS]
    assert stream.route(table, column="user").to_pylist() == expected
    with pytest.raises(sl.InvalidInput, match='column="user_id"; its columns are "user", "size"'):
        stream.route(table)
    with pytest.raises(sl.InvalidInput, match='no column "users" in keys'):
        stream.route(table, column="users")
    with pytest.raises(sl.UnsupportedType, match="Int64"):
        stream.route(table, column="size")
    with pytest.raises(sl.InvalidInput, match="leave column out"):
        stream.route(KEYS, column="user")
    with pytest.raises(sl.InvalidInput, match="leave column out"):
        stream.route(pa.array(KEYS), column="user")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("user-1", r"type \[key\], or map.shard_of\(key\)"),
        (b"user-1", r"type \[key\], or map.shard_of\(key\)"),
        (pl.LazyFrame({"key": KEYS}), r"type keys.collect\(\)"),
        (duckdb.connect().execute("SELECT 'a' AS key"), r"type con.sql\("),
        (pd.Index(KEYS), r"type pandas.Series\(keys\)"),
        ((key for key in KEYS), r"type list\(keys\)"),
        ({"a", "b"}, r"type list\(keys\)"),
        (7, "expected an Arrow column"),
        (None, "expected an Arrow column"),
        ([1001], r"keys\[0\] is a int; .* str\(key\)"),
        (["a", 1.5], r"keys\[1\] is a float"),
        ([["a"]], r"keys\[0\] is a list"),
        (pa.array([1001]), "Int64"),
        (pl.Series([1.5]), "Float64"),
        (pa.chunked_array([], pa.int64()), "Int64"),
        (pa.array([["a"]]), "List"),
        (pl.Series([2**100], dtype=pl.UInt128), "_plu128"),
    ],
)
def test_what_is_no_column_of_keys_is_refused_with_advice(
    stream: sl.ShardMap, keys: Any, message: str
) -> None:
    with pytest.raises(sl.UnsupportedType, match=message) as raised:
        stream.route(keys)
    assert isinstance(raised.value, TypeError)


def test_a_lone_surrogate_is_no_key(stream: sl.ShardMap) -> None:
    with pytest.raises(sl.InvalidInput, match=r"keys\[1\] has a lone surrogate"):
        stream.route(["a", "\ud83d"])
    with pytest.raises(sl.InvalidInput, match="key has a lone surrogate"):
        stream.shard_of("\ud83d")


def test_results_share_memory_with_every_library_that_reads_arrow(stream: sl.ShardMap) -> None:
    routed = stream.route(["order-1001", "JP", "user-1"])
    array = pa.array(routed)
    assert array.type == pa.uint32()
    assert array.buffers()[1].address == pa.array(routed).buffers()[1].address
    assert pl.Series(routed).to_list() == [2, 0, 3]
    assert pd.Series.from_arrow(routed).tolist() == [2, 0, 3]
    assert np.asarray(routed).tolist() == [2, 0, 3]
    shards = stream.shards
    summed: Any = duckdb.sql("SELECT sum(share) FROM shards")
    assert summed.fetchall() == [(1.0,)]
    assert pl.DataFrame(shards).height == 4


def test_nulls_cost_a_buffer_only_where_there_are_any(stream: sl.ShardMap) -> None:
    assert pa.array(stream.route(["a"])).buffers()[0] is None
    assert pa.array(stream.route(["a", ""])).buffers()[0] is not None
    assert pa.array(stream.digest(["a", ""])).buffers()[0] is None


def test_nothing_but_arro3_is_imported() -> None:
    program = (
        "import sys, shardlane as sl\n"
        "sl.ShardMap.kinesis(4).route(['a']), sl.ShardMap.kinesis(4).tally(['a'])\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "print(*loaded & {'pyarrow', 'polars', 'pandas', 'numpy', 'duckdb', 'tqdm'})\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    assert ran.stdout == "\n"


def test_uuids_and_python_objects_are_not_taken_for_bytes(tmp_path: Path) -> None:
    uuids = [uuid.UUID(int=i) for i in range(4)]
    stream = sl.ShardMap.kinesis(4)
    with pytest.raises(sl.UnsupportedType, match="Python objects"):
        stream.route(pl.Series(uuids))
    with pytest.raises(sl.UnsupportedType, match='"key" of data holds Python objects'):
        stream.tally(pl.DataFrame({"key": uuids}))

    raw = pa.array([u.bytes for u in uuids], pa.binary(16))
    column = pa.ExtensionArray.from_storage(pa.uuid(), raw)
    for work in (stream.route, stream.tally, stream.replay):
        with pytest.raises(sl.UnsupportedType, match="UUIDs as 16 bytes"):
            work(column)
    path = tmp_path / "uuids.parquet"
    written = duckdb.sql("select uuid() as key from range(9)")
    assert written is not None
    written.write_parquet(str(path))
    with pytest.raises(sl.UnsupportedType, match="UUIDs as 16 bytes"):
        stream.replay(path)


def test_parquet_columns_that_nobody_asks_for_may_be_of_any_type(tmp_path: Path) -> None:
    path = tmp_path / "wide.parquet"
    frame = pl.DataFrame({"key": ["a", "b"], "z": pl.Series([1, 2], dtype=pl.Int128)})
    frame.write_parquet(path)
    shards = pa.table(sl.ShardMap.kinesis(4).replay(path).shards)
    assert sum(shards["records"].to_pylist()) == 2


def test_json_text_is_read_from_dictionary_pages(tmp_path: Path) -> None:
    path = tmp_path / "json.parquet"
    keys = "select ('{\"a\":' || (i % 3) || '}')::json as key from range(1000) t(i)"
    written = duckdb.sql(keys)
    assert written is not None
    written.write_parquet(str(path))
    hottest = pa.table(sl.ShardMap.kinesis(4).replay(path).hot_keys).to_pylist()[0]
    assert (hottest["key"], hottest["records"]) == ('{"a":0}', 334)


def test_a_page_that_its_checksum_denies_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "checked.parquet"
    table = pa.table({"key": [f"key-{i}" for i in range(1000)]})
    pq.write_table(table, path, write_page_checksum=True, compression="none", use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[content.index(b"key-500") + 5] ^= 1
    path.write_bytes(content)
    with pytest.raises(sl.InvalidInput, match="cut short or damaged"):
        sl.ShardMap.kinesis(4).replay(path)


def test_a_column_name_that_is_there_twice_is_an_error() -> None:
    table = pa.table([["a"], ["b"]], names=["key", "key"])
    with pytest.raises(sl.InvalidInput, match='more than one column "key"'):
        sl.ShardMap.kinesis(4).route(table, column="key")
