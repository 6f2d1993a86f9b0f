//! A verification for programs.

use super::Verification;
use crate::report::csv::field;
use crate::report::json::{Columns, pretty};
use crate::report::printable::printable;
use crate::shards::Partitioner;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

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
    disagreements: Vec<Disagreeing>,
    pairs: Vec<Instead>,
    pairs_left_out: u64,
    causes: Vec<Why<'a>>,
}

#[derive(Serialize)]
struct Disagreeing {
    row: u64,
    key: Option<String>,
    observed: String,
    predicted: String,
}

#[derive(Serialize)]
struct Instead {
    observed: String,
    predicted: String,
    rows: u64,
}

#[derive(Serialize)]
struct Why<'a> {
    code: &'static str,
    message: &'a str,
    options: Option<&'a str>,
    explains: u64,
    of: u64,
}

impl Verification {
    /// The verification as JSON: `system`, `shards`, `partitioner`, `columns`, `rows`, `compared`,
    /// `agreed`, `agreement`, `unobserved`, `unassigned`, `rejected`, `shards_named_by`, the first
    /// `disagreements` (`row`, `key`, `observed`, `predicted`), `pairs` (`observed`, `predicted`,
    /// `rows`), and `causes` (`code`, `message`, the `options` of a map that fits, and
    /// `explains` so many `of` so many).
    pub fn to_json(&self) -> String {
        pretty(&Document {
            system: self.map.system().name(),
            shards: self.map.len(),
            partitioner: self.map.partitioner().map(Partitioner::name),
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
                .map(|of| Disagreeing {
                    row: of.row,
                    key: of.key.as_deref().map(printable),
                    observed: printable(&of.observed),
                    predicted: self.id(of.predicted).to_owned(),
                })
                .collect(),
            pairs: self
                .pairs
                .iter()
                .map(|pair| Instead {
                    observed: printable(&pair.observed),
                    predicted: self.id(pair.predicted).to_owned(),
                    rows: pair.rows,
                })
                .collect(),
            pairs_left_out: self.pairs_left_out,
            causes: self
                .causes
                .iter()
                .map(|cause| Why {
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
}
