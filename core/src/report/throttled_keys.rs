//! Which keys filled a shard while it was over a limit.

use crate::projection::{BindingLimit, Throttle};
use crate::tally::HotKey;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The keys of the windows in which shards were over a limit. Which windows those are is known only
/// at the end of a log, so that their keys take a second reading of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ThrottledKeys {
    /// What became of the second reading.
    pub reading: SecondReading,
    /// The shards that were over a limit, those with the most throttled records first.
    pub shards: Vec<ThrottledShard>,
}

/// What became of reading a log a second time.
#[non_exhaustive]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SecondReading {
    /// No shard was over a limit, or no keys were asked for.
    #[default]
    NotNeeded,
    /// The log was read a second time.
    Done,
    /// It was told not to.
    TurnedOff,
    /// The log can be read only once, as a pipe.
    Once,
    /// The first reading or the second was interrupted.
    Interrupted,
    /// The log could not be read again: why.
    Failed(String),
    /// The log had other rows when it was read again.
    Changed,
}

impl SecondReading {
    /// Its name in reports, such as `done`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::NotNeeded => "not_needed",
            Self::Done => "done",
            Self::TurnedOff => "turned_off",
            Self::Once => "only_once",
            Self::Interrupted => "interrupted",
            Self::Failed(_) => "failed",
            Self::Changed => "changed",
        }
    }

    /// Why there are no keys, and what to do about it; `None` if there are, or none are needed.
    pub fn explanation(&self) -> Option<String> {
        let why = match self {
            Self::NotNeeded | Self::Done | Self::TurnedOff => return None,
            Self::Once => {
                "which keys fill a shard while it throttles takes a second reading, and this log can \
                 be read only once; give the name of a file"
                    .to_owned()
            }
            Self::Interrupted => {
                "which keys fill a shard while it throttles takes a second reading, which was \
                 interrupted"
                    .to_owned()
            }
            Self::Failed(why) => {
                format!("which keys fill a shard while it throttles is not known: {why}")
            }
            Self::Changed => {
                "the log changed between its two readings, so that which keys fill a shard while it \
                 throttles is not known"
                    .to_owned()
            }
        };
        Some(why)
    }
}

/// A shard in the windows in which it was over a limit.
#[derive(Debug, Clone, PartialEq)]
pub struct ThrottledShard {
    /// Index of the shard.
    pub shard: u32,
    /// How many such windows there are.
    pub windows: u64,
    /// Records that came in them.
    pub records: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Records over a limit.
    pub throttled_records: u64,
    /// The limit that the most records were over.
    pub binding_limit: BindingLimit,
    /// The hottest keys of these windows, hottest first: by bytes where the limit is one of bytes,
    /// else by records.
    pub keys: Vec<HotKey>,
}

/// How many records were over each limit, by its name.
type Over = BTreeMap<&'static str, (u64, BindingLimit)>;

impl ThrottledShard {
    /// The shards of `throttles`, those with the most throttled records first, their keys not known
    /// yet.
    pub fn of(throttles: impl Iterator<Item = Throttle>) -> Vec<Self> {
        let mut shards: BTreeMap<u32, (Self, Over)> = BTreeMap::new();
        for throttle in throttles {
            let (shard, limits) = shards.entry(throttle.shard).or_insert_with(|| {
                let shard = Self {
                    shard: throttle.shard,
                    windows: 0,
                    records: 0,
                    bytes: 0,
                    throttled_records: 0,
                    binding_limit: throttle.binding_limit,
                    keys: Vec::new(),
                };
                (shard, BTreeMap::new())
            });
            let more = throttle.throttled_records;
            shard.windows += 1;
            shard.records = shard.records.saturating_add(throttle.records);
            shard.bytes = shard.bytes.saturating_add(throttle.bytes);
            shard.throttled_records = shard.throttled_records.saturating_add(more);
            let name = throttle.binding_limit.name();
            let over = limits.entry(name).or_insert((0, throttle.binding_limit));
            over.0 = over.0.saturating_add(more);
        }
        let mut shards: Vec<Self> = shards
            .into_values()
            .map(|(mut shard, limits)| {
                let most = limits.into_values().max_by_key(|(records, _)| *records);
                shard.binding_limit = most.map_or(shard.binding_limit, |(_, limit)| limit);
                shard
            })
            .collect();
        shards.sort_by_key(|shard| (Reverse(shard.throttled_records), shard.shard));
        shards
    }

    /// Whether bytes are what counts.
    pub fn is_by_bytes(&self) -> bool {
        self.binding_limit == BindingLimit::Bytes
    }

    /// The key's part of the load of these windows, from 0 to 1: of the bytes where the limit is one
    /// of bytes, else of the records.
    pub fn share(&self, key: &HotKey) -> f64 {
        let (part, all) =
            if self.is_by_bytes() { (key.bytes, self.bytes) } else { (key.records, self.records) };
        if all == 0 { 0.0 } else { part as f64 / all as f64 }
    }
}
