//! A whole log: batches from a source, counted on several threads, held against limits.

use super::reading::{Progress, no_rows, read_all};
use super::{Rejections, Router, RouterOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::projection::{Model, project};
use crate::report::{Input, Rejected, Report};
use crate::shards::ShardMap;
use crate::source::{Batch, Source};
use crate::tally::{MISSING, Tally, TallyOptions};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::Builder;

/// Batches that wait for a thread; with the one it works on, all that is in memory for it.
const WAITING: usize = 1;

/// How to replay a log.
#[derive(Debug, Clone, Default)]
pub struct ReplayOptions {
    /// What to count.
    pub tally: TallyOptions,
    /// The limits to hold the load against; the system's own, if not said.
    pub limits: Option<Limits>,
    /// The throttling model.
    pub model: Model,
    /// Threads to count on: 0 for one a core, 1 for the caller's own.
    pub threads: usize,
    /// Whether a row that cannot be used is an error.
    pub strict: bool,
}

/// Reads `source` to its end and reports what each shard took and when it would have throttled.
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
    let (tally, input) = tally(map.clone(), source, options, progress)?;
    if input.rows == 0 && input.rejected.is_empty() {
        return Err(no_rows());
    }
    let projection = project(&tally, &limits, options.model)?;
    let report = Report {
        input,
        window: options.tally.window,
        projection,
        hot_keys: tally.hot_keys(options.tally.top),
        hot_keys_by_shard: tally.hot_keys_by_shard(options.tally.top),
        map,
    };
    Ok((tally, report))
}

/// Reads `source` to its end and counts it: [`replay`] without the limits. No rows give an empty
/// tally, as befits a part of a log. Of `options`, the limits and the model play no part.
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
    let mut order = Order { out_of_order: 0, last_time: MISSING };
    let mut read = |hand_on: &mut dyn FnMut(Batch, u64) -> Result<()>| {
        read_all(source, progress, |batch, first_row| {
            if let Some(times) = batch.times.as_deref() {
                order.see(times);
            }
            hand_on(batch, first_row)
        })
    };
    let (rows, (tally, rejections)) = if router.threads == 1 {
        let mut worker = Worker::new(&router, options)?;
        let rows = read(&mut |batch, first_row| worker.count(&batch, first_row))?;
        (rows, worker.done())
    } else {
        count_on_threads(&router, options, read)?
    };
    let input = Input {
        rows,
        records: tally.records(),
        bytes: tally.bytes(),
        unassigned: tally.unassigned().records,
        unassigned_bytes: tally.unassigned().bytes,
        rejected: rejections
            .iter()
            .map(|(reason, count, rows)| Rejected {
                reason,
                count,
                first_rows: rows.iter().map(|row| row + 1).collect(),
            })
            .collect(),
        columns: source.taken().clone(),
        first_time: tally.first_time(),
        last_time: tally.last_time(),
        out_of_order: order.out_of_order,
    };
    Ok((tally, input))
}

/// Whether times go forwards.
struct Order {
    out_of_order: u64,
    /// [`MISSING`], which is before all times, if there was none yet.
    last_time: i64,
}

impl Order {
    /// Counts the times that are before the one above them; a row without a time is passed over.
    fn see(&mut self, times: &[i64]) {
        let mut last = self.last_time;
        for &time in times {
            let is_known = time != MISSING;
            self.out_of_order += u64::from(is_known & (time < last));
            last = if is_known { time } else { last };
        }
        self.last_time = last;
    }
}

/// One thread's part of the count.
struct Worker<'a> {
    router: &'a Router,
    strict: bool,
    tally: Tally,
    rejections: Rejections,
}

impl<'a> Worker<'a> {
    fn new(router: &'a Router, options: &ReplayOptions) -> Result<Self> {
        let tally = Tally::new(router.map().clone(), options.tally.clone())?;
        Ok(Self { router, strict: options.strict, tally, rejections: Rejections::default() })
    }

    fn count(&mut self, batch: &Batch, first_row: u64) -> Result<()> {
        let found = self.router.tally_into(batch, first_row, &mut self.tally)?;
        if self.strict
            && let Some((reason, count, rows)) = found.iter().next()
        {
            let row =
                rows.first().map_or_else(|| "unknown".to_owned(), |row| (row + 1).to_string());
            return Err(Error::input(format!(
                "{} (and --strict is set, so that such a row is an error)",
                reason.explanation(self.router.map().system())
            ))
            .with("first such row", row)
            .with("such rows in this batch", count));
        }
        self.rejections = std::mem::take(&mut self.rejections).merged(found);
        Ok(())
    }

    fn done(self) -> (Tally, Rejections) {
        (self.tally, self.rejections)
    }
}

/// Counts on the router's number of threads while `read` hands batches on. Batch i always goes to
/// thread i modulo their number, so that a log gives the same tally every time.
fn count_on_threads(
    router: &Router,
    options: &ReplayOptions,
    read: impl FnOnce(&mut dyn FnMut(Batch, u64) -> Result<()>) -> Result<u64>,
) -> Result<(u64, (Tally, Rejections))> {
    std::thread::scope(|scope| {
        let mut senders: Vec<SyncSender<(Batch, u64)>> = Vec::new();
        let mut threads = Vec::new();
        for _ in 0..router.threads {
            let (sender, batches) = sync_channel::<(Batch, u64)>(WAITING);
            let mut worker = Worker::new(router, options)?;
            let started = Builder::new().spawn_scoped(scope, move || {
                for (batch, first_row) in batches {
                    worker.count(&batch, first_row)?;
                }
                Ok(worker.done())
            });
            match started {
                Ok(thread) => threads.push(thread),
                // Where the system allows no more threads, those that there are do all.
                Err(_) if !threads.is_empty() => break,
                Err(error) => {
                    return Err(Error::io(format!(
                        "a thread to count on could not be started: {error}; type --threads 1 (in \
                         Python: threads=1)"
                    )));
                }
            }
            senders.push(sender);
        }
        let mut turn = 0;
        let read = read(&mut |batch, first_row| {
            let sender = &senders[turn % senders.len()];
            turn += 1;
            // A thread that is gone has an error to tell, which joining it will.
            sender.send((batch, first_row)).map_err(|_| stopped())
        });
        drop(senders);
        let mut parts = Vec::new();
        for thread in threads {
            parts.push(thread.join().unwrap_or_else(|_| Err(stopped()))?);
        }
        let rows = read?;
        let mut parts = parts.into_iter();
        let (mut tally, mut rejections) = parts
            .next()
            .ok_or_else(|| Error::new(ErrorKind::Internal, "no threads to count on"))?;
        for (part, found) in parts {
            tally.merge(&part)?;
            rejections = rejections.merged(found);
        }
        Ok((rows, (tally, rejections)))
    })
}

/// A counting thread ended before its work did.
fn stopped() -> Error {
    Error::new(ErrorKind::Internal, "a counting thread stopped early")
}
