//! How well a log that says where its records went agrees with a map, where it does not, and why.

use super::csv::field;
use super::fullest::called;
use super::json::{Columns, pretty};
use super::number::{grouped, percent, plural};
use super::printable::{fitted, printable};
use super::table::{Column, lines, wrapped};
use super::{Rejected, text};
use crate::shards::ShardMap;
use crate::source::Taken;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// Pairs of shards that a screen has room for.
const SHOWN: usize = 10;

/// Columns of a shard's name.
const NAME: usize = 20;

/// Columns of a key.
const KEY: usize = 48;

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

#[derive(Serialize)]
struct Document<'a> {
    system: &'static str,
    shards: usize,
    partitioner: Option<&'static str>,
    columns: Columns<'a>,
    rows: u64,
    compared: u64,
    agreed: u64,
    agreement: f64,
    unobserved: u64,
    unassigned: u64,
    rejected: BTreeMap<&'static str, u64>,
    shards_named_by: &'static str,
    disagreements: Vec<Row>,
    pairs: Vec<PairRow>,
    pairs_left_out: u64,
    causes: Vec<CauseRow<'a>>,
}

#[derive(Serialize)]
struct Row {
    row: u64,
    key: Option<String>,
    observed: String,
    predicted: String,
}

#[derive(Serialize)]
struct PairRow {
    observed: String,
    predicted: String,
    rows: u64,
}

#[derive(Serialize)]
struct CauseRow<'a> {
    code: &'static str,
    message: &'a str,
    options: Option<&'a str>,
    explains: u64,
    of: u64,
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

    /// The verification as text for a screen of 100 columns: the agreement, the likely causes, the
    /// pairs of shards with most rows that disagree, and the first of these rows.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut paragraph = |line: &str, indent| {
            for line in wrapped(line, indent) {
                text.push_str(line.trim_end());
                text.push('\n');
            }
        };
        let shards = plural(self.map.len() as u64, self.map.system().shard_word());
        let by = self.map.partitioner().map_or_else(String::new, |by| format!(" by {by}"));
        paragraph(
            &format!(
                "{} of {shards}{by}: {} of {} went where it says ({})",
                self.map.system().whole(),
                grouped(self.agreed),
                plural(self.compared, "row"),
                exact_percent(self.agreement()),
            ),
            0,
        );
        for (count, what) in [
            (self.unobserved, "name no shard"),
            (self.unassigned, "have no shard of their own: the producer spreads them"),
        ] {
            if count > 0 {
                paragraph(&format!("- {} more {what}", plural(count, "row")), 2);
            }
        }
        for rejected in &self.rejected {
            let why = rejected.reason.explanation(self.map.system());
            paragraph(&format!("- {} could not be used: {why}", plural(rejected.count, "row")), 2);
        }
        if self.naming == Naming::Index {
            paragraph("- the log names shards by their index, not by their id", 2);
        }
        paragraph(&format!("Columns: {}", text::taken(&self.columns)), 0);
        if self.disagreed() > 0 {
            paragraph("", 0);
            let lead = if self.causes.is_empty() {
                "No cause that was tested explains the rows that disagree"
            } else {
                "Likely causes"
            };
            paragraph(lead, 0);
            for cause in &self.causes {
                let share = percent(cause.share());
                paragraph(&format!("- {} ({share} of the rows that disagree)", cause.message), 2);
                if let Some(options) = &cause.options {
                    paragraph(&format!("  type {options}"), 2);
                }
            }
        }
        if self.disagreed() > 0 {
            self.tables(&mut text);
        }
        text
    }

    fn tables(&self, text: &mut String) {
        let mut table = |head: &str, columns: &[Column]| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "\n{head}");
            for line in lines(columns) {
                text.push_str(line.trim_end());
                text.push('\n');
            }
        };
        let shown = &self.pairs[..self.pairs.len().min(SHOWN)];
        let all = self.disagreed().max(1) as f64;
        let parts: Vec<f64> = shown.iter().map(|pair| pair.rows as f64 / all).collect();
        let head = match self.pairs.len() - shown.len() {
            0 => "Where they went instead".to_owned(),
            more => {
                format!("Where they went instead ({} less frequent left out)", grouped(more as u64))
            }
        };
        table(
            &head,
            &[
                Column::right(
                    ["", "observed"],
                    shown.iter().map(|pair| name(&pair.observed)).collect(),
                ),
                Column::right(
                    ["", "predicted"],
                    shown.iter().map(|pair| self.shown(pair.predicted)).collect(),
                ),
                Column::right(["", "rows"], shown.iter().map(|pair| grouped(pair.rows)).collect()),
                Column::bars(&parts),
            ],
        );
        let first = &self.disagreements;
        table(
            "The first of them",
            &[
                Column::right(["", "row"], first.iter().map(|of| grouped(of.row)).collect()),
                Column::left(
                    ["", "key"],
                    first.iter().map(|of| fitted(&shown_key(of.key.as_deref()), KEY)).collect(),
                ),
                Column::right(
                    ["", "observed"],
                    first.iter().map(|of| name(&of.observed)).collect(),
                ),
                Column::right(
                    ["", "predicted"],
                    first.iter().map(|of| self.shown(of.predicted)).collect(),
                ),
            ],
        );
    }

    fn shown(&self, index: u32) -> String {
        name(self.id(index).as_bytes())
    }

    /// The verification as JSON: `system`, `shards`, `partitioner`, `columns`, `rows`, `compared`,
    /// `agreed`, `agreement`, `unobserved`, `unassigned`, `rejected`, `shards_named_by`, the first
    /// `disagreements` (`row`, `key`, `observed`, `predicted`), `pairs` (`observed`, `predicted`,
    /// `rows`), and `causes` (`code`, `message`, the `options` of a map that fits, and
    /// `explains` so many `of` so many).
    pub fn to_json(&self) -> String {
        pretty(&Document {
            system: self.map.system().name(),
            shards: self.map.len(),
            partitioner: self.map.partitioner().map(crate::shards::Partitioner::name),
            columns: Columns::of(&self.columns),
            rows: self.rows,
            compared: self.compared,
            agreed: self.agreed,
            agreement: self.agreement(),
            unobserved: self.unobserved,
            unassigned: self.unassigned,
            rejected: self.rejected.iter().map(|one| (one.reason.name(), one.count)).collect(),
            shards_named_by: self.naming.name(),
            disagreements: self
                .disagreements
                .iter()
                .map(|of| Row {
                    row: of.row,
                    key: of.key.as_deref().map(printable),
                    observed: printable(&of.observed),
                    predicted: self.id(of.predicted).to_owned(),
                })
                .collect(),
            pairs: self
                .pairs
                .iter()
                .map(|pair| PairRow {
                    observed: printable(&pair.observed),
                    predicted: self.id(pair.predicted).to_owned(),
                    rows: pair.rows,
                })
                .collect(),
            pairs_left_out: self.pairs_left_out,
            causes: self
                .causes
                .iter()
                .map(|cause| CauseRow {
                    code: cause.code,
                    message: &cause.message,
                    options: cause.options.as_deref(),
                    explains: cause.explains,
                    of: cause.of,
                })
                .collect(),
        })
    }

    /// The pairs as CSV with a head line, columns as in the JSON.
    pub fn to_csv(&self) -> String {
        let mut text = "observed,predicted,rows\n".to_owned();
        for pair in &self.pairs {
            let observed = String::from_utf8_lossy(&pair.observed);
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{},{},{}",
                field(&observed),
                field(self.id(pair.predicted)),
                pair.rows
            );
        }
        text
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

/// The name of a shard, in as many columns as any service's ids take.
fn name(name: &[u8]) -> String {
    fitted(&printable(name), NAME)
}

fn shown_key(key: Option<&[u8]>) -> String {
    key.map_or_else(|| "(null)".to_owned(), printable)
}

/// A share that is not rounded to all or to nothing.
pub(super) fn exact_percent(share: f64) -> String {
    if share > 0.0 && share < 1.0 && !(0.0005..0.9995).contains(&share) {
        return format!("{:.4}%", 100.0 * share);
    }
    percent(share)
}
