//! When does it throttle: a tally held against limits, under a named model.
//!
//! The steady answer ([`Projection::throttle_records_per_second`]) needs only each shard's share;
//! the rest needs a time column and looks at every window.
//!
//! Nothing here is guessed silently: a [`Projection`] carries the model and the limits that it was
//! made with.

mod headroom;
mod load;
mod moments;
mod tumbling;
mod units;

pub use moments::{Moment, moments};

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::tally::{Cell, Tally, Totals};
use load::Load;
use std::fmt;
use std::str::FromStr;

/// How the service's throttling is modelled. The services do not document theirs.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Model {
    /// Each window stands alone: what exceeds the window's allowance is throttled.
    #[default]
    Tumbling,
}

impl Model {
    /// The model's name, such as `tumbling`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tumbling => "tumbling",
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Model {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        [Self::Tumbling].into_iter().find(|model| model.name() == name).ok_or_else(|| {
            Error::input(format!("there is no throttling model \"{name}\"; type tumbling"))
        })
    }
}

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
    /// Records over a limit.
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
}

/// A tally held against limits.
#[derive(Debug, Clone, PartialEq)]
pub struct Projection {
    /// The throttling model.
    pub model: Model,
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
    /// How many times this traffic fits before the first throttle, its shape unchanged.
    pub headroom: Option<f64>,
    /// The whole stream against limits of its own, if it has any: an on-demand one.
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
    model: Model,
) -> impl Iterator<Item = Throttle> + 'a {
    let Model::Tumbling = model;
    let found: Box<dyn Iterator<Item = Throttle> + 'a> = match tally.unit_tallies() {
        Some(units) => Box::new(units::throttles(tally, units, limits)),
        None => Box::new(tumbling::throttles(tally.estimated_cells(), tally, limits)),
    };
    found
}

/// Holds `tally` against `limits` under `model`.
///
/// # Errors
/// `InvalidInput` if the limits are another system's.
pub fn project(tally: &Tally, limits: &Limits, model: Model) -> Result<Projection> {
    if limits.system() != tally.map().system() {
        return Err(Error::input(format!(
            "these are the limits of {}, but the tally is of a {}; give those of {} (in Python: \
             Limits.{})",
            limits.system(),
            tally.map().system().whole(),
            tally.map().system(),
            tally.map().system()
        )));
    }
    let Model::Tumbling = model;
    let (shards, steady) = if let Some(units) = tally.unit_tallies() {
        (units::project(tally, units, limits), units::steady_rate(tally, units, limits))
    } else {
        let load = Load::of(tally);
        let records = tally.records().saturating_add(tally.unassigned().records);
        let steady = headroom::steady(&Load::of(tally).counted(tally), records, limits);
        (tumbling::project(&load, tally.estimated_cells(), tally, limits), steady)
    };
    let stream = whole_stream(tally, limits);
    let headroom = shards.iter().filter_map(|shard| shard.headroom).reduce(f64::min);
    Ok(Projection {
        model,
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
fn whole_stream(tally: &Tally, limits: &Limits) -> Option<ShardProjection> {
    let limits = limits.of_stream();
    limits.iter().next()?;
    let mut load = Load::of(tally);
    let sum = |all: &[Totals]| all.iter().fold(Totals::default(), |sum, one| sum.plus(*one));
    (load.totals, load.spread) = (vec![sum(&load.totals)], vec![sum(&load.spread)]);
    let mut cells: Vec<Cell> = Vec::new();
    for cell in tally.estimated_cells() {
        match cells.last_mut().filter(|last| last.window == cell.window) {
            Some(last) => {
                last.records = last.records.saturating_add(cell.records);
                last.bytes = last.bytes.saturating_add(cell.bytes);
            }
            None => cells.push(Cell { shard: 0, ..cell }),
        }
    }
    tumbling::project(&load, cells.into_iter(), tally, &limits).into_iter().next()
}
