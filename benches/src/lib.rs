//! What the benches of shardlane share: seeded keys, maps, the scalar baselines they are measured
//! against, and a runner that pairs measurements and drops those that a neighbour disturbed.
#![forbid(unsafe_code)]

pub mod baseline;
pub mod keys;
pub mod maps;
pub mod ours;
pub mod pairs;
pub mod probe;
pub mod record;
pub mod settings;
