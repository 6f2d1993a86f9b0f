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

mod dynamodb;
mod emulator;
mod hash;
mod kafka;
mod kinesis;
mod lineage;
mod modulo;
mod observed;
mod partitioner;
mod placement;
mod range;
mod refusal;
mod reshape;
mod shard;
mod sls;
mod system;
mod table;

pub use dynamodb::Operation;
pub use emulator::Emulator;
pub use hash::HashFunction;
pub use kinesis::{CapacityMode, EvenRule, KeyLengthUnit};
pub use lineage::Drained;
pub use observed::{ObservedShards, shard_number};
pub use partitioner::Partitioner;
pub(crate) use placement::shuffled;
pub use range::RangeIndex;
pub use refusal::Refusal;
pub use reshape::SplitAt;
pub use shard::{HashRange, Shard, ShardState};
pub use system::System;

use crate::error::{Error, Result};
use partitioner::Odd;
use placement::{Placement, Turn};
use std::collections::HashSet;

/// The index that stands for "no shard" in a column of shard indices.
pub const NO_SHARD: u32 = u32::MAX;

/// The most shards a map may have. Far above any service's quota; it keeps a slip of the keyboard
/// from asking for gigabytes.
pub const MAX_SHARDS: usize = 1 << 20;

/// What a system does with keys, apart from hashing them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rules {
    Kinesis { unit: KeyLengthUnit, mode: CapacityMode },
    Kafka(Partitioner),
    DynamoDb { seed: u32 },
    Sls { buckets: Option<u32> },
}

impl Rules {
    /// Those of a Kinesis stream of which nothing else was said.
    const KINESIS: Self =
        Self::Kinesis { unit: KeyLengthUnit::CodePoints, mode: CapacityMode::Provisioned };
}

/// What becomes of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Its hash decides. A null key is hashed as an empty one.
    Hashed,
    /// It has no shard of its own: the system spreads such records.
    Unassigned,
    /// The service would refuse it.
    Refused(Refusal),
}

/// The shards of one stream, topic, table or Logstore, and the way to look a hash value up in them.
#[derive(Debug, Clone)]
pub struct ShardMap {
    system: System,
    /// All shards: those that take writes in range order, then the others as they came.
    shards: Vec<Shard>,
    open: usize,
    placement: Placement,
    rules: Rules,
}

impl ShardMap {
    /// A Kinesis stream or a Logstore of `shards`, whose open ones must tile all 128-bit hash
    /// values.
    ///
    /// # Errors
    /// `InvalidShardMap` if no shard is open, or the open ones leave a gap or overlap: the message
    /// names the range at fault. Also for a system whose shards do not own ranges that can be
    /// given.
    pub fn from_shards(system: System, shards: Vec<Shard>) -> Result<Self> {
        let rules = match system {
            System::Kinesis => Rules::KINESIS,
            System::Sls => Rules::Sls { buckets: None },
            System::Kafka | System::DynamoDb => {
                return Err(Error::shard_map(format!(
                    "the partitions of a {} are not given by ranges; give their number",
                    system.whole()
                )));
            }
        };
        Self::of_ranges(system, shards, rules)
    }

    fn of_ranges(system: System, shards: Vec<Shard>, rules: Rules) -> Result<Self> {
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
        open.sort_by_key(|shard| shard.range.map(|range| range.start));
        let starts = check_tiling(&open, system)?;
        let count = open.len();
        open.extend(closed);
        let placement = Placement::Ranges(RangeIndex::new(&starts), Turn::None);
        Ok(Self { system, shards: open, open: count, placement, rules })
    }

    /// The system whose rules the map follows.
    pub fn system(&self) -> System {
        self.system
    }

    /// The hash that decides; `None` if none does, since every record goes anywhere.
    pub fn hash(&self) -> Option<HashFunction> {
        match self.rules {
            Rules::Kafka(partitioner) => partitioner.hash(),
            Rules::Kinesis { .. } | Rules::DynamoDb { .. } | Rules::Sls { .. } => {
                Some(HashFunction::Md5)
            }
        }
    }

    /// Number of shards that take writes.
    #[expect(clippy::len_without_is_empty, reason = "a map has at least one open shard")]
    pub fn len(&self) -> usize {
        self.open
    }

    /// All shards: those that take writes in range order, so that their position is their index,
    /// then the others.
    pub fn shards(&self) -> &[Shard] {
        &self.shards
    }

    /// The shards that take writes, in range order.
    pub fn open_shards(&self) -> impl ExactSizeIterator<Item = &Shard> {
        self.shards[..self.open].iter()
    }

    /// The ranges of the shards that take writes, in order.
    fn open_ranges(&self) -> impl Iterator<Item = HashRange> {
        self.open_shards().filter_map(|shard| shard.range)
    }

    /// The shard with index `index`.
    pub fn shard(&self, index: u32) -> Option<&Shard> {
        self.shards[..self.open].get(index as usize)
    }

    /// The part of all keys that goes to a shard, from 0 to 1, if keys are many and alike.
    ///
    /// ```
    /// use shardlane::{Partitioner, ShardMap};
    /// let map = ShardMap::kafka(4, Partitioner::Java)?;
    /// assert_eq!(map.share_of(&map.shards()[0]), 0.25);
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn share_of(&self, shard: &Shard) -> f64 {
        shard.range.map_or_else(|| 1.0 / self.open as f64, HashRange::share)
    }

    /// The index of the shard that owns a hash value; of a 32-bit one where that is what the
    /// system has.
    #[inline]
    pub fn shard_of_hash(&self, hash: u128) -> u32 {
        self.placement.shard_of(hash)
    }

    /// Writes the shard of each hash to `shards`. Of hashes of 128 bits the top 32 are given, and
    /// `settle(i)` gives the whole of number `i`: it is asked only where those do not decide.
    ///
    /// # Panics
    /// If there are fewer prefixes than shards.
    ///
    /// ```
    /// use shardlane::{EvenRule, ShardMap};
    /// let map = ShardMap::kinesis(4, EvenRule::FixedStep)?;
    /// let hashes = [0x9292_11f1_u128 << 96, 0x3fff_ffff << 96];
    /// let mut shards = [0; 2];
    /// map.look_up(&[0x9292_11f1, 0x3fff_ffff], &mut shards, |i| hashes[i]);
    /// assert_eq!(shards, [2, 0]);
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    #[inline]
    pub fn look_up(&self, prefixes: &[u32], shards: &mut [u32], settle: impl FnMut(usize) -> u128) {
        self.placement.look_up(&prefixes[..shards.len()], shards, settle);
    }

    /// What becomes of a record with this key, before its hash is looked at.
    ///
    /// ```
    /// use shardlane::{EvenRule, Partitioner, Refusal, ShardMap, Verdict};
    /// let stream = ShardMap::kinesis(4, EvenRule::FixedStep)?;
    /// assert_eq!(stream.verdict(Some(b"")), Verdict::Refused(Refusal::EmptyKey));
    /// assert_eq!(stream.verdict(Some(b"user-1")), Verdict::Hashed);
    /// let topic = ShardMap::kafka(4, Partitioner::Java)?;
    /// assert_eq!(topic.verdict(None), Verdict::Unassigned);
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    #[inline]
    pub fn verdict(&self, key: Option<&[u8]>) -> Verdict {
        match self.rules {
            Rules::Kinesis { unit, .. } => kinesis::verdict(key, unit),
            Rules::Kafka(partitioner) => kafka::verdict(key, partitioner),
            Rules::DynamoDb { .. } => dynamodb::verdict(key),
            Rules::Sls { .. } => sls::verdict(key),
        }
    }

    /// Whether every key of `shortest..=longest` bytes is hashed, so that none of them needs
    /// [`verdict`](Self::verdict).
    #[inline]
    pub fn hashes_all_of(&self, shortest: usize, longest: usize) -> bool {
        match self.rules {
            Rules::Kinesis { .. } => kinesis::hashes_all_of(shortest, longest),
            Rules::DynamoDb { .. } => dynamodb::hashes_all_of(shortest, longest),
            Rules::Sls { .. } => true,
            Rules::Kafka(Partitioner::RdkafkaRandom | Partitioner::SpringCloudStream) => false,
            Rules::Kafka(partitioner) => shortest > 0 || partitioner.empty() == Odd::Hashed,
        }
    }

    /// Whether some records have no shard of their own and are spread by the system.
    pub fn spreads(&self) -> bool {
        match self.rules {
            Rules::Kinesis { .. } | Rules::DynamoDb { .. } => false,
            Rules::Sls { .. } => true,
            Rules::Kafka(partitioner) => {
                partitioner.null() == Odd::Anywhere || partitioner.empty() == Odd::Anywhere
            }
        }
    }

    /// Whether a record may name a hash value in the place of its key's.
    pub fn takes_explicit_hash_keys(&self) -> bool {
        matches!(self.system, System::Kinesis | System::Sls)
    }

    /// Checks that explicit hash keys may be given.
    ///
    /// # Errors
    /// `InvalidInput` if the system has none.
    pub fn check_explicit_hash_keys(&self) -> Result<()> {
        if self.takes_explicit_hash_keys() {
            return Ok(());
        }
        Err(Error::input(format!(
            "explicit hash keys were given for a {}; only Kinesis and Simple Log Service have them, \
             so leave them out",
            self.system.whole()
        )))
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
            System::Sls => sls::explicit_hash(text),
            _ => kinesis::explicit_hash(text),
        }
    }
}

/// Two maps are equal when they have the same shards and rules; how they are looked up follows from
/// these.
impl PartialEq for ShardMap {
    fn eq(&self, other: &Self) -> bool {
        self.system == other.system && self.rules == other.rules && self.shards == other.shards
    }
}

impl Eq for ShardMap {}

/// The first hash value of each of `shards` even ranges, which is at least 1: every start is a
/// multiple of the same step.
fn even_starts(shards: usize) -> Vec<u128> {
    let n = shards as u128;
    (0..n).map(|i| EvenRule::FixedStep.start(i, n)).collect()
}

/// Checks that every shard has an id of its own.
fn check_ids(shards: &[Shard]) -> Result<()> {
    let mut ids = HashSet::new();
    for shard in shards {
        if shard.id.is_empty() {
            return Err(Error::shard_map(
                "a shard has an empty ShardId; give each the id that the service gave it",
            ));
        }
        if !ids.insert(&shard.id) {
            return Err(Error::shard_map(format!(
                "shard {} is listed twice; list each shard once (is a page in the list twice?)",
                shard.id
            )));
        }
    }
    Ok(())
}

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

/// Checks that shards sorted by start cover every hash value once, and gives their starts.
fn check_tiling(open: &[Shard], system: System) -> Result<Vec<u128>> {
    let written = |value: u128| match system {
        System::Sls => format!("{value:032x}"),
        _ => value.to_string(),
    };
    let fault = |what: &str, from: u128, to: u128| {
        Error::shard_map(format!(
            "the open shards {what} the hash values {} to {}; together they must own each of {} to \
             {} exactly once (is a page of the list missing, or one shard in it twice?)",
            written(from),
            written(to),
            written(0),
            written(u128::MAX)
        ))
    };
    let mut starts = Vec::with_capacity(open.len());
    let mut next = Some(0u128);
    let mut last: Option<(&Shard, u128)> = None;
    for shard in open {
        let Some(HashRange { start, end }) = shard.range else {
            return Err(Error::shard_map(format!("shard {} has no range", shard.id)));
        };
        if end < start {
            return Err(Error::shard_map(format!(
                "the range of shard {} ends at {end}, before it starts at {start}",
                shard.id
            )));
        }
        // `next` is none once a shard has reached the top.
        let expected = next.unwrap_or(u128::MAX);
        if next.is_none() || start < expected {
            let previous = last.map_or(0, |(_, end)| end);
            let error = fault("share", start, previous.min(end));
            return Err(match last {
                Some((last, _)) => error.with("shards", format!("{} and {}", last.id, shard.id)),
                None => error,
            });
        }
        if start > expected {
            return Err(fault("leave out", expected, start - 1).with("before", &shard.id));
        }
        starts.push(start);
        next = end.checked_add(1);
        last = Some((shard, end));
    }
    match (next, last) {
        (Some(next), Some((last, _))) => {
            Err(fault("leave out", next, u128::MAX).with("after", &last.id))
        }
        _ => Ok(starts),
    }
}
