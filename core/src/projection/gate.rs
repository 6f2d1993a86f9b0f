//! One shard's buckets as its windows pass by: what they let through, and what they do not.
//!
//! A tally keeps the records and bytes of a window, not their order, so records within one window
//! and shard are taken to be of one size, their mean, and to come when the window begins. For
//! records of one size, the count of throttled ones is exact. For others whether a window throttles
//! is still exact, and only how many records it throttles depends on which ones come last: fewer
//! if those are the large ones.

use super::BindingLimit;
use super::rules::{PARTS, Rule, Rules, converted, converted_up};
use super::scale::Scale;
use crate::tally::Cell;

/// Records and bytes in millionths: a load, or what buckets hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Parts {
    pub(super) records: u128,
    pub(super) bytes: u128,
}

impl Parts {
    /// What comes in a window.
    pub(super) fn of(cell: &Cell, scale: Scale) -> Self {
        let scaled = |count: u64| u128::from(count) * u128::from(scale.parts());
        Self { records: scaled(cell.records), bytes: scaled(cell.bytes) }
    }
}

/// A shard's buckets.
#[derive(Debug, Clone)]
pub(super) struct Gate {
    /// What they hold; that for which there is no limit stays as it is.
    pub(super) level: Parts,
    /// The window that they were last filled up for.
    pub(super) window: Option<i64>,
}

impl Gate {
    /// Full buckets.
    pub(super) fn new(rules: &Rules) -> Self {
        let full = |rule: Option<Rule>| rule.map_or(u128::MAX, |rule| rule.capacity);
        let level = Parts { records: full(rules.records), bytes: full(rules.bytes) };
        Self { level, window: None }
    }

    /// Fills the buckets up for `window`, which is later than the ones before.
    pub(super) fn enter(&mut self, rules: &Rules, window: i64) {
        if let Some(last) = self.window.replace(window) {
            let windows = window.abs_diff(last).into();
            fill(&mut self.level.records, rules.records, windows);
            fill(&mut self.level.bytes, rules.bytes, windows);
        }
    }

    /// Takes the next window's records, as many whole ones as find tokens, and tells how many
    /// millionths of a record find none, and for want of which.
    pub(super) fn take(
        &mut self,
        rules: &Rules,
        cell: &Cell,
        scale: Scale,
    ) -> (u128, Option<BindingLimit>) {
        self.enter(rules, cell.window);
        let all = Parts::of(cell, scale);
        if all.records <= self.level.records && all.bytes <= self.level.bytes {
            self.spend(rules, all);
            return (0, None);
        }
        let entire = |records: u128| records / PARTS * PARTS;
        let by_records =
            if all.records > self.level.records { entire(self.level.records) } else { all.records };
        let by_bytes = if all.bytes > self.level.bytes {
            entire(converted(self.level.bytes, cell.bytes, cell.records))
        } else {
            all.records
        };
        let records = all.records.min(by_records).min(by_bytes);
        let bytes = converted_up(records, cell.records, cell.bytes);
        self.spend(rules, Parts { records, bytes });
        let which = if by_bytes < by_records { BindingLimit::Bytes } else { BindingLimit::Records };
        (all.records - records, Some(which))
    }

    /// Takes tokens away.
    pub(super) fn spend(&mut self, rules: &Rules, spent: Parts) {
        if rules.records.is_some() {
            self.level.records = self.level.records.saturating_sub(spent.records);
        }
        if rules.bytes.is_some() {
            self.level.bytes = self.level.bytes.saturating_sub(spent.bytes);
        }
    }
}

/// Adds what some windows add.
fn fill(level: &mut u128, rule: Option<Rule>, windows: u128) {
    if let Some(rule) = rule {
        let more = rule.refill.saturating_mul(windows);
        *level = level.saturating_add(more).min(rule.capacity);
    }
}
