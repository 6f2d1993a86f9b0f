//! How well a log that says where its records went agrees with a map, where it does not, and why.

mod json;
mod text;

pub(super) use text::exact_percent;

use super::Rejected;
use super::fullest::called;
use super::number::{grouped, plural};
use super::printable::printable;
use crate::shards::ShardMap;
use crate::source::Taken;
use std::sync::Arc;

/// How a log names shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// By the id that the service gave, or the number at its end.
    Id,
    /// By its place among the shards that take writes, from 0.
    Index,
}

impl Naming {
    /// The way's name: `id` or `index`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Index => "index",
        }
    }
}

/// A row that went elsewhere than the map says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// Number of the row, from 1.
    pub row: u64,
    /// Its key, if it has one.
    pub key: Option<Vec<u8>>,
    /// The shard that the log names.
    pub observed: Vec<u8>,
    /// Index of the shard that the map says.
    pub predicted: u32,
}

/// Rows that went to one shard and not to the one that the map says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The shard that the log names.
    pub observed: Vec<u8>,
    /// Index of the shard that the map says.
    pub predicted: u32,
    /// How many.
    pub rows: u64,
}

/// Why rows disagree, as far as it explains them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// What it is, such as `partition_count`.
    pub code: &'static str,
    /// The same in words.
    pub message: String,
    /// What to type for a map that fits, if that is known.
    pub options: Option<String>,
    /// How many of the rows that it was tested on it explains.
    pub explains: u64,
    /// How many it was tested on: of rows that disagree, or of a sample of their keys.
    pub of: u64,
}

impl Cause {
    /// The part of the rows that it explains, from 0 to 1.
    pub fn share(&self) -> f64 {
        if self.of == 0 { 0.0 } else { self.explains as f64 / self.of as f64 }
    }
}

/// A log that says where its records went, held against a map.
#[derive(Debug, Clone)]
pub struct Verification {
    /// The map.
    pub map: Arc<ShardMap>,
    /// The columns that were taken.
    pub columns: Taken,
    /// Rows read.
    pub rows: u64,
    /// Rows that name a shard and have one of their own by the map.
    pub compared: u64,
    /// Of these, the rows that went where the map says.
    pub agreed: u64,
    /// Rows that name no shard.
    pub unobserved: u64,
    /// Rows that have no shard of their own, since the system spreads them.
    pub unassigned: u64,
    /// Rows that could not be used.
    pub rejected: Vec<Rejected>,
    /// How the log names shards.
    pub naming: Naming,
    /// The first rows that disagree.
    pub disagreements: Vec<Disagreement>,
    /// Where rows that disagree went instead, the largest first.
    pub pairs: Vec<Pair>,
    /// Rows of pairs that came when too many others were being counted.
    pub pairs_left_out: u64,
    /// The likely causes, the likeliest first.
    pub causes: Vec<Cause>,
}

impl Verification {
    /// The part of the rows compared that went where the map says, from 0 to 1.
    pub fn agreement(&self) -> f64 {
        if self.compared == 0 { 0.0 } else { self.agreed as f64 / self.compared as f64 }
    }

    /// Rows that went elsewhere.
    pub fn disagreed(&self) -> u64 {
        self.compared - self.agreed
    }

    /// The id of the shard with index `index`.
    pub fn id(&self, index: u32) -> &str {
        self.map.shard(index).map_or("", |shard| &shard.id)
    }

    /// The agreement in one sentence.
    pub fn verdict(&self) -> String {
        match self.disagreements.first() {
            None => format!("all {} agree", plural(self.compared, "row")),
            Some(first) => format!(
                "{} of {} disagree; the first is row {}, which went to {} and not to {}",
                grouped(self.disagreed()),
                plural(self.compared, "row"),
                first.row,
                printable(&first.observed),
                called(&self.map, first.predicted)
            ),
        }
    }
}
