//! How much more fits: rates against limits.

use super::BindingLimit;
use crate::limits::Limits;
use crate::tally::{Tally, Totals};

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
/// limit; `None` if nothing was counted or nothing is limited.
pub(super) fn steady(tally: &Tally, limits: &Limits) -> Option<Steady> {
    let all = tally.records() as f64;
    (0u32..)
        .zip(tally.totals())
        .filter_map(|(shard, totals)| {
            let (times, limit) = fits(limits, totals.records as f64, totals.bytes as f64)?;
            Some(Steady { records_per_second: all * times, shard, limit })
        })
        .reduce(
            |first, next| {
                if next.records_per_second < first.records_per_second { next } else { first }
            },
        )
}

/// How many times a load of `records` and `bytes` a second fits within a shard's limits, and the
/// limit that it meets; `None` for no load or no limits.
pub(super) fn fits(limits: &Limits, records: f64, bytes: f64) -> Option<(f64, BindingLimit)> {
    let times = |limit: Option<u64>, load: f64, which| {
        limit.filter(|_| load > 0.0).map(|limit| (limit as f64 / load, which))
    };
    let by_records =
        times(limits.records_per_second().map(|limit| limit.value), records, BindingLimit::Records);
    let by_bytes =
        times(limits.bytes_per_second().map(|limit| limit.value), bytes, BindingLimit::Bytes);
    match (by_records, by_bytes) {
        (Some(records), Some(bytes)) => Some(if bytes.0 < records.0 { bytes } else { records }),
        (one, other) => one.or(other),
    }
}

/// The totals as rates over `seconds`.
pub(super) fn rates(totals: Totals, seconds: f64) -> (f64, f64) {
    (totals.records as f64 / seconds, totals.bytes as f64 / seconds)
}
