//! A whole log: counted, and held against limits.

use super::counting::count;
use super::reading::{Progress, no_rows};
use super::throttled_keys::{First, throttled_keys};
use super::{Router, RouterOptions};
use crate::error::Result;
use crate::limits::Limits;
use crate::projection::{Conditions, project};
use crate::report::{Input, Rejected, Report, Timeline};
use crate::shards::ShardMap;
use crate::source::Source;
use crate::tally::{Tally, TallyOptions};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// How to replay a log.
#[derive(Debug, Clone)]
pub struct ReplayOptions {
    /// What to count.
    pub tally: TallyOptions,
    /// The limits to hold the load against; the system's own, if not said.
    pub limits: Option<Limits>,
    /// The throttling model, and what else is supposed.
    pub conditions: Conditions,
    /// Threads to count on: 0 for one a core, 1 for the caller's own.
    pub threads: usize,
    /// Whether a row that cannot be used is an error.
    pub strict: bool,
    /// How many of the worst minutes to report, window by window.
    pub worst_minutes: usize,
    /// Whether to read the log only once, and so not to tell which keys filled a shard while it was
    /// over a limit.
    pub read_once: bool,
}

impl Default for ReplayOptions {
    fn default() -> Self {
        Self {
            tally: TallyOptions::default(),
            limits: None,
            conditions: Conditions::default(),
            threads: 0,
            strict: false,
            worst_minutes: 5,
            read_once: false,
        }
    }
}

/// Reads `source` to its end and reports what each shard took and when it would have throttled. If
/// one would, the log is read again, where that is possible, for the keys that filled it then.
/// `progress` is called on the caller's thread after each batch; when it answers
/// [`ControlFlow::Break`], reading stops and the report covers the rows read so far.
///
/// # Errors
/// What reading the source gives; `InvalidInput` if it has no rows, and for the first row that
/// cannot be used when `strict` is set.
pub fn replay(
    map: impl Into<Arc<ShardMap>>,
    source: &mut dyn Source,
    options: &ReplayOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<(Tally, Report)> {
    let map = map.into();
    let limits = match &options.limits {
        Some(limits) => limits.clone(),
        None => Limits::for_map(&map),
    };
    // Before hours are spent on counting.
    options.conditions.check(map.system())?;
    let mut interrupted = false;
    let (tally, input) = tally(map.clone(), source, options, &mut |so_far| {
        let answer = progress(so_far);
        interrupted |= answer.is_break();
        answer
    })?;
    if input.rows == 0 && input.rejected.is_empty() {
        let faults = input.faults.into_iter();
        return Err(faults.fold(no_rows(), |error, fault| error.with("fault", fault)));
    }
    let projection = project(&tally, &limits, options.conditions)?;
    let first = First { tally: &tally, projection: &projection, rows: input.rows, interrupted };
    let report = Report {
        timeline: Timeline::of(&tally, &projection, options.worst_minutes),
        throttled_keys: throttled_keys(source, &first, options, progress),
        input,
        window: options.tally.window,
        projection,
        distinct_keys: tally.distinct_keys(),
        hot_keys: tally.hot_keys(options.tally.top),
        hot_keys_by_shard: tally.hot_keys_by_shard(options.tally.top),
        map,
    };
    Ok((tally, report))
}

/// Reads `source` to its end and counts it: [`replay`] without the limits. No rows give an empty
/// tally, as befits a part of a log. Of `options`, the limits and the conditions play no part.
///
/// # Errors
/// What reading the source gives; `InvalidInput` for the first row that cannot be used when
/// `strict` is set.
///
/// ```
/// use shardlane::arrow::array::{ArrayRef, StringArray};
/// use shardlane::engine::{ReplayOptions, tally};
/// use shardlane::source::Batches;
/// use shardlane::{EvenRule, ShardMap};
/// use std::ops::ControlFlow;
/// use std::sync::Arc;
///
/// let map = ShardMap::kinesis(4, EvenRule::FixedStep)?;
/// let keys: ArrayRef = Arc::new(StringArray::from(vec![Some("order-1001"), Some("JP"), None]));
/// let mut source = Batches::of_keys(vec![keys])?;
/// let (tally, input) =
///     tally(map, &mut source, &ReplayOptions::default(), &mut |_| ControlFlow::Continue(()))?;
/// assert_eq!((input.rows, tally.records()), (3, 2));
/// # Ok::<(), shardlane::Error>(())
/// ```
pub fn tally(
    map: impl Into<Arc<ShardMap>>,
    source: &mut dyn Source,
    options: &ReplayOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<(Tally, Input)> {
    let router_options = RouterOptions { threads: options.threads, backend: None };
    let router = Router::with_options(map, &router_options)?;
    let counted = count(&router, source, options, None, progress)?;
    let tally = counted.tally;
    let input = Input {
        rows: counted.rows,
        records: tally.records(),
        bytes: tally.bytes(),
        unassigned: tally.unassigned().records,
        unassigned_bytes: tally.unassigned().bytes,
        rejected: Rejected::all(counted.rejections.iter()),
        columns: source.taken().clone(),
        agreement: tally.agreement(),
        first_time: tally.first_time(),
        last_time: tally.last_time(),
        out_of_order: counted.out_of_order,
        max_lateness: Duration::from_micros(counted.max_lateness),
        aggregated_records: counted.aggregates,
        carried_records: tally.carried_records(),
        written: source.written().to_vec(),
        faults: source.faults().to_vec(),
        time_notes: counted.time_notes,
    };
    Ok((tally, input))
}
