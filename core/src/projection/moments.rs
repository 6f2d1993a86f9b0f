//! Every window of every shard, held against the shard's limits.

use super::rules::Rules;
use super::{BindingLimit, Conditions, Model, throttles, units};
use crate::limits::Limits;
use crate::tally::{Cell, Tally, Totals};

/// What one shard took in one window, and how that stands to its limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// Start of the window, in microseconds since 1970-01-01T00:00:00Z.
    pub window_start: i64,
    /// Index of the shard.
    pub shard: u32,
    /// Records that came.
    pub records: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The load as a part of what the nearest limit allows in a window, at the scale that is
    /// replayed: 1 exactly at the limit, whatever a bucket may hold. `None` where nothing is limited.
    pub load: Option<f64>,
    /// Records over a limit.
    pub throttled_records: u64,
    /// The limit that the load is nearest to, or furthest over.
    pub binding_limit: Option<BindingLimit>,
}

/// Every window in which a shard took something, in order of time and then of shard. Records without
/// a shard of their own are counted in as [`Tally::estimated_cells`] does.
///
/// ```
/// use shardlane::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
/// use shardlane::arrow::datatypes::{DataType, Field, Schema};
/// use shardlane::engine::{ReplayOptions, tally};
/// use shardlane::projection::{Model, moments};
/// use shardlane::source::{Batches, Columns, TimeUnit};
/// use shardlane::{EvenRule, Limits, ShardMap};
/// use std::ops::ControlFlow;
/// use std::sync::Arc;
///
/// let schema = Arc::new(Schema::new(vec![
///     Field::new("key", DataType::Utf8, false),
///     Field::new("time", DataType::Int64, false),
/// ]));
/// let keys: ArrayRef = Arc::new(StringArray::from(vec!["JP", "JP", "user-1"]));
/// let times: ArrayRef = Arc::new(Int64Array::from(vec![60, 60, 61]));
/// let batch = RecordBatch::try_new(schema.clone(), vec![keys, times])?;
/// let columns = Columns { time_unit: Some(TimeUnit::Seconds), ..Columns::default() };
/// let mut log = Batches::new(&schema, [Ok::<_, shardlane::Error>(batch)], &columns)?;
/// let map = ShardMap::kinesis(4, EvenRule::FixedStep)?;
/// let to_the_end = &mut |_| ControlFlow::Continue(());
/// let (tally, _) = tally(map, &mut log, &ReplayOptions::default(), to_the_end)?;
///
/// let limits = Limits::kinesis();
/// let conditions = Model::Tumbling.into();
/// let moments: Vec<_> = moments(&tally, &limits, &conditions).collect();
/// assert_eq!((moments[0].window_start, moments[0].records), (60_000_000, 2));
/// assert_eq!(moments[0].load, Some(0.002));
/// # Ok::<(), shardlane::Error>(())
/// ```
pub fn moments<'a>(
    tally: &'a Tally,
    limits: &'a Limits,
    conditions: &'a Conditions,
) -> impl Iterator<Item = Moment> + 'a {
    let rules = Rules::of(limits, Model::Tumbling, tally.window());
    let loads = tally.unit_tallies().map(|of| units::loads(of, limits, conditions));
    let mut throttles = throttles(tally, limits, conditions).peekable();
    tally.estimated_cells().map(move |Cell { window, shard, records, bytes }| {
        let window_start = tally.start_of(window);
        let place = (window_start, shard);
        // Both are in the same order, so that one walk along finds all.
        while throttles.next_if(|next| (next.window_start, next.shard) < place).is_some() {}
        let throttle = throttles.next_if(|next| (next.window_start, next.shard) == place);
        let load = match &loads {
            Some(loads) => loads.get(&(window, shard)).copied(),
            None => rules
                .fits(Totals { records, bytes }, conditions.scale)
                .map(|(times, limit)| (1.0 / times, limit)),
        };
        Moment {
            window_start,
            shard,
            records,
            bytes,
            load: load.map(|(load, _)| load),
            throttled_records: throttle.map_or(0, |throttle| throttle.throttled_records),
            binding_limit: throttle
                .map(|throttle| throttle.binding_limit)
                .or(load.map(|(_, limit)| limit)),
        }
    })
}
