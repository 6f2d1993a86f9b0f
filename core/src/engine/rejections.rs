//! Rows that cannot be used, counted by reason.

use crate::shards::Refusal;

/// How many positions of each reason are kept.
const POSITIONS: usize = 3;

/// Rows without a shard or without a usable value: how many for each reason, and where the first
/// few are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rejections {
    /// In order of reason.
    found: Vec<(Refusal, u64, Vec<u64>)>,
}

impl Rejections {
    /// Counts the row number `row`, from 0.
    pub fn add(&mut self, reason: Refusal, row: u64) {
        let entry = self.entry(reason);
        entry.1 += 1;
        if entry.2.len() < POSITIONS {
            entry.2.push(row);
        }
    }

    /// Counts `count` rows whose positions are not known.
    pub fn add_unplaced(&mut self, reason: Refusal, count: u64) {
        if count > 0 {
            self.entry(reason).1 += count;
        }
    }

    /// Both together, keeping the lowest positions.
    #[must_use]
    pub fn merged(mut self, other: Self) -> Self {
        for (reason, count, rows) in other.found {
            let entry = self.entry(reason);
            entry.1 += count;
            entry.2.extend(rows);
            entry.2.sort_unstable();
            entry.2.truncate(POSITIONS);
        }
        self
    }

    /// The same at the rows that `row` makes of the positions.
    #[must_use]
    pub(super) fn at(mut self, row: impl Fn(u64) -> u64) -> Self {
        for (_, _, rows) in &mut self.found {
            for position in rows {
                *position = row(*position);
            }
        }
        self
    }

    /// The reasons found, with their count and the numbers of the first few rows, from 0.
    pub fn iter(&self) -> impl Iterator<Item = (Refusal, u64, &[u64])> {
        self.found.iter().map(|(reason, count, rows)| (*reason, *count, rows.as_slice()))
    }

    /// How many rows in all.
    pub fn total(&self) -> u64 {
        self.found.iter().map(|entry| entry.1).sum()
    }

    fn entry(&mut self, reason: Refusal) -> &mut (Refusal, u64, Vec<u64>) {
        let at = match self.found.binary_search_by_key(&reason, |entry| entry.0) {
            Ok(at) => at,
            Err(at) => {
                self.found.insert(at, (reason, 0, Vec::new()));
                at
            }
        };
        &mut self.found[at]
    }
}
