//! What the command line makes of a map.

use super::Failure;
use super::arguments::To;
use crate::error::Error;
use crate::shards::{ShardMap, SplitAt, System};

impl To {
    /// What becomes of `before`; itself, if nothing is asked for.
    pub(super) fn reshape(&self, before: &ShardMap) -> Result<ShardMap, Failure> {
        let mut map = before.clone();
        if let Some(partitioner) = self.to_partitioner {
            if map.system() != System::Kafka {
                return Err(Failure::Usage(Error::input(format!(
                    "--to-partitioner was given for a {}; only Kafka has partitioners",
                    map.system().whole()
                ))));
            }
            map = ShardMap::kafka(map.len(), partitioner)?;
        }
        if let Some(partitions) = self.grow {
            map = map.grow(partitions)?;
        }
        if let Some(shards) = self.resize {
            map = map.resize(shards)?;
        }
        for split in &self.split {
            let (shard, at) =
                split.split_once('@').map_or((&**split, None), |(shard, at)| (shard, Some(at)));
            let at = match at {
                None | Some("docs-midpoint") => SplitAt::DocsMidpoint,
                Some("exact-half") => SplitAt::ExactHalf,
                Some(text) => SplitAt::Value(map.explicit_hash(text.as_bytes()).map_err(|_| {
                    Failure::Usage(Error::input(format!(
                        "--split {split} names no hash value after the @; type one as the service \
                         writes it, docs-midpoint or exact-half"
                    )))
                })?),
            };
            map = map.split(shard, at)?;
        }
        for merge in &self.merge {
            let (left, right) =
                merge.split_once(',').map_or((&**merge, None), |(left, right)| (left, Some(right)));
            map = map.merge(left, right)?;
        }
        if let Some(seed) = self.to_seed {
            if map.system() != System::DynamoDb {
                return Err(Failure::Usage(Error::input(
                    "--to-seed was given without --dynamodb; only simulated placements have seeds",
                )));
            }
            map = ShardMap::dynamodb(map.len(), seed)?;
        }
        if let Some(partitions) = self.to_partitions {
            map = match (map.partitioner(), map.seed()) {
                (_, Some(seed)) => ShardMap::dynamodb(partitions, seed)?,
                _ => {
                    return Err(Failure::Usage(Error::input(
                        "--to-partitions goes with --dynamodb; type --grow for Kafka, --resize for \
                         Kinesis",
                    )));
                }
            };
        }
        Ok(map)
    }
}
