//! Splits and merges: a new map with the shards that they make, under the service's own rules.
//!
//! The old shards stay listed and take no writes. Nothing here changes a map in place.

use super::{HashRange, Shard, ShardMap, ShardState, System, kinesis, sls};
use crate::error::{Error, ErrorKind, Result};

/// Where to split a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SplitAt {
    /// Where the samples of the Kinesis guide do, at (start + end) / 2: on a range of even size one
    /// less than the half. Simple Log Service, when it is not told where, halves exactly.
    #[default]
    DocsMidpoint,
    /// Half-way, as `UpdateShardCount` does.
    ExactHalf,
    /// At this hash value, which becomes the first of the upper child.
    Value(u128),
}

/// What the service would refuse.
pub(super) fn refused(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidReshape, message)
}

impl ShardMap {
    /// The map after a shard is split in two. `shard` is an id, or the index of an open shard.
    ///
    /// # Errors
    /// `InvalidReshape` for what the service refuses, in its own words where they are known: a
    /// shard that is closed, a place too near to its ends, an on-demand stream. Kafka and
    /// `DynamoDB` do not split partitions by hand.
    ///
    /// ```
    /// use shardlane::{EvenRule, ShardMap, SplitAt};
    /// let stream = ShardMap::kinesis(2, EvenRule::FixedStep)?;
    /// let split = stream.split("shardId-000000000001", SplitAt::ExactHalf)?;
    /// let ids: Vec<_> = split.open_shards().map(|shard| &*shard.id).collect();
    /// assert_eq!(ids[1..], ["shardId-000000000002", "shardId-000000000003"]);
    /// assert_eq!(split.shards()[3].id, "shardId-000000000001"); // closed, still listed
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn split(&self, shard: &str, at: SplitAt) -> Result<Self> {
        self.check_reshaped_by_hand("split")?;
        let place = self.find_shard(shard)?;
        let parent = &self.shards[place];
        self.check_writable(parent)?;
        let halves = if self.system == System::Sls {
            sls::halves(parent, if let SplitAt::Value(value) = at { Some(value) } else { None })?
        } else {
            kinesis::halves(parent, at)?
        };
        let mut work = Work::of(self);
        work.split(place, halves);
        work.done(self)
    }

    /// The map after two neighbours are merged. `shard` and `adjacent` are ids, or indices of open
    /// shards; without `adjacent`, its right-hand neighbour is taken, which is what Simple Log
    /// Service does.
    ///
    /// # Errors
    /// `InvalidReshape` for what the service refuses: shards that are closed or not neighbours, the
    /// last shard without one to its right, an on-demand stream.
    ///
    /// ```
    /// use shardlane::{EvenRule, ShardMap};
    /// let stream = ShardMap::kinesis(4, EvenRule::FixedStep)?;
    /// let merged = stream.merge("0", None)?;
    /// let shard = merged.open_shards().next().unwrap();
    /// assert_eq!(shard.id, "shardId-000000000004");
    /// assert_eq!(shard.adjacent_parent.as_deref(), Some("shardId-000000000001"));
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn merge(&self, shard: &str, adjacent: Option<&str>) -> Result<Self> {
        self.check_reshaped_by_hand("merged")?;
        let left = self.find_shard(shard)?;
        self.check_writable(&self.shards[left])?;
        let right = match adjacent {
            Some(name) => self.find_shard(name)?,
            None if left + 1 < self.open => left + 1,
            None => {
                let left = &self.shards[left].id;
                return Err(refused(match self.system {
                    System::Sls => format!(
                        "ParameterInvalid: can not merge the last shard: no shard lies to the right \
                         of {left}; name the shard to its left"
                    ),
                    _ => format!(
                        "no open shard lies to the right of {left}; name the one to its left, and \
                         {left} as the adjacent one"
                    ),
                }));
            }
        };
        self.check_writable(&self.shards[right])?;
        let ranges = (self.shards[left].range, self.shards[right].range);
        let joined = match ranges {
            (Some(low), Some(high)) => low.joined(high),
            _ => None,
        };
        let Some(joined) = joined else {
            let swapped = match ranges {
                (Some(low), Some(high)) if high.joined(low).is_some() => {
                    "; the left one has to be named first"
                }
                _ => "; their ranges have to join without a gap",
            };
            return Err(refused(format!(
                "Shards {} and {} are not an adjacent pair of shards eligible for merging{swapped}",
                self.shards[left].id, self.shards[right].id
            )));
        };
        let mut work = Work::of(self);
        work.merge(left, right, joined);
        work.done(self)
    }

    /// The map without the records of a closed shard: its state becomes expired.
    ///
    /// # Errors
    /// `InvalidReshape` if the shard still takes writes; `InvalidInput` if there is none of that
    /// name.
    pub fn expire(&self, shard: &str) -> Result<Self> {
        let place = self.find_shard(shard)?;
        if self.shards[place].state == ShardState::Open {
            return Err(refused(format!(
                "shard {} takes writes, so its records do not expire as a whole; split or merge it \
                 first",
                self.shards[place].id
            )));
        }
        let mut map = self.clone();
        map.shards[place].state = ShardState::Expired;
        Ok(map)
    }

    /// The position in [`shards`](Self::shards) of the shard with this id, or of the open one with
    /// this index.
    ///
    /// # Errors
    /// `InvalidInput` if there is none.
    pub fn find_shard(&self, name: &str) -> Result<usize> {
        let by_id = self.shards.iter().position(|shard| shard.id == name);
        let by_index = || name.parse().ok().filter(|&index: &usize| index < self.open);
        by_id.or_else(by_index).ok_or_else(|| {
            let first = self.shards.first().map_or("", |shard| &shard.id);
            Error::input(format!(
                "there is no shard \"{name}\"; type an id, such as {first}, or an index from 0 to {}",
                self.open - 1
            ))
        })
    }

    fn check_reshaped_by_hand(&self, verb: &str) -> Result<()> {
        let advice = match self.system {
            System::Kinesis => return kinesis::check_provisioned(self),
            System::Sls => return Ok(()),
            System::Kafka => "Kafka only adds partitions: type grow",
            System::DynamoDb => "DynamoDB splits partitions itself, so make a new map",
        };
        Err(refused(format!("a partition of a {} is not {verb} by hand; {advice}", {
            self.system.whole()
        })))
    }

    fn check_writable(&self, shard: &Shard) -> Result<()> {
        if shard.state == ShardState::Open {
            return Ok(());
        }
        Err(refused(match self.system {
            System::Sls => format!(
                "ParameterInvalid: invalid shard id: shard {} is {}; only one that is readwrite can \
                 be split or merged",
                shard.id,
                shard.state.name(self.system)
            ),
            _ => format!(
                "InvalidArgumentException: Shard {} has already been merged or split, and thus is \
                 not eligible for merging or splitting",
                shard.id
            ),
        }))
    }
}

/// A map being reshaped.
pub(super) struct Work {
    system: System,
    pub(super) shards: Vec<Shard>,
    next: u128,
}

impl Work {
    pub(super) fn of(map: &ShardMap) -> Self {
        let number = |id: &str| id.rsplit('-').next().and_then(|digits| digits.parse().ok());
        let highest = map.shards.iter().filter_map(|shard| number(&shard.id)).max();
        let next = highest.map_or(map.shards.len() as u128, |number: u128| number + 1);
        Self { system: map.system, shards: map.shards.clone(), next }
    }

    /// Closes the shard at `place`, and adds its two children, whose places it gives.
    pub(super) fn split(&mut self, place: usize, halves: [HashRange; 2]) -> [usize; 2] {
        self.shards[place].state = ShardState::Closed;
        let parent = self.shards[place].id.clone();
        halves.map(|range| self.add(range, Some(parent.clone()), None))
    }

    /// Closes two shards, and adds their child, whose place it gives.
    pub(super) fn merge(&mut self, left: usize, right: usize, joined: HashRange) -> usize {
        let [parent, adjacent] = [left, right].map(|place| {
            self.shards[place].state = ShardState::Closed;
            Some(self.shards[place].id.clone())
        });
        self.add(joined, parent, adjacent)
    }

    fn add(
        &mut self,
        range: HashRange,
        parent: Option<String>,
        adjacent_parent: Option<String>,
    ) -> usize {
        let id = match self.system {
            System::Sls => self.next.to_string(),
            _ => kinesis::shard_id(self.next),
        };
        self.next += 1;
        self.shards.push(Shard { parent, adjacent_parent, ..Shard::open(id, Some(range)) });
        self.shards.len() - 1
    }

    /// The map of the new shards, with the rules of the old one.
    pub(super) fn done(self, map: &ShardMap) -> Result<ShardMap> {
        let reshaped = ShardMap::of_ranges(map.system, self.shards, map.rules)?;
        match map.buckets() {
            Some(buckets) => reshaped.with_buckets(buckets),
            None => Ok(reshaped),
        }
    }
}
