//! Shards' windows in order of time, held against limits.
//!
//! A window longer than a second allows that many times as much, and so hides bursts within it.

use super::conditions::Conditions;
use super::gate::Gate;
use super::headroom;
use super::load::Load;
use super::queue::Queue;
use super::rules::{Rules, whole};
use super::{BindingLimit, Model, ShardProjection, Throttle};
use crate::tally::{Cell, Tally, Totals};

/// Each shard's load, window by window, against the rules. `cells` gives them in order of time as
/// often as they are asked for, and `tally` tells when a window begins.
pub(super) fn project<C: Iterator<Item = Cell>>(
    load: &Load,
    cells: impl Fn() -> C,
    tally: &Tally,
    rules: &Rules,
    conditions: &Conditions,
) -> Vec<ShardProjection> {
    let totals = load.totals.iter().zip(&load.spread);
    let mut shards: Vec<_> = (0..)
        .zip(totals)
        .map(|(index, (totals, spread))| Shard::new(index, totals.plus(*spread), rules, conditions))
        .collect();
    let mut last = None;
    for cell in cells() {
        last = Some(cell.window);
        if let Some(shard) = shards.get_mut(cell.shard as usize) {
            shard.add(&cell, rules, conditions);
        }
    }
    let peaks = shards.iter().map(|shard| rules.fits(shard.peak, conditions.scale));
    let peaks = peaks.collect();
    let fits = match conditions.model {
        Model::Tumbling => peaks,
        Model::TokenBucket(_) => headroom::of_buckets(rules, peaks, cells, conditions.scale),
    };
    let finished = shards.into_iter().zip(fits).zip(load.totals.iter().zip(&load.spread));
    finished
        .map(|((shard, fits), (totals, spread))| ShardProjection {
            totals: *totals,
            spread: *spread,
            ..shard.finish(load, tally, rules, conditions, (fits, last))
        })
        .collect()
}

/// The windows in which a shard was over a limit.
pub(super) fn throttles<'a>(
    cells: impl Iterator<Item = Cell> + 'a,
    tally: &'a Tally,
    rules: Rules,
    conditions: &'a Conditions,
) -> impl Iterator<Item = Throttle> + 'a {
    let mut meters = Vec::new();
    cells.filter_map(move |cell| {
        let shard = cell.shard as usize;
        if meters.len() <= shard {
            meters.resize_with(shard + 1, || Meter::new(&rules, conditions));
        }
        let (over, which) = meters[shard].take(&rules, &cell, conditions);
        which.map(|binding_limit| Throttle {
            window_start: tally.start_of(cell.window),
            shard: cell.shard,
            records: conditions.scale.of(cell.records),
            bytes: conditions.scale.of(cell.bytes),
            throttled_records: whole(over),
            binding_limit,
        })
    })
}

/// A shard's buckets, with or without a queue before them.
enum Meter {
    Dropping(Gate),
    Retrying(Box<Queue>),
}

impl Meter {
    fn new(rules: &Rules, conditions: &Conditions) -> Self {
        if conditions.retry {
            Self::Retrying(Box::new(Queue::new(rules)))
        } else {
            Self::Dropping(Gate::new(rules))
        }
    }

    /// Takes the next window, and tells how many millionths of a record are over a limit, and over
    /// which.
    fn take(
        &mut self,
        rules: &Rules,
        cell: &Cell,
        conditions: &Conditions,
    ) -> (u128, Option<BindingLimit>) {
        match self {
            Self::Dropping(gate) => gate.take(rules, cell, conditions.scale),
            Self::Retrying(queue) => queue.take(rules, cell, conditions.scale),
        }
    }
}

/// One shard's windows so far.
struct Shard {
    index: u32,
    /// All that it took, for what follows from the mean size alone.
    all: Totals,
    /// The most records and the most bytes of any window, not necessarily the same one.
    peak: Totals,
    meter: Meter,
    throttled: u128,
    throttled_windows: u64,
    first_throttle: Option<i64>,
}

impl Shard {
    fn new(index: u32, all: Totals, rules: &Rules, conditions: &Conditions) -> Self {
        Self {
            index,
            all,
            peak: Totals::default(),
            meter: Meter::new(rules, conditions),
            throttled: 0,
            throttled_windows: 0,
            first_throttle: None,
        }
    }

    /// Takes the next window, in order of time.
    fn add(&mut self, cell: &Cell, rules: &Rules, conditions: &Conditions) {
        self.peak.records = self.peak.records.max(cell.records);
        self.peak.bytes = self.peak.bytes.max(cell.bytes);
        let (over, which) = self.meter.take(rules, cell, conditions);
        if which.is_some() {
            self.throttled = self.throttled.saturating_add(over);
            self.throttled_windows += 1;
            self.first_throttle.get_or_insert(cell.window);
        }
    }

    /// What came of it: how many times it fits at its peak, and the log's last window, are told.
    fn finish(
        self,
        load: &Load,
        tally: &Tally,
        rules: &Rules,
        conditions: &Conditions,
        (fits, last): (Option<(f64, BindingLimit)>, Option<i64>),
    ) -> ShardProjection {
        let Load { records: all, timed, window, .. } = *load;
        let seconds = window.as_secs_f64();
        let scale = conditions.scale.value();
        // Without times, which limit binds still follows from the mean size.
        let binding = fits.or_else(|| rules.fits(self.all, conditions.scale));
        let (backlog, windows) = match self.meter {
            Meter::Dropping(_) => (None, self.throttled_windows),
            Meter::Retrying(mut queue) => {
                let start_of = |window| tally.start_of(window);
                let backlog = last.map(|last| queue.finish(rules, last, window, start_of));
                (backlog, queue.windows)
            }
        };
        let records = load.totals.get(self.index as usize).map_or(0, |totals| totals.records);
        ShardProjection {
            index: self.index,
            totals: Totals::default(),
            spread: Totals::default(),
            share: if all == 0 { 0.0 } else { records as f64 / all as f64 },
            peak_records_per_second: timed.then_some(self.peak.records as f64 * scale / seconds),
            peak_bytes_per_second: timed.then_some(self.peak.bytes as f64 * scale / seconds),
            throttled_records: timed.then_some(whole(self.throttled)),
            throttled_seconds: timed.then_some(windows as f64 * seconds),
            first_throttle: self.first_throttle.map(|window| tally.start_of(window)),
            binding_limit: binding.map(|(_, limit)| limit),
            headroom: fits.map(|(times, _)| times),
            read_units: None,
            write_units: None,
            backlog,
            reads: None,
        }
    }
}
