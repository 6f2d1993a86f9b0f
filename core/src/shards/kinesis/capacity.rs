//! Who manages a stream's shards, and what its owner may do to them.

use crate::error::{Error, Result};
use crate::shards::reshape::{Work, refused};
use crate::shards::{HashRange, Rules, Shard, ShardMap, SplitAt, System, even_starts};
use serde::Deserialize;
use std::fmt;
use std::str::FromStr;

impl ShardMap {
    /// The same stream, with its shards managed by `mode`.
    #[must_use]
    pub fn with_capacity_mode(mut self, mode: CapacityMode) -> Self {
        if let Rules::Kinesis { mode: current, .. } = &mut self.rules {
            *current = mode;
        }
        self
    }

    /// Who manages a Kinesis stream's shards; `None` for another system.
    pub fn capacity_mode(&self) -> Option<CapacityMode> {
        match self.rules {
            Rules::Kinesis { mode, .. } => Some(mode),
            _ => None,
        }
    }

    /// The stream after `UpdateShardCount` to `shards` shards of even ranges: splits, then merges,
    /// each of which leaves its parents listed. The service does not document the steps between;
    /// these are those that were seen of it (4 to 3: two splits, then merges).
    ///
    /// # Errors
    /// `InvalidReshape` for what the service refuses: more than twice or less than half of the open
    /// shards, more than 10,000, an on-demand stream, another system.
    ///
    /// ```
    /// use shardlane::{EvenRule, ShardMap};
    /// let stream = ShardMap::kinesis(4, EvenRule::FixedStep)?;
    /// assert_eq!(stream.resize(3)?.len(), 3);
    /// assert!(stream.resize(9).unwrap_err().message().contains("at most 8"));
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn resize(&self, shards: usize) -> Result<Self> {
        if self.system != System::Kinesis {
            return Err(refused(format!(
                "resize is UpdateShardCount of Kinesis, and this is a {}; {}",
                self.system.whole(),
                match self.system {
                    System::Kafka => "type grow",
                    System::Sls => "type split or merge",
                    _ => "make a new map with more partitions: ShardMap.dynamodb(N)",
                }
            )));
        }
        check_provisioned(self)?;
        let (least, most) = (self.len().div_ceil(2), (2 * self.len()).min(MOST_BY_RESIZE));
        if shards < least || shards > most {
            return Err(refused(format!(
                "UpdateShardCount to {shards} shards is refused: from {} open shards, one call goes \
                 to at least {least} (half) and at most {most} (twice, and no more than \
                 {MOST_BY_RESIZE}); go there in several calls",
                self.len()
            )));
        }
        let starts = even_starts(shards);
        let mut work = Work::of(self);
        // First every shard is split where a new boundary lies within it, then what lies between
        // two boundaries is merged.
        let mut pieces: Vec<(usize, HashRange)> = Vec::new();
        for (mut place, mut range) in (0..self.len()).zip(self.open_ranges()) {
            for &start in &starts {
                if start > range.start && start <= range.end {
                    let low = HashRange { start: range.start, end: start - 1 };
                    let high = HashRange { start, end: range.end };
                    let [below, above] = work.split(place, [low, high]);
                    pieces.push((below, low));
                    (place, range) = (above, high);
                }
            }
            pieces.push((place, range));
        }
        let mut before: Option<(usize, HashRange)> = None;
        for (place, range) in pieces {
            before = Some(match before {
                Some((left, low)) if starts.binary_search(&range.start).is_err() => {
                    let joined = HashRange { start: low.start, end: range.end };
                    (work.merge(left, place, joined), joined)
                }
                _ => (place, range),
            });
        }
        work.done(self)
    }
}

/// The most shards that one call of `UpdateShardCount` goes to
/// ([UpdateShardCount](https://docs.aws.amazon.com/kinesis/latest/APIReference/API_UpdateShardCount.html),
/// read 2026-11-30).
const MOST_BY_RESIZE: usize = 10_000;

/// Who manages the shards of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CapacityMode {
    /// Its owner, by splits, merges and resizes.
    #[default]
    Provisioned,
    /// The service: it splits shards that take much, and refuses to be told.
    OnDemand,
}

impl CapacityMode {
    /// The mode's name, `provisioned` or `on-demand`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Provisioned => "provisioned",
            Self::OnDemand => "on-demand",
        }
    }
}

impl fmt::Display for CapacityMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for CapacityMode {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        [Self::Provisioned, Self::OnDemand].into_iter().find(|mode| mode.name() == name).ok_or_else(
            || {
                Error::input(format!(
                    "there is no capacity mode \"{name}\"; type provisioned or on-demand"
                ))
            },
        )
    }
}

/// Checks that the owner may reshape the stream.
pub(in crate::shards) fn check_provisioned(map: &ShardMap) -> Result<()> {
    if map.capacity_mode() == Some(CapacityMode::OnDemand) {
        return Err(refused(
            "ValidationException: this stream is on-demand, whose shards the service splits and \
             merges itself; switch it to provisioned first (UpdateStreamMode)",
        ));
    }
    Ok(())
}

/// The two parts of a shard's range, each of which has to have two hash values at least.
pub(in crate::shards) fn halves(shard: &Shard, at: SplitAt) -> Result<[HashRange; 2]> {
    let HashRange { start, end } = shard.range.unwrap_or(HashRange::ALL);
    let half = (end - start) / 2;
    let at = match at {
        // (start + end) / 2, of which the sum may not fit.
        SplitAt::DocsMidpoint => start + half,
        SplitAt::ExactHalf => start + half + (end - start) % 2,
        SplitAt::Value(value) => value,
    };
    if at <= start.saturating_add(1) || at >= end {
        return Err(refused(format!(
            "InvalidArgumentException: NewStartingHashKey {at} used in SplitShard() on shard {} is \
             not both greater than one plus the shard's StartingHashKey {start} and less than the \
             shard's EndingHashKey {end}",
            shard.id
        )));
    }
    Ok([HashRange { start, end: at - 1 }, HashRange { start: at, end }])
}
