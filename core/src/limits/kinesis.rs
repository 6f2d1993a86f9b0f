//! Amazon Kinesis Data Streams.

use super::{Limit, Limits};
use crate::shards::System;
use std::borrow::Cow;

/// "Quotas and limits" of the developer guide: 1 MB/s, partition keys included, and 1,000 records/s
/// of writes for each shard.
const GUIDE: &str = "https://docs.aws.amazon.com/streams/latest/dev/service-sizes-and-limits.html";

/// What a megabyte is, the guide leaves open. AWS's own producer library counts 2^20 bytes
/// (`aws/kinesis/core/shard_limiter`, commit 11c4a64 of 2026-03-31), and so does this profile.
const PRODUCER: &str = "https://github.com/awslabs/amazon-kinesis-producer";

/// The day both were read.
const READ: &str = "2026-11-30";

impl Limits {
    /// The write limits of a provisioned Kinesis shard: 1,000 records and 1,048,576 bytes a second,
    /// partition keys included.
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
            ..Self::none(System::Kinesis)
        }
    }
}
