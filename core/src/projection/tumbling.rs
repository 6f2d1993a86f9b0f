//! The `tumbling` model: each window stands alone, and what exceeds its allowance is throttled.
//!
//! A tally keeps the records and bytes of a window, not their order, so records within one window
//! and shard are taken to be of one size, their mean. For records that are, the count of throttled
//! ones is exact. For others whether a window throttles is still exact, and only how many records
//! it throttles depends on which ones come last: fewer if those are the large ones.
//!
//! A window longer than a second allows that many times as much, and so hides bursts within it.

use super::headroom::fits;
use super::load::Load;
use super::{ShardProjection, Throttle};
use crate::limits::Limits;
use crate::tally::{Cell, Tally, Totals};

/// Each shard's load, window by window, against the limits. `tally` tells when a window begins.
pub(super) fn project(
    load: &Load,
    cells: impl Iterator<Item = Cell>,
    tally: &Tally,
    limits: &Limits,
) -> Vec<ShardProjection> {
    let totals = load.totals.iter().zip(&load.spread);
    let mut shards: Vec<_> = (0..)
        .zip(totals)
        .map(|(index, (totals, spread))| Shard::new(index, *totals, *spread))
        .collect();
    for cell in cells {
        if let Some(shard) = shards.get_mut(cell.shard as usize) {
            shard.add(&cell, tally, limits);
        }
    }
    shards.into_iter().map(|shard| shard.finish(load, limits)).collect()
}

/// The windows in which a shard was over a limit.
pub(super) fn throttles<'a>(
    cells: impl Iterator<Item = Cell> + 'a,
    tally: &'a Tally,
    limits: &'a Limits,
) -> impl Iterator<Item = Throttle> + 'a {
    let seconds = tally.window().as_secs();
    cells.filter_map(move |cell| {
        let throttled_records = cell.records - accepted(&cell, seconds, limits);
        let load = Totals { records: cell.records, bytes: cell.bytes };
        let (_, binding_limit) = fits(limits, load, seconds)?;
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
    spread: Totals,
    /// The most records and the most bytes of any window, not necessarily the same one.
    peak: Totals,
    throttled_records: u64,
    throttled_windows: u64,
    first_throttle: Option<i64>,
}

impl Shard {
    fn new(index: u32, totals: Totals, spread: Totals) -> Self {
        Self {
            index,
            totals,
            spread,
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
            self.throttled_records = self.throttled_records.saturating_add(cell.records - accepted);
            self.throttled_windows += 1;
            self.first_throttle.get_or_insert_with(|| tally.start_of(cell.window));
        }
    }

    fn finish(self, load: &Load, limits: &Limits) -> ShardProjection {
        let Load { records: all, timed, window, .. } = *load;
        let seconds = window.as_secs_f64();
        let in_windows = fits(limits, self.peak, window.as_secs());
        // Without times, which limit binds still follows from the mean size.
        let binding = in_windows.or_else(|| fits(limits, self.totals.plus(self.spread), 1));
        ShardProjection {
            index: self.index,
            totals: self.totals,
            spread: self.spread,
            share: if all == 0 { 0.0 } else { self.totals.records as f64 / all as f64 },
            peak_records_per_second: timed.then_some(self.peak.records as f64 / seconds),
            peak_bytes_per_second: timed.then_some(self.peak.bytes as f64 / seconds),
            throttled_records: timed.then_some(self.throttled_records),
            throttled_seconds: timed.then_some(self.throttled_windows as f64 * seconds),
            first_throttle: self.first_throttle,
            binding_limit: binding.map(|(_, limit)| limit),
            headroom: in_windows.map(|(times, _)| times),
            read_units: None,
            write_units: None,
        }
    }
}

/// How many of a window's records the limits let through.
fn accepted(cell: &Cell, seconds: u64, limits: &Limits) -> u64 {
    let records = u128::from(cell.records);
    let by_records = limits.records_per_second().map_or(records, |limit| limit.allowance(seconds));
    let by_bytes = limits.bytes_per_second().map_or(records, |limit| {
        // floor(allowance / mean size), without the rounding of a mean. A product past 128 bits
        // stays above any number of records, whatever it is divided by.
        let scaled = limit.allowance(seconds).saturating_mul(records);
        scaled.checked_div(cell.bytes.into()).unwrap_or(records)
    });
    // No more than the records, so no more than 64 bits.
    records.min(by_records).min(by_bytes) as u64
}
