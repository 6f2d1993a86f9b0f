//! One shard of a map.

use super::System;

/// An inclusive range of hash values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HashRange {
    /// The first hash value.
    pub start: u128,
    /// The last hash value.
    pub end: u128,
}

impl HashRange {
    /// All hash values.
    pub const ALL: Self = Self { start: 0, end: u128::MAX };

    /// The part of all hash values that it covers, from 0 to 1.
    ///
    /// ```
    /// use shardlane::HashRange;
    /// assert_eq!(HashRange { start: 0, end: u128::MAX / 4 }.share(), 0.25);
    /// ```
    pub fn share(self) -> f64 {
        ((self.end - self.start) as f64 + 1.0) / 2f64.powi(128)
    }

    /// The hash values of both, if one begins where the other ends.
    pub(super) fn joined(self, next: Self) -> Option<Self> {
        (self.end.checked_add(1) == Some(next.start))
            .then_some(Self { start: self.start, end: next.end })
    }
}

/// Whether a shard takes writes.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShardState {
    /// Takes writes and reads.
    Open,
    /// Was split or merged: only reads, until its records expire.
    Closed,
    /// Was split or merged so long ago that its records are gone.
    Expired,
}

impl ShardState {
    /// The state's name as the service prints it: `OPEN`, `CLOSED` and `EXPIRED`; those of Simple
    /// Log Service are `readwrite`, `readonly` and `expired`.
    pub const fn name(self, system: System) -> &'static str {
        match (system, self) {
            (System::Sls, Self::Open) => "readwrite",
            (System::Sls, Self::Closed) => "readonly",
            (System::Sls, Self::Expired) => "expired",
            (_, Self::Open) => "OPEN",
            (_, Self::Closed) => "CLOSED",
            (_, Self::Expired) => "EXPIRED",
        }
    }
}

/// One shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shard {
    /// The id as the service writes it, such as `shardId-000000000003`; a partition's number.
    pub id: String,
    /// The hash values it owns; a Kafka partition owns no range.
    pub range: Option<HashRange>,
    /// Whether it takes writes.
    pub state: ShardState,
    /// The shard it was split from, or the left one of the two it was merged from.
    pub parent: Option<String>,
    /// The right one of the two shards it was merged from.
    pub adjacent_parent: Option<String>,
}

impl Shard {
    /// A shard that takes writes and has no parents.
    pub(super) fn open(id: String, range: Option<HashRange>) -> Self {
        Self { id, range, state: ShardState::Open, parent: None, adjacent_parent: None }
    }

    /// Its first and last hash value as the service prints them; `None` if it owns no range.
    /// Kinesis writes both in decimal. Simple Log Service writes 32 hexadecimal digits, and in the
    /// place of the last value the one behind it, but for the topmost.
    ///
    /// ```
    /// use shardlane::{ShardMap, System};
    /// let map = ShardMap::sls(4)?;
    /// let (begin, end) = map.shards()[1].boundaries(map.system()).unwrap();
    /// assert_eq!(begin, "40000000000000000000000000000000");
    /// assert_eq!(end, "80000000000000000000000000000000");
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn boundaries(&self, system: System) -> Option<(String, String)> {
        let HashRange { start, end } = self.range?;
        Some(match system {
            System::Sls => (format!("{start:032x}"), format!("{:032x}", end.saturating_add(1))),
            _ => (start.to_string(), end.to_string()),
        })
    }
}
