//! What a user would want to be warned of: keys that no number of shards can spread, and answers
//! that the input cannot give.

use super::Report;
use super::fullest::called;
use super::number::{grouped, percent, plural, times};
use super::printable::{fitted, printable};
use crate::projection::BindingLimit;
use crate::shards::System;
use crate::tally::HotKey;

/// Fewer keys for each shard cannot be expected to spread evenly.
const KEYS_A_SHARD: u64 = 10;

/// Fewer records for each shard say nothing of the keys.
const RECORDS_A_SHARD: u64 = 10;

/// A key with a larger part of all records makes the key column a constant.
const CONSTANT: f64 = 0.9;

/// A log whose rows went where the map says less often is of another map.
const AGREES: f64 = 0.99;

/// The key of what Amazon's producer library put several records into.
const PLACEHOLDER: &[u8] = b"a";

/// A larger part of all records is more than a key of one letter usually has.
const PLACEHOLDERS: f64 = 0.05;

/// Columns of a key in a sentence.
const KEY: usize = 40;

/// Something to be warned of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// What it is, for programs: `no_times`, `no_sizes`, `shards_disagree`,
    /// `placeholder_keys`, `constant_key`, `key_above_limit`, `few_keys`, `empty_shards` or `numeric_keys`.
    pub code: &'static str,
    /// The same in words, and what to do.
    pub message: String,
}

impl Warning {
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl Report {
    /// What to be warned of.
    ///
    /// ```
    /// use shardlane::arrow::array::{ArrayRef, StringArray};
    /// use shardlane::engine::{ReplayOptions, replay};
    /// use shardlane::source::Batches;
    /// use shardlane::{EvenRule, ShardMap};
    /// use std::ops::ControlFlow;
    /// use std::sync::Arc;
    ///
    /// let keys: ArrayRef = Arc::new(StringArray::from(vec!["US"; 100]));
    /// let map = ShardMap::kinesis(4, EvenRule::FixedStep)?;
    /// let to_the_end = &mut |_| ControlFlow::Continue(());
    /// let mut log = Batches::of_keys(vec![keys])?;
    /// let (_, report) = replay(map, &mut log, &ReplayOptions::default(), to_the_end)?;
    /// assert!(report.warnings().iter().any(|warning| warning.code == "constant_key"));
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn warnings(&self) -> Vec<Warning> {
        let all = [
            no_times(self),
            no_sizes(self),
            shards_disagree(self),
            placeholder_keys(self),
            constant_key(self),
            key_above_limit(self),
            few_keys(self),
            empty_shards(self),
            numeric_keys(self),
        ];
        all.into_iter().flatten().collect()
    }

    /// Whether there are enough records for the keys to show how they spread.
    fn is_telling(&self) -> bool {
        self.input.records >= RECORDS_A_SHARD.saturating_mul(self.map.len() as u64)
    }
}

fn no_times(report: &Report) -> Option<Warning> {
    if report.input.columns.time.is_some() {
        return None;
    }
    Some(Warning::new(
        "no_times",
        "no time column: peaks and throttles need one (--time COLUMN; time= in Python)",
    ))
}

fn no_sizes(report: &Report) -> Option<Warning> {
    if report.input.columns.bytes.is_some() || report.input.columns.payload.is_some() {
        return None;
    }
    Some(Warning::new(
        "no_sizes",
        "no size column: bytes count the keys only (--bytes COLUMN; bytes= in Python)",
    ))
}

/// The log says that its records went elsewhere.
fn shards_disagree(report: &Report) -> Option<Warning> {
    let agreement = report.input.agreement.filter(|agreement| agreement.share() < AGREES)?;
    let column = report.input.columns.shard.as_deref().unwrap_or("shard");
    Some(Warning::new(
        "shards_disagree",
        format!(
            "the log's own shard column, {}, agrees with this map for {} of {} only; shardlane verify \
             tells why (map.verify in Python)",
            printable(column.as_bytes()),
            percent(agreement.share()),
            plural(agreement.compared, "row")
        ),
    ))
}

/// Many records have the key that a producer library gives to what it put several into, and there
/// was no payload to look into.
fn placeholder_keys(report: &Report) -> Option<Warning> {
    let key = report.hot_keys.iter().find(|key| key.key == PLACEHOLDER)?;
    let share = key.records as f64 / report.input.records.max(1) as f64;
    let is_open = report.input.columns.payload.is_some();
    let is_many = share >= PLACEHOLDERS && key.records >= RECORDS_A_SHARD;
    if is_open || !is_many || report.map.system() != System::Kinesis {
        return None;
    }
    Some(Warning::new(
        "placeholder_keys",
        format!(
            "{} of the records have the key a, which Amazon's producer library gives to several \
             records that it put into one: then their own keys are in the payload (--payload COLUMN; \
             payload= in Python), and the load shown for this key is not where they went",
            percent(share)
        ),
    ))
}

/// Nearly all records have one key.
fn constant_key(report: &Report) -> Option<Warning> {
    let top = report.hot_keys.first()?;
    let share = top.records as f64 / report.input.records.max(1) as f64;
    if share <= CONSTANT || report.input.records < RECORDS_A_SHARD || report.map.len() < 2 {
        return None;
    }
    Some(Warning::new(
        "constant_key",
        format!(
            "{} of the records have the key {}: the column {} is nearly constant, and one {} takes \
             them all",
            percent(share),
            shown(top),
            printable(report.input.columns.key.as_bytes()),
            report.map.system().shard_word()
        ),
    ))
}

/// One key would be over the limit if its shard had nothing else.
fn key_above_limit(report: &Report) -> Option<Warning> {
    let load = |key: &HotKey| {
        let shard = report.projection.shards.get(key.shard as usize)?;
        let (of_key, of_shard, what) = match shard.binding_limit? {
            BindingLimit::Bytes => (key.bytes, shard.totals.bytes, "bytes"),
            _ => (key.records, shard.totals.records, "records"),
        };
        let share = of_key as f64 / of_shard.max(1) as f64;
        // How many times the limit the shard's busiest window is.
        let peak = 1.0 / shard.headroom.filter(|headroom| *headroom > 0.0)?;
        Some((share * peak, share, what))
    };
    let loads = report.hot_keys.iter().filter_map(|key| Some((load(key)?, key)));
    let highest = loads.max_by(|((one, ..), _), ((other, ..), _)| one.total_cmp(other));
    let ((load, share, what), key) = highest?;
    if load <= 1.0 {
        return None;
    }
    let word = report.map.system().shard_word();
    Some(Warning::new(
        "key_above_limit",
        format!(
            "the key {} alone is over the limit of a {word}: {} of it in the busiest window of {} (its \
             {} of the {word}'s {what}, times that peak); more {word}s will not help, only another \
             key or a salt (--salt-by)",
            shown(key),
            times(load),
            called(&report.map, key.shard),
            percent(share),
        ),
    ))
}

/// Too few different keys to spread over the shards.
fn few_keys(report: &Report) -> Option<Warning> {
    let keys = report.distinct_keys.as_ref()?;
    let shards = report.map.len() as u64;
    if shards < 2 || keys.all >= KEYS_A_SHARD * shards || !report.is_telling() {
        return None;
    }
    let word = report.map.system().shard_word();
    Some(Warning::new(
        "few_keys",
        format!(
            "only {} for {}: with fewer than {KEYS_A_SHARD} a {word} the load depends on where a few \
             keys happen to fall; take a key with more values",
            plural(keys.all, "distinct key"),
            plural(shards, word)
        ),
    ))
}

/// Shards that no key reaches.
fn empty_shards(report: &Report) -> Option<Warning> {
    let idle = |shard: &&crate::projection::ShardProjection| {
        shard.totals.records == 0 && shard.spread.records == 0
    };
    let idle = report.projection.shards.iter().filter(idle).count() as u64;
    if idle == 0 || !report.is_telling() {
        return None;
    }
    let word = report.map.system().shard_word();
    let why = match report.map.buckets() {
        Some(buckets) if u64::from(buckets) < report.map.len() as u64 => {
            format!(": there are only {} for them", plural(buckets.into(), "bucket"))
        }
        _ => ": no key of this log goes there".to_owned(),
    };
    Some(Warning::new(
        "empty_shards",
        format!("{} of {} take nothing{why}", grouped(idle), plural(report.map.len() as u64, word)),
    ))
}

/// Keys that a producer may have written as numbers.
fn numeric_keys(report: &Report) -> Option<Warning> {
    let is_number = |key: &HotKey| {
        let digits = key.key.strip_prefix(b"-").unwrap_or(&key.key);
        !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
    };
    let is_kafka = report.map.system() == System::Kafka;
    if !is_kafka || report.hot_keys.len() < 3 || !report.hot_keys.iter().all(is_number) {
        return None;
    }
    Some(Warning::new(
        "numeric_keys",
        "the keys are whole numbers as text: producers that write them as numbers (LongSerializer) \
         reach other partitions (--key-serializer long; key_serializer= in Python)",
    ))
}

/// A key in a sentence.
fn shown(key: &HotKey) -> String {
    fitted(&printable(&key.key), KEY)
}
