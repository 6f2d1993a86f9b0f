//! Apache Kafka: a partition is a remainder, so that more partitions move keys.

use super::modulo::Modulo;
use super::partitioner::Odd;
use super::placement::Placement;
use super::{Partitioner, Refusal, Rules, Shard, ShardMap, System, Verdict, check_count};
use crate::error::{Error, ErrorKind, Result};

impl ShardMap {
    /// A topic of `partitions` partitions, numbered from 0, to which producers send by
    /// `partitioner`.
    ///
    /// # Errors
    /// `InvalidShardMap` if `partitions` is 0 or above [`MAX_SHARDS`](super::MAX_SHARDS).
    ///
    /// ```
    /// use shardlane::{Partitioner, Router, ShardMap};
    /// let router = Router::new(ShardMap::kafka(12, Partitioner::Java)?);
    /// assert_eq!(router.shard_of(Some(b"order-1001"), None), Ok(Some(6)));
    /// assert_eq!(router.shard_of(None, None), Ok(None)); // sticky: any partition
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn kafka(partitions: usize, partitioner: Partitioner) -> Result<Self> {
        check_count(partitions)?;
        let shards = (0..partitions).map(|i| Shard::open(i.to_string(), None)).collect();
        let modulo = Modulo::new(partitions as u32, partitioner.sign());
        Ok(Self {
            system: System::Kafka,
            shards,
            open: partitions,
            placement: Placement::Modulo(modulo),
            rules: Rules::Kafka(partitioner),
        })
    }

    /// The partitioner, if this is a Kafka topic.
    pub fn partitioner(&self) -> Option<Partitioner> {
        match self.rules {
            Rules::Kafka(partitioner) => Some(partitioner),
            _ => None,
        }
    }

    /// The same topic with `partitions` partitions, more than it has. Records that are
    /// there already stay where they are; only new ones go by the new number.
    ///
    /// # Errors
    /// `InvalidReshape` if there would be no more, which Kafka refuses, or if this is no Kafka topic.
    ///
    /// ```
    /// use shardlane::{Partitioner, ShardMap};
    /// let topic = ShardMap::kafka(6, Partitioner::Java)?;
    /// assert_eq!(topic.grow(12)?.len(), 12);
    /// assert!(topic.grow(3).unwrap_err().message().contains("cannot shrink"));
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn grow(&self, partitions: usize) -> Result<Self> {
        let Some(partitioner) = self.partitioner() else {
            return Err(Error::new(
                ErrorKind::InvalidReshape,
                format!(
                    "grow adds partitions to a Kafka topic, and this is a {}; {}",
                    self.system.whole(),
                    match self.system {
                        System::Kinesis => "type resize, split or merge",
                        System::Sls => "type split or merge",
                        _ => "make a new map with more partitions: ShardMap.dynamodb(N)",
                    }
                ),
            ));
        };
        if partitions < self.len() {
            return Err(Error::new(
                ErrorKind::InvalidReshape,
                format!(
                    "{partitions} partitions were asked for, but a topic of {} cannot shrink: Kafka \
                     refuses it, since the records of the last partitions would have no place \
                     (INVALID_PARTITIONS); make a new topic and move to it",
                    self.len()
                ),
            ));
        }
        if partitions == self.len() {
            return Err(Error::new(
                ErrorKind::InvalidReshape,
                format!(
                    "the topic has {partitions} partitions already, and Kafka refuses to grow it to \
                     as many (INVALID_PARTITIONS); type a larger number"
                ),
            ));
        }
        Self::kafka(partitions, partitioner)
    }
}

/// What becomes of a key.
#[inline]
pub(super) fn verdict(key: Option<&[u8]>, partitioner: Partitioner) -> Verdict {
    let odd = match key {
        _ if partitioner.hash().is_none() => Odd::Anywhere,
        None => partitioner.null(),
        Some([]) => partitioner.empty(),
        Some(key) => {
            // Of bytes, Java's hash code is another one in each process.
            let is_text =
                partitioner != Partitioner::SpringCloudStream || str::from_utf8(key).is_ok();
            return if is_text { Verdict::Hashed } else { Verdict::Refused(Refusal::KeyNotText) };
        }
    };
    match odd {
        Odd::Hashed => Verdict::Hashed,
        Odd::Anywhere => Verdict::Unassigned,
        Odd::Refused => Verdict::Refused(Refusal::NullKey),
    }
}
