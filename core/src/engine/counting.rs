//! Counting a log's blocks, on the caller's thread or on several.
//!
//! The caller cuts the log into blocks and hands them out; parsing, routing and counting one is
//! another thread's work. Block i always goes to thread i modulo their number, so that a log gives
//! the same tally every time.

use super::reading::{Progress, progress_of, refuse_faults};
use super::replay::ReplayOptions;
use super::throttled_keys::Windows;
use super::{Rejections, Router};
use crate::error::{Error, ErrorKind, Result};
use crate::shards::Refusal;
use crate::source::{Batch, Block, Source, TimeNotes, Travel};
use crate::tally::{MISSING, Tally};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::Builder;

/// Blocks that wait for a thread; with the one it works on, all that is in memory for it.
const WAITING: usize = 2;

/// What counting came to.
pub(super) struct Counted {
    pub(super) tally: Tally,
    pub(super) rows: u64,
    pub(super) rejections: Rejections,
    /// Rows whose time lies before the time of the row above.
    pub(super) out_of_order: u64,
    /// The most microseconds that a row came after a later one.
    pub(super) max_lateness: u64,
    /// Records that others travel within.
    pub(super) aggregates: u64,
    /// What is to be said of the times.
    pub(super) time_notes: TimeNotes,
}

/// Counts all of `source`, or as much as `progress` lets it; of the rows, only those of `windows`
/// if there are any given.
pub(super) fn count(
    router: &Router,
    source: &mut dyn Source,
    options: &ReplayOptions,
    windows: Option<&Windows>,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Counted> {
    let mut is_stopped = false;
    let counted = count_blocks(router, source, options, windows, &mut |so_far| {
        let answer = progress(so_far);
        is_stopped |= answer.is_break();
        answer
    })?;
    if !is_stopped {
        // While threads count, what is told lags behind; in the end it is all, and no more to stop.
        let _ = progress(progress_of(source, counted.rows));
    }
    Ok(counted)
}

fn count_blocks(
    router: &Router,
    source: &mut dyn Source,
    options: &ReplayOptions,
    windows: Option<&Windows>,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Counted> {
    let rows = AtomicU64::new(0);
    let mut cut = |hand_on: &mut dyn FnMut(usize, Block) -> Result<()>| -> Result<()> {
        let mut number = 0;
        loop {
            let block = source.next_block();
            if options.strict {
                refuse_faults(source)?;
            }
            let Some(block) = block else { break };
            hand_on(number, block?)?;
            number += 1;
            if progress(progress_of(source, rows.load(Ordering::Relaxed))).is_break() {
                break;
            }
        }
        Ok(())
    };
    if router.threads() == 1 {
        let mut worker = Worker::new(router, options, windows, &rows)?;
        cut(&mut |number, block| {
            worker.count(number, block);
            if worker.failed.is_some() { Err(stopped()) } else { Ok(()) }
        })
        .or_else(|error| if worker.failed.is_some() { Ok(()) } else { Err(error) })?;
        return together(vec![worker], router);
    }
    std::thread::scope(|scope| {
        let mut senders: Vec<SyncSender<(usize, Block)>> = Vec::new();
        let mut threads = Vec::new();
        for _ in 0..router.threads() {
            let (sender, blocks) = sync_channel::<(usize, Block)>(WAITING);
            let mut worker = Worker::new(router, options, windows, &rows)?;
            let started = Builder::new().spawn_scoped(scope, move || {
                for (number, block) in blocks {
                    worker.count(number, block);
                    if worker.failed.is_some() {
                        break;
                    }
                }
                worker
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
        let cut = cut(&mut |number, block| {
            // A thread that is gone has an error to tell, which joining it will.
            senders[number % senders.len()].send((number, block)).map_err(|_| stopped())
        });
        drop(senders);
        let mut workers = Vec::new();
        for thread in threads {
            workers.push(thread.join().map_err(|_| stopped())?);
        }
        let counted = together(workers, router)?;
        cut.map(|()| counted)
    })
}

/// What is known of a block once it is counted, to make positions in it positions in the log.
#[derive(Default)]
struct Summary {
    rows: u64,
    aggregates: u64,
    order: Order,
    time_notes: TimeNotes,
}

/// One thread's part of the count. Positions of rejected rows are those within their block, the
/// block's number in the bits above them.
struct Worker<'a> {
    router: &'a Router,
    strict: bool,
    /// The only windows that count, if that is so.
    windows: Option<&'a Windows>,
    tally: Tally,
    rejections: Rejections,
    blocks: BTreeMap<usize, Summary>,
    /// Rows that all threads have counted.
    rows: &'a AtomicU64,
    failed: Option<(usize, Failure)>,
}

/// Why a block could not be counted.
enum Failure {
    Error(Error),
    /// A row that is an error since `strict` is set: why, where in the block if that is known, and
    /// how many such rows the batch has.
    Strict(Refusal, Option<u64>, u64),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// Bits of a position that are its place in the block.
const PLACE_BITS: u32 = 40;

impl<'a> Worker<'a> {
    fn new(
        router: &'a Router,
        options: &ReplayOptions,
        windows: Option<&'a Windows>,
        rows: &'a AtomicU64,
    ) -> Result<Self> {
        Ok(Self {
            router,
            strict: options.strict,
            windows,
            tally: Tally::new(router.map().clone(), options.tally.clone())?,
            rejections: Rejections::default(),
            blocks: BTreeMap::new(),
            rows,
            failed: None,
        })
    }

    /// Counts a block, or keeps the error.
    fn count(&mut self, number: usize, block: Block) {
        let mut summary = Summary::default();
        let counted =
            block.into_iter().try_for_each(|batch| self.count_batch(number, &batch?, &mut summary));
        self.blocks.insert(number, summary);
        self.failed = counted.err().map(|failure| (number, failure));
    }

    fn count_batch(
        &mut self,
        number: usize,
        batch: &Batch,
        summary: &mut Summary,
    ) -> Result<(), Failure> {
        if let (true, Some((number, unit))) = (self.strict, batch.time_notes.unlike) {
            return Err(Error::input(format!(
                "the time {number} looks like one in {unit}: type --time-unit {unit} (in Python: \
                 time_unit=\"{unit}\"); --strict is set, so that a doubtful time is an error"
            ))
            .into());
        }
        let first_row = (number as u64) << PLACE_BITS | summary.rows;
        let found = self.router.tally_windows(batch, first_row, self.windows, &mut self.tally)?;
        if self.strict
            && let Some((reason, count, rows)) = found.iter().next()
        {
            return Err(Failure::Strict(reason, rows.first().copied(), count));
        }
        self.rejections = std::mem::take(&mut self.rejections).merged(found);
        if let Some(times) = batch.times.as_deref() {
            summary.order.see(times);
            summary.time_notes.follow(batch.time_notes);
        }
        if let Some(travels) = &batch.travels {
            let firsts = travels.iter().filter(|travel| **travel == Travel::First);
            summary.aggregates += firsts.count() as u64;
        }
        let rows = batch.keys.len() as u64;
        summary.rows += rows;
        self.rows.fetch_add(rows, Ordering::Relaxed);
        Ok(())
    }
}

/// The workers' parts as one.
fn together(mut workers: Vec<Worker<'_>>, router: &Router) -> Result<Counted> {
    let mut blocks = BTreeMap::new();
    for worker in &mut workers {
        blocks.append(&mut worker.blocks);
    }
    let mut firsts = BTreeMap::new();
    let (mut rows, mut aggregates) = (0, 0);
    let (mut order, mut time_notes) = (Order::default(), TimeNotes::default());
    for (number, summary) in blocks {
        firsts.insert(number as u64, rows);
        rows += summary.rows;
        aggregates += summary.aggregates;
        order.follow(&summary.order);
        time_notes.follow(summary.time_notes);
    }
    let row = |position: u64| {
        let first = firsts.get(&(position >> PLACE_BITS)).copied().unwrap_or(0);
        first + (position & ((1 << PLACE_BITS) - 1))
    };
    // Blocks before the first failure were counted whole, so that rows before it are known.
    let failures = workers.iter_mut().filter_map(|worker| worker.failed.take());
    if let Some((_, failure)) = failures.min_by_key(|(number, _)| *number) {
        return Err(match failure {
            Failure::Error(error) => error,
            Failure::Strict(reason, position, count) => {
                let at =
                    position.map_or_else(|| "unknown".to_owned(), |at| (row(at) + 1).to_string());
                Error::input(format!(
                    "{} (and --strict is set, so that such a row is an error)",
                    reason.explanation(router.map().system())
                ))
                .with("first such row", at)
                .with("such rows in this batch", count)
            }
        });
    }
    let mut workers = workers.into_iter();
    let first =
        workers.next().ok_or_else(|| Error::new(ErrorKind::Internal, "no threads to count on"))?;
    let (mut tally, mut rejections) = (first.tally, first.rejections);
    for worker in workers {
        tally.merge(&worker.tally)?;
        rejections = rejections.merged(worker.rejections);
    }
    Ok(Counted {
        tally,
        rows,
        rejections: rejections.at(row),
        out_of_order: order.backwards,
        max_lateness: order.max_lateness,
        aggregates,
        time_notes,
    })
}

/// Whether times go forwards.
struct Order {
    backwards: u64,
    max_lateness: u64,
    /// The earliest, the first, the last and the latest time; [`MISSING`] if there was none yet.
    first: i64,
    earliest: i64,
    last: i64,
    latest: i64,
}

impl Default for Order {
    fn default() -> Self {
        let (first, last, latest) = (MISSING, MISSING, MISSING);
        Self { backwards: 0, max_lateness: 0, first, earliest: i64::MAX, last, latest }
    }
}

impl Order {
    /// Counts the times that are before the one above them; a row without a time is passed over.
    fn see(&mut self, times: &[i64]) {
        let (mut last, mut latest, mut earliest) = (self.last, self.latest, self.earliest);
        let (mut backwards, mut max_lateness) = (0, self.max_lateness);
        for &time in times {
            // Without branches, since this is done for every row. [`MISSING`] is before all times.
            let is_known = time != MISSING;
            backwards += u64::from(is_known & (time < last));
            last = if is_known { time } else { last };
            latest = latest.max(time);
            let late = latest.wrapping_sub(time) as u64;
            max_lateness = max_lateness.max(if is_known { late } else { 0 });
            earliest = earliest.min(if is_known { time } else { i64::MAX });
        }
        if self.first == MISSING {
            self.first = times.iter().copied().find(|&time| time != MISSING).unwrap_or(MISSING);
        }
        self.backwards += backwards;
        (self.last, self.latest, self.earliest, self.max_lateness) =
            (last, latest, earliest, max_lateness);
    }

    /// Goes on with the times of the next block.
    fn follow(&mut self, next: &Self) {
        if next.first == MISSING {
            return;
        }
        self.backwards += next.backwards + u64::from(next.first < self.last);
        self.max_lateness = self.max_lateness.max(next.max_lateness);
        if self.latest > next.earliest {
            // Its earliest row is the latest to come after what was before the block.
            let late = self.latest.wrapping_sub(next.earliest) as u64;
            self.max_lateness = self.max_lateness.max(late);
        }
        if self.first == MISSING {
            self.first = next.first;
        }
        self.last = next.last;
        self.latest = self.latest.max(next.latest);
        self.earliest = self.earliest.min(next.earliest);
    }
}

/// A counting thread ended before its work did.
fn stopped() -> Error {
    Error::new(ErrorKind::Internal, "a counting thread stopped early")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// How many times are before the one above, and how late one comes at most.
    fn plainly(times: &[i64]) -> (u64, u64) {
        let late = |at: usize| {
            let latest = times[..at].iter().max().copied().unwrap_or(i64::MIN);
            if latest > times[at] { latest.abs_diff(times[at]) } else { 0 }
        };
        let backwards = times.windows(2).filter(|pair| pair[1] < pair[0]).count() as u64;
        (backwards, (0..times.len()).map(late).max().unwrap_or(0))
    }

    proptest! {
        #[test]
        fn the_order_of_blocks_together_is_that_of_the_log(
            blocks in prop::collection::vec(prop::collection::vec(-50i64..50, 0..8), 0..6),
        ) {
            let mut order = Order::default();
            for times in &blocks {
                let mut block = Order::default();
                block.see(times);
                order.follow(&block);
            }
            let found = (order.backwards, order.max_lateness);
            prop_assert_eq!(found, plainly(&blocks.concat()));
        }
    }
}
