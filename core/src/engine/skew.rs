//! The fullest of any number of places, over many placements of the same keys, from one pass and
//! one hash a key.
//!
//! Keys are counted by the top bits of their MD5, in so many classes that hardly two keys that
//! matter share one; each placement then deals out the classes.

use super::Progress;
use super::chunk::{ColumnRouter, ROWS};
use super::reading::{check_counted, read_all};
use crate::error::{Error, Result};
use crate::keys::{KeyColumn, Visitor};
use crate::lanes::{Backend, Keys};
use crate::report::{Fullest, Skew};
use crate::shards::{MAX_SHARDS, NO_SHARD, Refusal, ShardMap, shuffled};
use crate::source::{Batch, Source};
use crate::tally::{Rows, Tally, TallyOptions};
use std::ops::ControlFlow;

/// Top bits of a hash that name its class.
const CLASS_BITS: u32 = 22;

/// The most placements.
const MAX_SEEDS: u32 = 10_000;

/// Reads `source` to its end and tells how full the fullest of each number of `places` gets: in the
/// middle and at the 95th percentile of `seeds` simulated placements, seeds 0 to `seeds - 1` of
/// [`ShardMap::dynamodb`]. `progress` is as for [`replay`](super::replay()).
///
/// # Errors
/// What reading the source gives; `InvalidInput` if it has no rows, for 0 seeds or more than
/// 10,000, for no places, or a number of places that a map cannot have.
///
/// ```
/// use shardlane::arrow::array::{ArrayRef, StringArray};
/// use shardlane::engine::skew;
/// use shardlane::source::Batches;
/// use std::ops::ControlFlow;
/// use std::sync::Arc;
///
/// let keys: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "b", "c"]));
/// let mut log = Batches::of_keys(vec![keys])?;
/// let skew = skew(&mut log, &[1, 512], 100, &mut |_| ControlFlow::Continue(()))?;
/// assert_eq!(skew.fullest[0].median, 1.0);
/// assert_eq!(skew.floor(), Some(0.5));
/// # Ok::<(), shardlane::Error>(())
/// ```
pub fn skew(
    source: &mut dyn Source,
    places: &[usize],
    seeds: u32,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Skew> {
    if seeds == 0 || seeds > MAX_SEEDS {
        return Err(Error::input(format!(
            "{seeds} seeds were asked for; type 1 to {MAX_SEEDS}, for example 100"
        )));
    }
    if let Some(wrong) = places.iter().find(|places| !(1..=MAX_SHARDS).contains(*places)) {
        return Err(Error::input(format!(
            "{wrong} places were asked for; type 1 to {MAX_SHARDS}, for example 512"
        )));
    }
    if places.is_empty() {
        return Err(Error::input("no number of places was given; type, for example, 8,32,128,512"));
    }
    let map = std::sync::Arc::new(ShardMap::dynamodb(1, 0)?);
    let options = TallyOptions { top: 1, ..TallyOptions::default() };
    let mut work = Work {
        tally: Tally::new(map.clone(), options)?,
        classes: vec![0; 1 << CLASS_BITS],
        records: 0,
        rejected: 0,
    };
    let rows = read_all(source, progress, |batch, _| {
        work.rejected += batch.broken_rows;
        batch.keys.visit(AddBatch { work: &mut work, map: &map, batch: &batch });
        Ok(())
    })?;
    check_counted(rows, work.records, work.rejected)?;
    Ok(work.done(places, seeds))
}

/// What has been counted.
struct Work {
    tally: Tally,
    classes: Vec<u64>,
    records: u64,
    rejected: u64,
}

impl Work {
    fn done(self, places: &[usize], seeds: u32) -> Skew {
        let used: Vec<(u32, u64)> = (0u32..)
            .zip(self.classes)
            .filter(|(_, records)| *records > 0)
            .map(|(class, records)| (class << (32 - CLASS_BITS), records))
            .collect();
        let mut shares: Vec<Vec<f64>> = vec![Vec::with_capacity(seeds as usize); places.len()];
        let mut counts: Vec<Vec<u64>> = places.iter().map(|&places| vec![0; places]).collect();
        for seed in 0..seeds {
            for counts in &mut counts {
                counts.fill(0);
            }
            for &(prefix, records) in &used {
                let turned = u64::from(shuffled(prefix, seed));
                for counts in &mut counts {
                    let place = (turned * counts.len() as u64) >> 32;
                    counts[place as usize] = counts[place as usize].saturating_add(records);
                }
            }
            for (shares, counts) in shares.iter_mut().zip(&counts) {
                let fullest = counts.iter().copied().max().unwrap_or(0);
                shares.push(fullest as f64 / self.records.max(1) as f64);
            }
        }
        let fullest = places.iter().zip(shares).map(|(&places, mut shares)| {
            let seed_0 = shares.first().copied().unwrap_or(0.0);
            shares.sort_by(f64::total_cmp);
            Fullest {
                places,
                even: 1.0 / places as f64,
                median: quantile(&shares, 0.5),
                p95: quantile(&shares, 0.95),
                seed_0,
            }
        });
        Skew {
            records: self.records,
            rejected: self.rejected,
            seeds,
            fullest: fullest.collect(),
            top: self.tally.hot_keys(1).into_iter().next(),
        }
    }
}

/// The value that the part `of` of sorted values does not exceed.
fn quantile(sorted: &[f64], of: f64) -> f64 {
    let place = (sorted.len() as f64 * of).ceil() as usize;
    sorted.get(place.saturating_sub(1)).copied().unwrap_or(0.0)
}

struct AddBatch<'a> {
    work: &'a mut Work,
    map: &'a ShardMap,
    batch: &'a Batch,
}

impl Visitor for AddBatch<'_> {
    type Output = ();

    fn visit<K: Keys>(self, keys: &K) {
        let Self { work, map, batch } = self;
        let column: &KeyColumn = &batch.keys;
        let router = ColumnRouter::new(map, Backend::detect(), column, None, NO_SHARD);
        let (mut prefixes, mut shards) = ([0; ROWS], [0; ROWS]);
        for start in (0..keys.len()).step_by(ROWS) {
            let range = start..keys.len().min(start + ROWS);
            let prefixes = &mut prefixes[..range.len()];
            let shards = &mut shards[..range.len()];
            let mut refused = 0;
            router.route(keys, range.clone(), prefixes, shards, |_, _: Refusal| refused += 1);
            work.rejected += refused;
            let mut weights = [1; ROWS];
            let weights = &mut weights[..range.len()];
            if let Some(given) = batch.weights.as_deref() {
                weights.copy_from_slice(&given[range.clone()]);
            }
            for i in 0..range.len() {
                if weights[i] < 0 && shards[i] != NO_SHARD {
                    shards[i] = NO_SHARD;
                    work.rejected += 1;
                }
                if shards[i] != NO_SHARD {
                    let class = &mut work.classes[(prefixes[i] >> (32 - CLASS_BITS)) as usize];
                    let weight = weights[i] as u64;
                    *class = class.saturating_add(weight);
                    work.records = work.records.saturating_add(weight);
                }
            }
            work.tally.add(&Rows {
                keys,
                range,
                prefixes,
                shards,
                sizes: None,
                times: None,
                weights: Some(weights),
                operations: None,
                keyless: None,
                carried: None,
                sizes_include_keys: false,
            });
        }
    }
}
