//! The report for programs.

mod asked;
mod shards;
mod timeline;
mod times;
mod visible;

use super::Report;
use super::csv::hex;
use super::instant::rfc3339;
use super::map::MapRules;
use super::printable::printable;
use super::text::applied;
use crate::projection::{self, BindingLimit, ShardProjection};
use crate::shards::System;
use crate::source::Taken;
use crate::tally::HotKey;
use asked::Reads;
use serde::Serialize;
use serde_json::Number;
use shards::Shards;
use std::collections::BTreeMap;
use std::time::Duration;
use timeline::{Minute, ThrottledKeys};
use times::Times;
use visible::Visible;

impl Report {
    /// The report as JSON. Numbers are numbers, times are RFC 3339 in UTC, and what is not known
    /// is null. A key that is not UTF-8 is shown with `\xff` for its odd bytes and whole in
    /// `key_hex`, which other keys lack.
    pub fn to_json(&self) -> String {
        pretty(&Document::of(self))
    }
}

/// `document` as JSON over several lines.
pub(super) fn pretty(document: &impl Serialize) -> String {
    let mut out = Vec::new();
    let mut json = serde_json::Serializer::with_formatter(&mut out, Visible::default());
    // It fails only for a map whose keys are not text, or a writer that fails; neither is here.
    if document.serialize(&mut json).is_err() {
        return "null\n".to_owned();
    }
    out.push(b'\n');
    String::from_utf8_lossy(&out).into_owned()
}

#[derive(Serialize)]
struct Document<'a> {
    system: &'static str,
    map: Map,
    input: Input<'a>,
    limits: BTreeMap<&'static str, Limit<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit_rule: Option<&'static str>,
    model: &'static str,
    /// Of a model that has some.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    model_parameters: BTreeMap<&'static str, u64>,
    window_seconds: Number,
    scale: f64,
    retry: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reads: Option<Reads>,
    shards: Shards<'a>,
    hot_keys: Vec<Key<'a>>,
    hot_keys_by_shard: BTreeMap<u32, Vec<Key<'a>>>,
    projection: Projection,
    timeline: Vec<Minute<'a>>,
    throttled_keys: ThrottledKeys<'a>,
    warnings: Vec<Warning>,
}

#[derive(Serialize)]
struct Warning {
    code: &'static str,
    message: String,
}

/// How well the log's own shards agree with the map.
#[derive(Serialize)]
struct Agreement {
    compared: u64,
    agreed: u64,
    share: f64,
}

#[derive(Serialize)]
struct Map {
    shards: usize,
    closed_shards: usize,
    #[serde(flatten)]
    rules: MapRules,
}

#[derive(Serialize)]
struct Input<'a> {
    rows: u64,
    records: u64,
    bytes: u64,
    unassigned: u64,
    unassigned_bytes: u64,
    rejected: BTreeMap<&'static str, u64>,
    rejected_rows: BTreeMap<&'static str, &'a [u64]>,
    /// The names of the formats and of the codecs, with commas between them; null for what is no
    /// file.
    format: Option<String>,
    codec: Option<String>,
    faults: &'a [String],
    columns: Columns<'a>,
    agreement: Option<Agreement>,
    distinct_keys: Option<u64>,
    distinct_keys_are_exact: Option<bool>,
    first_time: Option<String>,
    last_time: Option<String>,
    out_of_order: u64,
    max_lateness_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    aggregated_records: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kinesis_records: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<Times>,
}

#[derive(Serialize)]
pub(super) struct Columns<'a> {
    key: &'a str,
    bytes: Option<&'a str>,
    time: Option<&'a str>,
    weight: Option<&'a str>,
    explicit_hash_key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    salt: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<&'a str>,
    guessed: &'a [String],
}

#[derive(Serialize)]
struct Limit<'a> {
    value: u64,
    source: &'a str,
    date: Option<&'a str>,
}

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the names are those of the JSON")]
struct Key<'a> {
    key: std::borrow::Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_hex: Option<String>,
    records: u64,
    bytes: u64,
    share: Option<f64>,
    shard: u32,
    error: u64,
}

#[derive(Serialize)]
struct Projection {
    throttle_records_per_second: Option<f64>,
    shard: Option<u32>,
    binding_limit: Option<&'static str>,
    headroom: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<Stream>,
}

/// The whole stream against limits of its own.
#[derive(Serialize)]
struct Stream {
    peak_records_per_second: Option<f64>,
    peak_bytes_per_second: Option<f64>,
    throttled_records: Option<u64>,
    throttled_seconds: Option<f64>,
    first_throttle: Option<String>,
    headroom: Option<f64>,
}

fn id(report: &Report, index: u32) -> &str {
    report.map.shard(index).map_or("", |shard| &shard.id)
}

impl Stream {
    fn of(stream: &ShardProjection) -> Self {
        Self {
            peak_records_per_second: stream.peak_records_per_second,
            peak_bytes_per_second: stream.peak_bytes_per_second,
            throttled_records: stream.throttled_records,
            throttled_seconds: stream.throttled_seconds,
            first_throttle: stream.first_throttle.map(rfc3339),
            headroom: stream.headroom,
        }
    }
}

impl<'a> Document<'a> {
    fn of(report: &'a Report) -> Self {
        let projection = &report.projection;
        let keys = |keys: &'a [HotKey]| -> Vec<Key<'a>> {
            keys.iter().map(|key| Key::of(key, report.input.records)).collect()
        };
        Self {
            system: report.map.system().name(),
            map: Map {
                shards: report.map.len(),
                closed_shards: report.map.shards().len() - report.map.len(),
                rules: MapRules::of(&report.map),
            },
            input: Input::of(report),
            limits: limits(projection),
            unit_rule: (report.map.system() == System::DynamoDb)
                .then(|| projection.limits.unit_rule().name()),
            model: projection.conditions.model.name(),
            model_parameters: projection
                .conditions
                .model
                .parameters(&projection.limits)
                .into_iter()
                .collect(),
            window_seconds: seconds(report.window),
            scale: projection.conditions.scale.value(),
            retry: projection.conditions.retry,
            reads: projection.conditions.reads.map(Reads::of),
            shards: Shards(report),
            hot_keys: keys(&report.hot_keys),
            hot_keys_by_shard: (0..)
                .zip(&report.hot_keys_by_shard)
                .filter(|(_, of)| !of.is_empty())
                .map(|(shard, of)| (shard, keys(of)))
                .collect(),
            projection: Projection {
                throttle_records_per_second: projection.throttle_records_per_second,
                shard: projection.shard,
                binding_limit: projection.binding_limit.map(BindingLimit::name),
                headroom: projection.headroom,
                stream: projection.stream.as_ref().map(Stream::of),
            },
            timeline: report
                .timeline
                .minutes
                .iter()
                .map(|minute| Minute::of(report, minute))
                .collect(),
            throttled_keys: ThrottledKeys::of(report),
            warnings: report
                .warnings()
                .into_iter()
                .map(|warning| Warning { code: warning.code, message: warning.message })
                .collect(),
        }
    }
}

impl<'a> Input<'a> {
    fn of(report: &'a Report) -> Self {
        let (input, keys) = (&report.input, report.distinct_keys.as_ref());
        let aggregated = input.aggregated_records > 0;
        Self {
            rows: input.rows,
            records: input.records,
            bytes: input.bytes,
            unassigned: input.unassigned,
            unassigned_bytes: input.unassigned_bytes,
            rejected: input.rejected.iter().map(|one| (one.reason.name(), one.count)).collect(),
            rejected_rows: input
                .rejected
                .iter()
                .map(|one| (one.reason.name(), one.first_rows.as_slice()))
                .collect(),
            format: listed(input.written.iter().map(|written| written.format.name())),
            codec: listed(input.written.iter().map(|written| written.codec.name())),
            faults: &input.faults,
            columns: Columns::of(&input.columns),
            agreement: input.agreement.map(|agreement| Agreement {
                compared: agreement.compared,
                agreed: agreement.agreed,
                share: agreement.share(),
            }),
            distinct_keys: keys.map(|keys| keys.all),
            distinct_keys_are_exact: keys.map(|keys| keys.is_exact),
            first_time: input.first_time.map(rfc3339),
            last_time: input.last_time.map(rfc3339),
            out_of_order: input.out_of_order,
            max_lateness_seconds: input.max_lateness.as_secs_f64(),
            aggregated_records: aggregated.then_some(input.aggregated_records),
            kinesis_records: aggregated
                .then(|| input.records.saturating_sub(input.carried_records)),
            times: Times::of(&input.time_notes),
        }
    }
}

/// Names with commas between them, each once; `None` if there is none.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut list: Vec<&str> = Vec::new();
    for name in names {
        if !list.contains(&name) {
            list.push(name);
        }
    }
    (!list.is_empty()).then(|| list.join(", "))
}

impl<'a> Columns<'a> {
    pub(super) fn of(taken: &'a Taken) -> Self {
        Self {
            key: &taken.key,
            bytes: taken.bytes.as_deref(),
            time: taken.time.as_deref(),
            weight: taken.weight.as_deref(),
            explicit_hash_key: taken.explicit_hash_key.as_deref(),
            salt: taken.salt.as_deref(),
            operation: taken.operation.as_deref(),
            shard: taken.shard.as_deref(),
            payload: taken.payload.as_deref(),
            guessed: &taken.guessed,
        }
    }
}

/// Whole seconds as a whole number.
fn seconds(length: Duration) -> Number {
    match length.subsec_nanos() {
        0 => length.as_secs().into(),
        // No length of time is infinite.
        _ => Number::from_f64(length.as_secs_f64()).unwrap_or_else(|| 0.into()),
    }
}

fn limits(projection: &projection::Projection) -> BTreeMap<&'static str, Limit<'_>> {
    applied(projection)
        .map(|(name, limit)| {
            let date = Some(limit.date.as_ref()).filter(|date| !date.is_empty());
            (name, Limit { value: limit.value, source: &limit.source, date })
        })
        .collect()
}

impl<'a> Key<'a> {
    fn of(key: &'a HotKey, records: u64) -> Self {
        Self::with_share(key, (records > 0).then(|| key.records as f64 / records as f64))
    }

    fn with_share(key: &'a HotKey, share: Option<f64>) -> Self {
        let (text, hex) = match std::str::from_utf8(&key.key) {
            Ok(text) => (text.into(), None),
            Err(_) => (printable(&key.key).into(), Some(hex(&key.key))),
        };
        Self {
            key: text,
            key_hex: hex,
            records: key.records,
            bytes: key.bytes,
            share,
            shard: key.shard,
            error: key.error,
        }
    }
}
