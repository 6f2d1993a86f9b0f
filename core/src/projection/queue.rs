//! Records that wait: those over a limit come again, in order, until there is room for them.
//!
//! Whoever retries is taken to do so without pause and to keep the order, so that what waits longest
//! goes first. A record may be part through, since a limit may be less than one record a window.

use super::BindingLimit;
use super::gate::{Gate, Parts};
use super::rules::{Rule, Rules, converted, converted_up, whole};
use super::scale::Scale;
use crate::tally::Cell;
use std::collections::VecDeque;
use std::time::Duration;

/// What waited when throttled records are retried, or what readers had yet to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backlog {
    /// The most records that waited at once.
    pub max_records: u64,
    /// The most bytes that waited at once; of `DynamoDB`, half units.
    pub max_bytes: u64,
    /// The longest that a record waited, in whole windows.
    pub max_delay: Duration,
    /// When the last of those that waited went through, in microseconds since
    /// 1970-01-01T00:00:00Z; it may be after the log's end. `None` if nothing waited.
    pub drained: Option<i64>,
    /// Records that still waited when the log ended.
    pub records_at_end: u64,
}

/// Records of one window that wait.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    window: i64,
    /// How they came; that gives their mean size.
    records: u64,
    bytes: u64,
    left: Parts,
}

/// A shard's buckets and what waits before them.
#[derive(Debug, Clone)]
pub(super) struct Queue {
    gate: Gate,
    waiting: VecDeque<Waiting>,
    left: Parts,
    most: Parts,
    max_delay: u64,
    /// The window in which the last that waited went through.
    drained: Option<i64>,
    /// Records that had to wait.
    pub(super) delayed: u128,
    /// Windows after which some waited.
    pub(super) windows: u64,
    /// The first of them.
    pub(super) first: Option<i64>,
}

impl Queue {
    pub(super) fn new(rules: &Rules) -> Self {
        Self {
            gate: Gate::new(rules),
            waiting: VecDeque::new(),
            left: Parts::default(),
            most: Parts::default(),
            max_delay: 0,
            drained: None,
            delayed: 0,
            windows: 0,
            first: None,
        }
    }

    /// Lets the next window's records queue up, and through as many as there is room for. Tells
    /// how many millionths of a record of this window have to wait, and for want of which tokens.
    pub(super) fn take(
        &mut self,
        rules: &Rules,
        cell: &Cell,
        scale: Scale,
    ) -> (u128, Option<BindingLimit>) {
        if let Some(last) = self.gate.window {
            // All windows in between; this one has its own records, too.
            self.pass(rules, cell.window.abs_diff(last).saturating_sub(1));
        }
        self.gate.enter(rules, cell.window);
        let left = Parts::of(cell, scale);
        let Cell { window, records, bytes, .. } = *cell;
        self.waiting.push_back(Waiting { window, records, bytes, left });
        self.left.records += left.records;
        self.left.bytes += left.bytes;
        let which = self.serve(rules);
        let late = match self.waiting.back() {
            Some(last) => last.left.records,
            None => return (0, None),
        };
        self.windows += 1;
        self.delayed = self.delayed.saturating_add(late);
        self.first.get_or_insert(window);
        self.most.records = self.most.records.max(self.left.records);
        self.most.bytes = self.most.bytes.max(self.left.bytes);
        (late, which)
    }

    /// What waited, once the log has ended with window `last`. `length` is a window's, and
    /// `start_of` gives a window's start.
    pub(super) fn finish(
        &mut self,
        rules: &Rules,
        last: i64,
        length: Duration,
        start_of: impl Fn(i64) -> i64,
    ) -> Backlog {
        if let Some(window) = self.gate.window.filter(|window| *window < last) {
            self.pass(rules, last.abs_diff(window));
        }
        let (windows, left) = (self.windows, self.left);
        self.pass(rules, u64::MAX);
        // What comes after the log's end is no part of it.
        self.windows = windows;
        let delay = u128::from(self.max_delay).saturating_mul(length.as_micros());
        Backlog {
            max_records: whole(self.most.records),
            max_bytes: whole(self.most.bytes),
            max_delay: Duration::from_micros(u64::try_from(delay).unwrap_or(u64::MAX)),
            drained: self.drained.map(start_of),
            records_at_end: whole(left.records),
        }
    }

    /// Lets through what the buckets have tokens for, and tells for want of which the next waits.
    fn serve(&mut self, rules: &Rules) -> Option<BindingLimit> {
        while let Some(first) = self.waiting.front().copied() {
            let Parts { records, bytes } = self.gate.level;
            if first.left.records <= records && first.left.bytes <= bytes {
                self.gate.spend(rules, first.left);
                self.pop();
                continue;
            }
            let by_bytes = converted(bytes, first.bytes, first.records);
            let through = first.left.records.min(records).min(by_bytes);
            let bytes = converted_up(through, first.records, first.bytes);
            let spent = Parts { records: through, bytes: bytes.min(first.left.bytes) };
            self.gate.spend(rules, spent);
            self.shorten(spent);
            return Some(if by_bytes < records {
                BindingLimit::Bytes
            } else {
                BindingLimit::Records
            });
        }
        None
    }

    /// Lets windows pass by in which nothing comes.
    fn pass(&mut self, rules: &Rules, mut windows: u64) {
        while let (1.., Some(first), Some(now)) =
            (windows, self.waiting.front().copied(), self.gate.window)
        {
            // The first window that a record is at the front of is looked at for itself: its buckets
            // may be full from before, and overflow.
            self.gate.enter(rules, now.saturating_add(1));
            self.serve(rules);
            windows -= 1;
            self.windows = self.windows.saturating_add(u64::from(!self.waiting.is_empty()));
            if windows > 0 && self.waiting.front().is_some_and(|next| next.window == first.window) {
                windows -= self.skip(rules, windows);
            }
        }
        if let Some(now) = self.gate.window.filter(|_| windows > 0) {
            self.gate.enter(rules, now.saturating_add_unsigned(windows));
        }
    }

    /// Lets windows pass by, at most `windows`, until the first is through; tells how many.
    fn skip(&mut self, rules: &Rules, windows: u64) -> u64 {
        let (Some(first), Some(now)) = (self.waiting.front().copied(), self.gate.window) else {
            return 0;
        };
        let drained = Drain { rules, level: self.gate.level, first }.in_windows(windows);
        self.gate.level = drained.level;
        self.gate.window = Some(now.saturating_add_unsigned(drained.windows));
        let ends = drained.spent == first.left;
        self.windows = self.windows.saturating_add(drained.windows - u64::from(ends));
        if ends {
            self.pop();
            self.serve(rules);
            self.windows = self.windows.saturating_add(u64::from(!self.waiting.is_empty()));
        } else {
            self.shorten(drained.spent);
        }
        drained.windows
    }

    /// The first has been let through, and has no more to spend.
    fn pop(&mut self) {
        let Some(first) = self.waiting.pop_front() else { return };
        self.left.records -= first.left.records.min(self.left.records);
        self.left.bytes -= first.left.bytes.min(self.left.bytes);
        let now = self.gate.window.unwrap_or(first.window);
        let delay = now.abs_diff(first.window);
        self.max_delay = self.max_delay.max(delay);
        if delay > 0 {
            self.drained = Some(now);
        }
    }

    /// Part of the first has been let through.
    fn shorten(&mut self, by: Parts) {
        let Some(first) = self.waiting.front_mut() else { return };
        let by = Parts {
            records: by.records.min(first.left.records),
            bytes: by.bytes.min(first.left.bytes),
        };
        for left in [&mut first.left, &mut self.left] {
            left.records -= by.records.min(left.records);
            left.bytes -= by.bytes.min(left.bytes);
        }
    }
}

/// The first of those that wait, and the buckets that it waits for.
struct Drain<'a> {
    rules: &'a Rules,
    level: Parts,
    first: Waiting,
}

/// What some windows let through.
struct Drained {
    windows: u64,
    spent: Parts,
    /// What the buckets hold then.
    level: Parts,
}

impl Drain<'_> {
    /// What goes through in `windows` windows, or in fewer if it all does.
    ///
    /// A whole window has gone by already with these at the front. Of two limits one binds at first
    /// and may give way to the other, once, and no bucket overflows that binds later: it holds less
    /// with every window until it does. So what goes through is what the scarcer tokens of all
    /// these windows allow.
    fn in_windows(&self, windows: u64) -> Drained {
        let Self { rules, level, first } = self;
        let missing = |rule: Option<Rule>, need: u128, level: u128| {
            rule.map_or(0, |rule| need.saturating_sub(level).div_ceil(rule.refill.max(1)))
        };
        let needed = missing(rules.records, first.left.records, level.records)
            .max(missing(rules.bytes, first.left.bytes, level.bytes))
            .max(1);
        let windows = u64::try_from(needed).unwrap_or(u64::MAX).min(windows);
        let through = |windows: u64| {
            let records = after(rules.records, level.records, windows);
            let bytes = after(rules.bytes, level.bytes, windows);
            records.min(converted(bytes, first.bytes, first.records)).min(first.left.records)
        };
        let spent = if u128::from(windows) == needed {
            first.left
        } else {
            let records = through(windows);
            let bytes = converted_up(records, first.records, first.bytes);
            Parts { records, bytes: bytes.min(first.left.bytes) }
        };
        // The bucket that does not bind may be full when the last of these windows begins.
        let last = spent.records.saturating_sub(through(windows - 1));
        let last_bytes = converted_up(last, first.records, first.bytes);
        let left = |rule: Option<Rule>, level: u128, spent: u128, last: u128| {
            rule.map_or(level, |rule| {
                let left = after(Some(rule), level, windows).saturating_sub(spent);
                left.min(rule.capacity.saturating_sub(last))
            })
        };
        let level = Parts {
            records: left(rules.records, level.records, spent.records, last),
            bytes: left(rules.bytes, level.bytes, spent.bytes, last_bytes),
        };
        Drained { windows, spent, level }
    }
}

/// What a bucket has had of tokens after so many windows.
fn after(rule: Option<Rule>, level: u128, windows: u64) -> u128 {
    rule.map_or(u128::MAX, |rule| level.saturating_add(rule.refill.saturating_mul(windows.into())))
}
