//! A log that says where its records went, and nobody knows by which rule.

use super::Progress;
use super::chunk::ROWS;
use super::observed::{NAMELESS, Names, Odd, Rows, Sample, fits, shard_indices};
use super::reading::{no_rows, read_all};
use super::verify::check_has_shards;
use crate::error::{Error, Result};
use crate::keys::{KeyColumn, KeyForm, Visitor};
use crate::lanes::{Backend, Keys, md5};
use crate::report::{Candidate, Inference, SeenShard};
use crate::shards::{EvenRule, NO_SHARD, ShardMap, System};
use crate::source::{Batch, Source};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Candidates that are kept.
const KEPT: usize = 24;

/// The part of the keys that a rule has to send where they went for no other form of the key to be
/// tried.
const ENOUGH: f64 = 0.9;

/// Reads `source` to its end and finds out which rule sends its keys where it says that they went:
/// which of Kafka's partitioners over how many partitions, how many even shards of Kinesis, which
/// buckets of Simple Log Service; or else which range of hash values each shard seems to have.
/// `progress` is as for [`replay`](super::replay()).
///
/// # Errors
/// What reading the source gives; `InvalidInput` if it has no column of shards, or no row that names
/// one and has a key.
///
/// ```
/// use shardlane::arrow::array::{ArrayRef, Int32Array, RecordBatch, StringArray};
/// use shardlane::engine::infer;
/// use shardlane::source::{Batches, Columns, Wanted};
/// use shardlane::{KeyColumn, Partitioner, Router, ShardMap};
/// use std::ops::ControlFlow;
/// use std::sync::Arc;
///
/// let keys = StringArray::from_iter_values((0..1_000).map(|i| format!("order-{i}")));
/// let topic = Router::new(ShardMap::kafka(12, Partitioner::SaramaHash)?);
/// let partitions = topic.route(&KeyColumn::try_new(&keys)?);
/// let partitions = Int32Array::from_iter_values(partitions.iter().map(|to| *to as i32));
/// let columns: Vec<(&str, ArrayRef)> =
///     vec![("key", Arc::new(keys)), ("partition", Arc::new(partitions))];
/// let batch = RecordBatch::try_from_iter(columns)?;
///
/// let wanted = Columns { wanted: Wanted::Shards, ..Columns::default() };
/// let mut log =
///     Batches::new(&batch.schema(), [Ok::<_, shardlane::Error>(batch.clone())], &wanted)?;
/// let found = infer(&mut log, &mut |_| ControlFlow::Continue(()))?;
/// assert_eq!(found.best().unwrap().options(), "--kafka 12 --partitioner rdkafka:fnv1a");
/// assert!(found.equals().iter().any(|of| of.partitioner == Some(Partitioner::SaramaHash)));
/// # Ok::<(), shardlane::Error>(())
/// ```
pub fn infer(
    source: &mut dyn Source,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Inference> {
    check_has_shards(source)?;
    let mut work = Work::default();
    let rows = read_all(source, progress, |batch, _| work.add(&batch))?;
    if rows == 0 {
        return Err(no_rows());
    }
    if work.observed == 0 {
        return Err(Error::input(format!(
            "no row of {rows} has a key and names a shard, so that nothing can be told"
        )));
    }
    Ok(work.done(rows, source))
}

/// What has been counted.
#[derive(Default)]
struct Work {
    names: Names,
    /// Of each name, its rows and the range of their hashes.
    seen: Vec<(u64, u128, u128)>,
    observed: u64,
    keyless: u64,
    odd: Odd,
    sample: Sample,
}

impl Work {
    fn add(&mut self, batch: &Batch) -> Result<()> {
        let names = match &batch.shards {
            Some(shards) => self.names.numbers(shards)?,
            None => return Ok(()),
        };
        self.seen.resize(self.names.all().len(), (0, u128::MAX, 0));
        // Hash values have a form in each system; those of Kinesis are decimal.
        let stream = ShardMap::kinesis(1, EvenRule::FixedStep)?;
        let explicit = batch.explicit_hash_keys.as_ref();
        let explicit = |row: usize| stream.explicit_hash(explicit?.get(row)?).ok();
        let column = &batch.keys;
        column.visit(AddBatch { work: self, column, names: &names, explicit: &explicit });
        Ok(())
    }

    fn done(self, rows: u64, source: &dyn Source) -> Inference {
        let sampled = self.sample.into_rows();
        let mut shards_of: HashMap<&[u8], u64> = HashMap::new();
        for row in &sampled {
            *shards_of.entry(&row.key).or_default() += 1;
        }
        let at_several = shards_of.values().filter(|shards| **shards > 1).count() as u64;
        let names = self.names.all();
        let mut shards: Vec<_> = names
            .iter()
            .zip(&self.seen)
            .zip(0u32..)
            .filter(|((_, (rows, ..)), _)| *rows > 0)
            .map(|((name, &(rows, first_hash, last_hash)), number)| {
                (number, SeenShard { name: name.clone(), rows, first_hash, last_hash })
            })
            .collect();
        shards.sort_by_key(|(_, shard)| shard.first_hash);
        let are_ranges = shards.len() > 1
            && sampled.len() > 2 * shards.len()
            && shards.windows(2).all(|pair| pair[0].1.last_hash < pair[1].1.first_hash);
        let numbers: Vec<Option<u32>> = shard_indices(names);
        let by_number = Rows { sampled: &sampled, shards: &numbers };
        let mut candidates = of_all(&[KeyForm::AsItIs], by_number, &self.odd);
        best_first(&mut candidates);
        let is_told = |of: &[Candidate]| of.first().is_some_and(|best| best.agreement() >= ENOUGH);
        if are_ranges && !is_told(&candidates) {
            // Of a stream that was reshaped, the ids go on from those before.
            let mut places = vec![None; names.len()];
            for ((number, _), place) in shards.iter().zip(0u32..) {
                places[*number as usize] = Some(place);
            }
            let count = Some(shards.len() as u32);
            let by_place = Rows { sampled: &sampled, shards: &places };
            let forms = [KeyForm::AsItIs];
            for found in fits(System::Kinesis, &forms, by_place, &Odd::default(), count) {
                if !candidates.contains(&found) {
                    candidates.push(found);
                }
            }
        }
        best_first(&mut candidates);
        if !is_told(&candidates) && !are_ranges {
            candidates.extend(of_all(&KeyForm::ALL[1..], by_number, &self.odd));
            best_first(&mut candidates);
        }
        candidates.truncate(KEPT);
        Inference {
            columns: source.taken().clone(),
            rows,
            observed: self.observed,
            keyless: self.keyless,
            sampled: sampled.len() as u64,
            at_several,
            candidates,
            shards: shards.into_iter().map(|(_, shard)| shard).collect(),
            are_ranges,
        }
    }
}

/// The rules of every system that fit, over any number of shards.
fn of_all(forms: &[KeyForm], rows: Rows<'_>, odd: &Odd) -> Vec<Candidate> {
    [System::Kafka, System::Kinesis, System::Sls]
        .into_iter()
        .flat_map(|system| fits(system, forms, rows, odd, None))
        // Without buckets a Logstore is a stream.
        .filter(|of| of.system != System::Sls || of.buckets.is_some())
        .collect()
}

/// Sorts candidates: those that agree most, then those tried on most, then the simplest.
fn best_first(candidates: &mut [Candidate]) {
    candidates.sort_by(|one, other| {
        let share = other.agreement().total_cmp(&one.agreement());
        share.then(other.rows.cmp(&one.rows)).then(one.shards.cmp(&other.shards))
    });
}

struct AddBatch<'a> {
    work: &'a mut Work,
    column: &'a KeyColumn,
    names: &'a [u32],
    explicit: &'a dyn Fn(usize) -> Option<u128>,
}

impl Visitor for AddBatch<'_> {
    type Output = ();

    fn visit<K: Keys>(self, keys: &K) {
        let Self { work, column, names, explicit } = self;
        let mut digests = [[0; 16]; ROWS];
        for start in (0..keys.len()).step_by(ROWS) {
            let rows = start..keys.len().min(start + ROWS);
            let digests = &mut digests[..rows.len()];
            md5::digests(Backend::detect(), keys, rows.clone(), digests);
            for (digest, row) in digests.iter().zip(rows) {
                let name = names[row];
                let key = (!column.is_null(row)).then(|| keys.bytes(row));
                let Some(key) = key.filter(|key| !key.is_empty() && name != NAMELESS) else {
                    if name != NAMELESS {
                        work.keyless += 1;
                        work.odd.see(key.is_none(), name);
                    }
                    continue;
                };
                if column.is_unusable(row) {
                    continue;
                }
                let explicit = explicit(row);
                let hash = explicit.unwrap_or_else(|| u128::from_be_bytes(*digest));
                let seen = &mut work.seen[name as usize];
                *seen = (seen.0 + 1, seen.1.min(hash), seen.2.max(hash));
                work.observed += 1;
                let prefix = u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]);
                work.sample.see(key, prefix, explicit, name, NO_SHARD);
            }
        }
    }
}
