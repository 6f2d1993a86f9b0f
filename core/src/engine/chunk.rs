//! One chunk through the stages: hash, look up, refuse, count. A chunk is small enough that what
//! one stage writes is still in the first-level cache when the next reads it.

use super::carriage::Carriage;
use super::throttled_keys::Windows;
use super::{Rejections, check_length, hashing};
use crate::error::Result;
use crate::keys::{Dictionary, KeyColumn, Visitor};
use crate::lanes::{Backend, Keys, Lengths};
use crate::shards::{NO_SHARD, ObservedShards, Operation, Refusal, ShardMap, Verdict};
use crate::source::Batch;
use crate::tally::{Agreement, MISSING, Rows, Tally};
use std::borrow::Cow;
use std::ops::Range;

/// Rows in a chunk.
pub(super) const ROWS: usize = 960;

/// Stands for a row that has no shard of its own, until the chunk is done.
const UNASSIGNED: u32 = NO_SHARD - 1;

/// The keys as `map` needs them: where it does something with null keys, they are empty, not
/// whatever lies in their place.
pub(super) fn with_plain_nulls<'a>(map: &ShardMap, keys: &'a KeyColumn) -> Cow<'a, KeyColumn> {
    match map.verdict(None) {
        Verdict::Refused(_) => Cow::Borrowed(keys),
        Verdict::Hashed | Verdict::Unassigned => keys.with_empty_nulls(),
    }
}

/// A column ready to be routed chunk by chunk.
pub(super) struct ColumnRouter<'a> {
    map: &'a ShardMap,
    backend: Backend,
    column: &'a KeyColumn,
    explicit: Option<&'a KeyColumn>,
    /// What is written for a row that has no shard of its own.
    unassigned: u32,
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
        unassigned: u32,
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
        Self { map, backend, column, explicit, unassigned, per_value }
    }

    /// The same, but a dictionary's rows are hashed one by one as any others.
    pub(super) fn of_rows(
        map: &'a ShardMap,
        backend: Backend,
        column: &'a KeyColumn,
        explicit: Option<&'a KeyColumn>,
        unassigned: u32,
    ) -> Self {
        Self { map, backend, column, explicit, unassigned, per_value: None }
    }

    /// Routes `rows` of the column, whose keys are `keys`, and reports each row without a shard.
    #[inline]
    pub(super) fn route<K: Keys>(
        &self,
        keys: &K,
        rows: Range<usize>,
        prefixes: &mut [u32],
        shards: &mut [u32],
        refuse: impl FnMut(usize, Refusal),
    ) {
        let all_hashed = if let Some(per_value) = &self.per_value
            && let Some(dictionary) = self.column.as_dictionary()
        {
            dictionary.take_into(&per_value.prefixes, rows.start, prefixes);
            dictionary.take_into(&per_value.shards, rows.start, shards);
            // What is odd about a value shows as rows without a shard.
            shards.iter().all(|&shard| shard < UNASSIGNED)
        } else {
            let found =
                hashing::prefixes(self.map.hash(), self.backend, keys, rows.clone(), prefixes);
            return self.place(keys, rows, found, prefixes, shards, refuse);
        };
        self.settle(keys, rows, all_hashed, shards, refuse);
    }

    /// Routes `rows` whose hashes are `prefixes` and whose keys have `lengths`, and reports each row
    /// without a shard.
    #[inline]
    pub(super) fn place<K: Keys>(
        &self,
        keys: &K,
        rows: Range<usize>,
        lengths: Lengths,
        prefixes: &[u32],
        shards: &mut [u32],
        refuse: impl FnMut(usize, Refusal),
    ) {
        let whole = |i| hashing::whole(self.map.hash(), keys.bytes(rows.start + i));
        self.map.look_up(prefixes, shards, whole);
        let all_hashed = self.map.hashes_all_of(lengths.min, lengths.max);
        self.settle(keys, rows, all_hashed, shards, refuse);
    }

    /// Corrects the shards of rows whose hash does not decide.
    #[inline]
    fn settle<K: Keys>(
        &self,
        keys: &K,
        rows: Range<usize>,
        all_hashed: bool,
        shards: &mut [u32],
        mut refuse: impl FnMut(usize, Refusal),
    ) {
        let mut odd = false;
        if !all_hashed || self.column.null_count() > 0 || self.column.has_unusable() {
            for (row, shard) in rows.clone().zip(shards.iter_mut()) {
                let verdict = if self.column.is_unusable(row) {
                    Verdict::Refused(Refusal::UnserializableKey)
                } else {
                    let key = (!self.column.is_null(row)).then(|| keys.bytes(row));
                    self.map.verdict(key)
                };
                match verdict {
                    Verdict::Hashed => {}
                    Verdict::Unassigned => {
                        *shard = UNASSIGNED;
                        odd = true;
                    }
                    Verdict::Refused(reason) => {
                        *shard = NO_SHARD;
                        refuse(row, reason);
                    }
                }
            }
        }
        if let Some(explicit) = self.explicit {
            for (row, shard) in rows.zip(shards.iter_mut()) {
                // Where the key is still required, a refused row stays refused.
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
        if odd {
            for shard in shards {
                *shard = if *shard == UNASSIGNED { self.unassigned } else { *shard };
            }
        }
    }
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
            unassigned: UNASSIGNED,
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

/// Routes a batch's rows and counts them into `tally`: all of them, or those of `windows`.
pub(super) fn tally_batch(
    map: &ShardMap,
    backend: Backend,
    batch: &Batch,
    observed: Option<&ObservedShards>,
    first_row: u64,
    windows: Option<&Windows>,
    tally: &mut Tally,
) -> Result<Rejections> {
    let rows = batch.keys.len();
    if let Some(explicit) = &batch.explicit_hash_keys {
        map.check_explicit_hash_keys()?;
        check_length("the explicit hash key column", explicit.len(), rows)?;
    }
    if let Some(operations) = &batch.operations {
        check_length("the operation column", operations.len(), rows)?;
    }
    if let Some(travels) = &batch.travels {
        check_length("the column of how records travel", travels.len(), rows)?;
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
    let keys = &*with_plain_nulls(map, &batch.keys);
    let explicit = batch.explicit_hash_keys.as_ref();
    let column = ColumnRouter::new(map, backend, keys, explicit, map.len() as u32);
    let observed = observed.zip(batch.shards.as_ref());
    if let Some((_, shards)) = observed {
        check_length("the shard column", shards.len(), rows)?;
    }
    let visitor = TallyBatch { column: &column, batch, observed, first_row, windows, tally };
    let mut rejections = keys.visit(visitor);
    rejections.add_unplaced(Refusal::BrokenRow, batch.broken_rows);
    for (reason, count, _) in rejections.iter() {
        tally.reject(reason, count);
    }
    Ok(rejections)
}

struct TallyBatch<'a, 'b> {
    column: &'a ColumnRouter<'a>,
    batch: &'a Batch,
    observed: Option<(&'a ObservedShards, &'a KeyColumn)>,
    first_row: u64,
    windows: Option<&'a Windows>,
    tally: &'b mut Tally,
}

impl TallyBatch<'_, '_> {
    /// Which of some rows have no key, if they may have a shard all the same.
    fn keyless<'c>(&self, rows: &Range<usize>, keyless: &'c mut [bool]) -> Option<&'c [bool]> {
        let column = self.column.column;
        if self.column.explicit.is_none() || column.null_count() == 0 {
            return None;
        }
        let keyless = &mut keyless[..rows.len()];
        for (keyless, row) in keyless.iter_mut().zip(rows.clone()) {
            *keyless = column.is_null(row);
        }
        Some(keyless)
    }
}

impl Visitor for TallyBatch<'_, '_> {
    type Output = Rejections;

    fn visit<K: Keys>(self, keys: &K) -> Rejections {
        let mut rejections = Rejections::default();
        let (mut prefixes, mut shards) = ([0; ROWS], [0; ROWS]);
        let mut carriage = Carriage::of(self.batch, self.tally);
        for start in (0..keys.len()).step_by(ROWS) {
            let range = start..keys.len().min(start + ROWS);
            let times = part(self.batch.times.as_deref(), &range);
            if let (Some(windows), Some(times)) = (self.windows, times)
                && !windows.may_have(times)
            {
                continue;
            }
            let prefixes = &mut prefixes[..range.len()];
            let shards = &mut shards[..range.len()];
            let mut refuse = |row: usize, reason| {
                rejections.add(reason, self.first_row + row as u64);
            };
            self.column.route(keys, range.clone(), prefixes, shards, &mut refuse);
            if let Some((names, observed)) = self.observed {
                self.tally.observe(agreement(names, observed, &range, shards, self.column));
            }

            let mut keyless = [false; ROWS];
            let mut operations = [Operation::default(); ROWS];
            let operations = self.batch.operations.as_ref().map(|texts| {
                let operations = &mut operations[..range.len()];
                read_operations(texts, &range, operations, shards, &mut refuse);
                &*operations
            });
            let sizes = part(self.batch.bytes.as_deref(), &range);
            let weights = part(self.batch.weights.as_deref(), &range);
            let mut check = |values, missing, negative| {
                refuse_values(values, shards, missing, negative, |i, reason| {
                    refuse(start + i, reason);
                });
            };
            check(sizes, Refusal::NullBytes, Some(Refusal::NegativeBytes));
            check(weights, Refusal::NullWeight, Some(Refusal::NegativeWeight));
            check(times, Refusal::NullTime, None);
            if let (Some(windows), Some(times)) = (self.windows, times) {
                windows.keep(times, shards);
            }
            let carriage = carriage.as_mut().map(|carriage| {
                carriage.take(keys, &range, shards, sizes);
                &*carriage
            });
            let keyless = self.keyless(&range, &mut keyless);
            self.tally.add(&Rows {
                keys,
                range,
                prefixes,
                shards,
                sizes: carriage.map_or(sizes, |carriage| carriage.sizes(sizes)),
                times,
                weights,
                operations,
                keyless,
                carried: carriage.map(Carriage::carried),
                sizes_include_keys: carriage.is_some(),
            });
        }
        rejections
    }
}

/// How many of some rows went where they are sent.
fn agreement(
    names: &ObservedShards,
    observed: &KeyColumn,
    rows: &Range<usize>,
    shards: &[u32],
    column: &ColumnRouter<'_>,
) -> Agreement {
    let mut agreement = Agreement::default();
    for (row, shard) in rows.clone().zip(shards) {
        let name = observed.get(row).filter(|name| !name.is_empty());
        if let (Some(name), true) = (name, (*shard as usize) < column.map.len()) {
            agreement.compared += 1;
            agreement.agreed += u64::from(names.place_of(name) == Some(*shard));
        }
    }
    agreement
}

/// Reads the operation of each row that has a shard; takes the shard from one without.
fn read_operations(
    texts: &KeyColumn,
    rows: &Range<usize>,
    operations: &mut [Operation],
    shards: &mut [u32],
    refuse: &mut impl FnMut(usize, Refusal),
) {
    for (i, (operation, shard)) in operations.iter_mut().zip(shards).enumerate() {
        let text = texts.get(rows.start + i).and_then(|text| str::from_utf8(text).ok());
        match text.and_then(|text| text.trim().parse().ok()) {
            Some(known) => *operation = known,
            None if *shard == NO_SHARD => {}
            None => {
                *shard = NO_SHARD;
                refuse(rows.start + i, Refusal::UnknownOperation);
            }
        }
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
