//! How many different keys there are, in all and at each shard.

use super::Tally;

/// Distinct keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DistinctKeys {
    /// Those of the stream.
    pub all: u64,
    /// Those of each shard, in order of index; a key that goes to several counts at each.
    pub by_shard: Vec<u64>,
    /// Whether they were counted one by one. If not, they are estimates: of a map of up to 3,000
    /// shards one in three is off by more than 1.6 %, one in twenty by more than 3.3 %; of 10,000
    /// shards, twice that.
    pub is_exact: bool,
}

impl Tally {
    /// How many different keys went to shards of their own: exact while there are no more than
    /// [`HOT_KEY_CAPACITY`](super::HOT_KEY_CAPACITY), an estimate in bounded memory beyond that.
    /// `None` if no hot keys are counted, since that is done on the way, or if keys are not hashed.
    /// Of keys that Java's 32-bit `String.hashCode` makes alike, an estimate counts one.
    ///
    /// ```
    /// use shardlane::tally::Rows;
    /// use shardlane::{EvenRule, ShardMap, Tally, TallyOptions};
    ///
    /// let map = ShardMap::kinesis(2, EvenRule::FixedStep)?;
    /// let mut tally = Tally::new(map, TallyOptions::default())?;
    /// tally.add(&Rows {
    ///     keys: ["order-1001", "JP", "JP"].as_slice(),
    ///     range: 0..3,
    ///     prefixes: &[0x9292_11f1, 0x24d2_2e03, 0x24d2_2e03],
    ///     shards: &[1, 0, 0],
    ///     sizes: None,
    ///     times: None,
    ///     weights: None,
    ///     operations: None,
    ///     keyless: None,
    ///     carried: None,
    ///     sizes_include_keys: false,
    /// });
    /// let keys = tally.distinct_keys().unwrap();
    /// assert_eq!((keys.all, &keys.by_shard[..], keys.is_exact), (2, &[1, 1][..], true));
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn distinct_keys(&self) -> Option<DistinctKeys> {
        let hot = self.hot.as_ref().filter(|_| self.map.hash().is_some())?;
        Some(hot.distinct(self.map.len()))
    }
}
