//! Capacity units of `DynamoDB`, counted as everything else is: in tallies of their own, whose bytes
//! are half units.

use super::{Rows, Tally, TallyOptions, Totals};
use crate::error::Result;
use crate::lanes::Keys;
use crate::shards::{NO_SHARD, Operation, ShardMap};
use std::sync::Arc;

/// Rows that are turned into units at once.
const STEP: usize = 1024;

/// Read and write units of each shard and window.
#[derive(Debug, Clone)]
pub(super) struct Units {
    pub(super) reads: Tally,
    pub(super) writes: Tally,
}

impl Units {
    pub(super) fn new(map: &Arc<ShardMap>, options: &TallyOptions) -> Result<Self> {
        let options = TallyOptions { top: 0, size_includes_key: true, ..options.clone() };
        let tally = || Tally::plain(map.clone(), options.clone());
        Ok(Self { reads: tally()?, writes: tally()? })
    }

    /// Counts the units of rows, each of which is its own operation or `usual`.
    pub(super) fn add<K: Keys + ?Sized>(&mut self, rows: &Rows<'_, K>, usual: Operation) {
        for from in (0..rows.range.len()).step_by(STEP) {
            let range = rows.range.start + from..rows.range.end.min(rows.range.start + from + STEP);
            let to = from + range.len();
            let (mut sizes, mut own) = ([0; STEP], [NO_SHARD; STEP]);
            let (sizes, own) = (&mut sizes[..range.len()], &mut own[..range.len()]);
            for is_write in [false, true] {
                let mut any = false;
                for i in 0..range.len() {
                    let operation = rows.operations.map_or(usual, |all| all[from + i]);
                    let is_own = operation.is_write() == is_write;
                    own[i] = if is_own { rows.shards[from + i] } else { NO_SHARD };
                    any |= own[i] != NO_SHARD;
                    let bytes = match rows.sizes {
                        Some(sizes) => u64::try_from(sizes[from + i]).unwrap_or(0),
                        None => rows.keys.bytes(range.start + i).len() as u64,
                    };
                    let units = operation.half_units(bytes);
                    sizes[i] = i64::try_from(units).unwrap_or(i64::MAX);
                }
                if any {
                    let tally = if is_write { &mut self.writes } else { &mut self.reads };
                    tally.add(&Rows {
                        keys: rows.keys,
                        range: range.clone(),
                        prefixes: &rows.prefixes[from..to],
                        shards: own,
                        sizes: Some(sizes),
                        times: rows.times.map(|times| &times[from..to]),
                        weights: rows.weights.map(|weights| &weights[from..to]),
                        operations: None,
                        keyless: None,
                        carried: None,
                        sizes_include_keys: false,
                    });
                }
            }
        }
    }

    pub(super) fn merge(&mut self, other: &Self) -> Result<()> {
        self.reads.merge(&other.reads)?;
        self.writes.merge(&other.writes)
    }
}

impl Tally {
    /// The read and the write units of each shard in all; `None` if the system has no units.
    pub fn units(&self) -> Option<[Vec<f64>; 2]> {
        let units = self.units.as_ref()?;
        let of = |tally: &Self| tally.totals().iter().map(whole).collect();
        Some([of(&units.reads), of(&units.writes)])
    }

    /// Tallies whose bytes are half read units and half write units; `None` if the system has no
    /// units.
    pub(crate) fn unit_tallies(&self) -> Option<[&Self; 2]> {
        self.units.as_ref().map(|units| [&units.reads, &units.writes])
    }
}

/// Half units as units.
fn whole(half: &Totals) -> f64 {
    half.bytes as f64 / 2.0
}
