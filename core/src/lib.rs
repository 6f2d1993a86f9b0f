//! Which shard does each partition key go to, how full does every shard get, and when does the
//! first one throttle: offline, for millions of keys a second.

#[cfg(feature = "cli")]
pub mod cli;
pub mod engine;
pub mod error;
pub mod keys;
pub mod lanes;
pub mod limits;
pub mod projection;
pub mod report;
pub mod shards;
pub mod source;
pub mod tally;

pub use arrow;

pub use engine::{Router, RouterOptions};
pub use error::{Error, ErrorKind, Result};
pub use keys::KeyColumn;
pub use limits::Limits;
pub use projection::{Model, Projection};
pub use report::Report;
pub use shards::{
    CapacityMode, Emulator, EvenRule, HashFunction, HashRange, KeyLengthUnit, MAX_SHARDS, NO_SHARD,
    ObservedShards, Operation, Partitioner, Refusal, Shard, ShardMap, ShardState, SplitAt, System,
    Verdict, shard_number,
};
pub use tally::{Tally, TallyOptions};

/// The Rust of README.md is tested like that of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
