//! When it was worst: the minutes with the most records over a limit, shard by shard and window by
//! window.

use super::heat::Heat;
use crate::projection::{BindingLimit, Moment, Projection, moments};
use crate::tally::Tally;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Shards that are told of in each minute; those less loaded are counted.
const SHARDS: usize = 8;

/// A minute in microseconds.
const MINUTE: i64 = 60_000_000;

/// The course of a log in time. Empty without a time column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Timeline {
    /// The worst minutes, worst first: those with the most records over a limit, and of equals
    /// those in which a shard comes nearest to one.
    pub minutes: Vec<Minute>,
    /// Shards over the whole time.
    pub heat: Heat,
}

/// A minute, or a window if those are longer.
#[derive(Debug, Clone, PartialEq)]
pub struct Minute {
    /// Its start, in microseconds since 1970-01-01T00:00:00Z.
    pub start: i64,
    /// Its length in microseconds.
    pub length: i64,
    /// Length of a window in microseconds.
    pub window: i64,
    /// What all shards took.
    pub load: Load,
    /// The shards that took most in it, most loaded first.
    pub shards: Vec<ShardMinute>,
    /// How many more took something.
    pub shards_left_out: usize,
}

/// One shard in a minute.
#[derive(Debug, Clone, PartialEq)]
pub struct ShardMinute {
    /// Index of the shard.
    pub shard: u32,
    /// What it took.
    pub load: Load,
    /// The limit that it was nearest to in its busiest window, or furthest over.
    pub binding_limit: Option<BindingLimit>,
    /// Its windows in order of time, those left out in which it took nothing.
    pub windows: Vec<Moment>,
}

/// What came in some windows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Load {
    /// Records that came.
    pub records: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Records over a limit.
    pub throttled_records: u64,
    /// The highest load of a shard in a window, as a part of its limit; 0 where nothing is limited.
    pub peak: f64,
}

impl Load {
    fn add(&mut self, moment: &Moment) {
        self.records = self.records.saturating_add(moment.records);
        self.bytes = self.bytes.saturating_add(moment.bytes);
        self.throttled_records = self.throttled_records.saturating_add(moment.throttled_records);
        self.peak = self.peak.max(moment.load.unwrap_or(0.0));
    }

    /// Worse loads first.
    fn worse_first(&self, other: &Self) -> Ordering {
        other
            .throttled_records
            .cmp(&self.throttled_records)
            .then_with(|| other.peak.total_cmp(&self.peak))
            .then_with(|| other.records.cmp(&self.records))
    }
}

impl Timeline {
    /// The course of `tally` under `projection`, with as many as `minutes` of the worst minutes.
    pub fn of(tally: &Tally, projection: &Projection, minutes: usize) -> Self {
        let all = || moments(tally, &projection.limits, &projection.conditions);
        let window = i64::try_from(tally.window().as_micros()).unwrap_or(i64::MAX);
        let length = window.max(MINUTE);
        let mut heat = Heat::new(tally, projection);
        let mut loads: BTreeMap<i64, Load> = BTreeMap::new();
        for moment in all() {
            heat.add(&moment);
            loads.entry(moment.window_start.div_euclid(length)).or_default().add(&moment);
        }
        let mut worst: Vec<(i64, Load)> = loads.into_iter().collect();
        worst.sort_by(|(_, one), (_, other)| one.worse_first(other));
        worst.truncate(minutes);

        let mut found: BTreeMap<i64, BTreeMap<u32, Vec<Moment>>> =
            worst.iter().map(|(number, _)| (*number, BTreeMap::new())).collect();
        if !found.is_empty() {
            for moment in all() {
                if let Some(shards) = found.get_mut(&moment.window_start.div_euclid(length)) {
                    shards.entry(moment.shard).or_default().push(moment);
                }
            }
        }
        let minutes = worst.into_iter().map(|(number, load)| {
            let shards = found.remove(&number).unwrap_or_default();
            let mut shards: Vec<_> = shards.into_iter().map(ShardMinute::of).collect();
            shards.sort_by(|one, other| one.load.worse_first(&other.load));
            let shards_left_out = shards.len().saturating_sub(SHARDS);
            shards.truncate(SHARDS);
            Minute {
                start: number.saturating_mul(length),
                length,
                window,
                load,
                shards,
                shards_left_out,
            }
        });
        Self { minutes: minutes.collect(), heat: heat.finish() }
    }
}

impl ShardMinute {
    fn of((shard, windows): (u32, Vec<Moment>)) -> Self {
        let mut load = Load::default();
        let mut busiest: Option<&Moment> = None;
        for moment in &windows {
            if busiest.is_none_or(|so_far| moment.load > so_far.load) {
                busiest = Some(moment);
            }
            load.add(moment);
        }
        let binding_limit = busiest.and_then(|moment| moment.binding_limit);
        Self { shard, load, binding_limit, windows }
    }
}

impl Minute {
    /// The load of `shard` over the minute in `columns` parts of the same length, or in one for each
    /// window if those are fewer: the highest of each part, and whether records were over a limit.
    pub(super) fn course(&self, shard: &ShardMinute, columns: usize) -> Vec<Part> {
        let windows = (self.length / self.window.max(1)).max(1) as usize;
        let together = windows.div_ceil(columns.max(1));
        let mut parts = vec![Part::default(); windows.div_ceil(together)];
        for moment in &shard.windows {
            let at = (moment.window_start - self.start) / self.window.max(1);
            if let Some(part) = parts.get_mut(at as usize / together) {
                part.records = part.records.max(moment.records);
                part.load = part.load.max(moment.load.unwrap_or(0.0));
                part.is_throttled |= moment.throttled_records > 0;
            }
        }
        parts
    }
}

/// Some windows of a shard, of which the busiest counts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Part {
    pub(super) records: u64,
    pub(super) load: f64,
    pub(super) is_throttled: bool,
}
