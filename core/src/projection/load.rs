//! What is held against limits: a tally's own records and bytes, or capacity units in their place.

use crate::tally::{Cell, Tally, Totals};
use std::collections::BTreeMap;
use std::time::Duration;

/// Loads of shards, in all and window by window.
pub(super) struct Load {
    /// Of each shard.
    pub(super) totals: Vec<Totals>,
    /// What each would get of the records without a shard.
    pub(super) spread: Vec<Totals>,
    /// Records in all, those without a shard aside.
    pub(super) records: u64,
    /// Whether there are windows.
    pub(super) timed: bool,
    /// Length of a window.
    pub(super) window: Duration,
}

impl Load {
    pub(super) fn of(tally: &Tally) -> Self {
        let shards = 0..tally.map().len() as u32;
        Self {
            totals: tally.totals().to_vec(),
            spread: shards.map(|shard| tally.spread_to(shard)).collect(),
            records: tally.records(),
            timed: tally.first_time().is_some(),
            window: tally.window(),
        }
    }

    /// The same with records as the service counts them: without those that travel within others.
    pub(super) fn counted(mut self, tally: &Tally) -> Self {
        if let Some(carried) = tally.carried() {
            for (totals, carried) in self.totals.iter_mut().zip(carried.totals()) {
                totals.records = totals.records.saturating_sub(carried.records);
            }
        }
        self
    }

    /// All shards as one.
    pub(super) fn into_one(self) -> Self {
        let sum = |all: &[Totals]| all.iter().fold(Totals::default(), |sum, one| sum.plus(*one));
        Self { totals: vec![sum(&self.totals)], spread: vec![sum(&self.spread)], ..self }
    }
}

/// The cells of each window as those of one shard.
pub(super) fn merged(cells: impl Iterator<Item = Cell>) -> Vec<Cell> {
    let mut merged: Vec<Cell> = Vec::new();
    for cell in cells {
        match merged.last_mut().filter(|last| last.window == cell.window) {
            Some(last) => {
                last.records = last.records.saturating_add(cell.records);
                last.bytes = last.bytes.saturating_add(cell.bytes);
            }
            None => merged.push(Cell { shard: 0, ..cell }),
        }
    }
    merged
}

/// Read and write units as one load: each half read unit counts `read_weight`, each half write unit
/// `write_weight`.
pub(super) fn combined(
    [reads, writes]: [&Tally; 2],
    read_weight: u64,
    write_weight: u64,
) -> (Load, Vec<Cell>) {
    let sum = |reads: Totals, writes: Totals| {
        let weighed = |units: u64, weight: u64| units.saturating_mul(weight);
        Totals {
            records: reads.records.saturating_add(writes.records),
            bytes: weighed(reads.bytes, read_weight)
                .saturating_add(weighed(writes.bytes, write_weight)),
        }
    };
    let mut load = Load::of(reads);
    for (totals, writes) in load.totals.iter_mut().zip(writes.totals()) {
        *totals = sum(*totals, *writes);
    }
    load.records = load.records.saturating_add(writes.records());
    load.timed |= writes.first_time().is_some();
    let mut cells: BTreeMap<(i64, u32), [Totals; 2]> = BTreeMap::new();
    for (of, tally) in [reads, writes].into_iter().enumerate() {
        for Cell { window, shard, records, bytes } in tally.cells() {
            cells.entry((window, shard)).or_default()[of] = Totals { records, bytes };
        }
    }
    let cells = cells.into_iter().map(|((window, shard), [reads, writes])| {
        let Totals { records, bytes } = sum(reads, writes);
        Cell { window, shard, records, bytes }
    });
    (load, cells.collect())
}
