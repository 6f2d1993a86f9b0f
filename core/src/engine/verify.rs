//! A log that says where its records went, held against a map.

mod causes;

use super::chunk::{ColumnRouter, ROWS, with_plain_nulls};
use super::compare::distinct::ByNumber;
use super::observed::{NAMELESS, Names, Odd, Sample, Sampled};
use super::reading::{no_rows, read_all};
use super::{Progress, Rejections};
use crate::error::{Error, Result};
use crate::keys::{KeyColumn, Visitor};
use crate::lanes::{Backend, Keys};
use crate::report::{Disagreement, Naming, Pair, Rejected, Verification};
use crate::shards::{NO_SHARD, ObservedShards, Refusal, ShardMap, System};
use crate::source::{Batch, Source};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Disagreements that are shown.
const SHOWN: usize = 10;

/// Pairs of shards that are counted; those that come first after these are counted together.
const PAIRS: usize = 1 << 18;

/// Reads `source` to its end and holds the shard that each row says it went to against the one that
/// `map` sends it to. Where they disagree, the likely causes are tested on a sample of the rows.
/// `progress` is as for [`replay`](super::replay()).
///
/// # Errors
/// What reading the source gives; `InvalidInput` if it has no column of shards, or no row that names
/// one and has one of its own; and for a map of a system that does not tell where records go.
///
/// ```
/// use shardlane::arrow::array::{ArrayRef, Int32Array, RecordBatch, StringArray};
/// use shardlane::engine::verify;
/// use shardlane::source::{Batches, Columns};
/// use shardlane::{Partitioner, ShardMap};
/// use std::ops::ControlFlow;
/// use std::sync::Arc;
///
/// let columns: Vec<(&str, ArrayRef)> = vec![
///     ("key", Arc::new(StringArray::from(vec!["order-1001", "order-1001"]))),
///     ("partition", Arc::new(Int32Array::from(vec![6, 0]))),
/// ];
/// let batch = RecordBatch::try_from_iter(columns)?;
/// let batches = [Ok::<_, shardlane::Error>(batch.clone())];
/// let mut log = Batches::new(&batch.schema(), batches, &Columns::default())?;
/// let topic = ShardMap::kafka(12, Partitioner::Java)?;
/// let found = verify(topic, &mut log, &mut |_| ControlFlow::Continue(()))?;
/// assert_eq!((found.compared, found.agreed), (2, 1));
/// assert_eq!(found.disagreements[0].row, 2);
/// # Ok::<(), shardlane::Error>(())
/// ```
pub fn verify(
    map: impl Into<Arc<ShardMap>>,
    source: &mut dyn Source,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Verification> {
    let map = map.into();
    if map.system() == System::DynamoDb {
        return Err(Error::input(
            "the partitions of a DynamoDB table are simulated and the service does not tell which one \
             it chose, so that there is nothing to verify; give a map of Kinesis, Kafka or Simple \
             Log Service",
        ));
    }
    check_has_shards(source)?;
    let mut work = Work::new(&map);
    let rows = read_all(source, progress, |batch, first_row| {
        if batch.explicit_hash_keys.is_some() {
            map.check_explicit_hash_keys()?;
        }
        work.add(&batch, first_row)
    })?;
    if rows == 0 && work.rejections.total() == 0 {
        return Err(no_rows());
    }
    if work.compared == 0 {
        return Err(Error::input(format!(
            "no row could be compared: of {rows} rows, {} name no shard, {} have no shard of their \
             own, and {} could not be used",
            work.unobserved,
            work.unassigned,
            work.rejections.total()
        )));
    }
    Ok(work.done(rows, source))
}

/// Checks that the log says where its records went.
pub(super) fn check_has_shards(source: &dyn Source) -> Result<()> {
    if source.taken().shard.is_some() {
        return Ok(());
    }
    Err(Error::input(
        "the log has no column of the shard that the service chose (shard, shard_id, shardid or \
         partition); name it with --shard COLUMN (in Python: shard=)",
    ))
}

/// What a name stands for, by each way of naming: a place among the map's shards, or [`NO_SHARD`].
type Meant = [u32; 2];

/// The ways of naming, in the order of a [`Meant`].
const NAMINGS: [Naming; 2] = [Naming::Id, Naming::Index];

/// What has been counted.
struct Work<'a> {
    map: &'a Arc<ShardMap>,
    backend: Backend,
    observed: ObservedShards,
    names: Names,
    /// Of each name, what it stands for.
    meant: Vec<Meant>,
    compared: u64,
    agreed: [u64; 2],
    unobserved: u64,
    unassigned: u64,
    rejections: Rejections,
    /// The first rows that disagree, by each way of naming.
    first: [Vec<Disagreement>; 2],
    /// Rows of each name and predicted shard.
    pairs: HashMap<(u32, u32), u64, BuildHasherDefault<ByNumber>>,
    pairs_left_out: u64,
    odd: Odd,
    /// Keys of all rows, and of those that disagree by the first way of naming.
    all: Sample,
    wrong: Sample,
    /// Rows that disagree and have no key, an empty one, or that of an aggregated record.
    wrong_odd: causes::WrongOdd,
}

impl<'a> Work<'a> {
    fn new(map: &'a Arc<ShardMap>) -> Self {
        Self {
            observed: ObservedShards::new(map),
            map,
            backend: Backend::detect(),
            names: Names::default(),
            meant: Vec::new(),
            compared: 0,
            agreed: [0; 2],
            unobserved: 0,
            unassigned: 0,
            rejections: Rejections::default(),
            first: [Vec::new(), Vec::new()],
            pairs: HashMap::default(),
            pairs_left_out: 0,
            odd: Odd::default(),
            all: Sample::default(),
            wrong: Sample::default(),
            wrong_odd: causes::WrongOdd::default(),
        }
    }

    fn add(&mut self, batch: &Batch, first_row: u64) -> Result<()> {
        self.rejections.add_unplaced(Refusal::BrokenRow, batch.broken_rows);
        let names = match &batch.shards {
            Some(shards) => self.names.numbers(shards)?,
            None => vec![NAMELESS; batch.keys.len()],
        };
        for name in &self.names.all()[self.meant.len()..] {
            let place = self.observed.place_of(name).unwrap_or(NO_SHARD);
            let index = self.observed.index_of(name).unwrap_or(NO_SHARD);
            self.meant.push([place, index]);
        }
        let keys = with_plain_nulls(self.map, &batch.keys);
        keys.visit(AddBatch { work: self, batch, column: &keys, names: &names, first_row });
        Ok(())
    }

    /// Compares one row, which names a shard and has one of its own.
    #[inline]
    fn row(&mut self, row: &Row<'_>) {
        let Row { key, name, predicted, .. } = *row;
        self.compared += 1;
        let agrees = self.meant[name as usize].map(|place| place == predicted);
        for (naming, agrees) in agrees.into_iter().enumerate() {
            self.agreed[naming] += u64::from(agrees);
            if !agrees && self.first[naming].len() < SHOWN {
                let shown = row.label.or(key).map(<[u8]>::to_vec);
                let observed = self.names.all()[name as usize].clone();
                self.first[naming].push(Disagreement {
                    row: row.number,
                    key: shown,
                    observed,
                    predicted,
                });
            }
        }
        let has_room = self.pairs.len() < PAIRS;
        match self.pairs.get_mut(&(name, predicted)) {
            Some(rows) => *rows += 1,
            None if has_room => {
                self.pairs.insert((name, predicted), 1);
            }
            None => self.pairs_left_out += 1,
        }
        if !agrees[0] {
            self.wrong_odd.see(key);
        }
        if let Some(key) = key.filter(|key| !key.is_empty()) {
            self.all.see(key, row.prefix, row.explicit, name, predicted);
            if !agrees[0] {
                self.wrong.see(key, row.prefix, row.explicit, name, predicted);
            }
        }
    }

    fn done(self, rows: u64, source: &dyn Source) -> Verification {
        let naming = usize::from(self.agreed[1] > self.agreed[0]);
        let meant: Vec<u32> = self.meant.iter().map(|meant| meant[naming]).collect();
        let agreed = self.agreed[naming];
        let disagrees = |row: &Sampled| meant[row.name as usize] != row.predicted;
        let wrong: Vec<_> = self.wrong.into_rows().into_iter().filter(disagrees).collect();
        let evidence = causes::Evidence {
            map: self.map,
            names: self.names.all(),
            meant: &meant,
            disagreed: self.compared - agreed,
            all: &self.all.into_rows(),
            wrong: &wrong,
            odd: &self.odd,
            wrong_odd: &self.wrong_odd,
        };
        let causes = if evidence.disagreed == 0 { Vec::new() } else { evidence.causes() };
        let mut pairs: Vec<_> = self
            .pairs
            .iter()
            .filter(|((name, predicted), _)| meant[*name as usize] != *predicted)
            .map(|((name, predicted), rows)| Pair {
                observed: self.names.all()[*name as usize].clone(),
                predicted: *predicted,
                rows: *rows,
            })
            .collect();
        pairs.sort_unstable_by(|one, other| {
            let order = other.rows.cmp(&one.rows).then(one.predicted.cmp(&other.predicted));
            order.then_with(|| one.observed.cmp(&other.observed))
        });
        let [by_id, by_index] = self.first;
        Verification {
            map: self.map.clone(),
            columns: source.taken().clone(),
            rows,
            compared: self.compared,
            agreed,
            unobserved: self.unobserved,
            unassigned: self.unassigned,
            rejected: Rejected::all(self.rejections.iter()),
            naming: NAMINGS[naming],
            disagreements: if naming == 0 { by_id } else { by_index },
            pairs,
            pairs_left_out: self.pairs_left_out,
            causes,
        }
    }
}

/// A row that names a shard and has one of its own.
#[derive(Clone, Copy)]
struct Row<'a> {
    number: u64,
    key: Option<&'a [u8]>,
    label: Option<&'a [u8]>,
    explicit: Option<u128>,
    prefix: u32,
    name: u32,
    predicted: u32,
}

struct AddBatch<'a, 'b> {
    work: &'a mut Work<'b>,
    batch: &'a Batch,
    column: &'a KeyColumn,
    names: &'a [u32],
    first_row: u64,
}

impl Visitor for AddBatch<'_, '_> {
    type Output = ();

    fn visit<K: Keys>(self, keys: &K) {
        let Self { work, batch, column, names, first_row } = self;
        let explicit = batch.explicit_hash_keys.as_ref();
        let spread = work.map.len() as u32;
        let map = work.map.clone();
        let router = ColumnRouter::of_rows(&map, work.backend, column, explicit, spread);
        let (mut prefixes, mut shards) = ([0; ROWS], [0; ROWS]);
        for start in (0..keys.len()).step_by(ROWS) {
            let rows = start..keys.len().min(start + ROWS);
            let prefixes = &mut prefixes[..rows.len()];
            let shards = &mut shards[..rows.len()];
            router.route(keys, rows.clone(), prefixes, shards, |row, reason| {
                work.rejections.add(reason, first_row + row as u64);
            });
            for (i, row) in rows.enumerate() {
                let key = (!column.is_null(row)).then(|| keys.bytes(row));
                let (name, predicted) = (names[row], shards[i]);
                if key.is_none_or(<[u8]>::is_empty) {
                    work.odd.see(key.is_none(), name);
                }
                if predicted == NO_SHARD {
                    continue;
                }
                if name == NAMELESS {
                    work.unobserved += 1;
                } else if predicted == spread {
                    work.unassigned += 1;
                } else {
                    let text = explicit.and_then(|texts| texts.get(row));
                    work.row(&Row {
                        number: first_row + row as u64 + 1,
                        key,
                        label: batch.labels.as_ref().and_then(|labels| labels.get(row)),
                        explicit: text.and_then(|text| map.explicit_hash(text).ok()),
                        prefix: prefixes[i],
                        name,
                        predicted,
                    });
                }
            }
        }
    }
}
