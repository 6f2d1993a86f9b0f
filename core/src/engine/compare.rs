//! Two maps over the same log: what moves. Keys are hashed once if both maps take the same hash.

pub(super) mod distinct;

use super::chunk::{ColumnRouter, ROWS, with_plain_nulls};
use super::reading::{check_counted, read_all};
use super::{Progress, hashing};
use crate::error::Result;
use crate::keys::Visitor;
use crate::lanes::{Backend, Keys};
use crate::report::{Comparison, Flow, Moved};
use crate::shards::{HashRange, NO_SHARD, Refusal, Shard, ShardMap};
use crate::source::{Batch, Source};
use distinct::{ByNumber, Distinct};
use hashbrown::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Reads `source` to its end and tells what goes to another shard by `after` than by `before`.
/// Shards are the same if their ids are; simulated partitions, if they begin at the same hash
/// value. `progress` is called after each batch; when it answers [`ControlFlow::Break`], reading
/// stops and the comparison covers the rows read so far.
///
/// # Errors
/// What reading the source gives; `InvalidInput` if it has no rows, or has explicit hash keys that
/// one of the systems does not take.
///
/// ```
/// use shardlane::arrow::array::{ArrayRef, StringArray};
/// use shardlane::engine::compare;
/// use shardlane::source::Batches;
/// use shardlane::{Partitioner, ShardMap};
/// use std::ops::ControlFlow;
/// use std::sync::Arc;
///
/// let keys: ArrayRef = Arc::new(StringArray::from_iter_values(["order-1001", "order-1002"]));
/// let topic = ShardMap::kafka(6, Partitioner::Java)?;
/// let grown = topic.grow(12)?;
/// let mut log = Batches::of_keys(vec![keys])?;
/// let found = compare(topic, grown, &mut log, &mut |_| ControlFlow::Continue(()))?;
/// assert_eq!((found.keys.all, found.keys.moved), (2, 1)); // order-1001: 0 to 6
/// assert_eq!(found.theory, 0.5);
/// # Ok::<(), shardlane::Error>(())
/// ```
pub fn compare(
    before: impl Into<Arc<ShardMap>>,
    after: impl Into<Arc<ShardMap>>,
    source: &mut dyn Source,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Comparison> {
    let (before, after) = (before.into(), after.into());
    let mut work = Work::new(&before, &after);
    let rows = read_all(source, progress, |batch, _| {
        if batch.explicit_hash_keys.is_some() {
            before.check_explicit_hash_keys()?;
            after.check_explicit_hash_keys()?;
        }
        work.add(&batch);
        Ok(())
    })?;
    check_counted(rows, work.records.all, work.rejected)?;
    Ok(work.done())
}

/// Something for each pair of shards.
type Pairs<T> = HashMap<u64, T, BuildHasherDefault<ByNumber>>;

fn pair(from: u32, to: u32) -> u64 {
    u64::from(from) << 32 | u64::from(to)
}

/// What has been counted.
struct Work<'a> {
    before: &'a Arc<ShardMap>,
    after: &'a Arc<ShardMap>,
    backend: Backend,
    /// For each shard before, the one after that has its id.
    same: Vec<u32>,
    records: Moved,
    bytes: Moved,
    rejected: u64,
    /// Records and bytes of each pair of shards.
    flows: Pairs<[u64; 2]>,
    distinct: Distinct,
}

impl<'a> Work<'a> {
    fn new(before: &'a Arc<ShardMap>, after: &'a Arc<ShardMap>) -> Self {
        Self {
            same: same_shards(before, after),
            before,
            after,
            backend: Backend::detect(),
            records: Moved::default(),
            bytes: Moved::default(),
            rejected: 0,
            flows: Pairs::default(),
            distinct: Distinct::default(),
        }
    }

    fn add(&mut self, batch: &Batch) {
        self.rejected += batch.broken_rows;
        let keys = with_plain_nulls(self.before, &batch.keys);
        let keys = with_plain_nulls(self.after, &keys);
        keys.visit(AddBatch { work: self, batch, column: &keys });
    }

    /// Counts one row.
    #[inline]
    fn row(&mut self, key: &[u8], prefix: u32, from: u32, to: u32, load: [u64; 2]) {
        let [records, bytes] = load;
        self.records.all = self.records.all.saturating_add(records);
        self.bytes.all = self.bytes.all.saturating_add(bytes);
        let stays = self.same.get(from as usize).map_or(from == to, |same| *same == to);
        if !stays {
            self.records.moved = self.records.moved.saturating_add(records);
            self.bytes.moved = self.bytes.moved.saturating_add(bytes);
            let flow = self.flows.entry(pair(from, to)).or_default();
            flow[0] = flow[0].saturating_add(records);
            flow[1] = flow[1].saturating_add(bytes);
        }
        if from != NO_SHARD || to != NO_SHARD {
            self.distinct.see(key, prefix, from, to);
        }
    }

    fn done(self) -> Comparison {
        let weight = self.distinct.weight();
        let mut keys = Moved::default();
        let mut keys_of: Pairs<u64> = Pairs::default();
        for (from, to) in self.distinct.iter() {
            keys.all += weight;
            if self.same.get(from as usize).is_none_or(|same| *same != to) {
                keys.moved += weight;
                *keys_of.entry(pair(from, to)).or_default() += weight;
            }
        }
        let known = |shard: u32| (shard != NO_SHARD).then_some(shard);
        let mut flows: Vec<_> = self
            .flows
            .iter()
            .map(|(pair, &[records, bytes])| Flow {
                from: known((pair >> 32) as u32),
                to: known(*pair as u32),
                keys: keys_of.get(pair).copied().unwrap_or(0),
                records,
                bytes,
            })
            .collect();
        flows.sort_by_key(|flow| (std::cmp::Reverse(flow.records), flow.from, flow.to));
        Comparison {
            theory: theory(self.before, self.after, &self.same),
            before: self.before.clone(),
            after: self.after.clone(),
            keys,
            keys_are_exact: weight == 1,
            records: self.records,
            bytes: self.bytes,
            rejected: self.rejected,
            flows,
        }
    }
}

/// For each shard of `before`, the index of the shard of `after` that is the same: that has its id,
/// or begins where it does if both are simulated partitions, which have only numbers.
fn same_shards(before: &ShardMap, after: &ShardMap) -> Vec<u32> {
    let gone = NO_SHARD - 1;
    if before.seed().is_some() && before.seed() == after.seed() {
        let start = |shard: &Shard| shard.range.map(|range| range.start);
        let after: std::collections::HashMap<_, u32> =
            after.open_shards().map(start).zip(0..).collect();
        let same = |shard| after.get(&start(shard)).copied().unwrap_or(gone);
        return before.open_shards().map(same).collect();
    }
    let after: std::collections::HashMap<&str, u32> =
        after.open_shards().zip(0..).map(|(shard, index)| (shard.id.as_str(), index)).collect();
    let same = |id: &str| after.get(id).copied().unwrap_or(gone);
    before.open_shards().map(|shard| same(&shard.id)).collect()
}

/// The part of all keys that moves if hashes are uniform.
fn theory(before: &ShardMap, after: &ShardMap, same: &[u32]) -> f64 {
    let ranges = |map: &ShardMap| -> Option<Vec<HashRange>> {
        map.open_shards().map(|shard| shard.range).collect()
    };
    let alike = before.hash() == after.hash()
        && (before.seed(), before.buckets()) == (after.seed(), after.buckets());
    match (ranges(before), ranges(after)) {
        (Some(old), Some(new)) if alike => {
            // What of each old range its namesake still has.
            let stays = old.iter().zip(same).filter_map(|(old, same)| {
                let new = new.get(*same as usize)?;
                let (start, end) = (old.start.max(new.start), old.end.min(new.end));
                (start <= end).then(|| HashRange { start, end }.share())
            });
            1.0 - stays.sum::<f64>()
        }
        (None, None) if alike && before.partitioner() == after.partitioner() => {
            let (old, new) = (before.len(), after.len());
            1.0 - gcd(old, new) as f64 / old.max(new) as f64
        }
        // Two hashes that know nothing of each other meet by chance.
        _ => {
            let shards = before.open_shards().zip(same);
            let stays = shards.filter_map(|(shard, same)| {
                let other = after.shard(*same)?;
                Some(before.share_of(shard) * after.share_of(other))
            });
            1.0 - stays.sum::<f64>()
        }
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

struct AddBatch<'a, 'b> {
    work: &'a mut Work<'b>,
    batch: &'a Batch,
    column: &'a crate::keys::KeyColumn,
}

impl Visitor for AddBatch<'_, '_> {
    type Output = ();

    fn visit<K: Keys>(self, keys: &K) {
        let Self { work, batch, column } = self;
        let explicit = batch.explicit_hash_keys.as_ref();
        let router = |map| ColumnRouter::of_rows(map, work.backend, column, explicit, NO_SHARD);
        let (before, after) = (router(&**work.before), router(&**work.after));
        let one_hash = work.before.hash() == work.after.hash();
        let counts_keys = work.before.system().counts_keys();
        let (mut prefixes, mut from, mut to) = ([0; ROWS], [0; ROWS], [0; ROWS]);
        for start in (0..keys.len()).step_by(ROWS) {
            let rows = start..keys.len().min(start + ROWS);
            let prefixes = &mut prefixes[..rows.len()];
            let (from, to) = (&mut from[..rows.len()], &mut to[..rows.len()]);
            let mut refused = [false; ROWS];
            let mut refuse = |row: usize, _: Refusal| refused[row - start] = true;
            let function = work.before.hash();
            let lengths = hashing::prefixes(function, work.backend, keys, rows.clone(), prefixes);
            before.place(keys, rows.clone(), lengths, prefixes, from, &mut refuse);
            if one_hash {
                after.place(keys, rows.clone(), lengths, prefixes, to, &mut refuse);
            } else {
                let mut others = [0; ROWS];
                let others = &mut others[..rows.len()];
                let function = work.after.hash();
                let lengths = hashing::prefixes(function, work.backend, keys, rows.clone(), others);
                after.place(keys, rows.clone(), lengths, others, to, &mut refuse);
            }
            for (i, row) in rows.enumerate() {
                let value = |values: &Option<arrow::buffer::ScalarBuffer<i64>>, usual: i64| {
                    values.as_ref().map_or(usual, |values| values[row])
                };
                let (size, weight) = (value(&batch.bytes, 0), value(&batch.weights, 1));
                let (Ok(size), Ok(weight)) = (u64::try_from(size), u64::try_from(weight)) else {
                    work.rejected += 1;
                    continue;
                };
                if refused[i] {
                    work.rejected += 1;
                    continue;
                }
                let key = keys.bytes(row);
                let counted = counts_keys || batch.bytes.is_none();
                let each = size.saturating_add(if counted { key.len() as u64 } else { 0 });
                let load = [weight, weight.saturating_mul(each)];
                work.row(key, prefixes[i], from[i], to[i], load);
            }
        }
    }
}
