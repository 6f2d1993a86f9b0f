//! Who owns which key: the shards of a stream and the ranges of hash values they take.
//!
//! A [`ShardMap`] lists every shard it was told of; the ones that take writes tile the whole space
//! of 128-bit hash values, and an index into that list, in range order, is what routing answers
//! with. This module knows hash values only: how keys become hash values is [`crate::lanes`]' part.
//!
//! ```
//! use shardlane::{EvenRule, ShardMap};
//! let map = ShardMap::kinesis(4, EvenRule::FixedStep)?;
//! assert_eq!(map.shard_of_hash(u128::MAX), 3);
//! # Ok::<(), shardlane::Error>(())
//! ```

mod kinesis;
mod range;
mod refusal;
mod table;

pub use kinesis::{EvenRule, KeyLengthUnit};
pub use range::RangeIndex;
pub use refusal::Refusal;

use crate::error::{Error, Result};
use std::fmt;

/// The index that stands for "no shard" in a column of shard indices.
pub const NO_SHARD: u32 = u32::MAX;

/// The most shards a map may have. Far above any service's quota; it keeps a slip of the keyboard
/// from asking for gigabytes.
pub const MAX_SHARDS: usize = 1 << 20;

/// A system that spreads records over shards by a hash of a key.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum System {
    /// Amazon Kinesis Data Streams.
    Kinesis,
}

impl System {
    /// The system's name, such as `kinesis`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kinesis => "kinesis",
        }
    }

    /// What the system calls one of its shards.
    pub const fn shard_word(self) -> &'static str {
        match self {
            Self::Kinesis => "shard",
        }
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
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
}

impl ShardState {
    /// The state's name as the services print it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "OPEN",
            Self::Closed => "CLOSED",
        }
    }
}

/// One shard: an id and an inclusive range of hash values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shard {
    /// The id as the service writes it, such as `shardId-000000000003`.
    pub id: String,
    /// The first hash value it owns.
    pub start: u128,
    /// The last hash value it owns.
    pub end: u128,
    /// Whether it takes writes.
    pub state: ShardState,
    /// The shard it was split from, or the left one of the two it was merged from.
    pub parent: Option<String>,
    /// The right one of the two shards it was merged from.
    pub adjacent_parent: Option<String>,
}

impl Shard {
    /// The part of all hash values that it owns, from 0 to 1.
    ///
    /// ```
    /// use shardlane::{EvenRule, ShardMap};
    /// let map = ShardMap::kinesis(4, EvenRule::FixedStep)?;
    /// assert_eq!(map.open_shards().next().unwrap().share(), 0.25);
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn share(&self) -> f64 {
        ((self.end - self.start) as f64 + 1.0) / 2f64.powi(128)
    }
}

/// The shards of one stream, and the way to look a hash value up in them.
#[derive(Debug, Clone)]
pub struct ShardMap {
    system: System,
    /// All shards: those that take writes in range order, then the closed ones as they came.
    shards: Vec<Shard>,
    open: usize,
    ranges: RangeIndex,
    key_length_unit: KeyLengthUnit,
}

impl ShardMap {
    /// A map of `shards`, whose open ones must tile all 128-bit hash values.
    ///
    /// # Errors
    /// `InvalidShardMap` if no shard is open, or the open ones leave a gap or overlap: the message
    /// names the range at fault.
    pub fn from_shards(system: System, shards: Vec<Shard>) -> Result<Self> {
        let (mut open, closed): (Vec<_>, Vec<_>) =
            shards.into_iter().partition(|shard| shard.state == ShardState::Open);
        if open.is_empty() {
            return Err(Error::shard_map(format!(
                "no shard takes writes ({} closed shards were given); a map needs at least one \
                 open shard",
                closed.len()
            )));
        }
        check_count(open.len())?;
        open.sort_by_key(|shard| shard.start);
        check_tiling(&open)?;
        let starts: Vec<u128> = open.iter().map(|shard| shard.start).collect();
        let count = open.len();
        open.extend(closed);
        Ok(Self {
            system,
            shards: open,
            open: count,
            ranges: RangeIndex::new(&starts),
            key_length_unit: KeyLengthUnit::default(),
        })
    }

    /// The same map, with key lengths counted in `unit`.
    #[must_use]
    pub fn with_key_length_unit(mut self, unit: KeyLengthUnit) -> Self {
        self.key_length_unit = unit;
        self
    }

    /// What a "character" is in the rule that a key has at most 256 of them.
    pub fn key_length_unit(&self) -> KeyLengthUnit {
        self.key_length_unit
    }

    /// The system whose rules the map follows.
    pub fn system(&self) -> System {
        self.system
    }

    /// Number of shards that take writes.
    #[expect(clippy::len_without_is_empty, reason = "a map has at least one open shard")]
    pub fn len(&self) -> usize {
        self.open
    }

    /// All shards: those that take writes in range order, so that their position is their index,
    /// then the closed ones.
    pub fn shards(&self) -> &[Shard] {
        &self.shards
    }

    /// The shards that take writes, in range order.
    pub fn open_shards(&self) -> impl ExactSizeIterator<Item = &Shard> {
        self.shards[..self.open].iter()
    }

    /// The shard with index `index`.
    pub fn shard(&self, index: u32) -> Option<&Shard> {
        self.shards[..self.open].get(index as usize)
    }

    /// The index of the shard that owns a hash value.
    #[inline]
    pub fn shard_of_hash(&self, hash: u128) -> u32 {
        self.ranges.shard_of(hash)
    }

    /// Why the service would refuse `key`, if it would.
    ///
    /// ```
    /// use shardlane::{EvenRule, Refusal, ShardMap};
    /// let map = ShardMap::kinesis(4, EvenRule::FixedStep)?;
    /// assert_eq!(map.refuse_key(b""), Some(Refusal::EmptyKey));
    /// assert_eq!(map.refuse_key(b"user-1"), None);
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    #[inline]
    pub fn refuse_key(&self, key: &[u8]) -> Option<Refusal> {
        match self.system {
            System::Kinesis => kinesis::refuse_key(key, self.key_length_unit),
        }
    }

    /// Whether every key of `shortest..=longest` bytes is one that the service takes, so that
    /// none of them needs [`refuse_key`](Self::refuse_key).
    #[inline]
    pub fn takes_all_of(&self, shortest: usize, longest: usize) -> bool {
        match self.system {
            System::Kinesis => shortest >= 1 && longest <= kinesis::MAX_KEY_CHARACTERS,
        }
    }

    /// The hash value that an explicit hash key names.
    ///
    /// # Errors
    /// The reason for which the service would refuse the text.
    ///
    /// ```
    /// use shardlane::{EvenRule, Refusal, ShardMap};
    /// let map = ShardMap::kinesis(4, EvenRule::FixedStep)?;
    /// assert_eq!(map.explicit_hash(b"42"), Ok(42));
    /// assert_eq!(map.explicit_hash(b"007"), Err(Refusal::MalformedExplicitHashKey));
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn explicit_hash(&self, text: &[u8]) -> Result<u128, Refusal> {
        match self.system {
            System::Kinesis => kinesis::explicit_hash(text),
        }
    }

    /// The lookup by hash prefix.
    pub fn ranges(&self) -> &RangeIndex {
        &self.ranges
    }
}

/// Two maps are equal when they have the same shards and rules; the index follows from them.
impl PartialEq for ShardMap {
    fn eq(&self, other: &Self) -> bool {
        self.system == other.system
            && self.key_length_unit == other.key_length_unit
            && self.shards == other.shards
    }
}

impl Eq for ShardMap {}

/// Checks that a map of `count` shards can be made.
fn check_count(count: usize) -> Result<()> {
    if count == 0 {
        return Err(Error::shard_map(
            "0 shards were asked for; a map has at least 1 shard, for example 4",
        ));
    }
    if count > MAX_SHARDS {
        return Err(Error::shard_map(format!(
            "{count} shards were asked for; a map has at most {MAX_SHARDS}"
        )));
    }
    Ok(())
}

/// Checks that shards sorted by start cover every hash value once.
fn check_tiling(open: &[Shard]) -> Result<()> {
    let fault = |what: &str, from: u128, to: u128| {
        Error::shard_map(format!(
            "the open shards {what} the hash values {from} to {to}; together they must own each of \
             0 to {} exactly once (is a page of the list missing, or one shard in it twice?)",
            u128::MAX
        ))
    };
    let mut next = Some(0u128);
    let mut last: Option<&Shard> = None;
    for shard in open {
        if shard.end < shard.start {
            return Err(Error::shard_map(format!(
                "the range of shard {} ends at {}, before it starts at {}",
                shard.id, shard.end, shard.start
            )));
        }
        // `next` is none once a shard has reached the top.
        let expected = next.unwrap_or(u128::MAX);
        if next.is_none() || shard.start < expected {
            let previous = last.map_or(0, |last| last.end);
            let error = fault("share", shard.start, previous.min(shard.end));
            return Err(match last {
                Some(last) => error.with("shards", format!("{} and {}", last.id, shard.id)),
                None => error,
            });
        }
        if shard.start > expected {
            return Err(fault("leave out", expected, shard.start - 1).with("before", &shard.id));
        }
        next = shard.end.checked_add(1);
        last = Some(shard);
    }
    match (next, last) {
        (Some(next), Some(last)) => {
            Err(fault("leave out", next, u128::MAX).with("after", &last.id))
        }
        _ => Ok(()),
    }
}
