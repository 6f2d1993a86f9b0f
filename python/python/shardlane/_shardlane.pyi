import builtins
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, Literal, TypeAlias, final

from arro3.core import Array, Table

from shardlane._types import Key, Keys, Log, Path, Values

__all__ = [
    "ERROR_KINDS",
    "Comparison",
    "Inference",
    "Limits",
    "Projection",
    "Reads",
    "Replay",
    "Salt",
    "ShardMap",
    "Skew",
    "Tally",
    "Verification",
    "__version__",
    "cli_main",
    "infer",
    "skew",
]
__version__: Final[str]
ERROR_KINDS: Final[tuple[str, ...]]
_Format: TypeAlias = Literal[
    "parquet",
    "arrow",
    "csv",
    "tsv",
    "ndjson",
    "kinesis-records",
    "lambda-event",
    "firehose-event",
    "dynamodb-export",
    "dynamodb-incremental-export",
    "contributor-insights",
    "kcat-json",
    "keys",
    "uniq-c",
    "kcat",
    "console-consumer",
]
_Serializer: TypeAlias = Literal[
    "text", "bytes", "long", "integer", "short", "double", "float", "uuid"
]
_Operation: TypeAlias = Literal[
    "read", "eventual-read", "transactional-read", "write", "transactional-write"
]

@final
class ShardMap:
    """The shards of one stream, topic, table or Logstore, and the way to look keys up in them.

    Make one with a class method: `kinesis`, `kafka`, `dynamodb` or `sls` for a new stream, topic,
    table or Logstore, `from_list_shards` or `from_sls_shards` for one that exists. A map does not
    change; threads may share it.

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
        capacity_mode: Literal["provisioned", "on-demand"] = "provisioned",
    ) -> ShardMap:
        """A Kinesis stream of `shards` shards that share all hash values evenly, as a new one does.

        Args:
            shards: How many shards, 1 or more.
            even_rule: How the hash values are divided. "fixed-step": shard i starts at
                i * floor(2**128 / n). "rational": at floor(i * 2**128 / n). The service documents
                neither; they agree for every power of two, and no key in practice tells them apart.
            key_length_unit: What counts as one of a key's at most 256 characters: "code-points" or
                "utf16-units".
            capacity_mode: Who manages the shards: "provisioned" or "on-demand".

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

        Closed shards stay listed in `shards` and own no keys. A description says whether the
        stream is on-demand.

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

    @classmethod
    def kafka(cls, partitions: int, *, partitioner: str = "java") -> ShardMap:
        """A Kafka topic of `partitions` partitions, to which producers send by `partitioner`.

        A null key has no partition of its own wherever the partitioner sends it anywhere; some of
        librdkafka's hash it as an empty one.

        Args:
            partitions: How many partitions, 1 or more.
            partitioner: The client's rule: "java" (also kafka-python, aiokafka, franz-go, kafkajs
                2, Spring Kafka), "rdkafka:consistent_random" (librdkafka's default:
                confluent-kafka), "rdkafka:random", "rdkafka:consistent", "rdkafka:murmur2",
                "rdkafka:murmur2_random", "rdkafka:fnv1a", "rdkafka:fnv1a_random", "sarama:hash"
                (also kafka-go's Hash), "sarama:reference", "sarama:crc32", "kafkajs:legacy" or
                "spring-cloud-stream". Other clients' names for the same rules are read, too.

        Raises:
            InvalidShardMap: For 0 partitions, or more than 1,048,576.
            InvalidInput: For an unknown partitioner.

        Examples:
            >>> import shardlane as sl
            >>> topic = sl.ShardMap.kafka(12)
            >>> topic.route(["order-1001", "", None]).to_pylist()
            [6, 9, None]
            >>> sl.ShardMap.kafka(12, partitioner="confluent-kafka").shard_of("order-1001")
            9
        """

    @classmethod
    def dynamodb(cls, partitions: int, *, seed: int = 0) -> ShardMap:
        """A DynamoDB table of `partitions` partitions, simulated.

        The service's hash is internal, so any good one stands for it: the shares are those of one
        placement of many. `skew` tells the spread over many seeds.

        Args:
            partitions: How many partitions, 1 or more.
            seed: Which placement: 0 takes the MD5 of the key as it is.

        Raises:
            InvalidShardMap: For 0 partitions, or more than 1,048,576.
            InvalidInput: For a seed that 32 bits cannot hold.

        Examples:
            >>> import shardlane as sl
            >>> sl.ShardMap.dynamodb(512).shard_of("user-1")
            429
        """

    @classmethod
    def sls(cls, shards: int, *, buckets: int | None = None) -> ShardMap:
        """A Logstore of Simple Log Service with `shards` shards that share all hash values evenly.

        A write names a shard by an explicit hash key in hexadecimal, or by the MD5 of a key, as the
        producers send it. One with neither goes anywhere and has no shard of its own.

        Args:
            shards: How many shards, 1 or more.
            buckets: To how many buckets, a power of two, the producers adjust hashes: 64 is the
                Java producer's default. None is the hash as it is.

        Raises:
            InvalidShardMap: For 0 shards, more than 1,048,576, or buckets that are no power of two.

        Examples:
            >>> import shardlane as sl
            >>> logstore = sl.ShardMap.sls(4)
            >>> logstore.shard_of(None, explicit_hash_key="8C")
            2
        """

    @classmethod
    def from_sls_shards(
        cls,
        source: Path | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        buckets: int | None = None,
    ) -> ShardMap:
        """The Logstore that an answer of Simple Log Service's ListShards describes.

        Args:
            source: The path of a JSON file, the JSON text itself, or the list of shards, each with
                shardID, status, inclusiveBeginKey and exclusiveEndKey.
            buckets: As for `sls`.

        Raises:
            Io: If the file cannot be read.
            InvalidShardMap: If it is not such JSON, or its shards leave a gap or overlap.

        Examples:
            >>> import shardlane as sl
            >>> logstore = sl.ShardMap.from_sls_shards([
            ...     {"shardID": 7, "status": "readwrite",
            ...      "inclusiveBeginKey": "0" * 32, "exclusiveEndKey": "f" * 32},
            ... ])
            >>> logstore.shards["id"].to_pylist()
            ['7']
        """

    def split(self, shard: str | int, at: int | str | None = None) -> ShardMap:
        """The map after a shard is split in two; this one is unchanged.

        The parent stays listed in `shards`, and takes no writes. The children have the next ids
        after the highest there is.

        Args:
            shard: Its id, or its index as an int.
            at: The first hash value of the upper child: an int, decimal text for Kinesis, or
                hexadecimal text for Simple Log Service. "docs-midpoint", which is meant by None, is
                where the samples of the Kinesis guide split; "exact-half" is where UpdateShardCount
                does, one further on a range of even size. Simple Log Service halves exactly.

        Raises:
            InvalidReshape: For what the service refuses, with its reason.
            InvalidInput: If there is no such shard, or `at` is no hash value.

        Examples:
            >>> import shardlane as sl
            >>> stream = sl.ShardMap.kinesis(2).split("shardId-000000000001", "exact-half")
            >>> stream.shards["share"].to_pylist()
            [0.5, 0.25, 0.25, 0.5]
        """

    def merge(self, left: str | int, right: str | int | None = None) -> ShardMap:
        """The map after two neighbouring shards are merged; this one is unchanged.

        Args:
            left: The id or index of the shard with the lower hash values.
            right: The id or index of its right-hand neighbour; None takes that.

        Raises:
            InvalidReshape: For what the service refuses, with its reason.
            InvalidInput: If there is no such shard.

        Examples:
            >>> import shardlane as sl
            >>> stream = sl.ShardMap.kinesis(4).merge(0)
            >>> stream.shards["id"].to_pylist()[0], len(stream)
            ('shardId-000000000004', 3)
        """

    def resize(self, shards: int) -> ShardMap:
        """The Kinesis stream after UpdateShardCount to `shards` even shards; this one is unchanged.

        Raises:
            InvalidReshape: For more than twice or less than half of the open shards, more than
                10,000, an on-demand stream, or another system.

        Examples:
            >>> import shardlane as sl
            >>> len(sl.ShardMap.kinesis(8).resize(16))
            16
        """

    def grow(self, partitions: int) -> ShardMap:
        """The Kafka topic with `partitions` partitions; this one is unchanged.

        Records that are there stay in their old partition: a key's order holds across the change
        only if the old partitions are read to their end first. `compare` tells which keys move.

        Raises:
            InvalidReshape: For fewer partitions, which Kafka refuses, or another system.

        Examples:
            >>> import shardlane as sl
            >>> topic = sl.ShardMap.kafka(6)
            >>> topic.shard_of("order-1001"), topic.grow(12).shard_of("order-1001")
            (0, 6)
        """

    def expire(self, shard: str | int) -> ShardMap:
        """The map after a closed shard's records have expired; this one is unchanged.

        Raises:
            InvalidReshape: If the shard takes writes.
            InvalidInput: If there is no such shard.

        Examples:
            >>> import shardlane as sl
            >>> stream = sl.ShardMap.kinesis(1).split(0).expire("shardId-000000000000")
            >>> stream.shards["state"].to_pylist()
            ['OPEN', 'OPEN', 'EXPIRED']
        """

    def drain_order(self) -> Table:
        """The order in which a consumer has to read the shards, as an Arrow table.

        Its columns are id, state, after (the ids of the parents that have to be read to their end
        first, as a list) and depth. Expired shards are left out.

        Raises:
            InvalidShardMap: If a shard is its own ancestor.

        Examples:
            >>> import shardlane as sl
            >>> sl.ShardMap.kinesis(2).merge(0).drain_order()["after"].to_pylist()[-1]
            ['shardId-000000000000', 'shardId-000000000001']
        """

    @property
    def emulator(self) -> str | None:
        """The emulator whose boundaries the map has, such as "kinesis-mock".

        None for those that the service would have.
        """

    @property
    def partitioner(self) -> str | None:
        """The Kafka partitioner's name; None for another system."""

    def compare(
        self,
        other: ShardMap,
        source: Log | Path | Sequence[Path],
        *,
        key: str | None = None,
        bytes: str | None = None,
        weight: str | None = None,
        explicit_hash_key: str | None = None,
        key_serializer: _Serializer | None = None,
        salt: Salt | None = None,
        progress: bool | Callable[[int, int | None], object] | None = None,
        input_format: _Format | None = None,
        delimiter: str | None = None,
        header: bool = True,
        kcat_format: str | None = None,
        key_separator: str | None = None,
        null_key: str | None = None,
    ) -> Comparison:
        """Which of a log's keys, records and bytes move when `other` takes the place of this map.

        Shards are the same if their ids are. Keys are hashed once if both maps take one hash.

        Args:
            other: The map that takes the place of this one.
            source: The log, as for `replay`; a list of text is one of keys, and paths in a list are
                `pathlib.Path` objects.
            key: The name of the key column. This and the other columns, if not named, are guessed
                from usual names.
            bytes: The name of the column of payload sizes.
            weight: The name of the column that says how many records a row stands for.
            explicit_hash_key: The name of the column of explicit hash keys.
            key_serializer: How producers write keys that are no text, as in `replay`.
            salt: A `Salt` to put behind each key.
            progress: As for `replay`.
            input_format: As for `replay`.
            delimiter: As for `replay`.
            header: As for `replay`.
            kcat_format: As for `replay`.
            key_separator: As for `replay`.
            null_key: As for `replay`.

        Raises:
            InvalidInput: If the log has no rows, or a named column is missing.
            UnsupportedType: If the source is no such thing, or a column cannot hold its part.
            Io: If a file cannot be read.

        Examples:
            >>> import shardlane as sl
            >>> topic = sl.ShardMap.kafka(6)
            >>> moves = topic.compare(topic.grow(12), [f"order-{i}" for i in range(10_000)])
            >>> moves.keys_moved, moves.keys, moves.theory
            (5051, 10000, 0.5)
        """

    def verify(
        self,
        source: Path | Sequence[Path] | Log,
        *,
        key: str | None = None,
        shard: str | None = None,
        explicit_hash_key: str | None = None,
        payload: str | None = None,
        key_serializer: _Serializer | None = None,
        salt: Salt | None = None,
        progress: bool | Callable[[int, int | None], object] | None = None,
    ) -> Verification:
        """Holds the shard that each row of a log says it went to against the one of this map.

        Where they disagree, the likely causes are tested: another partitioner or number of
        partitions, a topic that grew, an old shard list, aggregated records, lost explicit hash
        keys, keys that were serialized otherwise.

        Args:
            source: The log, as for `replay`.
            key: The name of the key column. This and the other columns, if not named, are guessed
                from usual names.
            shard: The name of the column of the shards that the service chose: by id, by number or
                by index.
            explicit_hash_key: The name of the column of explicit hash keys.
            payload: The name of the column of payloads: those that a producer library of Kinesis made
                are taken apart.
            key_serializer: How producers write keys that are no text, as in `replay`.
            salt: A `Salt` to put behind each key.
            progress: As for `replay`.

        Raises:
            InvalidInput: If the log has no column of shards, or no row that can be compared; or for
                a DynamoDB table, whose partitions are simulated.
            UnsupportedType: If the source is no such thing, or a column cannot hold its part.
            Io: If a file cannot be read.

        Examples:
            >>> import polars as pl
            >>> import shardlane as sl
            >>> keys = [f"order-{i}" for i in range(1_000)]
            >>> sent = sl.ShardMap.kafka(6).route(keys)
            >>> log = pl.DataFrame({"key": keys, "partition": pl.Series(sent)})
            >>> sl.ShardMap.kafka(6).verify(log).agreement
            1.0
            >>> sl.ShardMap.kafka(12).verify(log).causes["options"].to_pylist()
            ['--kafka 6 --partitioner java']
        """

    @property
    def system(self) -> str:
        """The system whose rules the map follows, such as "kinesis"."""

    @property
    def shards(self) -> Table:
        """All shards as an Arrow table.

        Its columns are index, id, start, end, state, parent, adjacent_parent and share. The shards
        that take writes come first, in range order, and have an index; the others have none.
        `start` and `end` are text, as the service writes its ranges: for Kinesis decimal and both
        inclusive, for Simple Log Service 32 hexadecimal digits with the end left out. A Kafka
        partition has none.

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
            explicit_hash_key: The hash value that decides in the key's place: decimal text or int
                for Kinesis, up to 32 hexadecimal digits for Simple Log Service.

        Returns:
            The shard's position in `shards`. None for a null key, unless the partitioner hashes
            it, and for a record that the system sends to any shard.

        Raises:
            InvalidInput: For a key or an explicit hash key that the service would refuse.

        Examples:
            >>> import shardlane as sl
            >>> stream = sl.ShardMap.kinesis(4)
            >>> stream.shard_of("order-1001")
            2
            >>> stream.shard_of("order-1001", explicit_hash_key="0")
            0
            >>> sl.ShardMap.kafka(12).shard_of("order-1001")
            6
        """

    def route(
        self,
        keys: Values,
        *,
        column: str | None = None,
        explicit_hash_keys: Keys | None = None,
        on_invalid: Literal["null", "raise"] = "null",
        threads: int | None = None,
        key_serializer: _Serializer | None = None,
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
            key_serializer: How producers write keys that are no text, as in `replay`: with "long", a
                column or list of whole numbers is hashed as their 8 bytes.

        Returns:
            An arro3 Array of uint32 shard indices, in the order of the keys, with nulls for keys
            that the service would refuse, for null ones unless the partitioner hashes them, and for
            records that the system sends to any shard.

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

    def digest(
        self, keys: Values, *, column: str | None = None, key_serializer: _Serializer | None = None
    ) -> Array:
        """The hash of each key of a column, before any shard is looked up.

        Args:
            keys: The column, as in `route`. Any bytes are hashed, whatever the service's rules.
            column: The name of the key column, if `keys` is a table.
            key_serializer: As in `route`.

        Returns:
            An arro3 Array, null for null keys. Of MD5, which Kinesis, Simple Log Service and the
            simulated DynamoDB read as a big-endian number: 16-byte fixed-size binary, which sorts
            like the numbers do. Of a Kafka partitioner's hash: uint32.

        Raises:
            UnsupportedType: If `keys` is no such column, or holds neither text nor bytes.
            InvalidInput: If the partitioner takes no hash.

        Examples:
            >>> import shardlane as sl
            >>> digests = sl.ShardMap.kinesis(4).digest(["user-1"])
            >>> int.from_bytes(digests[0].as_py(), "big") // 2**126
            3
            >>> sl.ShardMap.kafka(12).digest(["abc"]).to_pylist()
            [479470107]
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
        key_serializer: _Serializer | None = None,
        salt: Salt | None = None,
        operation: _Operation = "read",
        operation_column: str | None = None,
        payload: str | None = None,
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
            size_includes_key: Whether the sizes already include the key's own bytes. Those of
                DynamoDB and Simple Log Service always do.
            key_serializer: How producers write keys that are no text: "long", "integer", "short",
                "double", "float", "uuid", "bytes" or "text".
            salt: A `Salt` to put behind each key.
            operation: What DynamoDB requests do that do not say it in a column: "read",
                "eventual-read", "transactional-read", "write" or "transactional-write".
            operation_column: The name of the column of the operations of DynamoDB requests: these,
                or the service's own names, such as PutItem.
            payload: The name of the column of the payloads themselves, bytes or text in base64: it
                tells the size, and the records that Amazon's producer library put into one are
                counted each by its own key.
            window: The length of a time window: "100ms", "1s", "5m", whole seconds, or a timedelta.
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
        key_serializer: _Serializer | None = None,
        salt: Salt | None = None,
        shard: str | None = None,
        operation: _Operation = "read",
        operation_column: str | None = None,
        payload: str | None = None,
        limits: Limits | None = None,
        model: str = "tumbling",
        window: str | int | timedelta | None = None,
        scale: float = 1.0,
        retry: bool = False,
        reads: Reads | None = None,
        top: int = 10,
        progress: bool | Callable[[int, int | None], object] | None = None,
        threads: int | None = None,
        strict: bool = False,
        worst_minutes: int = 5,
        read_once: bool = False,
        input_format: _Format | None = None,
        delimiter: str | None = None,
        header: bool = True,
        kcat_format: str | None = None,
        key_separator: str | None = None,
        null_key: str | None = None,
    ) -> Replay:
        """Replays a log: what each shard takes, and when each would throttle.

        A file is read batch by batch and never held whole. Where a shard throttles it is read
        again, for the keys that filled the shard then. Ctrl-C stops it.

        Args:
            source: The log: the path of a Parquet, CSV or JSON file, or a list of paths, or what
                `tally` takes.
            key: The name of the key column. This and the other columns, if not named, are guessed
                from usual names.
            bytes: The name of the column of payload sizes; without one, only the keys' own bytes
                count.
            time: The name of the time column: Arrow timestamps, text, or whole numbers.
            weight: The name of the column that says how many records a row stands for.
            explicit_hash_key: The name of the column of explicit hash keys.
            time_unit: The unit of a time column of whole numbers: "s", "ms", "us" or "ns".
            size_includes_key: Whether the sizes already include the key's own bytes. Those of
                DynamoDB and Simple Log Service always do.
            key_serializer: How producers write keys that are no text: "long", "integer", "short",
                "double", "float", "uuid", "bytes" or "text".
            salt: A `Salt` to put behind each key.
            shard: The name of the column of the shards that the service chose, to tell how well they
                agree with this map.
            operation: What DynamoDB requests do that do not say it in a column: "read",
                "eventual-read", "transactional-read", "write" or "transactional-write".
            operation_column: The name of the column of the operations of DynamoDB requests: these,
                or the service's own names, such as PutItem.
            payload: The name of the column of the payloads themselves, bytes or text in base64: it
                tells the size, and the records that Amazon's producer library put into one are
                counted each by its own key.
            limits: What each shard may take; the system's own limits, if not given.
            model: How throttling is modelled: "tumbling", in which each window stands alone, or
                "token-bucket", in which each limit is a bucket that starts full; what those hold
                may follow, as in "token-bucket:records_burst=1000,bytes_burst=10485760" (of a
                DynamoDB table: table_burst_seconds=300).
            window: The length of a time window: "100ms", "1s", "5m", whole seconds, or a timedelta.
                None is the model's own: "1s", and "100ms" for "token-bucket".
            scale: How many times the log's traffic to replay, such as 1.5.
            retry: Whether throttled records are retried in order until they go through; shards then
                has max_backlog_records, max_backlog_bytes, max_delay_seconds, backlog_drained and
                backlog_at_end.
            reads: Who reads; shards then has how far they fall behind: peak_read_bytes_per_second,
                refused_calls_per_second, reads_throttled, max_lag_records, max_lag_bytes,
                max_lag_seconds, lag_drained and lag_at_end.
            top: How many hot keys to report, for the stream and for each shard; 0 for none.
            progress: True for a bar of tqdm, or a callable of (done, total), which are bytes of
                files and rows of anything else; the total is None if unknown. A second reading
                begins at 0 again.
            threads: How many threads to work on; None is one a core.
            strict: Whether a row that cannot be used is an error, instead of being counted by
                reason.
            worst_minutes: How many of the worst minutes the report tells of, window by window.
            read_once: Whether to read a file only once, and so not to tell which keys filled a
                shard while it throttled.
            input_format: The format of files, where the one that their bytes suggest is wrong: "parquet",
                "arrow", "csv", "tsv", "ndjson", "kinesis-records", "lambda-event", "firehose-event",
                "dynamodb-export", "dynamodb-incremental-export", "contributor-insights", "kcat-json",
                "keys", "uniq-c", "kcat" or "console-consumer".
            delimiter: What stands between the fields of a row: a character, or "tab"; told by the first
                row if not given.
            header: Whether the first row names the columns; if not, they are c1, c2 and so on.
            kcat_format: What the -f of kcat was, such as "%k %p %T %S"; its escapes are read as kcat does.
            key_separator: What stands between key and value: the -K of kcat, or the key.separator of
                kafka-console-consumer.
            null_key: What stands in place of a null key: "NULL" if kcat was given -Z.

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
class Comparison:
    """What moves when one map takes the place of another, over the records of a log.

    Examples:
        >>> import shardlane as sl
        >>> stream = sl.ShardMap.kinesis(4)
        >>> moves = stream.compare(stream.split(2), ["order-1001", "JP"])
        >>> moves.records_moved, moves.flows["to"].to_pylist()
        (1, ['shardId-000000000004'])
    """

    @property
    def keys(self) -> int:
        """Distinct keys with a shard of their own."""

    @property
    def keys_moved(self) -> int:
        """Those that move."""

    @property
    def keys_are_exact(self) -> bool:
        """Whether the distinct keys were few enough to be counted exactly.

        If not, their numbers are estimates from a sample.
        """

    @property
    def records(self) -> int:
        """Records."""

    @property
    def records_moved(self) -> int:
        """Those that move."""

    @property
    def bytes(self) -> int:
        """Bytes."""

    @property
    def bytes_moved(self) -> int:
        """Those that move."""

    @property
    def rejected(self) -> int:
        """Rows that could not be used."""

    @property
    def theory(self) -> float:
        """The part of all keys that moves if hashes are uniform, from 0 to 1."""

    @property
    def flows(self) -> Table:
        """What moves from where to where, as an Arrow table, most records first.

        Its columns are from, to (shard ids; null for records without a shard of their own), keys,
        records and bytes.
        """

    def summary(self) -> str:
        """The comparison as text, at most 100 columns wide."""

    def to_json(self) -> str:
        """The comparison as JSON."""

@final
class Salt:
    """A salt: `key#bucket`, so that a hot key spreads over several shards.

    The bucket is made from another column of the record, so that the same record always has the
    same one. Order then holds within a bucket only.

    Args:
        by: The name of the column that the bucket is made from.
        buckets: How many buckets.
        rule: How a value becomes a bucket. "java": Math.floorMod(value.hashCode(), buckets).
            "aws-suffix": AWS's calculated suffix, the product of the value's code points modulo
            buckets, plus 1. "md5": the top bits of the value's MD5, scaled, even for any values.
        separator: What stands between the key and the bucket.

    Raises:
        InvalidInput: For 0 buckets, or an unknown rule.

    Examples:
        >>> import shardlane as sl
        >>> salt = sl.Salt("order_id", 8)
        >>> salt.apply(["cust-big"], ["order-1001"]).to_pylist()
        [b'cust-big#7']
    """

    def __new__(
        cls,
        by: str,
        buckets: int,
        *,
        rule: Literal["java", "aws-suffix", "md5"] = "java",
        separator: str = "#",
    ) -> Salt: ...
    def __getnewargs_ex__(self) -> tuple[tuple[str, int], dict[str, str]]: ...
    @property
    def by(self) -> str:
        """The column that the bucket is made from."""

    @property
    def buckets(self) -> int:
        """How many buckets there are."""

    @property
    def rule(self) -> str:
        """The rule's name."""

    def apply(self, keys: Keys, values: Values) -> Array:
        """The salted keys of a column, for `route`.

        Args:
            keys: The keys, as in `route`.
            values: The column that the buckets are made from: text, bytes or whole numbers, one for
                each key.

        Returns:
            An arro3 Array of binary, null for null keys.

        Raises:
            InvalidInput: If the columns differ in length, or a value is null where its key is not.
            UnsupportedType: If they are no such columns.

        Examples:
            >>> import shardlane as sl
            >>> salted = sl.Salt("id", 4, rule="md5").apply(["k", None], ["a", "b"])
            >>> sl.ShardMap.kafka(12).route(salted).to_pylist()
            [10, None]
        """

@final
class Skew:
    """How uneven a log's keys make places, whatever their number.

    Examples:
        >>> import shardlane as sl
        >>> found = sl.skew(["a", "b", "b", "c"], places=[512])
        >>> found.floor, found.top_key
        (0.5, b'b')
    """

    @property
    def table(self) -> Table:
        """One row for each number of places, as an Arrow table.

        Its columns are places, even (the share of each if all were even), median and p95 (the share
        of the fullest over the placements), seed_0 (in that of seed 0) and times_even.
        """

    @property
    def floor(self) -> float | None:
        """The share of the hottest key: no number of places brings the fullest below it."""

    @property
    def top_key(self) -> builtins.bytes | None:
        """The hottest key."""

    @property
    def records(self) -> int:
        """Records, after weights."""

    @property
    def rejected(self) -> int:
        """Rows that could not be used."""

    def summary(self) -> str:
        """The skew as text, at most 100 columns wide."""

    def to_json(self) -> str:
        """The skew as JSON."""

def skew(
    source: Log | Path | Sequence[Path],
    *,
    key: str | None = None,
    weight: str | None = None,
    places: Sequence[int] = (8, 32, 128, 512),
    seeds: int = 100,
    key_serializer: _Serializer | None = None,
    salt: Salt | None = None,
    progress: bool | Callable[[int, int | None], object] | None = None,
    input_format: _Format | None = None,
    delimiter: str | None = None,
    header: bool = True,
    kcat_format: str | None = None,
    key_separator: str | None = None,
    null_key: str | None = None,
) -> Skew:
    """How full the fullest of any number of places gets, over many placements of a log's keys.

    Simulated for systems whose hash is not public, such as DynamoDB, and true of any that hashes
    well. The log is read once, and each key hashed once.

    Args:
        source: The log, as for `ShardMap.replay`; a list of text is one of keys, and paths in a list
            are `pathlib.Path` objects.
        key: The name of the key column, guessed from usual names if not given.
        weight: The name of the column that says how many records a row stands for.
        places: The numbers of places.
        seeds: How many placements to simulate.
        key_serializer: How producers write keys that are no text, as in `ShardMap.replay`.
        salt: A `Salt` to put behind each key.
        progress: As for `ShardMap.replay`.
        input_format: As for `ShardMap.replay`.
        delimiter: As for `ShardMap.replay`.
        header: As for `ShardMap.replay`.
        kcat_format: As for `ShardMap.replay`.
        key_separator: As for `ShardMap.replay`.
        null_key: As for `ShardMap.replay`.

    Raises:
        InvalidInput: If the log has no rows, a named column is missing, or a number is not usable.
        UnsupportedType: If the source is no such thing, or a column cannot hold its part.
        Io: If a file cannot be read.

    Examples:
        >>> import shardlane as sl
        >>> found = sl.skew([f"user-{i}" for i in range(10_000)], places=[8, 512])
        >>> found.table["median"].to_pylist()[0] < 0.14
        True
    """

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
        cls,
        *,
        records_per_second: int | None = None,
        bytes_per_second: int | None = None,
        read_bytes_per_second: int | None = None,
        reads_per_second: int | None = None,
    ) -> Limits:
        """The limits of a provisioned Kinesis shard.

        Writes are 1,000 records and 1,048,576 bytes a second, partition keys included; reads, which
        count where a replay is told who reads, 2,097,152 bytes and five calls a second.

        Args:
            records_per_second: Records a second, instead of the profile's.
            bytes_per_second: Bytes a second, instead of the profile's; 1_000_000 for who reads
                the service's "1 MB" so.
            read_bytes_per_second: Bytes a second that consumers share, instead of the profile's.
            reads_per_second: Calls a second that consumers share, instead of the profile's.

        Raises:
            InvalidInput: For a value that is not a whole number of 1 or more.

        Examples:
            >>> import shardlane as sl
            >>> sl.Limits.kinesis(bytes_per_second=1_000_000).bytes_per_second
            1000000
        """

    @classmethod
    def kinesis_on_demand(cls, *, peak_bytes_per_second: int | None = None) -> Limits:
        """The write limits of an on-demand Kinesis stream: those of each shard, and of the whole stream.

        A new one takes 4,000 records and 4 MiB a second. The service grows it to twice its highest
        rate of the last 30 days, and promises nothing to traffic that more than doubles within 15
        minutes. A map with capacity_mode="on-demand" is held to these limits by itself.

        Args:
            peak_bytes_per_second: That highest rate, for a stream that is not new.

        Raises:
            InvalidInput: For a value that is not a whole number of 1 or more.

        Examples:
            >>> import shardlane as sl
            >>> sl.Limits.kinesis_on_demand(peak_bytes_per_second=10 * 2**20).stream_bytes_per_second
            20971520
        """

    @classmethod
    def kafka(
        cls, *, records_per_second: int | None = None, bytes_per_second: int | None = None
    ) -> Limits:
        """What a Kafka partition, or one consumer of it, can take: nothing is limited unless given.

        Args:
            records_per_second: Records a second.
            bytes_per_second: Bytes a second, keys included.

        Raises:
            InvalidInput: For a value that is not a whole number of 1 or more.

        Examples:
            >>> import shardlane as sl
            >>> sl.Limits.kafka(records_per_second=5_000)
            Limits(kafka, records_per_second=5000)
        """

    @classmethod
    def dynamodb(
        cls,
        *,
        read_units_per_second: int | None = None,
        write_units_per_second: int | None = None,
        unit_rule: Literal["independent", "linear-combination"] = "independent",
        table_read_units_per_second: int | None = None,
        table_write_units_per_second: int | None = None,
    ) -> Limits:
        """What a DynamoDB partition gives: 3,000 read units and 1,000 write units a second.

        Args:
            read_units_per_second: Read units a second, instead of the profile's.
            write_units_per_second: Write units a second, instead of the profile's.
            unit_rule: How the two go together, on which the service's pages disagree:
                "independent", or "linear-combination" of one allowance.
            table_read_units_per_second: Read units a second of the whole table, if it is provisioned;
                under the model "token-bucket" it keeps 300 seconds of what it does not use.
            table_write_units_per_second: Write units a second of the whole table.

        Raises:
            InvalidInput: For a value that is not a whole number of 1 or more, or an unknown rule.

        Examples:
            >>> import shardlane as sl
            >>> sl.Limits.dynamodb(unit_rule="linear-combination").read_units_per_second
            3000
        """

    @classmethod
    def sls(
        cls, *, records_per_second: int | None = None, bytes_per_second: int | None = None
    ) -> Limits:
        """The soft write limits of a shard of Simple Log Service: 500 writes and 5 MiB a second.

        Args:
            records_per_second: Writes a second, instead of the profile's.
            bytes_per_second: Bytes a second, instead of the profile's.

        Raises:
            InvalidInput: For a value that is not a whole number of 1 or more.

        Examples:
            >>> import shardlane as sl
            >>> sl.Limits.sls().records_per_second
            500
        """

    @staticmethod
    def burst_seconds(capacity: float, load: float) -> float | None:
        """How long a rested DynamoDB table takes a steady load above its capacity.

        Up to 300 seconds of unused capacity are kept, as a best effort; no burst lifts a partition
        above its own limit.

        Args:
            capacity: Units a second that the table has.
            load: Units a second that it is asked for.

        Returns:
            Seconds until it throttles; None if it never does.

        Examples:
            >>> import shardlane as sl
            >>> sl.Limits.burst_seconds(150, 200)
            900.0
        """

    @staticmethod
    def capacity_units(operation: str, bytes: int) -> float:
        """The capacity units of one DynamoDB request.

        Args:
            operation: "read", "eventual-read", "transactional-read", "write",
                "transactional-write", or the service's own name, such as "PutItem".
            bytes: The item's size, attribute names and keys included.

        Raises:
            InvalidInput: For an unknown operation, or a size that is not a whole number.

        Examples:
            >>> import shardlane as sl
            >>> sl.Limits.capacity_units("eventual-read", 20 * 1024)
            2.5
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
    def read_units_per_second(self) -> int | None:
        """Read units a second that a DynamoDB partition gives, or None if that is not limited."""

    @property
    def write_units_per_second(self) -> int | None:
        """Write units a second that a DynamoDB partition takes, or None if that is not limited."""

    @property
    def stream_records_per_second(self) -> int | None:
        """Records a second that a whole stream takes, or None if that is not limited."""

    @property
    def stream_bytes_per_second(self) -> int | None:
        """Bytes a second that a whole stream takes, or None if that is not limited."""

    @property
    def table_read_units_per_second(self) -> int | None:
        """Read units a second of a whole DynamoDB table, or None if that is not told."""

    @property
    def table_write_units_per_second(self) -> int | None:
        """Write units a second of a whole DynamoDB table, or None if that is not told."""

    @property
    def read_bytes_per_second(self) -> int | None:
        """Bytes a second that the consumers of a Kinesis shard share, or None if that is not limited."""

    @property
    def reads_per_second(self) -> int | None:
        """Calls a second that the consumers of a Kinesis shard share, or None if that is not limited."""

    @property
    def sources(self) -> dict[str, str]:
        """Where each limit comes from, by its name: a page and the day it was read, or "given"."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Reads:
    """Who reads the shards: given to a replay, it tells how far readers fall behind.

    Consumers are of a Kinesis stream, where they share what a shard gives unless they have fan-out.
    A rate is what one consumer takes of each shard or partition, of any system that is read in order.

    Args:
        consumers: How many consumers read.
        polls_per_second: How often each of them polls a shard; 1, if not given.
        fan_out: Whether they have enhanced fan-out, and share nothing.
        records_per_second: Records a second that one consumer takes of each shard.
        bytes_per_second: Bytes a second that one consumer takes of each shard.

    Raises:
        InvalidInput: If neither consumers nor a rate are given, or both are.

    Examples:
        >>> import shardlane as sl
        >>> sl.Reads(consumers=3)
        Reads(consumers=3, polls_per_second=1)
        >>> sl.Reads(records_per_second=5_000)
        Reads(records_per_second=5000)
    """

    def __new__(
        cls,
        *,
        consumers: int | None = None,
        polls_per_second: float | None = None,
        fan_out: bool = False,
        records_per_second: int | None = None,
        bytes_per_second: int | None = None,
    ) -> Reads: ...
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
    def distinct_keys(self) -> int | None:
        """Distinct keys that went to a shard of their own; None if hot keys were not counted.

        Exact up to 32,768, and an estimate within a few percent beyond that.

        Examples:
            >>> import shardlane as sl
            >>> sl.ShardMap.kinesis(4).tally(["user-1", "JP", "JP"]).distinct_keys
            2
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
        self,
        limits: Limits | None = None,
        model: str = "tumbling",
        *,
        scale: float = 1.0,
        retry: bool = False,
        reads: Reads | None = None,
    ) -> Projection:
        """When the tally's traffic throttles.

        Args:
            limits: What each shard may take; the system's own limits, if not given.
            model: How throttling is modelled: "tumbling", in which each window stands alone, or
                "token-bucket", in which each limit is a bucket that starts full; what those hold
                may follow, as in "token-bucket:records_burst=1000,bytes_burst=10485760" (of a
                DynamoDB table: table_burst_seconds=300).
            scale: How many times the log's traffic to replay, such as 1.5.
            retry: Whether throttled records are retried in order until they go through; shards then
                has max_backlog_records, max_backlog_bytes, max_delay_seconds, backlog_drained and
                backlog_at_end.
            reads: Who reads; shards then has how far they fall behind: peak_read_bytes_per_second,
                refused_calls_per_second, reads_throttled, max_lag_records, max_lag_bytes,
                max_lag_seconds, lag_drained and lag_at_end.

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
    def scale(self) -> float:
        """How many times the log's traffic was replayed."""

    @property
    def model_parameters(self) -> dict[str, int]:
        """The model's parameters, those not given included; empty for "tumbling".

        Examples:
            >>> import shardlane as sl
            >>> tally = sl.ShardMap.kinesis(4).tally(["user-1"])
            >>> tally.project(model="token-bucket").model_parameters
            {'records_burst': 1000, 'bytes_burst': 10485760}
        """

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

        Its columns are index, id, records, bytes, spread_records_estimate and
        spread_bytes_estimate (what each would get of the records without a shard of their own),
        read_units and write_units (of DynamoDB), share, peak_records_per_second,
        peak_bytes_per_second, throttled_records, throttled_seconds, first_throttle, binding_limit,
        headroom and distinct_keys. What needs a time column is null without one.
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

        Its columns are index, id, records, bytes, spread_records_estimate and
        spread_bytes_estimate (what each would get of the records without a shard of their own),
        read_units and write_units (of DynamoDB), share, peak_records_per_second,
        peak_bytes_per_second, throttled_records, throttled_seconds, first_throttle, binding_limit,
        headroom and distinct_keys. What needs a time column is null without one.
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
    def throttled_keys(self) -> Table:
        """The keys that filled a shard while it was over a limit, as an Arrow table.

        Its columns are shard, id, key (as text, with escapes if it is not UTF-8), key_bytes,
        records, bytes, share of the load of these windows (of the bytes where the limit is one of
        bytes, else of the records) and error. Shards with the most throttled records come first. No
        rows if nothing was throttled, or the log could be read only once.
        """

    @property
    def timeline(self) -> Table:
        """What each shard took in each window, as an Arrow table; no rows without a time column.

        Its columns are window_start, shard, id, records, bytes, load (as a part of the nearest
        limit, which is 1), throttled_records and binding_limit. Windows in which a shard took
        nothing are left out.
        """

    @property
    def distinct_keys(self) -> int | None:
        """Distinct keys that went to a shard of their own; None if hot keys were not counted.

        Exact up to 32,768, and an estimate within a few percent beyond that. Those of each shard
        are in `shards`.
        """

    @property
    def agreement(self) -> float | None:
        """The part of the rows that went where the map says, if the log tells where they went.

        `ShardMap.verify` tells why it is not 1.
        """

    @property
    def warnings(self) -> list[tuple[str, str]]:
        """What to be warned of, as pairs of a code, such as "few_keys", and a message."""

    @property
    def faults(self) -> list[str]:
        """What could not be read of the log's files: the rest of one, or one without a column."""

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

@final
class Verification:
    """A log that says where its records went, held against a map.

    `ShardMap.verify` makes it.

    Examples:
        >>> import polars as pl
        >>> import shardlane as sl
        >>> log = pl.DataFrame({"key": ["order-1001", "JP"], "partition": [6, 0]})
        >>> found = sl.ShardMap.kafka(12).verify(log)
        >>> found.compared, found.agreed, found.disagreements["key"].to_pylist()
        (2, 1, ['JP'])
    """

    @property
    def rows(self) -> int:
        """Rows read."""

    @property
    def compared(self) -> int:
        """Rows that name a shard and have one of their own by the map."""

    @property
    def agreed(self) -> int:
        """Of these, the rows that went where the map says."""

    @property
    def agreement(self) -> float:
        """The part of the rows compared that agree, from 0 to 1."""

    @property
    def unobserved(self) -> int:
        """Rows that name no shard."""

    @property
    def unassigned(self) -> int:
        """Rows without a shard of their own, since the producer spreads them."""

    @property
    def disagreements(self) -> Table:
        """The first rows that disagree, as an Arrow table.

        Its columns are row (from 1), key, key_bytes, observed and predicted (shard ids).
        """

    @property
    def pairs(self) -> Table:
        """Where rows went instead of where the map says, as an Arrow table, the most frequent first.

        Its columns are observed and predicted (shard ids) and rows.
        """

    @property
    def causes(self) -> Table:
        """The likely causes, the likeliest first, as an Arrow table.

        Its columns are code, message, options (what to type in a shell for a map that fits, if it
        is known), explains, of and share: how many of the rows that it was tested on it explains.
        """

    def summary(self) -> str:
        """The verification as text, at most 100 columns wide."""

    def to_json(self) -> str:
        """The verification as JSON."""

@final
class Inference:
    """What can be told of the placement of a log's keys.

    `infer` makes it.
    """

    @property
    def fits(self) -> bool:
        """Whether a rule fits, or each shard has a range of hash values of its own."""

    @property
    def verdict(self) -> str:
        """What was found, in sentences."""

    @property
    def candidates(self) -> Table:
        """The rules that fit best, the best first, as an Arrow table.

        Its columns are system, partitioner, buckets, shards, key_form (what was hashed), agreed, of
        and agreement (how many of the sampled keys go where they went), and options: what to type
        in a shell.
        """

    @property
    def are_ranges(self) -> bool:
        """Whether no two shards' hash values overlap."""

    @property
    def shards(self) -> Table:
        """The shards that the log names, as an Arrow table, in order of their lowest hash value.

        Its columns are name, rows, first_hash and last_hash: the lowest and the highest MD5 of its
        keys, as decimal text.
        """

    def summary(self) -> str:
        """What was found as text, at most 100 columns wide."""

    def to_json(self) -> str:
        """What was found as JSON."""

def infer(
    source: Path | Sequence[Path] | Log,
    *,
    key: str | None = None,
    shard: str | None = None,
    explicit_hash_key: str | None = None,
    payload: str | None = None,
    key_serializer: _Serializer | None = None,
    salt: Salt | None = None,
    progress: bool | Callable[[int, int | None], object] | None = None,
) -> Inference:
    """Finds the rule that sends a log's keys where the log says that they went.

    Tried are all of Kafka's partitioners and the even shards of Kinesis and Simple Log Service, over
    every number of shards up to 10,000, and if none fits, with keys serialized in other ways. Where
    the shards are ranges that are not even, these are told as far as the keys show them.

    Args:
        source: The log, as for `ShardMap.replay`.
        key: The name of the key column. This and the other columns, if not named, are guessed from
            usual names.
        shard: The name of the column of the shards that the service chose, by id or by number.
        explicit_hash_key: The name of the column of explicit hash keys.
        payload: The name of the column of payloads: those that a producer library of Kinesis made
            are taken apart.
        key_serializer: How producers write keys that are no text, as in `ShardMap.replay`.
        salt: A `Salt` to put behind each key.
        progress: As for `ShardMap.replay`.

    Raises:
        InvalidInput: If the log has no column of shards, or no row with a key and a shard.
        UnsupportedType: If the source is no such thing, or a column cannot hold its part.
        Io: If a file cannot be read.

    Examples:
        >>> import polars as pl
        >>> import shardlane as sl
        >>> keys = [f"order-{i}" for i in range(1_000)]
        >>> sent = sl.ShardMap.kafka(12, partitioner="kafkajs:legacy").route(keys)
        >>> found = sl.infer(pl.DataFrame({"key": keys, "partition": pl.Series(sent)}))
        >>> found.candidates["options"].to_pylist()[0]
        '--kafka 12 --partitioner kafkajs:legacy'
    """

def cli_main(argv: Sequence[str]) -> int:
    """Runs the `shardlane` command.

    Args:
        argv: Its arguments, the program's name first, as in sys.argv.

    Returns:
        The exit code: 0 fine, 1 error, 2 wrong usage, 3 a shard is over its limit, 130 interrupted.
    """
