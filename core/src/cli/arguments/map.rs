//! The options that make up a map, and what becomes of it.

#![expect(clippy::doc_markdown, reason = "what clap shows as help has no backticks")]

use super::shard_count;
use crate::shards::{CapacityMode, EvenRule, KeyLengthUnit, Partitioner};
use clap::Args;
use std::path::{Path, PathBuf};

/// The shards to route to.
#[derive(Debug, Args)]
pub(in crate::cli) struct Map {
    #[command(flatten)]
    pub(in crate::cli) origin: Origin,
    /// How a new stream's shards share the hash values, with --kinesis: fixed-step, which is the
    /// default, or rational
    #[arg(long, value_name = "RULE", conflicts_with_all = ["list_shards", "kafka", "dynamodb", "sls", "sls_shards"], help_heading = MAP)]
    pub(in crate::cli) even_rule: Option<EvenRule>,
    /// What a Kinesis key's limit of 256 characters counts: code-points, the default, or
    /// utf16-units
    #[arg(long, value_name = "UNIT", conflicts_with_all = ["kafka", "dynamodb", "sls", "sls_shards"], help_heading = MAP)]
    pub(in crate::cli) key_length_unit: Option<KeyLengthUnit>,
    /// Who manages the shards of a Kinesis stream: provisioned or on-demand
    #[arg(long, value_name = "MODE", conflicts_with_all = ["kafka", "dynamodb", "sls", "sls_shards"], help_heading = MAP)]
    pub(in crate::cli) capacity_mode: Option<CapacityMode>,
    /// How producers choose a partition, with --kafka, by client: java, which is the default,
    /// rdkafka:consistent_random, rdkafka:murmur2, sarama:hash, ...
    #[arg(long, value_name = "NAME", conflicts_with_all = ["kinesis", "list_shards", "dynamodb", "sls", "sls_shards"], help_heading = MAP)]
    pub(in crate::cli) partitioner: Option<Partitioner>,
    /// Which of many placements of the keys to simulate, with --dynamodb
    #[arg(long, value_name = "S", allow_negative_numbers = true, conflicts_with_all = ["kinesis", "list_shards", "kafka", "sls", "sls_shards"], help_heading = MAP)]
    pub(in crate::cli) seed: Option<u32>,
    /// To how many buckets, a power of two, producers adjust hashes, with --sls or --sls-shards: 64
    /// is the Java producer's default
    #[arg(long, value_name = "N", conflicts_with_all = ["kinesis", "list_shards", "kafka", "dynamodb"], help_heading = MAP)]
    pub(in crate::cli) buckets: Option<u32>,
}

/// What the options that make up a map are called in the help.
const MAP: &str = "MAP";

/// Where the map comes from: exactly one of these.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(in crate::cli) struct Origin {
    /// A Kinesis stream of N shards that share the hash values evenly, as a new one does
    #[arg(long, value_name = "N", value_parser = shard_count, allow_negative_numbers = true, help_heading = MAP)]
    pub(in crate::cli) kinesis: Option<usize>,
    /// The Kinesis stream that this answer of `aws kinesis list-shards` or `describe-stream`
    /// describes; - is standard input
    #[arg(long, value_name = "FILE", help_heading = MAP)]
    pub(in crate::cli) list_shards: Option<PathBuf>,
    /// A Kafka topic of N partitions
    #[arg(long, value_name = "N", value_parser = shard_count, allow_negative_numbers = true, help_heading = MAP)]
    pub(in crate::cli) kafka: Option<usize>,
    /// A DynamoDB table of N partitions, simulated
    #[arg(long, value_name = "N", value_parser = shard_count, allow_negative_numbers = true, help_heading = MAP)]
    pub(in crate::cli) dynamodb: Option<usize>,
    /// A Logstore of Simple Log Service with N shards that share the hash values evenly
    #[arg(long, value_name = "N", value_parser = shard_count, allow_negative_numbers = true, help_heading = MAP)]
    pub(in crate::cli) sls: Option<usize>,
    /// The Logstore that this answer of ListShards describes; - is standard input
    #[arg(long, value_name = "FILE", help_heading = MAP)]
    pub(in crate::cli) sls_shards: Option<PathBuf>,
}

impl Origin {
    /// The file that the map is read from, if it is.
    pub(in crate::cli) fn file(&self) -> Option<&Path> {
        self.list_shards.as_deref().or(self.sls_shards.as_deref())
    }
}

/// What to make of the map; several are done in this order.
#[derive(Debug, Args)]
#[expect(clippy::struct_field_names, reason = "the names are those of the options")]
pub(in crate::cli) struct To {
    /// Send by this Kafka partitioner instead
    #[arg(long, value_name = "NAME", help_heading = TO)]
    pub(in crate::cli) to_partitioner: Option<Partitioner>,
    /// Grow a Kafka topic to N partitions
    #[arg(long, value_name = "N", value_parser = shard_count, allow_negative_numbers = true, help_heading = TO)]
    pub(in crate::cli) grow: Option<usize>,
    /// Resize a Kinesis stream to N even shards, as UpdateShardCount does
    #[arg(long, value_name = "N", value_parser = shard_count, allow_negative_numbers = true, help_heading = TO)]
    pub(in crate::cli) resize: Option<usize>,
    /// Split a shard, by id or index, at a hash value, docs-midpoint or exact-half; may be repeated
    #[arg(long, value_name = "SHARD[@AT]", help_heading = TO)]
    pub(in crate::cli) split: Vec<String>,
    /// Merge a shard with its right-hand neighbour; may be repeated
    #[arg(long, value_name = "SHARD[,SHARD]", help_heading = TO)]
    pub(in crate::cli) merge: Vec<String>,
    /// Take another seed of the simulated DynamoDB placement
    #[arg(long, value_name = "S", help_heading = TO)]
    pub(in crate::cli) to_seed: Option<u32>,
    /// Give a simulated DynamoDB table N partitions
    #[arg(long, value_name = "N", value_parser = shard_count, allow_negative_numbers = true, help_heading = TO)]
    pub(in crate::cli) to_partitions: Option<usize>,
}

/// What the options that make the other map are called in the help.
const TO: &str = "THE OTHER MAP";
