//! How much more fits: rates against limits.

use super::BindingLimit;
use super::load::Load;
use crate::limits::{Limit, Limits};
use crate::tally::Totals;

/// The steady rate at which the first shard meets a limit.
pub(super) struct Steady {
    /// Records a second of the whole stream.
    pub(super) records_per_second: f64,
    /// The shard that meets the limit.
    pub(super) shard: u32,
    /// The limit that it meets.
    pub(super) limit: BindingLimit,
}

/// At which steady rate of the whole stream, with these shares and sizes, the first shard meets a
/// limit; `None` if nothing was counted or nothing is limited. Of several shards that meet theirs
/// together, the one with the lowest index.
/// `records` is what the whole stream took.
pub(super) fn steady(load: &Load, records: u64, limits: &Limits) -> Option<Steady> {
    (0u32..)
        .zip(load.totals.iter().zip(&load.spread))
        .filter_map(|(shard, (totals, spread))| {
            let (times, limit) = fits(limits, totals.plus(*spread), 1)?;
            Some(Steady { records_per_second: records as f64 * times, shard, limit })
        })
        .reduce(
            |first, next| {
                if next.records_per_second < first.records_per_second { next } else { first }
            },
        )
}

/// How many times a load of `seconds` seconds fits within a shard's limits, and the limit that it
/// meets; `None` for no load or no limits. Of two limits met together, records.
///
/// Both sides of each comparison are whole numbers, so that a load which is exactly the limit fits
/// exactly once.
pub(super) fn fits(limits: &Limits, load: Totals, seconds: u64) -> Option<(f64, BindingLimit)> {
    let times = |limit: Option<&Limit>, load: u64, which| {
        let allowance = limit.filter(|_| load > 0)?.allowance(seconds);
        Some((allowance as f64 / load as f64, which))
    };
    let by_records = times(limits.records_per_second(), load.records, BindingLimit::Records);
    let by_bytes = times(limits.bytes_per_second(), load.bytes, BindingLimit::Bytes);
    match (by_records, by_bytes) {
        (Some(records), Some(bytes)) => Some(if bytes.0 < records.0 { bytes } else { records }),
        (one, other) => one.or(other),
    }
}
