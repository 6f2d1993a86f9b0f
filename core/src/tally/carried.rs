//! Records that travel within another one, as those of Amazon's producer library do: counted as
//! everything else is, in a tally of their own.
//!
//! Each has its key and its bytes, but a service sees the one record that carries them. So its limit
//! of records a second is held against what is left without them.

use super::{Cell, Rows, Tally, TallyOptions};
use crate::error::Result;
use crate::lanes::Keys;
use crate::shards::NO_SHARD;

/// Rows that are sorted out at once.
const STEP: usize = 1024;

impl Tally {
    /// Records that travel within another one, which the service does not count.
    pub fn carried_records(&self) -> u64 {
        self.carried.as_ref().map_or(0, |carried| carried.records())
    }

    /// Records that travel within another one, of each shard; `None` if there are none.
    pub(crate) fn carried(&self) -> Option<&Self> {
        self.carried.as_deref()
    }

    /// An empty tally of such records.
    pub(super) fn of_carried(&self) -> Result<Self> {
        let options = TallyOptions { top: 0, size_includes_key: true, ..self.options.clone() };
        Self::plain(self.map.clone(), options)
    }

    /// Counts the rows that travel within another one.
    pub(super) fn add_carried<K: Keys + ?Sized>(&mut self, rows: &Rows<'_, K>, carried: &[bool]) {
        if !carried.contains(&true) {
            return;
        }
        if self.carried.is_none() {
            // Its options are those of this tally, which are fine.
            self.carried = self.of_carried().ok().map(Box::new);
        }
        let Some(tally) = &mut self.carried else { return };
        let sizes = [0; STEP];
        let mut own = [NO_SHARD; STEP];
        for from in (0..rows.range.len()).step_by(STEP) {
            let to = rows.range.len().min(from + STEP);
            let own = &mut own[..to - from];
            for (i, own) in own.iter_mut().enumerate() {
                *own = if carried[from + i] { rows.shards[from + i] } else { NO_SHARD };
            }
            tally.add(&Rows {
                keys: rows.keys,
                range: rows.range.start + from..rows.range.start + to,
                prefixes: &rows.prefixes[from..to],
                shards: own,
                sizes: Some(&sizes[..to - from]),
                times: rows.times.map(|times| &times[from..to]),
                weights: rows.weights.map(|weights| &weights[from..to]),
                operations: None,
                keyless: None,
                carried: None,
                sizes_include_keys: true,
            });
        }
    }

    /// Counts what another tally's records carried.
    pub(super) fn merge_carried(&mut self, other: &Self) -> Result<()> {
        let Some(theirs) = &other.carried else { return Ok(()) };
        if self.carried.is_none() {
            self.carried = Some(Box::new(self.of_carried()?));
        }
        match &mut self.carried {
            Some(ours) => ours.merge(theirs),
            None => Ok(()),
        }
    }

    /// Cells without the records that travel within another one: as the service counts.
    pub(super) fn without_carried(
        &self,
        cells: impl Iterator<Item = Cell>,
    ) -> impl Iterator<Item = Cell> {
        let carried = self.carried.iter().flat_map(|carried| carried.cells());
        let mut carried = carried.peekable();
        cells.map(move |cell| {
            let place = (cell.window, cell.shard);
            // Both are in order of place, and no other cell carries anything.
            while carried.next_if(|carried| (carried.window, carried.shard) < place).is_some() {}
            let within = carried.next_if(|carried| (carried.window, carried.shard) == place);
            let within = within.map_or(0, |within| within.records);
            Cell { records: cell.records.saturating_sub(within), ..cell }
        })
    }
}
