import builtins
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, Literal, final

from arro3.core import Array, Table

from shardlane._types import Key, Keys, Log, Path

__all__ = [
    "ERROR_KINDS",
    "Limits",
    "Projection",
    "Replay",
    "ShardMap",
    "Tally",
    "__version__",
    "cli_main",
]
__version__: Final[str]
ERROR_KINDS: Final[tuple[str, ...]]

@final
class ShardMap:
    """The shards of one stream, and the way to look keys up in them.

    Make one with a class method: `ShardMap.kinesis` for a new stream, `ShardMap.from_list_shards`
    for one that exists. A map does not change; threads may share it.

    Examples:
        >>> import shardlane as sl
        >>> stream = sl.ShardMap.kinesis(4)
        >>> stream
        ShardMap(kinesis, 4 shards)
        >>> stream.shard_of("user-1")
        3
    """

    @classmethod
    def kinesis(
        cls,
        shards: int,
        *,
        even_rule: Literal["fixed-step", "rational"] = "fixed-step",
        key_length_unit: Literal["code-points", "utf16-units"] = "code-points",
    ) -> ShardMap:
        """A Kinesis stream of `shards` shards that share all hash values evenly, as a new one does.

        Args:
            shards: How many shards, 1 or more.
            even_rule: How the hash values are divided. "fixed-step": shard i starts at
                i * floor(2**128 / n). "rational": at floor(i * 2**128 / n). The service documents
                neither; they agree for every power of two, and no key in practice tells them apart.
            key_length_unit: What counts as one of a key's at most 256 characters: "code-points" or
                "utf16-units".

        Raises:
            InvalidShardMap: For 0 shards, or more than 1,048,576.
            InvalidInput: For an unknown rule or unit.

        Examples:
            >>> import shardlane as sl
            >>> len(sl.ShardMap.kinesis(8))
            8
        """

    @classmethod
    def from_list_shards(
        cls,
        source: Path | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        key_length_unit: Literal["code-points", "utf16-units"] = "code-points",
    ) -> ShardMap:
        """The stream that an answer of ListShards or DescribeStream describes.

        Closed shards stay listed in `shards` and own no keys.

        Args:
            source: The path of a JSON file, the JSON text itself, or what boto3 gave: the answer's
                dict, or its list of shards.
            key_length_unit: What counts as one of a key's at most 256 characters: "code-points" or
                "utf16-units".

        Raises:
            Io: If the file cannot be read.
            InvalidShardMap: If it is not such JSON, or its open shards leave a gap or overlap.

        Examples:
            >>> import shardlane as sl
            >>> half = str(2**127)
            >>> stream = sl.ShardMap.from_list_shards([
            ...     {"ShardId": "shardId-000000000001",
            ...      "HashKeyRange": {"StartingHashKey": "0", "EndingHashKey": str(2**127 - 1)}},
            ...     {"ShardId": "shardId-000000000002",
            ...      "HashKeyRange": {"StartingHashKey": half, "EndingHashKey": str(2**128 - 1)}},
            ... ])
            >>> stream.shard_of("user-1")
            1
        """

    @property
    def system(self) -> str:
        """The system whose rules the map follows, such as "kinesis"."""

    @property
    def shards(self) -> Table:
        """All shards as an Arrow table.

        Its columns are index, id, start, end, state, parent, adjacent_parent and share. The shards
        that take writes come first, in range order, and have an index; closed ones have none.
        `start` and `end`, both inclusive, are decimal text, as 128-bit numbers fit no Arrow integer.

        Examples:
            >>> import shardlane as sl
            >>> sl.ShardMap.kinesis(2).shards["id"].to_pylist()
            ['shardId-000000000000', 'shardId-000000000001']
        """

    def shard_of(
        self, key: Key | None, *, explicit_hash_key: Key | int | None = None
    ) -> int | None:
        """The index of the shard that one record goes to.

        Args:
            key: The partition key: str, bytes of UTF-8, or None.
            explicit_hash_key: The hash value that decides in the key's place: decimal text or int.

        Returns:
            The shard's position in `shards`, or None for a null key.

        Raises:
            InvalidInput: For a key or an explicit hash key that the service would refuse.

        Examples:
            >>> import shardlane as sl
            >>> stream = sl.ShardMap.kinesis(4)
            >>> stream.shard_of("order-1001")
            2
            >>> stream.shard_of("order-1001", explicit_hash_key="0")
            0
        """

    def route(
        self,
        keys: Keys,
        *,
        column: str | None = None,
        explicit_hash_keys: Keys | None = None,
        on_invalid: Literal["null", "raise"] = "null",
        threads: int | None = None,
    ) -> Array:
        """The shard of each key of a column.

        Args:
            keys: The column: anything with the Arrow PyCapsule methods (pyarrow, polars, pandas 3,
                a DuckDB relation, arro3, nanoarrow), read without a copy, or a list of str, bytes
                and None. It may be a table, of which `column` is taken.
            column: The name of the table's key column.
            explicit_hash_keys: A column of explicit hash keys, as decimal text; where it is not
                null, it decides in the key's place.
            on_invalid: What a key that the service would refuse gives: "null", or "raise" for an
                error that names the first ones.
            threads: How many threads to work on; None is one a core.

        Returns:
            An arro3 Array of uint32 shard indices, in the order of the keys, with nulls for null
            keys and those that the service would refuse.

        Raises:
            UnsupportedType: If `keys` is no such column, or holds neither text nor bytes.
            InvalidInput: If the columns differ in length; with "raise", for the first bad keys.

        Examples:
            >>> import shardlane as sl
            >>> stream = sl.ShardMap.kinesis(4)
            >>> stream.route(["order-1001", None, "user-1", ""]).to_pylist()
            [2, None, 3, None]

            >>> import polars as pl
            >>> frame = pl.DataFrame({"user_id": ["order-1001", "user-1"]})
            >>> frame.with_columns(shard=pl.Series(stream.route(frame["user_id"])))["shard"].to_list()
            [2, 3]
        """

    def digest(self, keys: Keys, *, column: str | None = None) -> Array:
        """The MD5 of each key of a column, which Kinesis reads as a big-endian number.

        Args:
            keys: The column, as in `route`. Any bytes are hashed, whatever the service's rules.
            column: The name of the key column, if `keys` is a table.

        Returns:
            An arro3 Array of 16-byte fixed-size binary, null for null keys. It sorts like the
            numbers do.

        Raises:
            UnsupportedType: If `keys` is no such column, or holds neither text nor bytes.

        Examples:
            >>> import shardlane as sl
            >>> digests = sl.ShardMap.kinesis(4).digest(["user-1"])
            >>> int.from_bytes(digests[0].as_py(), "big") // 2**126
            3
        """

    def tally(
        self,
        data: Log,
        *,
        key: str | None = None,
        bytes: str | None = None,
        time: str | None = None,
        weight: str | None = None,
        explicit_hash_key: str | None = None,
        time_unit: Literal["s", "ms", "us", "ns"] | None = None,
        size_includes_key: bool = False,
        window: str | int | timedelta = "1s",
        top: int = 10,
        threads: int | None = None,
    ) -> Tally:
        """Counts records and bytes for each shard and window, and finds the hottest keys.

        Args:
            data: The log: a table or a stream of batches with the Arrow PyCapsule methods (pyarrow,
                polars, pandas 3, a DuckDB relation, arro3, nanoarrow), an iterable of these, or a
                single column or list of keys.
            key: The name of the key column. This and the other columns, if not named, are guessed
                from usual names.
            bytes: The name of the column of payload sizes; without one, only the keys' own bytes
                count.
            time: The name of the time column: Arrow timestamps, text, or whole numbers.
            weight: The name of the column that says how many records a row stands for.
            explicit_hash_key: The name of the column of explicit hash keys.
            time_unit: The unit of a time column of whole numbers: "s", "ms", "us" or "ns".
            size_includes_key: Whether the sizes already include the key's own bytes.
            window: The length of a time window: "1s", "5m", whole seconds, or a timedelta.
            top: How many hot keys to report, for the stream and for each shard; 0 for none.
            threads: How many threads to work on; None is one a core.

        Raises:
            InvalidInput: If a named column is missing, or an option is not usable.
            UnsupportedType: If the data is no such thing, or a column cannot hold its part.

        Examples:
            >>> import polars as pl
            >>> import shardlane as sl
            >>> clicks = pl.DataFrame({"user_id": ["user-1", "JP"], "size": [100, 50]})
            >>> tally = sl.ShardMap.kinesis(4).tally(clicks, key="user_id", bytes="size")
            >>> tally.shards["bytes"].to_pylist()
            [52, 0, 0, 106]
        """

    def replay(
        self,
        source: Path | Sequence[Path] | Log,
        *,
        key: str | None = None,
        bytes: str | None = None,
        time: str | None = None,
        weight: str | None = None,
        explicit_hash_key: str | None = None,
        time_unit: Literal["s", "ms", "us", "ns"] | None = None,
        size_includes_key: bool = False,
        limits: Limits | None = None,
        model: Literal["tumbling"] = "tumbling",
        window: str | int | timedelta = "1s",
        top: int = 10,
        progress: bool | Callable[[int, int | None], object] | None = None,
        threads: int | None = None,
        strict: bool = False,
    ) -> Replay:
        """Replays a log: what each shard takes, and when each would throttle.

        A file is read batch by batch and never held whole. Ctrl-C stops it.

        Args:
            source: The log: the path of a Parquet or CSV file, or a list of paths, or anything that
                `tally` takes.
            key: The name of the key column. This and the other columns, if not named, are guessed
                from usual names.
            bytes: The name of the column of payload sizes; without one, only the keys' own bytes
                count.
            time: The name of the time column: Arrow timestamps, text, or whole numbers.
            weight: The name of the column that says how many records a row stands for.
            explicit_hash_key: The name of the column of explicit hash keys.
            time_unit: The unit of a time column of whole numbers: "s", "ms", "us" or "ns".
            size_includes_key: Whether the sizes already include the key's own bytes.
            limits: What each shard may take; the system's own limits, if not given.
            model: How throttling is modelled: "tumbling", in which each window stands alone.
            window: The length of a time window: "1s", "5m", whole seconds, or a timedelta.
            top: How many hot keys to report, for the stream and for each shard; 0 for none.
            progress: True for a bar of tqdm, or a callable of (done, total), which are bytes of
                files and rows of anything else; the total is None if unknown.
            threads: How many threads to work on; None is one a core.
            strict: Whether a row that cannot be used is an error, instead of being counted by
                reason.

        Raises:
            InvalidInput: If the log has no rows, a named column is missing, or an option is not
                usable; with strict, for the first row that cannot be used.
            UnsupportedType: If the source is no such thing, or a column cannot hold its part.
            Io: If a file cannot be read.

        Examples:
            >>> import datetime as dt
            >>> import polars as pl
            >>> import shardlane as sl
            >>> second = dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)
            >>> clicks = pl.DataFrame({"user_id": ["user-1"] * 1500, "ts": [second] * 1500})
            >>> replay = sl.ShardMap.kinesis(4).replay(clicks, key="user_id", time="ts")
            >>> replay.throttles["throttled_records"].to_pylist()
            [500]
        """

    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[object, ...]: ...

@final
class Limits:
    """What each shard of a system may take: a dated profile, any value of which can be overridden.

    Examples:
        >>> import shardlane as sl
        >>> sl.Limits.kinesis()
        Limits(kinesis, records_per_second=1000, bytes_per_second=1048576)
        >>> sl.Limits.kinesis(bytes_per_second=1_000_000).sources["bytes_per_second"]
        'given'
    """

    @classmethod
    def kinesis(
        cls, *, records_per_second: int | None = None, bytes_per_second: int | None = None
    ) -> Limits:
        """The write limits of a provisioned Kinesis shard.

        They are 1,000 records and 1,048,576 bytes a second, partition keys included.

        Args:
            records_per_second: Records a second, instead of the profile's.
            bytes_per_second: Bytes a second, instead of the profile's; 1_000_000 for who reads
                the service's "1 MB" so.

        Raises:
            InvalidInput: For a value that is not a whole number of 1 or more.

        Examples:
            >>> import shardlane as sl
            >>> sl.Limits.kinesis(bytes_per_second=1_000_000).bytes_per_second
            1000000
        """

    @property
    def system(self) -> str:
        """The system whose shards are limited, such as "kinesis"."""

    @property
    def records_per_second(self) -> int | None:
        """Records a second that a shard takes, or None if that is not limited."""

    @property
    def bytes_per_second(self) -> int | None:
        """Bytes a second that a shard takes, or None if that is not limited."""

    @property
    def sources(self) -> dict[str, str]:
        """Where each limit comes from, by its name: a page and the day it was read, or "given"."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Tally:
    """What arrived where and when: records and bytes for each shard and window, and the hottest keys.

    `ShardMap.tally` makes it. Tallies of parts of a log merge into the tally of the whole. One does
    not change; threads may share it.

    Examples:
        >>> import shardlane as sl
        >>> stream = sl.ShardMap.kinesis(4)
        >>> monday = stream.tally(["user-1", "user-1", "JP"])
        >>> week = monday.merge(stream.tally(["user-1"]))
        >>> week.records
        4
        >>> week.hot_keys["key"].to_pylist()
        ['user-1', 'JP']
    """

    @property
    def records(self) -> int:
        """Records that went to a shard."""

    @property
    def bytes(self) -> int:
        """Their bytes, partition keys included."""

    @property
    def unassigned(self) -> int:
        """Records without a shard of their own."""

    @property
    def rejected(self) -> dict[str, int]:
        """How many rows could not be used, by reason.

        Examples:
            >>> import shardlane as sl
            >>> sl.ShardMap.kinesis(4).tally(["user-1", "", None]).rejected
            {'null_key': 1, 'empty_key': 1}
        """

    @property
    def shards(self) -> Table:
        """What each shard took in all, as an Arrow table.

        Its columns are index, id, records, bytes and share of the records.

        Examples:
            >>> import shardlane as sl
            >>> sl.ShardMap.kinesis(4).tally(["user-1", "JP"]).shards["records"].to_pylist()
            [1, 0, 0, 1]
        """

    @property
    def hot_keys(self) -> Table:
        """The hottest keys, hottest first, as an Arrow table.

        Its columns are key (as text, with escapes if it is not UTF-8), key_bytes, records,
        bytes, share of the records, shard and error: how many records the count may lack at most.
        """

    def to_bytes(self) -> builtins.bytes:
        """The tally as bytes, to be sent or stored.

        Tallies with the same content give the same bytes, in Rust, C and Python.

        Examples:
            >>> import shardlane as sl
            >>> data = sl.ShardMap.kinesis(4).tally(["user-1"]).to_bytes()
            >>> sl.Tally.from_bytes(data).records
            1
        """

    @classmethod
    def from_bytes(cls, data: builtins.bytes) -> Tally:
        """The tally that `to_bytes` gave, here or elsewhere.

        Args:
            data: The bytes. They may come from anywhere: whatever is no tally is refused.

        Raises:
            CorruptTally: If they are no tally, or one that this version cannot read.
        """

    def merge(self, other: Tally) -> Tally:
        """The tally of both logs together; neither one changes.

        Args:
            other: A tally of the same shards, made with the same options.

        Raises:
            InvalidInput: If it is of other shards, or was made with other options.

        Examples:
            >>> import shardlane as sl
            >>> stream = sl.ShardMap.kinesis(4)
            >>> stream.tally(["user-1"]).merge(stream.tally(["JP"])).records
            2
        """

    def project(
        self, limits: Limits | None = None, model: Literal["tumbling"] = "tumbling"
    ) -> Projection:
        """When the tally's traffic throttles.

        Args:
            limits: What each shard may take; the system's own limits, if not given.
            model: How throttling is modelled: "tumbling", in which each window stands alone.

        Raises:
            InvalidInput: For an unknown model, or limits of another system.

        Examples:
            >>> import shardlane as sl
            >>> tally = sl.ShardMap.kinesis(4).tally(["user-1", "JP"])
            >>> tally.project().throttle_records_per_second
            2000.0
        """

@final
class Projection:
    """A tally held against limits under a named model: when does it throttle, and where?

    `Tally.project` makes it; `Replay.projection` has it.
    """

    @property
    def model(self) -> str:
        """The throttling model's name."""

    @property
    def limits(self) -> Limits:
        """The limits that were applied."""

    @property
    def throttle_records_per_second(self) -> float | None:
        """The steady rate at which the first shard meets a limit.

        In records a second of the whole stream, at these shares and sizes. None if nothing was
        counted.
        """

    @property
    def shard(self) -> int | None:
        """The index of the shard that meets it."""

    @property
    def binding_limit(self) -> str | None:
        """The limit that it meets: "records_per_second" or "bytes_per_second"."""

    @property
    def headroom(self) -> float | None:
        """How many times this traffic fits before the first throttle, its shape unchanged.

        None without a time column.
        """

    @property
    def shards(self) -> Table:
        """Each shard's load against its limits, as an Arrow table.

        Its columns are index, id, records, bytes, share, peak_records_per_second,
        peak_bytes_per_second, throttled_records, throttled_seconds, first_throttle, binding_limit
        and headroom. What needs a time column is null without one.
        """

    @property
    def throttles(self) -> Table:
        """The windows in which a shard was over a limit, as an Arrow table.

        Its columns are window_start, shard, id, records, bytes, throttled_records and
        binding_limit.
        """

@final
class Replay:
    """What replaying a log found: which shard took what, and when each would have throttled.

    `ShardMap.replay` makes it. It shows as a small table, and with bars in a notebook.
    """

    @property
    def shards(self) -> Table:
        """Each shard's load against its limits, as an Arrow table.

        Its columns are index, id, records, bytes, share, peak_records_per_second,
        peak_bytes_per_second, throttled_records, throttled_seconds, first_throttle, binding_limit
        and headroom. What needs a time column is null without one.
        """

    @property
    def hot_keys(self) -> Table:
        """The hottest keys of the stream, hottest first, as an Arrow table.

        Its columns are key (as text, with escapes if it is not UTF-8), key_bytes, records,
        bytes, share of the records, shard and error: how many records the count may lack at most.
        """

    @property
    def hot_keys_by_shard(self) -> Table:
        """The hottest keys of each shard, shard by shard, with the columns of `hot_keys`."""

    @property
    def throttles(self) -> Table:
        """The windows in which a shard was over a limit, as an Arrow table.

        Its columns are window_start, shard, id, records, bytes, throttled_records and
        binding_limit.
        """

    @property
    def timeline(self) -> Table:
        """What each shard took in each window, as an Arrow table; no rows without a time column.

        Its columns are window_start, shard, records and bytes. Windows in which a shard took
        nothing are left out.
        """

    @property
    def tally(self) -> Tally:
        """What was counted, to be merged with other logs' tallies."""

    @property
    def projection(self) -> Projection:
        """When the traffic throttles, in numbers."""

    def summary(self) -> str:
        """The report as text: what was read, the verdict, the fullest shards, the hottest keys."""

    def to_json(self) -> str:
        """The report as JSON text, with the keys that the shell's `--format json` has."""

    def to_html(self, path: Path) -> None:
        """Writes the report as one self-contained HTML file.

        Args:
            path: The file to write; one that is there is replaced.

        Raises:
            Io: If it cannot be written.
        """

    def _repr_html_(self) -> str: ...

def cli_main(argv: Sequence[str]) -> int:
    """Runs the `shardlane` command.

    Args:
        argv: Its arguments, the program's name first, as in sys.argv.

    Returns:
        The exit code: 0 fine, 1 error, 2 wrong usage, 3 a shard is over its limit, 130 interrupted.
    """
