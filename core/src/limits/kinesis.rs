//! Amazon Kinesis Data Streams.

use super::{Limit, Limits};
use crate::shards::System;
use std::borrow::Cow;

/// "Quotas and limits" of the developer guide: 1 MB/s, partition keys included, and 1,000 records/s
/// of writes for each shard; 2 MB/s and five calls of `GetRecords` a second of reads, shared by all
/// consumers, or 2 MB/s for each consumer with enhanced fan-out.
const GUIDE: &str = "https://docs.aws.amazon.com/streams/latest/dev/service-sizes-and-limits.html";

/// What a megabyte is, the guide leaves open. AWS's own producer library counts 2^20 bytes
/// (`aws/kinesis/core/shard_limiter`, commit 11c4a64 of 2026-03-31), and so does this profile.
const PRODUCER: &str = "https://github.com/awslabs/amazon-kinesis-producer";

/// "On-demand mode" of the developer guide.
const ON_DEMAND: &str =
    "https://docs.aws.amazon.com/streams/latest/dev/how-do-i-size-a-stream.html#ondemandmode";

/// The day they were read.
const READ: &str = "2026-11-30";

impl Limits {
    /// The limits of a provisioned Kinesis shard: writes of 1,000 records and 1,048,576 bytes a
    /// second, partition keys included, and reads of 2,097,152 bytes and five calls a second.
    ///
    /// For a megabyte of 1,000,000 bytes, say
    /// `Limits::kinesis().with("bytes_per_second", 1_000_000)`.
    pub fn kinesis() -> Self {
        let limit = |value, source| Limit {
            value,
            source: Cow::Borrowed(source),
            date: Cow::Borrowed(READ),
        };
        Self {
            records_per_second: Some(limit(1_000, GUIDE)),
            bytes_per_second: Some(limit(1_048_576, PRODUCER)),
            read_bytes_per_second: Some(limit(2_097_152, GUIDE)),
            reads_per_second: Some(limit(5, GUIDE)),
            ..Self::none(System::Kinesis)
        }
    }

    /// The write limits of an on-demand stream: those of each shard, and of the whole stream 4,000
    /// records and 4 MiB a second when it is new. The service grows it to twice the highest write
    /// rate of its last 30 days, which `peak` tells in bytes a second, and promises nothing to
    /// traffic that more than doubles within 15 minutes.
    ///
    /// ```
    /// use shardlane::Limits;
    /// let new = Limits::kinesis_on_demand(None);
    /// assert_eq!(new.stream_records_per_second().unwrap().value, 4_000);
    /// let grown = Limits::kinesis_on_demand(Some(10 << 20));
    /// assert_eq!(grown.stream_bytes_per_second().unwrap().value, 20 << 20);
    /// ```
    pub fn kinesis_on_demand(peak: Option<u64>) -> Self {
        const NEW: u64 = 4 << 20;
        let bytes = peak.map_or(NEW, |peak| NEW.max(peak.saturating_mul(2)));
        let limit =
            |value| Limit { value, source: Cow::Borrowed(ON_DEMAND), date: Cow::Borrowed(READ) };
        Self {
            // A thousand records for each mebibyte, as of a shard.
            stream_records_per_second: Some(limit(bytes / (1 << 20) * 1_000)),
            stream_bytes_per_second: Some(limit(bytes)),
            ..Self::kinesis()
        }
    }
}
