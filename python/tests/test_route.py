"""Routing against an independent implementation: hashlib and bisect."""

import random
from typing import Any

import pyarrow as pa
import pytest

import shardlane as sl
from oracle import digest, oracle

# Powers of two and their neighbours, and numbers that no table divides evenly.
COUNTS = [1, 2, 3, 5, 7, 8, 16, 17, 100, 255, 256, 257, 1000, 1024, 4097, 99_991]


def random_keys(seed: int, count: int) -> list[str]:
    """Keys of 1 to 256 characters from all planes of Unicode, short ones more often."""
    rng = random.Random(seed)
    ranges = [(0x20, 0x7F), (0x20, 0x7F), (0xA0, 0x24F), (0x4E00, 0x9FFF), (0x1F300, 0x1FAFF)]

    def key() -> str:
        length = rng.choice([rng.randint(1, 40), rng.randint(1, 256)])
        return "".join(chr(rng.randint(*rng.choice(ranges))) for _ in range(length))

    return [key() for _ in range(count)]


@pytest.mark.parametrize("count", COUNTS)
def test_every_key_goes_where_hashlib_and_bisect_send_it(count: int) -> None:
    shard_map = sl.ShardMap.kinesis(count)
    keys = random_keys(count, 2000)
    shard_of = oracle(shard_map)
    expected = [shard_of(key.encode()) for key in keys]
    assert shard_map.route(pa.array(keys)).to_pylist() == expected
    assert [shard_map.shard_of(key) for key in keys[:200]] == expected[:200]


@pytest.mark.parametrize("rule", ["fixed-step", "rational"])
def test_both_even_rules_route_by_their_own_boundaries(rule: Any) -> None:
    shard_map = sl.ShardMap.kinesis(12, even_rule=rule)
    keys = random_keys(12, 1000)
    shard_of = oracle(shard_map)
    expected = [shard_of(key.encode()) for key in keys]
    assert shard_map.route(keys).to_pylist() == expected


def test_digests_are_those_of_hashlib_at_every_length_to_300(stream: sl.ShardMap) -> None:
    # A period of 251 bytes, which is prime, so that swapped blocks show.
    paint = bytes(i % 251 for i in range(600))
    keys = [paint[start : start + length] for length in range(301) for start in (0, 7)]
    expected = [digest(key) for key in keys]
    assert stream.digest(pa.array(keys)).to_pylist() == expected


@pytest.mark.parametrize("count", [1, 2, 3, 1000])
def test_explicit_hash_keys_are_right_at_both_ends_of_every_shard(count: int) -> None:
    shard_map = sl.ShardMap.kinesis(count)
    table = shard_map.shards
    expected = list(range(count))
    for end in ("start", "end"):
        values: list[str] = list(table[end].to_pylist())
        assert shard_map.route(["k"] * count, explicit_hash_keys=values).to_pylist() == expected
        assert [shard_map.shard_of("k", explicit_hash_key=int(v)) for v in values] == expected


def test_a_null_explicit_hash_key_leaves_the_decision_to_the_key(stream: sl.ShardMap) -> None:
    routed = stream.route(["order-1001"] * 3, explicit_hash_keys=[None, "0", str(2**128 - 1)])
    assert routed.to_pylist() == [2, 0, 3]


def test_keys_and_explicit_hash_keys_may_be_cut_into_chunks_differently() -> None:
    shard_map = sl.ShardMap.kinesis(100)
    rng = random.Random(1)
    keys = [f"user-{i}" for i in range(1000)]
    explicit = [str(rng.getrandbits(128)) if i % 3 else None for i in range(1000)]
    expected = shard_map.route(keys, explicit_hash_keys=explicit).to_pylist()
    chunked = shard_map.route(
        pa.chunked_array([keys[:10], keys[10:10], keys[10:700], keys[700:]]),
        explicit_hash_keys=pa.chunked_array([explicit[:333], explicit[333:334], explicit[334:]]),
    )
    assert chunked.to_pylist() == expected


@pytest.mark.parametrize("explicit", [["0"], ["0"] * 3, []])
def test_columns_of_unequal_length_are_refused(stream: sl.ShardMap, explicit: list[str]) -> None:
    with pytest.raises(sl.InvalidInput, match=f"{len(explicit)} rows, but keys has 2"):
        stream.route(["a", "b"], explicit_hash_keys=explicit)


@pytest.mark.parametrize(
    ("explicit", "message"),
    [
        ("007", "do not begin with 0"),
        ("+1", "decimal digits"),
        (" 1", "decimal digits"),
        ("", "decimal digits"),
        ("x", "decimal digits"),
        (-1, "decimal digits"),
        (str(2**128), r"2\^128-1"),
        ("9" * 39, r"2\^128-1"),
        ("9" * 40, "decimal digits"),
    ],
)
def test_explicit_hash_keys_that_the_service_refuses_are_refused(
    stream: sl.ShardMap, explicit: str | int, message: str
) -> None:
    with pytest.raises(sl.InvalidInput, match=message):
        stream.shard_of("k", explicit_hash_key=explicit)
    if isinstance(explicit, str):
        assert stream.route(["k"], explicit_hash_keys=[explicit]).to_pylist() == [None]


def test_a_key_has_1_to_256_characters_in_the_unit_asked_for() -> None:
    code_points = sl.ShardMap.kinesis(4)
    utf16 = sl.ShardMap.kinesis(4, key_length_unit="utf16-units")
    emoji = "\N{GRINNING FACE}"
    assert code_points.route([emoji * 256, emoji * 257]).null_count == 1
    assert utf16.route([emoji * 128, emoji * 129]).null_count == 1
    assert code_points != utf16
    for shard_map in (code_points, utf16):
        routed = shard_map.route(["a" * 256, "a" * 257, ""]).to_pylist()
        assert [shard is None for shard in routed] == [False, True, True]


def test_one_refused_key_raises_and_a_null_one_does_not(stream: sl.ShardMap) -> None:
    assert stream.shard_of(None) is None
    with pytest.raises(sl.InvalidInput, match="1 to 256 characters"):
        stream.shard_of("")
    with pytest.raises(sl.InvalidInput, match="1 to 256 characters"):
        stream.shard_of("a" * 257)


def test_on_invalid_raise_names_the_first_rows_of_each_reason(stream: sl.ShardMap) -> None:
    keys = ["a", "", None, "b" * 257, "", "", "", "c"]
    with pytest.raises(sl.InvalidInput) as raised:
        stream.route(keys, on_invalid="raise")
    assert "4 x the key is empty" in str(raised.value)
    assert "(row 1, 4, 5, ...)" in str(raised.value)
    assert "1 x the key is too long" in str(raised.value)
    assert "(row 3)" in str(raised.value)
    # A null is no key at all, so that nothing is refused here.
    assert stream.route(["a", None], on_invalid="raise").to_pylist()[1] is None


def test_on_invalid_raise_counts_rows_over_all_chunks(stream: sl.ShardMap) -> None:
    keys = pa.chunked_array([["a"] * 100, ["b", ""], ["", "c"]])
    with pytest.raises(sl.InvalidInput, match=r"2 x .*\(row 101, 102\)"):
        stream.route(keys, on_invalid="raise")


def test_on_invalid_has_two_values(stream: sl.ShardMap) -> None:
    with pytest.raises(sl.InvalidInput, match='"null" or "raise"'):
        stream.route(["a"], on_invalid="ignore")  # type: ignore[arg-type]


def test_any_number_of_threads_gives_the_same_answer() -> None:
    shard_map = sl.ShardMap.kinesis(1000)
    keys = pa.array([f"user-{i}" if i % 1000 else None for i in range(200_000)])
    expected = shard_map.route(keys, threads=1).to_pylist()
    for threads in (None, 2, 3, 8):
        assert shard_map.route(keys, threads=threads).to_pylist() == expected


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True, 10**6, 10**40])
def test_a_number_of_threads_that_makes_no_sense_is_refused(
    stream: sl.ShardMap, threads: object
) -> None:
    with pytest.raises(sl.InvalidInput, match="threads=4, or None"):
        stream.route(["a"], threads=threads)  # type: ignore[arg-type]
