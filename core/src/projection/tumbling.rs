//! The `tumbling` model: each window stands alone, and what exceeds its allowance is throttled.
//!
//! A tally keeps the records and bytes of a window, not their order, so records within one window
//! and shard are taken to be of one size, their mean. For records that are, the count of throttled
//! ones is exact.

use super::headroom::{fits, rates};
use super::{BindingLimit, ShardProjection, Throttle};
use crate::limits::Limits;
use crate::tally::{Cell, Tally, Totals};

/// Each shard's load, window by window, against the limits.
pub(super) fn project(tally: &Tally, limits: &Limits) -> Vec<ShardProjection> {
    let all = tally.records();
    let seconds = tally.window().as_secs_f64();
    let mut shards: Vec<_> =
        (0..).zip(tally.totals()).map(|(index, totals)| Shard::new(index, *totals)).collect();
    for cell in tally.cells() {
        if let Some(shard) = shards.get_mut(cell.shard as usize) {
            shard.add(&cell, tally, limits);
        }
    }
    let timed = tally.first_time().is_some();
    shards.into_iter().map(|shard| shard.finish(all, seconds, timed, limits)).collect()
}

/// The windows in which a shard was over a limit.
pub(super) fn throttles<'a>(
    tally: &'a Tally,
    limits: &'a Limits,
) -> impl Iterator<Item = Throttle> + 'a {
    let seconds = tally.window().as_secs();
    tally.cells().filter_map(move |cell| {
        let throttled_records = cell.records - accepted(&cell, seconds, limits);
        let (_, binding_limit) = fits(limits, cell.records as f64, cell.bytes as f64)?;
        (throttled_records > 0).then(|| Throttle {
            window_start: tally.start_of(cell.window),
            shard: cell.shard,
            records: cell.records,
            bytes: cell.bytes,
            throttled_records,
            binding_limit,
        })
    })
}

/// One shard's windows so far.
struct Shard {
    index: u32,
    totals: Totals,
    /// The most records and the most bytes of any window, not necessarily the same one.
    peak: Totals,
    throttled_records: u64,
    throttled_windows: u64,
    first_throttle: Option<i64>,
}

impl Shard {
    fn new(index: u32, totals: Totals) -> Self {
        Self {
            index,
            totals,
            peak: Totals::default(),
            throttled_records: 0,
            throttled_windows: 0,
            first_throttle: None,
        }
    }

    /// Takes the next window, in order of time.
    fn add(&mut self, cell: &Cell, tally: &Tally, limits: &Limits) {
        self.peak.records = self.peak.records.max(cell.records);
        self.peak.bytes = self.peak.bytes.max(cell.bytes);
        let accepted = accepted(cell, tally.window().as_secs(), limits);
        if accepted < cell.records {
            self.throttled_records += cell.records - accepted;
            self.throttled_windows += 1;
            self.first_throttle.get_or_insert_with(|| tally.start_of(cell.window));
        }
    }

    fn finish(self, all: u64, seconds: f64, timed: bool, limits: &Limits) -> ShardProjection {
        let (peak_records, peak_bytes) = rates(self.peak, seconds);
        let in_windows = fits(limits, peak_records, peak_bytes);
        let (records, bytes) = rates(self.totals, 1.0);
        // Without times, which limit binds still follows from the mean size.
        let binding: Option<BindingLimit> =
            in_windows.or_else(|| fits(limits, records, bytes)).map(|(_, limit)| limit);
        ShardProjection {
            index: self.index,
            totals: self.totals,
            share: if all == 0 { 0.0 } else { self.totals.records as f64 / all as f64 },
            peak_records_per_second: timed.then_some(peak_records),
            peak_bytes_per_second: timed.then_some(peak_bytes),
            throttled_records: timed.then_some(self.throttled_records),
            throttled_seconds: timed.then_some(self.throttled_windows as f64 * seconds),
            first_throttle: self.first_throttle,
            binding_limit: binding,
            headroom: in_windows.map(|(times, _)| times),
        }
    }
}

/// How many of a window's records the limits let through.
fn accepted(cell: &Cell, seconds: u64, limits: &Limits) -> u64 {
    let allowance = |limit: u64| u128::from(limit) * u128::from(seconds);
    let records = u128::from(cell.records);
    let by_records = limits.records_per_second().map_or(records, |limit| allowance(limit.value));
    let by_bytes = limits.bytes_per_second().map_or(records, |limit| {
        // floor(allowance / mean size), without the rounding of a mean.
        (allowance(limit.value) * records).checked_div(u128::from(cell.bytes)).unwrap_or(records)
    });
    records.min(by_records).min(by_bytes) as u64
}
