//! An inference for programs.

use super::{Candidate, Inference};
use crate::keys::KeySerializer;
use crate::report::csv::field;
use crate::report::json::{Columns, pretty};
use crate::report::printable::printable;
use crate::shards::Partitioner;
use serde::Serialize;
use std::fmt::Write;

#[derive(Serialize)]
struct Document<'a> {
    fits: bool,
    rows: u64,
    observed: u64,
    keyless: u64,
    sampled: u64,
    at_several_shards: u64,
    columns: Columns<'a>,
    candidates: Vec<Rule>,
    are_ranges: bool,
    shards: Vec<Seen>,
}

#[derive(Serialize)]
struct Rule {
    system: &'static str,
    partitioner: Option<&'static str>,
    aliases: Vec<&'static str>,
    buckets: Option<u32>,
    shards: usize,
    key_serializer: Option<&'static str>,
    key_form: &'static str,
    agreed: u64,
    of: u64,
    agreement: f64,
    options: String,
}

#[derive(Serialize)]
struct Seen {
    name: String,
    rows: u64,
    first_hash: String,
    last_hash: String,
}

impl Rule {
    fn of(candidate: &Candidate) -> Self {
        let partitioner = candidate.partitioner;
        Self {
            system: candidate.system.name(),
            partitioner: partitioner.map(Partitioner::name),
            aliases: partitioner.into_iter().flat_map(Partitioner::aliases).collect(),
            buckets: candidate.buckets,
            shards: candidate.shards,
            key_serializer: candidate.form.serializer().map(KeySerializer::name),
            key_form: candidate.form.explanation(),
            agreed: candidate.agreed,
            of: candidate.rows,
            agreement: candidate.agreement(),
            options: candidate.options(),
        }
    }
}

impl Inference {
    /// What was found as JSON: `fits`, `rows`, `observed`, `keyless`, `sampled`,
    /// `at_several_shards`, `columns`, `candidates` (`system`, `partitioner`, `aliases`, `buckets`,
    /// `shards`, `key_serializer`, `key_form`, `agreed`, `of`, `agreement`, `options`),
    /// `are_ranges`, and `shards` (`name`, `rows`, `first_hash` and `last_hash` as decimal text).
    pub fn to_json(&self) -> String {
        pretty(&Document {
            fits: self.fits(),
            rows: self.rows,
            observed: self.observed,
            keyless: self.keyless,
            sampled: self.sampled,
            at_several_shards: self.at_several,
            columns: Columns::of(&self.columns),
            candidates: self.candidates.iter().map(Rule::of).collect(),
            are_ranges: self.are_ranges,
            shards: self
                .shards
                .iter()
                .map(|shard| Seen {
                    name: printable(&shard.name),
                    rows: shard.rows,
                    first_hash: shard.first_hash.to_string(),
                    last_hash: shard.last_hash.to_string(),
                })
                .collect(),
        })
    }

    /// The candidates as CSV with a head line.
    pub fn to_csv(&self) -> String {
        let mut text = "system,partitioner,buckets,shards,key_form,agreed,of,options\n".to_owned();
        for of in &self.candidates {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{}",
                of.system,
                of.partitioner.map_or("", Partitioner::name),
                of.buckets.map_or_else(String::new, |buckets| buckets.to_string()),
                of.shards,
                field(of.form.explanation()),
                of.agreed,
                of.rows,
                field(&of.options())
            );
        }
        text
    }
}
