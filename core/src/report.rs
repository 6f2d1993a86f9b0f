//! What was found, for people and for programs: text, JSON, CSV, HTML and Arrow.
//!
//! A [`Report`] is what a [replay](crate::engine::replay) comes down to. Each form of it is one
//! file here, and all of them say the same. Keys, column names and shard ids come from outside, so
//! none of the forms prints them raw: what could move a cursor, turn the text or close a tag is
//! escaped.
//!
//! ```
//! use shardlane::arrow::array::{ArrayRef, StringArray};
//! use shardlane::engine::{ReplayOptions, replay};
//! use shardlane::source::Batches;
//! use shardlane::{EvenRule, ShardMap};
//! use std::ops::ControlFlow;
//! use std::sync::Arc;
//!
//! let keys: ArrayRef = Arc::new(StringArray::from(vec!["order-1001", "JP", "user-1", "JP"]));
//! let map = ShardMap::kinesis(4, EvenRule::FixedStep)?;
//! let mut log = Batches::of_keys(vec![keys])?;
//! let to_the_end = &mut |_| ControlFlow::Continue(());
//! let (_, report) = replay(map, &mut log, &ReplayOptions::default(), to_the_end)?;
//!
//! assert!(report.to_text().starts_with("Kinesis stream of 4 shards: 4 records from 4 rows"));
//! assert!(report.to_json().contains(r#""throttle_records_per_second": 2000.0"#));
//! assert_eq!(report.to_csv().lines().count(), 5);
//! # Ok::<(), shardlane::Error>(())
//! ```

pub mod arrow;
mod comparison;
mod csv;
mod doubts;
mod fullest;
mod heat;
mod html;
mod inference;
mod instant;
mod json;
mod map;
mod number;
mod printable;
mod side_by_side;
mod skew;
mod svg;
mod table;
mod text;
mod throttled_keys;
mod timeline;
mod verdict;
mod verification;
mod waiting;
mod warnings;

pub use comparison::{Comparison, Flow, Moved};
pub use csv::Table;
pub use heat::{Heat, HeatCell, HeatRow};
pub use inference::{Candidate, Inference, SeenShard};
pub(crate) use number::{grouped, percent, plural};
#[cfg(feature = "cli")]
pub(crate) use printable::message;
pub(crate) use printable::printable;
pub use side_by_side::{Keyed, side_by_side};
pub use skew::{Fullest, Skew};
pub use throttled_keys::{SecondReading, ThrottledKeys, ThrottledShard};
pub use timeline::{Load, Minute, ShardMinute, Timeline};
pub use verification::{Cause, Disagreement, Naming, Pair, Verification};
pub use warnings::Warning;

use crate::projection::Projection;
use crate::shards::{Refusal, ShardMap};
use crate::source::{Taken, TimeNotes, Written};
use crate::tally::{Agreement, DistinctKeys, HotKey};
use std::sync::Arc;
use std::time::Duration;

/// What a replay saw of its input.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Input {
    /// Rows read.
    pub rows: u64,
    /// Records that went to a shard, after weights.
    pub records: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Records without a shard of their own, which the system spreads.
    pub unassigned: u64,
    /// Their bytes.
    pub unassigned_bytes: u64,
    /// Rows that could not be used, by reason, each with the first few row numbers (from 1).
    pub rejected: Vec<Rejected>,
    /// The columns that were taken.
    pub columns: Taken,
    /// How well the rows that name a shard agree with the map; `None` if no row does.
    pub agreement: Option<Agreement>,
    /// The earliest time, in microseconds since 1970-01-01T00:00:00Z.
    pub first_time: Option<i64>,
    /// The latest time.
    pub last_time: Option<i64>,
    /// Rows whose time lies before the time of the row above.
    pub out_of_order: u64,
    /// The longest time by which a row came after a later one.
    pub max_lateness: Duration,
    /// Records of the service into which a producer library put others.
    pub aggregated_records: u64,
    /// Records that travel within another one, so that the service does not count them.
    pub carried_records: u64,
    /// How its files are written, each way once.
    pub written: Vec<Written>,
    /// What could not be read of its files: the rest of one that ends early, or one that lacks a
    /// column.
    pub faults: Vec<String>,
    /// What is to be said of the times.
    pub time_notes: TimeNotes,
}

/// Rows rejected for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// Why.
    pub reason: Refusal,
    /// How many rows.
    pub count: u64,
    /// The numbers of the first few, counted from 1 over the whole input; empty when unknown.
    pub first_rows: Vec<u64>,
}

impl Rejected {
    /// Those that were found, with the positions of the first of each, from 0.
    pub(crate) fn all<'a>(found: impl Iterator<Item = (Refusal, u64, &'a [u64])>) -> Vec<Self> {
        found
            .map(|(reason, count, rows)| Self {
                reason,
                count,
                first_rows: rows.iter().map(|row| row + 1).collect(),
            })
            .collect()
    }
}

/// A replay's findings.
#[derive(Debug, Clone)]
pub struct Report {
    /// The shards.
    pub map: Arc<ShardMap>,
    /// What was read.
    pub input: Input,
    /// Length of a time window.
    pub window: Duration,
    /// The load held against the limits.
    pub projection: Projection,
    /// Distinct keys, if they were counted.
    pub distinct_keys: Option<DistinctKeys>,
    /// The hottest keys of the stream, hottest first.
    pub hot_keys: Vec<HotKey>,
    /// The hottest keys of each shard, hottest first.
    pub hot_keys_by_shard: Vec<Vec<HotKey>>,
    /// The course of the load in time.
    pub timeline: Timeline,
    /// The keys that filled shards while they were over a limit.
    pub throttled_keys: ThrottledKeys,
}

impl Report {
    /// Distinct keys of a shard, if they were counted.
    fn distinct_keys_of(&self, shard: u32) -> Option<u64> {
        self.distinct_keys.as_ref()?.by_shard.get(shard as usize).copied()
    }
}
