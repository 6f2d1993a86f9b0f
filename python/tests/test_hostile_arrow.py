"""Arrow data that lies about itself, which foreign memory may: an error each time, never a crash.

The lengths of the buffers of texts do not travel over Arrow's C interface; the last offset stands
for them. So an offset is checked against its neighbours and the last one, and the last one has to
be believed, by any consumer. One below zero is not among the cases: arrow-rs turns it into a length
while it imports the array, before shardlane sees it, and aborts in builds with debug assertions; in
an optimised build it arrives as a huge length, which the falling offsets before it give away.
"""

import ctypes
from typing import Any

import pyarrow as pa
import pytest

import shardlane as sl


def offsets(kind: pa.DataType, width: Any, values: list[int], data: bytes = b"abcdef") -> pa.Array:
    """A text or binary array with these offsets, put in place after pyarrow has checked others."""
    packed = bytes((width * len(values))(*values))
    memory = bytearray(len(packed))
    buffers = [None, pa.py_buffer(memory), pa.py_buffer(data)]
    array = pa.Array.from_buffers(kind, len(values) - 1, buffers)
    memory[:] = packed
    return array


def view(length: int, buffer: int, offset: int) -> bytes:
    """One view of a long text."""
    return bytes((ctypes.c_int32 * 4)(length, 0, buffer, offset))


def views(*rows: bytes, data: bytes = b"x" * 20, valid: bytes | None = None) -> pa.Array:
    """An array of views into one buffer."""
    mask = None if valid is None else pa.py_buffer(valid)
    buffers = [mask, pa.py_buffer(b"".join(rows)), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.string_view(), len(rows), buffers)


def dictionary(index: pa.DataType, width: Any, *indices: int) -> pa.Array:
    """A dictionary array with these indices, which pyarrow does not check."""
    packed = pa.py_buffer(bytes((width * len(indices))(*indices)))
    array = pa.Array.from_buffers(index, len(indices), [None, packed])
    return pa.DictionaryArray.from_arrays(array, pa.array(["a", "b"]), safe=False)


I32, I64 = ctypes.c_int32, ctypes.c_int64
HOSTILE: dict[str, pa.Array] = {
    "falling offsets": offsets(pa.string(), I32, [0, 4, 2, 6]),
    "an offset far past the end": offsets(pa.string(), I32, [0, 2**31 - 1, 6]),
    "a negative first offset": offsets(pa.string(), I32, [-1, 2, 6]),
    "a negative offset in between": offsets(pa.binary(), I32, [0, -5, 6]),
    "falling large offsets": offsets(pa.large_string(), I64, [0, 4, 2, 6]),
    "a large offset far past the end": offsets(pa.large_binary(), I64, [0, 2**62, 6]),
    "falling offsets before a slice's end": offsets(pa.string(), I32, [0, 1, 5, 3, 6]).slice(1),
    "a view past its buffer": views(view(21, 0, 0)),
    "a view that starts past its buffer": views(view(13, 0, 2**31 - 1)),
    "a view at a negative offset": views(view(13, 0, -1)),
    "a view of a buffer that is not there": views(view(13, 1, 0)),
    "a view of a negative buffer": views(view(13, -1, 0)),
    "a view of negative length": views(view(-1, 0, 0)),
    "an index past the dictionary": dictionary(pa.int8(), ctypes.c_int8, 0, 2),
    "a negative index": dictionary(pa.int8(), ctypes.c_int8, 0, -1),
    "a huge unsigned index": dictionary(pa.uint64(), ctypes.c_uint64, 2**64 - 1),
    "a huge negative index": dictionary(pa.int64(), I64, -(2**63)),
    "a dictionary whose values are broken": pa.DictionaryArray.from_arrays(
        pa.array([0, 1]), offsets(pa.string(), I32, [0, 4, 2]), safe=False
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_arrays_that_lie_are_refused(stream: sl.ShardMap, kind: str) -> None:
    array = HOSTILE[kind]
    for work in (stream.route, stream.digest, stream.tally, stream.replay):
        with pytest.raises(sl.InvalidInput, match="producer of this Arrow array is at fault"):
            work(array)
    with pytest.raises(sl.InvalidInput, match="producer of this Arrow array is at fault"):
        stream.route(["a"] * len(array), explicit_hash_keys=array)


def test_a_null_row_may_hold_any_view(stream: sl.ShardMap) -> None:
    array = views(view(13, 0, 0), view(2**31 - 1, 9, 9), valid=b"\x01")
    assert stream.route(array).to_pylist() == [stream.shard_of("x" * 13), None]
    assert stream.digest(array).to_pylist()[1] is None
    assert stream.tally(array).rejected == {"null_key": 1}


def test_a_null_row_may_hold_any_index(stream: sl.ShardMap) -> None:
    indices = pa.Array.from_buffers(
        pa.int8(), 2, [pa.py_buffer(b"\x01"), pa.py_buffer(bytes((ctypes.c_int8 * 2)(1, 77)))]
    )
    array = pa.DictionaryArray.from_arrays(indices, pa.array(["a", None]), safe=False)
    assert stream.route(array).to_pylist() == [None, None]
    assert stream.tally(array).rejected == {"null_key": 2}


def test_offsets_may_start_anywhere(stream: sl.ShardMap) -> None:
    array = offsets(pa.string(), I32, [2, 3, 6])
    assert stream.route(array).to_pylist() == [stream.shard_of("c"), stream.shard_of("def")]


class Raising:
    """An object whose export fails."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Raises."""
        raise RuntimeError("no stream today")


class Wrong:
    """An object whose export is nonsense."""

    def __init__(self, exported: object) -> None:
        """Keeps what to export."""
        self.exported = exported
        self.kept: object = None

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        """Exports it."""
        return self.exported


def test_what_an_object_raises_is_raised_on(stream: sl.ShardMap) -> None:
    with pytest.raises(RuntimeError, match="no stream today"):
        stream.route(Raising())


@pytest.mark.parametrize("exported", [None, (), (1, 2), "capsule"])
def test_nonsense_capsules_are_errors(stream: sl.ShardMap, exported: object) -> None:
    with pytest.raises((TypeError, ValueError, IndexError)):
        stream.route(Wrong(exported))  # type: ignore[arg-type]


def test_capsules_of_another_kind_are_errors(stream: sl.ShardMap) -> None:
    schema, array = pa.array(["a"]).__arrow_c_array__()
    with pytest.raises((TypeError, ValueError)):
        stream.route(Wrong((array, schema)))  # type: ignore[arg-type]


def test_a_stream_that_breaks_off_is_an_error(stream: sl.ShardMap) -> None:
    def batches() -> Any:
        yield pa.record_batch({"key": ["a"]})
        raise RuntimeError("the disk is gone")

    schema = pa.schema({"key": pa.string()})
    for work in (stream.route, stream.digest, stream.tally, stream.replay):
        with pytest.raises(sl.InvalidInput, match="the disk is gone"):
            work(pa.RecordBatchReader.from_batches(schema, batches()))


def test_a_stream_is_used_up_once(stream: sl.ShardMap) -> None:
    reader = pa.table({"key": ["a"]}).to_reader()
    assert stream.route(reader).to_pylist() == [stream.shard_of("a")]
    assert stream.route(reader).to_pylist() == []


def test_structs_that_are_null_as_a_whole_are_refused(stream: sl.ShardMap) -> None:
    structs = pa.array([{"key": "a"}, None])
    for work in (stream.route, stream.tally, stream.replay):
        with pytest.raises(sl.UnsupportedType, match="null as a whole"):
            work(structs)


class ArrowArray(ctypes.Structure):
    """The array of Arrow's C data interface."""

    _fields_ = (
        *((name, ctypes.c_int64) for name in ("length", "null_count", "offset")),
        *((name, ctypes.c_int64) for name in ("n_buffers", "n_children")),
        *((name, ctypes.c_void_p) for name in ("buffers", "children", "dictionary")),
        *((name, ctypes.c_void_p) for name in ("release", "private_data")),
    )


class ArrowSchema(ctypes.Structure):
    """Its schema."""

    _fields_ = (
        ("format", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("metadata", ctypes.c_void_p),
        ("flags", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        *((name, ctypes.c_void_p) for name in ("children", "dictionary")),
        *((name, ctypes.c_void_p) for name in ("release", "private_data")),
    )


def tampered(field: str, value: Any) -> Any:
    """An exported column of keys, of whose structs one field is changed.

    Pointers that lead nowhere are not among the cases: no consumer can tell.
    """
    schema, array = pa.array(["user-1", "JP"]).__arrow_c_array__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    where, name = field.split(".")
    if where == "array":
        struct: Any = ArrowArray.from_address(pointer(array, b"arrow_array"))
    else:
        struct = ArrowSchema.from_address(pointer(schema, b"arrow_schema"))
    setattr(struct, name, value)
    wrong = Wrong((schema, array))
    wrong.kept = value
    return wrong


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("array.n_buffers", 0),
        ("array.n_buffers", 1),
        ("array.n_buffers", 2),
        ("array.length", -1),
        ("array.offset", -1),
        ("array.buffers", None),
        ("schema.format", b""),
        ("schema.format", b"no such type"),
        ("schema.format", b"+s"),
        ("schema.format", b"w:-1"),
    ],
)
def test_structs_that_break_the_c_interface_are_errors(
    stream: sl.ShardMap, field: str, value: Any
) -> None:
    for work in (stream.route, stream.tally, stream.replay):
        with pytest.raises((sl.ShardlaneError, TypeError)):
            work(tampered(field, value))
