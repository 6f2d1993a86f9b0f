//! When does it throttle: a tally held against limits, under a named model.
//!
//! The steady answer ([`Projection::throttle_records_per_second`]) needs only each shard's share;
//! the rest needs a time column and looks at every window.
//!
//! Nothing here is guessed silently: a [`Projection`] carries the model and the limits that it was
//! made with.

mod conditions;
mod gate;
mod headroom;
mod load;
mod model;
mod moments;
mod queue;
mod reads;
mod rules;
mod scale;
mod units;
mod windows;

pub use conditions::Conditions;
pub use model::{Bursts, Model};
pub use queue::Backlog;
pub use reads::{ReadLoad, Reads};
pub use scale::Scale;

pub use moments::{Moment, moments};

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::tally::{Tally, Totals};
use load::Load;
use rules::Rules;

/// Which limit a shard meets first.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BindingLimit {
    /// Records a second.
    Records,
    /// Bytes a second.
    Bytes,
    /// Read units a second, of `DynamoDB`.
    ReadUnits,
    /// Write units a second, of `DynamoDB`.
    WriteUnits,
    /// Read and write units together, where they share one allowance.
    CombinedUnits,
}

impl BindingLimit {
    /// The limit's name in reports, such as `records_per_second`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Records => "records_per_second",
            Self::Bytes => "bytes_per_second",
            Self::ReadUnits => "read_units_per_second",
            Self::WriteUnits => "write_units_per_second",
            Self::CombinedUnits => "combined_units_per_second",
        }
    }
}

/// One shard's load against its limits. What needs a time column is `None` without one.
#[derive(Debug, Clone, PartialEq)]
pub struct ShardProjection {
    /// Index of the shard.
    pub index: u32,
    /// What it took in all.
    pub totals: Totals,
    /// What it would get of the records without a shard of their own, if they were spread evenly: an
    /// estimate, which the fields below count in.
    pub spread: Totals,
    /// Its part of all records that have a shard, from 0 to 1.
    pub share: f64,
    /// Records a second in its busiest window for records.
    pub peak_records_per_second: Option<f64>,
    /// Bytes a second in its busiest window for bytes.
    pub peak_bytes_per_second: Option<f64>,
    /// Records over a limit; if they are retried, those that had to wait.
    pub throttled_records: Option<u64>,
    /// Seconds of windows in which records were over a limit.
    pub throttled_seconds: Option<f64>,
    /// Start of the first such window, in microseconds since 1970-01-01T00:00:00Z.
    pub first_throttle: Option<i64>,
    /// Read units in all; only of `DynamoDB`.
    pub read_units: Option<f64>,
    /// Write units in all; only of `DynamoDB`.
    pub write_units: Option<f64>,
    /// The limit that it is nearest to, or furthest over.
    pub binding_limit: Option<BindingLimit>,
    /// How many times its busiest window's traffic would just fit: below 1 exactly if something
    /// is throttled. `None` if it has no load.
    pub headroom: Option<f64>,
    /// What waited, if throttled records are retried.
    pub backlog: Option<Backlog>,
    /// What its readers do, if that was asked.
    pub reads: Option<ReadLoad>,
}

/// A tally held against limits.
#[derive(Debug, Clone, PartialEq)]
pub struct Projection {
    /// The throttling model, and what else was supposed.
    pub conditions: Conditions,
    /// The limits that were applied.
    pub limits: Limits,
    /// One entry for each shard that takes writes, in order.
    pub shards: Vec<ShardProjection>,
    /// The steady rate of the whole stream, at these shares and sizes, at which the first shard
    /// meets a limit.
    pub throttle_records_per_second: Option<f64>,
    /// The shard that meets it.
    pub shard: Option<u32>,
    /// The limit that it meets.
    pub binding_limit: Option<BindingLimit>,
    /// How many times the traffic that was replayed fits before the first throttle, its shape
    /// unchanged.
    pub headroom: Option<f64>,
    /// The whole stream or table against limits of its own, if it has any: an on-demand stream, or
    /// a table whose capacity is told.
    pub stream: Option<ShardProjection>,
}

/// A window in which a shard was over a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throttle {
    /// Start of the window, in microseconds since 1970-01-01T00:00:00Z.
    pub window_start: i64,
    /// Index of the shard.
    pub shard: u32,
    /// Records that came.
    pub records: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Records over a limit.
    pub throttled_records: u64,
    /// The limit that they were furthest over.
    pub binding_limit: BindingLimit,
}

/// The windows of `tally` in which a shard was over one of `limits`, in order of time and then of
/// shard.
pub fn throttles<'a>(
    tally: &'a Tally,
    limits: &'a Limits,
    conditions: &'a Conditions,
) -> impl Iterator<Item = Throttle> + 'a {
    let found: Box<dyn Iterator<Item = Throttle> + 'a> = if let Some(units) = tally.unit_tallies() {
        Box::new(units::throttles(tally, units, limits, conditions))
    } else {
        let rules = Rules::of(limits, conditions.model, tally.window());
        Box::new(windows::throttles(tally.estimated_cells(), tally, rules, conditions))
    };
    found
}

/// Holds `tally` against `limits` under a [`Model`], or under [`Conditions`] that say more.
///
/// # Errors
/// `InvalidInput` if the limits are another system's, or a condition does not suit the system.
pub fn project(
    tally: &Tally,
    limits: &Limits,
    conditions: impl Into<Conditions>,
) -> Result<Projection> {
    let conditions = conditions.into();
    let system = tally.map().system();
    if limits.system() != system {
        return Err(Error::input(format!(
            "these are the limits of {}, but the tally is of a {}; give those of {system} (in \
             Python: Limits.{system})",
            limits.system(),
            system.whole(),
        )));
    }
    conditions.check(system)?;
    let (mut shards, steady, stream) = if let Some(units) = tally.unit_tallies() {
        (
            units::project(tally, units, limits, &conditions),
            units::steady_rate(tally, units, limits),
            units::project_table(tally, units, limits, &conditions),
        )
    } else {
        let load = Load::of(tally);
        let records = tally.records().saturating_add(tally.unassigned().records);
        let counted = Load::of(tally).counted(tally);
        let steady = headroom::steady(&counted, records, &Rules::of_a_second(limits));
        let rules = Rules::of(limits, conditions.model, tally.window());
        let cells = || tally.estimated_cells();
        let shards = windows::project(&load, cells, tally, &rules, &conditions);
        (shards, steady, whole_stream(tally, load, limits, &conditions))
    };
    if let Some(reads) = &conditions.reads {
        reads::project(&mut shards, reads, tally, limits, &conditions);
    }
    let headroom = shards.iter().filter_map(|shard| shard.headroom).reduce(f64::min);
    Ok(Projection {
        conditions,
        limits: limits.clone(),
        shards,
        throttle_records_per_second: steady.as_ref().map(|first| first.records_per_second),
        shard: steady.as_ref().map(|first| first.shard),
        binding_limit: steady.as_ref().map(|first| first.limit),
        headroom: stream
            .iter()
            .filter_map(|stream| stream.headroom)
            .chain(headroom)
            .reduce(f64::min),
        stream,
    })
}

/// All shards as one, against the limits of the whole stream.
fn whole_stream(
    tally: &Tally,
    load: Load,
    limits: &Limits,
    conditions: &Conditions,
) -> Option<ShardProjection> {
    let limits = limits.of_stream();
    limits.iter().next()?;
    let cells = load::merged(tally.estimated_cells());
    // No page tells of a burst of a whole stream.
    let rules = Rules::of_table(&limits, Model::Tumbling, tally.window());
    windows::project(&load.into_one(), || cells.iter().copied(), tally, &rules, conditions)
        .into_iter()
        .next()
}
