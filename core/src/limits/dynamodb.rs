//! Amazon `DynamoDB`: what a partition gives and takes.

use super::{Limit, Limits};
use crate::shards::System;
use std::borrow::Cow;

/// "Designing partition keys": up to 3,000 read units and 1,000 write units a second for each
/// partition.
const GUIDE: &str =
    "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html";

/// The day it was read.
const READ: &str = "2026-11-30";

impl Limits {
    /// The limits of a partition: 3,000 read units and 1,000 write units a second.
    ///
    /// ```
    /// use shardlane::Limits;
    /// assert_eq!(Limits::dynamodb().read_units_per_second().unwrap().value, 3_000);
    /// ```
    pub fn dynamodb() -> Self {
        let limit =
            |value| Limit { value, source: Cow::Borrowed(GUIDE), date: Cow::Borrowed(READ) };
        Self {
            read_units_per_second: Some(limit(3_000)),
            write_units_per_second: Some(limit(1_000)),
            ..Self::none(System::DynamoDb)
        }
    }

    /// Limits of a load whose bytes are half units.
    pub(crate) fn of_half_units(units: u64) -> Self {
        let value = units.saturating_mul(2);
        Self { bytes_per_second: Some(Limit::given(value)), ..Self::none(System::DynamoDb) }
    }
}

/// How long a table of `capacity` units a second takes a steady load of `load` units a second,
/// having rested long enough to keep 300 seconds of its capacity; `None` if it takes it for ever.
/// The service calls that burst a best effort, and no burst lifts a partition above its own limit
/// (<https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/burst-adaptive-capacity.html>,
/// read 2026-11-30).
///
/// ```
/// use shardlane::limits::burst_seconds;
/// assert_eq!(burst_seconds(150.0, 200.0), Some(900.0));
/// assert_eq!(burst_seconds(150.0, 150.0), None);
/// ```
pub fn burst_seconds(capacity: f64, load: f64) -> Option<f64> {
    const KEPT: f64 = 300.0;
    (load > capacity).then(|| KEPT * capacity / (load - capacity))
}

/// How many partitions a new table of this capacity and size would have had by a formula that AWS
/// people told in 2016 and today's pages do not have: an estimate.
///
/// ```
/// use shardlane::limits::estimated_partitions;
/// assert_eq!(estimated_partitions(10_000, 1_000, 25.0), 5);
/// assert_eq!(estimated_partitions(100, 100, 25.0), 3);
/// ```
pub fn estimated_partitions(read_units: u64, write_units: u64, gigabytes: f64) -> u64 {
    let by_throughput = (read_units as f64 / 3_000.0 + write_units as f64 / 1_000.0).ceil();
    let by_size = (gigabytes / 10.0).ceil();
    by_throughput.max(by_size).max(1.0) as u64
}
