//! Each shard of a report.

use super::asked::AskedOf;
use super::id;
use crate::projection::{BindingLimit, ShardProjection};
use crate::report::Report;
use crate::report::instant::rfc3339;
use serde::{Serialize, Serializer};

/// The shards one by one, so that a map of a million needs no second list of them.
pub(super) struct Shards<'a>(pub(super) &'a Report);

#[derive(Serialize)]
struct Shard<'a> {
    index: u32,
    id: &'a str,
    records: u64,
    bytes: u64,
    distinct_keys: Option<u64>,
    spread_records_estimate: u64,
    spread_bytes_estimate: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_units: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    write_units: Option<f64>,
    share: f64,
    peak_records_per_second: Option<f64>,
    peak_bytes_per_second: Option<f64>,
    throttled_records: Option<u64>,
    throttled_seconds: Option<f64>,
    first_throttle: Option<String>,
    binding_limit: Option<&'static str>,
    headroom: Option<f64>,
    #[serde(flatten)]
    asked: AskedOf<'a>,
}

impl Serialize for Shards<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer
            .collect_seq(self.0.projection.shards.iter().map(|shard| Shard::of(self.0, shard)))
    }
}

impl<'a> Shard<'a> {
    fn of(report: &'a Report, shard: &'a ShardProjection) -> Self {
        Self {
            index: shard.index,
            id: id(report, shard.index),
            records: shard.totals.records,
            bytes: shard.totals.bytes,
            distinct_keys: report.distinct_keys_of(shard.index),
            spread_records_estimate: shard.spread.records,
            spread_bytes_estimate: shard.spread.bytes,
            read_units: shard.read_units,
            write_units: shard.write_units,
            share: shard.share,
            peak_records_per_second: shard.peak_records_per_second,
            peak_bytes_per_second: shard.peak_bytes_per_second,
            throttled_records: shard.throttled_records,
            throttled_seconds: shard.throttled_seconds,
            first_throttle: shard.first_throttle.map(rfc3339),
            binding_limit: shard.binding_limit.map(BindingLimit::name),
            headroom: shard.headroom,
            asked: AskedOf { report, shard },
        }
    }
}
