//! Where a map comes from.

use super::PyShardMap;
use crate::arguments::whole;
use crate::errors::{Failure, Result};
use crate::list_shards;
use pyo3::prelude::*;
use pyo3::types::PyType;
use shardlane::{MAX_SHARDS, ShardMap};

/// How to make the files that are read.
const LIST_SHARDS: &str = "aws kinesis list-shards --stream-name NAME > list-shards.json";
const LIST_SLS_SHARDS: &str =
    "aliyunlog log list_shards --project_name=P --logstore_name=L > list-shards.json";

/// A number of shards.
fn count(value: &Bound<'_, PyAny>, name: &str) -> Result<usize> {
    whole(value, name, 1..=MAX_SHARDS as i128, &format!("{name}=4")).map_err(Failure::of_map)
}

#[pymethods]
impl PyShardMap {
    /// A Kinesis stream of `shards` shards that share all hash values evenly, as a new one does.
    ///
    /// Args:
    ///     shards: How many shards, 1 or more.
    ///     even_rule: How the hash values are divided. "fixed-step": shard i starts at
    ///         i * floor(2**128 / n). "rational": at floor(i * 2**128 / n). The service documents
    ///         neither; they agree for every power of two, and no key in practice tells them apart.
    ///     key_length_unit: What counts as one of a key's at most 256 characters: "code-points" or
    ///         "utf16-units".
    ///     capacity_mode: Who manages the shards: "provisioned" or "on-demand".
    ///
    /// Raises:
    ///     InvalidShardMap: For 0 shards, or more than 1,048,576.
    ///     InvalidInput: For an unknown rule or unit.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> len(sl.ShardMap.kinesis(8))
    ///     8
    #[classmethod]
    #[pyo3(signature = (
        shards, *, even_rule="fixed-step", key_length_unit="code-points",
        capacity_mode="provisioned"
    ))]
    fn kinesis(
        _class: &Bound<'_, PyType>,
        shards: &Bound<'_, PyAny>,
        even_rule: &str,
        key_length_unit: &str,
        capacity_mode: &str,
    ) -> Result<Self> {
        let map = ShardMap::kinesis(count(shards, "shards")?, even_rule.parse()?)?;
        Ok(Self::of(
            map.with_key_length_unit(key_length_unit.parse()?)
                .with_capacity_mode(capacity_mode.parse()?),
        ))
    }

    /// The stream that an answer of ListShards or DescribeStream describes.
    ///
    /// Closed shards stay listed in `shards` and own no keys. A description says whether the
    /// stream is on-demand.
    ///
    /// Args:
    ///     source: The path of a JSON file, the JSON text itself, or what boto3 gave: the answer's
    ///         dict, or its list of shards.
    ///     key_length_unit: What counts as one of a key's at most 256 characters: "code-points" or
    ///         "utf16-units".
    ///
    /// Raises:
    ///     Io: If the file cannot be read.
    ///     InvalidShardMap: If it is not such JSON, or its open shards leave a gap or overlap.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> half = str(2**127)
    ///     >>> stream = sl.ShardMap.from_list_shards([
    ///     ...     {"ShardId": "shardId-000000000001",
    ///     ...      "HashKeyRange": {"StartingHashKey": "0", "EndingHashKey": str(2**127 - 1)}},
    ///     ...     {"ShardId": "shardId-000000000002",
    ///     ...      "HashKeyRange": {"StartingHashKey": half, "EndingHashKey": str(2**128 - 1)}},
    ///     ... ])
    ///     >>> stream.shard_of("user-1")
    ///     1
    #[classmethod]
    #[pyo3(signature = (source, *, key_length_unit="code-points"))]
    fn from_list_shards(
        _class: &Bound<'_, PyType>,
        source: &Bound<'_, PyAny>,
        key_length_unit: &str,
    ) -> Result<Self> {
        let map = ShardMap::from_list_shards(&list_shards::json(source, LIST_SHARDS)?)?;
        Ok(Self::of(map.with_key_length_unit(key_length_unit.parse()?)))
    }

    /// A Kafka topic of `partitions` partitions, to which producers send by `partitioner`.
    ///
    /// A null key has no partition of its own wherever the partitioner sends it anywhere; some of
    /// librdkafka's hash it as an empty one.
    ///
    /// Args:
    ///     partitions: How many partitions, 1 or more.
    ///     partitioner: The client's rule: "java" (also kafka-python, aiokafka, franz-go, kafkajs
    ///         2, Spring Kafka), "rdkafka:consistent_random" (librdkafka's default:
    ///         confluent-kafka), "rdkafka:random", "rdkafka:consistent", "rdkafka:murmur2",
    ///         "rdkafka:murmur2_random", "rdkafka:fnv1a", "rdkafka:fnv1a_random", "sarama:hash"
    ///         (also kafka-go's Hash), "sarama:reference", "sarama:crc32", "kafkajs:legacy" or
    ///         "spring-cloud-stream". Other clients' names for the same rules are read, too.
    ///
    /// Raises:
    ///     InvalidShardMap: For 0 partitions, or more than 1,048,576.
    ///     InvalidInput: For an unknown partitioner.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> topic = sl.ShardMap.kafka(12)
    ///     >>> topic.route(["order-1001", "", None]).to_pylist()
    ///     [6, 9, None]
    ///     >>> sl.ShardMap.kafka(12, partitioner="confluent-kafka").shard_of("order-1001")
    ///     9
    #[classmethod]
    #[pyo3(signature = (partitions, *, partitioner="java"))]
    fn kafka(
        _class: &Bound<'_, PyType>,
        partitions: &Bound<'_, PyAny>,
        partitioner: &str,
    ) -> Result<Self> {
        let partitions = count(partitions, "partitions")?;
        Ok(Self::of(ShardMap::kafka(partitions, partitioner.parse()?)?))
    }

    /// A DynamoDB table of `partitions` partitions, simulated.
    ///
    /// The service's hash is internal, so any good one stands for it: the shares are those of one
    /// placement of many. `skew` tells the spread over many seeds.
    ///
    /// Args:
    ///     partitions: How many partitions, 1 or more.
    ///     seed: Which placement: 0 takes the MD5 of the key as it is.
    ///
    /// Raises:
    ///     InvalidShardMap: For 0 partitions, or more than 1,048,576.
    ///     InvalidInput: For a seed that 32 bits cannot hold.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> sl.ShardMap.dynamodb(512).shard_of("user-1")
    ///     429
    #[classmethod]
    #[pyo3(signature = (partitions, *, seed=None))]
    #[pyo3(text_signature = "($cls, partitions, *, seed=0)")]
    fn dynamodb(
        _class: &Bound<'_, PyType>,
        partitions: &Bound<'_, PyAny>,
        seed: Option<&Bound<'_, PyAny>>,
    ) -> Result<Self> {
        let seed = match seed {
            Some(seed) => whole(seed, "seed", 0..=i128::from(u32::MAX), "seed=1")?,
            None => 0,
        };
        Ok(Self::of(ShardMap::dynamodb(count(partitions, "partitions")?, seed)?))
    }

    /// A Logstore of Simple Log Service with `shards` shards that share all hash values evenly.
    ///
    /// A write names a shard by an explicit hash key in hexadecimal, or by the MD5 of a key, as the
    /// producers send it. One with neither goes anywhere and has no shard of its own.
    ///
    /// Args:
    ///     shards: How many shards, 1 or more.
    ///     buckets: To how many buckets, a power of two, the producers adjust hashes: 64 is the
    ///         Java producer's default. None is the hash as it is.
    ///
    /// Raises:
    ///     InvalidShardMap: For 0 shards, more than 1,048,576, or buckets that are no power of two.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> logstore = sl.ShardMap.sls(4)
    ///     >>> logstore.shard_of(None, explicit_hash_key="8C")
    ///     2
    #[classmethod]
    #[pyo3(signature = (shards, *, buckets=None))]
    fn sls(
        _class: &Bound<'_, PyType>,
        shards: &Bound<'_, PyAny>,
        buckets: Option<&Bound<'_, PyAny>>,
    ) -> Result<Self> {
        with_buckets(ShardMap::sls(count(shards, "shards")?)?, buckets)
    }

    /// The Logstore that an answer of Simple Log Service's ListShards describes.
    ///
    /// Args:
    ///     source: The path of a JSON file, the JSON text itself, or the list of shards, each with
    ///         shardID, status, inclusiveBeginKey and exclusiveEndKey.
    ///     buckets: As for `sls`.
    ///
    /// Raises:
    ///     Io: If the file cannot be read.
    ///     InvalidShardMap: If it is not such JSON, or its shards leave a gap or overlap.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> logstore = sl.ShardMap.from_sls_shards([
    ///     ...     {"shardID": 7, "status": "readwrite",
    ///     ...      "inclusiveBeginKey": "0" * 32, "exclusiveEndKey": "f" * 32},
    ///     ... ])
    ///     >>> logstore.shards["id"].to_pylist()
    ///     ['7']
    #[classmethod]
    #[pyo3(signature = (source, *, buckets=None))]
    fn from_sls_shards(
        _class: &Bound<'_, PyType>,
        source: &Bound<'_, PyAny>,
        buckets: Option<&Bound<'_, PyAny>>,
    ) -> Result<Self> {
        let json = list_shards::json(source, LIST_SLS_SHARDS)?;
        with_buckets(ShardMap::from_sls_shards(&json)?, buckets)
    }
}

fn with_buckets(map: ShardMap, buckets: Option<&Bound<'_, PyAny>>) -> Result<PyShardMap> {
    let map = match buckets {
        Some(buckets) => map.with_buckets(
            whole(buckets, "buckets", 1..=1 << 31, "buckets=64").map_err(Failure::of_map)?,
        )?,
        None => map,
    };
    Ok(PyShardMap::of(map))
}
