//! One chunk through the stages: hash, look up, refuse, count. A chunk is small enough that what
//! one stage writes is still in the first-level cache when the next reads it.

use super::{Rejections, check_length};
use crate::error::Result;
use crate::keys::{Dictionary, KeyColumn, Visitor};
use crate::lanes::{Backend, Keys, Lengths, md5, reference};
use crate::shards::{NO_SHARD, Refusal, ShardMap};
use crate::source::Batch;
use crate::tally::{MISSING, Rows, Tally};
use std::ops::Range;

/// Rows in a chunk.
pub(super) const ROWS: usize = 960;

/// A column ready to be routed chunk by chunk.
pub(super) struct ColumnRouter<'a> {
    map: &'a ShardMap,
    backend: Backend,
    column: &'a KeyColumn,
    explicit: Option<&'a KeyColumn>,
    per_value: Option<PerValue>,
}

/// The distinct values of a dictionary, routed once.
struct PerValue {
    prefixes: Vec<u32>,
    shards: Vec<u32>,
}

impl<'a> ColumnRouter<'a> {
    /// Prepares `column`; a dictionary with fewer values than rows has them routed here.
    pub(super) fn new(
        map: &'a ShardMap,
        backend: Backend,
        column: &'a KeyColumn,
        explicit: Option<&'a KeyColumn>,
    ) -> Self {
        let per_value = column
            .as_dictionary()
            .map(Dictionary::values)
            .filter(|values| values.len() <= column.len())
            .map(|values| {
                let mut routed =
                    PerValue { prefixes: vec![0; values.len()], shards: vec![0; values.len()] };
                values.visit(RouteValues { map, backend, values, routed: &mut routed });
                routed
            });
        Self { map, backend, column, explicit, per_value }
    }

    /// Routes `rows` of the column, whose keys are `keys`, and reports each row without a shard.
    #[inline]
    pub(super) fn route<K: Keys>(
        &self,
        keys: &K,
        rows: Range<usize>,
        prefixes: &mut [u32],
        shards: &mut [u32],
        mut refuse: impl FnMut(usize, Refusal),
    ) {
        let all_taken = if let Some(per_value) = &self.per_value
            && let Some(dictionary) = self.column.as_dictionary()
        {
            dictionary.take_into(&per_value.prefixes, rows.start, prefixes);
            dictionary.take_into(&per_value.shards, rows.start, shards);
            // The values' own refusals show as rows without a shard.
            !shards.contains(&NO_SHARD)
        } else {
            let found =
                hash_and_look_up(self.map, self.backend, keys, rows.clone(), prefixes, shards);
            self.map.takes_all_of(found.min, found.max)
        };
        if !all_taken || self.column.null_count() > 0 {
            for (row, shard) in rows.clone().zip(shards.iter_mut()) {
                let reason = if self.column.is_null(row) {
                    Some(Refusal::NullKey)
                } else {
                    self.map.refuse_key(keys.bytes(row))
                };
                if let Some(reason) = reason {
                    *shard = NO_SHARD;
                    refuse(row, reason);
                }
            }
        }
        if let Some(explicit) = self.explicit {
            for (row, shard) in rows.zip(shards) {
                // The key is still required, so a refused row stays refused.
                let Some(text) = explicit.get(row).filter(|_| *shard != NO_SHARD) else {
                    continue;
                };
                *shard = match self.map.explicit_hash(text) {
                    Ok(hash) => self.map.shard_of_hash(hash),
                    Err(reason) => {
                        refuse(row, reason);
                        NO_SHARD
                    }
                };
            }
        }
    }
}

/// The first two stages.
#[inline]
fn hash_and_look_up<K: Keys>(
    map: &ShardMap,
    backend: Backend,
    keys: &K,
    rows: Range<usize>,
    prefixes: &mut [u32],
    shards: &mut [u32],
) -> Lengths {
    let lengths = md5::prefixes(backend, keys, rows.clone(), prefixes);
    map.ranges().lookup(prefixes, shards, |i| reference::hash(keys.bytes(rows.start + i)));
    lengths
}

/// Routes every value of a dictionary. What is wrong with one is found again, row by row, where
/// the rows that use it are known.
struct RouteValues<'a> {
    map: &'a ShardMap,
    backend: Backend,
    values: &'a KeyColumn,
    routed: &'a mut PerValue,
}

impl Visitor for RouteValues<'_> {
    type Output = ();

    fn visit<K: Keys>(self, keys: &K) {
        let column = ColumnRouter {
            map: self.map,
            backend: self.backend,
            column: self.values,
            explicit: None,
            per_value: None,
        };
        let prefixes = self.routed.prefixes.chunks_mut(ROWS);
        let shards = self.routed.shards.chunks_mut(ROWS);
        for (at, (prefixes, shards)) in prefixes.zip(shards).enumerate() {
            let start = at * ROWS;
            let rows = start..start + shards.len();
            column.route(keys, rows, prefixes, shards, |_, _| {});
        }
    }
}

/// Routes a batch's rows and counts them into `tally`.
pub(super) fn tally_batch(
    map: &ShardMap,
    backend: Backend,
    batch: &Batch,
    first_row: u64,
    tally: &mut Tally,
) -> Result<Rejections> {
    let rows = batch.keys.len();
    if let Some(explicit) = &batch.explicit_hash_keys {
        check_length("the explicit hash key column", explicit.len(), rows)?;
    }
    for (what, values) in [
        ("the size column", &batch.bytes),
        ("the time column", &batch.times),
        ("the weight column", &batch.weights),
    ] {
        if let Some(values) = values {
            check_length(what, values.len(), rows)?;
        }
    }
    let column = ColumnRouter::new(map, backend, &batch.keys, batch.explicit_hash_keys.as_ref());
    let mut rejections = batch.keys.visit(TallyBatch { column: &column, batch, first_row, tally });
    rejections.add_unplaced(Refusal::BrokenRow, batch.broken_rows);
    for (reason, count, _) in rejections.iter() {
        tally.reject(reason, count);
    }
    Ok(rejections)
}

struct TallyBatch<'a, 'b> {
    column: &'a ColumnRouter<'a>,
    batch: &'a Batch,
    first_row: u64,
    tally: &'b mut Tally,
}

impl Visitor for TallyBatch<'_, '_> {
    type Output = Rejections;

    fn visit<K: Keys>(self, keys: &K) -> Rejections {
        let mut rejections = Rejections::default();
        let (mut prefixes, mut shards) = ([0; ROWS], [0; ROWS]);
        for start in (0..keys.len()).step_by(ROWS) {
            let range = start..keys.len().min(start + ROWS);
            let prefixes = &mut prefixes[..range.len()];
            let shards = &mut shards[..range.len()];
            let mut refuse = |row: usize, reason| {
                rejections.add(reason, self.first_row + row as u64);
            };
            self.column.route(keys, range.clone(), prefixes, shards, &mut refuse);

            let sizes = part(self.batch.bytes.as_deref(), &range);
            let times = part(self.batch.times.as_deref(), &range);
            let weights = part(self.batch.weights.as_deref(), &range);
            let mut check = |values, missing, negative| {
                refuse_values(values, shards, missing, negative, |i, reason| {
                    refuse(start + i, reason);
                });
            };
            check(sizes, Refusal::NullBytes, Some(Refusal::NegativeBytes));
            check(weights, Refusal::NullWeight, Some(Refusal::NegativeWeight));
            check(times, Refusal::NullTime, None);
            self.tally.add(&Rows { keys, range, prefixes, shards, sizes, times, weights });
        }
        rejections
    }
}

/// The values of some rows.
fn part<'a>(values: Option<&'a [i64]>, range: &Range<usize>) -> Option<&'a [i64]> {
    values.map(|values| &values[range.clone()])
}

/// Takes the shard from each row whose value is missing, or negative where that is refused.
fn refuse_values(
    values: Option<&[i64]>,
    shards: &mut [u32],
    missing: Refusal,
    negative: Option<Refusal>,
    mut refuse: impl FnMut(usize, Refusal),
) {
    let Some(values) = values else { return };
    let floor = if negative.is_some() { 0 } else { MISSING + 1 };
    // One pass without an early exit, so that it is vectorised.
    if values.iter().fold(true, |fine, &value| fine & (value >= floor)) {
        return;
    }
    for (i, (&value, shard)) in values.iter().zip(shards).enumerate() {
        if value < floor && *shard != NO_SHARD {
            *shard = NO_SHARD;
            refuse(i, if value == MISSING { missing } else { negative.unwrap_or(missing) });
        }
    }
}
