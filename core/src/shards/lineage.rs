//! Who came from whom: the order in which shards have to be read to keep each key's records in
//! theirs.
//!
//! A shard is read only after its parents have been read to their end, both of them if it was
//! merged (Kinesis developer guide, "Resharding, scaling, and parallel processing", read
//! 2026-11-30).

use super::{Shard, ShardMap, ShardState};
use crate::error::{Error, Result};
use std::collections::HashMap;

/// A shard with those that have to be read to their end before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drained<'a> {
    /// The shard.
    pub shard: &'a Shard,
    /// The ids of its parents that still have records.
    pub after: Vec<&'a str>,
    /// How many shards have to be read before it, one after another, at least.
    pub depth: usize,
}

impl ShardMap {
    /// The shards in an order in which a consumer may read them: each after its parents. Expired
    /// ones have nothing left and are not among them.
    ///
    /// # Errors
    /// `InvalidShardMap` if a shard is its own ancestor.
    ///
    /// ```
    /// use shardlane::{EvenRule, ShardMap};
    /// let stream = ShardMap::kinesis(2, EvenRule::FixedStep)?.merge("0", Some("1"))?;
    /// let order = stream.drain_order()?;
    /// assert_eq!(order[2].shard.id, "shardId-000000000002");
    /// assert_eq!(order[2].after, ["shardId-000000000000", "shardId-000000000001"]);
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn drain_order(&self) -> Result<Vec<Drained<'_>>> {
        let left = |shard: &&Shard| shard.state != ShardState::Expired;
        let shards: Vec<&Shard> = self.shards.iter().filter(left).collect();
        let places: HashMap<&str, usize> =
            shards.iter().enumerate().map(|(place, shard)| (shard.id.as_str(), place)).collect();
        let parents: Vec<Vec<usize>> = shards
            .iter()
            .map(|shard| {
                let named = [&shard.parent, &shard.adjacent_parent];
                named.into_iter().flatten().filter_map(|id| places.get(&**id).copied()).collect()
            })
            .collect();
        let mut children = vec![Vec::new(); shards.len()];
        let mut waiting: Vec<usize> = parents.iter().map(Vec::len).collect();
        for (child, parents) in parents.iter().enumerate() {
            for &parent in parents {
                children[parent].push(child);
            }
        }
        let mut depths = vec![0; shards.len()];
        let mut ready: Vec<usize> =
            (0..shards.len()).filter(|&place| waiting[place] == 0).collect();
        let mut done = 0;
        while let Some(&place) = ready.get(done) {
            done += 1;
            for &child in &children[place] {
                depths[child] = depths[child].max(depths[place] + 1);
                waiting[child] -= 1;
                if waiting[child] == 0 {
                    ready.push(child);
                }
            }
        }
        if let Some(circle) = waiting.iter().position(|&waiting| waiting > 0) {
            return Err(Error::shard_map(format!(
                "shard {} is listed among its own ancestors; list each shard with the parents that \
                 the service gave it",
                shards[circle].id
            )));
        }
        ready.sort_by_key(|&place| (depths[place], &shards[place].id));
        let drained = |place: usize| Drained {
            shard: shards[place],
            after: parents[place].iter().map(|&parent| shards[parent].id.as_str()).collect(),
            depth: depths[place],
        };
        Ok(ready.into_iter().map(drained).collect())
    }
}
