//! Shards over time, in as many cells as a page has room for.

use super::fullest::fullest_of;
use crate::projection::{Moment, Projection};
use crate::tally::Tally;
use std::collections::HashMap;

/// Shards that get a row of their own; the others share one.
const ROWS: usize = 64;

/// The most columns.
const COLUMNS: i64 = 200;

/// A load that is high enough for all to be shown against the limit. Where none is, only the highest
/// of them can be seen beside the others.
const NEAR: f64 = 0.2;

/// Lengths of a column that people count in, in seconds; of longer ones whole days.
const LENGTHS: [i64; 21] = [
    1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1_200, 1_800, 3_600, 7_200, 10_800, 14_400,
    21_600, 43_200, 86_400,
];

/// Shards in rows and times in columns. Each cell holds the worst window of its time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Heat {
    /// Start of the first column, in microseconds since 1970-01-01T00:00:00Z.
    pub start: i64,
    /// Time that a column stands for, in microseconds.
    pub length: i64,
    /// Number of columns, at most 200; 0 without a time column.
    pub columns: usize,
    /// All shards in order if there are at most 64, else the 64 fullest, fullest first, and behind
    /// them one row for all others.
    pub rows: Vec<HeatRow>,
    /// Whether loads are parts of a limit; where there is none they are parts of the most records
    /// that any shard took in a window.
    pub is_limited: bool,
    /// The highest load of all.
    pub peak: f64,
    row_of: HashMap<u32, usize>,
}

/// One shard over time, or several.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatRow {
    /// Index of the shard; `None` for all that have no row of their own.
    pub shard: Option<u32>,
    /// One for each column.
    pub cells: Vec<HeatCell>,
}

/// The worst window of a shard in some time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct HeatCell {
    /// Its load as a part of the limit, or of the busiest window; 0 if nothing came.
    pub load: f64,
    /// Records over a limit in all windows of the cell.
    pub throttled_records: u64,
}

impl Heat {
    /// The map of a tally, its cells still empty.
    pub(super) fn new(tally: &Tally, projection: &Projection) -> Self {
        let (Some(first), Some(last)) = (tally.first_time(), tally.last_time()) else {
            return Self::default();
        };
        let window = i64::try_from(tally.window().as_micros()).unwrap_or(i64::MAX).max(1);
        let length = column_length(first, last, window);
        let number = |time: i64| time.div_euclid(length);
        let columns = (number(last) - number(first) + 1) as usize;
        let shown = fullest_of(&projection.shards, ROWS);
        let mut shards: Vec<_> = shown.iter().map(|shard| Some(shard.index)).collect();
        if projection.shards.len() > shown.len() {
            shards.push(None);
        }
        Self {
            start: number(first).saturating_mul(length),
            length,
            columns,
            row_of: (0..).zip(&shards).filter_map(|(row, shard)| Some(((*shard)?, row))).collect(),
            rows: shards
                .into_iter()
                .map(|shard| HeatRow { shard, cells: vec![HeatCell::default(); columns] })
                .collect(),
            is_limited: projection.limits.iter().next().is_some(),
            peak: 0.0,
        }
    }

    /// Takes a window of a shard.
    pub(super) fn add(&mut self, moment: &Moment) {
        let row = self.row_of.get(&moment.shard).copied().unwrap_or(ROWS);
        let column = moment.window_start.div_euclid(self.length.max(1))
            - self.start.div_euclid(self.length.max(1));
        let (Some(row), Ok(column)) = (self.rows.get_mut(row), usize::try_from(column)) else {
            return;
        };
        let Some(cell) = row.cells.get_mut(column) else { return };
        // Without limits, records for now; `finish` makes parts of them.
        let load = if self.is_limited { moment.load } else { Some(moment.records as f64) };
        cell.load = cell.load.max(load.unwrap_or(0.0));
        cell.throttled_records = cell.throttled_records.saturating_add(moment.throttled_records);
    }

    /// Ends the counting.
    pub(super) fn finish(mut self) -> Self {
        let cells = self.rows.iter().flat_map(|row| &row.cells);
        self.peak = cells.map(|cell| cell.load).fold(0.0, f64::max);
        if !self.is_limited && self.peak > 0.0 {
            for cell in self.rows.iter_mut().flat_map(|row| &mut row.cells) {
                cell.load /= self.peak;
            }
            self.peak = 1.0;
        }
        self
    }

    /// The load that is shown as full: the limit, or the highest load where that is far below.
    pub(super) fn full(&self) -> f64 {
        if self.peak > 0.0 && self.peak < NEAR { self.peak } else { 1.0 }
    }

    /// Whether what is full is a limit.
    pub(super) fn is_against_limit(&self) -> bool {
        self.is_limited && self.full() >= 1.0
    }
}

/// How long a column is: a length that people count in if one fits, of whole windows, so that there
/// are at most 200 columns.
fn column_length(first: i64, last: i64, window: i64) -> i64 {
    let columns = |length: i64| last.div_euclid(length).saturating_sub(first.div_euclid(length));
    let fits = |length: i64| columns(length) < COLUMNS;
    let days = (1..).map(|days: i64| days.saturating_mul(86_400));
    let lengths = std::iter::once(window)
        .chain(LENGTHS.into_iter().chain(days.skip(1).take(4_000)).map(|s| s * 1_000_000))
        .filter(|length| *length >= window && length % window == 0);
    let mut lengths = lengths.filter(|length| fits(*length));
    // A log of ages, or windows of an odd length.
    lengths.next().unwrap_or_else(|| {
        let span = i128::from(last) - i128::from(first);
        let windows = span / i128::from(window) / i128::from(COLUMNS - 1) + 1;
        i64::try_from(windows * i128::from(window)).unwrap_or(i64::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000;

    #[test]
    fn a_column_is_as_short_as_fits_and_of_whole_windows() {
        let day = 86_400 * SECOND;
        assert_eq!(column_length(0, 0, SECOND), SECOND);
        assert_eq!(column_length(0, 199 * SECOND, SECOND), SECOND);
        assert_eq!(column_length(0, 200 * SECOND, SECOND), 2 * SECOND);
        assert_eq!(column_length(0, day - 1, SECOND), 600 * SECOND);
        assert_eq!(column_length(0, day - 1, 7 * SECOND) % (7 * SECOND), 0);
        assert_eq!(column_length(0, day - 1, SECOND / 10), 600 * SECOND);
        assert_eq!(column_length(0, 365 * day - 1, SECOND), 2 * day);
    }

    #[test]
    fn no_span_of_times_makes_too_many_columns() {
        for window in [SECOND / 10, SECOND, 7 * SECOND, 366 * 86_400 * SECOND] {
            for (first, last) in [(i64::MIN, i64::MAX), (-1, i64::MAX), (i64::MIN, 0), (5, 5)] {
                let length = column_length(first, last, window);
                assert!(length >= window, "{first} {last} {window}");
                let columns = last.div_euclid(length) - first.div_euclid(length) + 1;
                assert!((1..=COLUMNS).contains(&columns), "{first} {last} {window}: {columns}");
            }
        }
    }
}
