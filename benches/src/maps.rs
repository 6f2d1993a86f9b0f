//! Shard maps to route by.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use shardlane::{EvenRule, HashRange, Shard, ShardMap, ShardState, System};

/// `shards` even ranges, as a new stream has them.
///
/// # Panics
/// If there is no such map.
pub fn even(shards: usize) -> ShardMap {
    ShardMap::kinesis(shards, EvenRule::FixedStep).expect("a map of that many shards")
}

/// `shards` ranges that start anywhere: drawn at random, so that some are tiny and some large.
///
/// # Panics
/// If there is no such map.
pub fn uneven(shards: usize) -> ShardMap {
    let mut random = Pcg64Mcg::seed_from_u64(shards as u64);
    let mut starts: Vec<u128> = (1..shards).map(|_| random.random()).collect();
    starts.push(0);
    of_starts(starts)
}

/// `shards` ranges of a stream whose lowest shard was split in two again and again, up to 64
/// times, and the rest even: many ranges within one place of any table.
///
/// # Panics
/// If there is no such map.
pub fn crowded(shards: usize) -> ShardMap {
    let halvings = shards.saturating_sub(1).min(64);
    let mut starts: Vec<u128> = (0..halvings).map(|i| 1 << (63 + i)).collect();
    let rest = (shards - halvings) as u128;
    starts.extend((0..rest).map(|i| u128::MAX / rest * i));
    of_starts(starts)
}

/// The map whose ranges begin at `starts`, in any order; of equal ones the later are moved up.
fn of_starts(mut starts: Vec<u128>) -> ShardMap {
    starts.sort_unstable();
    for i in 1..starts.len() {
        starts[i] = starts[i].max(starts[i - 1] + 1);
    }
    let ends = starts.iter().skip(1).map(|next| next - 1).chain([u128::MAX]);
    let shards = starts
        .iter()
        .zip(ends)
        .enumerate()
        .map(|(i, (&start, end))| Shard {
            id: format!("shardId-{i:012}"),
            range: Some(HashRange { start, end }),
            state: ShardState::Open,
            parent: None,
            adjacent_parent: None,
        })
        .collect();
    ShardMap::from_shards(System::Kinesis, shards).expect("ranges that tile all hash values")
}
