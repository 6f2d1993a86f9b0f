//! Rows that are records of an aggregate: which of them a service does not count, and what they
//! weigh.
//!
//! A producer library puts only records of one shard into an aggregate. Under another map they may
//! belong to several shards; then the aggregate would have been several, so that the first record of
//! each shard stands for one.

use crate::lanes::Keys;
use crate::shards::NO_SHARD;
use crate::source::{Batch, Travel};
use crate::tally::{MISSING, Tally};
use std::ops::Range;

/// The rows of a batch with aggregates, some at a time.
pub(super) struct Carriage<'a> {
    travels: &'a [Travel],
    /// Whether the size of a row is to include its key.
    adds_keys: bool,
    /// The shards that records of the aggregate have gone to so far.
    shards: Vec<u32>,
    carried: Vec<bool>,
    sizes: Vec<i64>,
}

impl<'a> Carriage<'a> {
    /// Nothing, if no record of the batch travels within another.
    pub(super) fn of(batch: &'a Batch, tally: &Tally) -> Option<Self> {
        let travels = batch.travels.as_deref()?;
        let adds_keys = tally.map().system().counts_keys() && !tally.options().size_includes_key;
        Some(Self {
            travels,
            adds_keys,
            shards: Vec::new(),
            carried: Vec::new(),
            sizes: Vec::new(),
        })
    }

    /// Takes the next rows with the shards that they were routed to.
    pub(super) fn take<K: Keys>(
        &mut self,
        keys: &K,
        rows: &Range<usize>,
        shards: &[u32],
        sizes: Option<&[i64]>,
    ) {
        self.carried.clear();
        self.sizes.clear();
        for (i, row) in rows.clone().enumerate() {
            let travel = self.travels[row];
            if travel != Travel::Within {
                self.shards.clear();
            }
            let shard = shards[i];
            let carried = travel != Travel::Alone && self.shards.contains(&shard);
            if !carried && shard != NO_SHARD {
                self.shards.push(shard);
            }
            self.carried.push(carried);
            let size = sizes.map_or(0, |sizes| sizes[i]);
            let own = if travel == Travel::Alone && self.adds_keys { keys.key_len(row) } else { 0 };
            let own = i64::try_from(own).unwrap_or(i64::MAX);
            self.sizes.push(if size == MISSING { size } else { size.saturating_add(own) });
        }
    }

    /// Which of the rows travel within another one.
    pub(super) fn carried(&self) -> &[bool] {
        &self.carried
    }

    /// Their sizes with the keys that a service counts.
    pub(super) fn sizes(&self, given: Option<&[i64]>) -> Option<&[i64]> {
        given.map(|_| self.sizes.as_slice())
    }
}
