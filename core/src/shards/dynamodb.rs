//! Amazon `DynamoDB`: partitions that are simulated, since the service's hash is not public.

mod operation;

pub use operation::Operation;

use super::placement::{Placement, Turn};
use super::range::RangeIndex;
use super::{
    HashRange, Refusal, Rules, Shard, ShardMap, System, Verdict, check_count, even_starts,
};
use crate::error::Result;

/// The most bytes a partition key may have
/// ([Constraints](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html),
/// read 2026-11-30).
const MAX_KEY_BYTES: usize = 2_048;

impl ShardMap {
    /// A table of `partitions` partitions that share all hash values evenly. Which partition a key
    /// is in is *simulated*: the service's hash is internal, so any good one stands for it. Seed 0
    /// takes the MD5 of the key as it is, as the Dynamo of 2007 did; each other seed is another
    /// placement of the same keys. The key is the partition key: a sort key never moves an item.
    ///
    /// # Errors
    /// `InvalidShardMap` if `partitions` is 0 or above [`MAX_SHARDS`](super::MAX_SHARDS).
    ///
    /// ```
    /// use shardlane::{Router, ShardMap};
    /// let shard = |seed| {
    ///     Router::new(ShardMap::dynamodb(512, seed).unwrap()).shard_of(Some(b"user-1"), None)
    /// };
    /// assert_eq!(shard(0), Ok(Some((0xd6d7_7053_u64 * 512 >> 32) as u32)));
    /// assert_ne!(shard(0), shard(1));
    /// ```
    pub fn dynamodb(partitions: usize, seed: u32) -> Result<Self> {
        check_count(partitions)?;
        let starts = even_starts(partitions);
        let ends = starts[1..].iter().map(|start| start - 1).chain([u128::MAX]);
        let shards = starts.iter().zip(ends).enumerate();
        let shards = shards
            .map(|(i, (&start, end))| Shard::open(i.to_string(), Some(HashRange { start, end })))
            .collect();
        Ok(Self {
            system: System::DynamoDb,
            shards,
            open: partitions,
            placement: Placement::Ranges(RangeIndex::new(&starts), Turn::Shuffled(seed)),
            rules: Rules::DynamoDb { seed },
        })
    }

    /// The seed of the simulated placement, if this is a `DynamoDB` table.
    pub fn seed(&self) -> Option<u32> {
        match self.rules {
            Rules::DynamoDb { seed } => Some(seed),
            _ => None,
        }
    }
}

/// What becomes of a key.
#[inline]
pub(super) fn verdict(key: Option<&[u8]>) -> Verdict {
    match key {
        None => Verdict::Refused(Refusal::NullKey),
        Some([]) => Verdict::Refused(Refusal::EmptyKey),
        Some(key) if key.len() > MAX_KEY_BYTES => Verdict::Refused(Refusal::KeyTooLong),
        Some(_) => Verdict::Hashed,
    }
}

/// Whether all keys of these lengths are hashed.
#[inline]
pub(super) fn hashes_all_of(shortest: usize, longest: usize) -> bool {
    shortest >= 1 && longest <= MAX_KEY_BYTES
}
