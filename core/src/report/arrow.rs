//! The report's tables as Arrow record batches, for Python and for whoever else speaks Arrow.
//!
//! Counts are `UInt64`, rates and shares `Float64`, times `Timestamp(Microsecond, "UTC")`; what is
//! not known is null. A table has the same columns and types whatever the log holds.
//!
//! ```
//! use shardlane::report::arrow::map_shards;
//! use shardlane::{EvenRule, ShardMap};
//!
//! let table = map_shards(&ShardMap::kinesis(4, EvenRule::FixedStep)?)?;
//! assert_eq!((table.num_rows(), table.num_columns()), (4, 8));
//! # Ok::<(), shardlane::Error>(())
//! ```

#[cfg(feature = "files")]
mod routed;
mod verified;

#[cfg(feature = "files")]
pub use routed::{RoutedFormat, RoutedWriter};
pub use verified::{candidates, causes, disagreements, pairs, seen_shards};

use super::printable::printable;
use super::waiting::{Asked, Value, asked};
use super::{Comparison, Report, Skew};
use crate::error::{Error, ErrorKind, Result};
use crate::projection::{BindingLimit, Projection, moments, throttles as projected_throttles};
use crate::shards::ShardMap;
use crate::tally::{HotKey, Tally};
use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Float64Array, ListBuilder, RecordBatch, StringArray,
    StringBuilder, TimestampMicrosecondArray, UInt32Array, UInt64Array,
};
use arrow::datatypes::{Field, Schema};
use std::sync::Arc;

/// The shards of a map: `index` (null for those that take no writes), `id`, `start`, `end` (text, as
/// the service writes its ranges: [`boundaries`](crate::Shard::boundaries); null for Kafka), `state`, `parent`, `adjacent_parent`, `share` of all hash values.
///
/// # Errors
/// `Internal` if the columns do not make a table, which would be a fault of shardlane.
pub fn map_shards(map: &ShardMap) -> Result<RecordBatch> {
    let shards = || map.shards().iter();
    let boundaries = || shards().map(|shard| shard.boundaries(map.system()));
    let open = map.len();
    table(vec![
        (
            "index",
            true,
            Arc::new(
                shards()
                    .enumerate()
                    .map(|(i, _)| (i < open).then_some(i as u32))
                    .collect::<UInt32Array>(),
            ),
        ),
        ("id", false, text(shards().map(|shard| Some(shard.id.as_str())))),
        ("start", true, text(boundaries().map(|range| range.map(|(start, _)| start)))),
        ("end", true, text(boundaries().map(|range| range.map(|(_, end)| end)))),
        ("state", false, text(shards().map(|shard| Some(shard.state.name(map.system()))))),
        ("parent", true, text(shards().map(|shard| shard.parent.as_deref()))),
        ("adjacent_parent", true, text(shards().map(|shard| shard.adjacent_parent.as_deref()))),
        ("share", false, floats(shards().map(|shard| Some(map.share_of(shard))))),
    ])
}

/// The order in which shards have to be read: `id`, `state`, `after` (the ids of its parents that
/// have to be read to their end before it), `depth`.
///
/// # Errors
/// `InvalidShardMap` if a shard is its own ancestor; `Internal` if the columns do not make a table,
/// which would be a fault of shardlane.
pub fn drain_order(map: &ShardMap) -> Result<RecordBatch> {
    let order = map.drain_order()?;
    let mut after = ListBuilder::new(StringBuilder::new());
    for drained in &order {
        after.append_value(drained.after.iter().map(Some));
    }
    let rows = || order.iter();
    table(vec![
        ("id", false, text(rows().map(|row| Some(row.shard.id.as_str())))),
        ("state", false, text(rows().map(|row| Some(row.shard.state.name(map.system()))))),
        ("after", false, Arc::new(after.finish())),
        ("depth", false, indices(rows().map(|row| row.depth as u32))),
    ])
}

/// What moves from where to where: `from`, `to` (shard ids; null for records without a shard of
/// their own), `keys`, `records`, `bytes`.
///
/// # Errors
/// `Internal` if the columns do not make a table, which would be a fault of shardlane.
pub fn flows(comparison: &Comparison) -> Result<RecordBatch> {
    let Comparison { before, after, .. } = comparison;
    let rows = || comparison.flows.iter();
    let id = |map: &Arc<ShardMap>, index: Option<u32>| {
        index.and_then(|index| map.shard(index)).map(|shard| shard.id.clone())
    };
    table(vec![
        ("from", true, text(rows().map(|row| id(before, row.from)))),
        ("to", true, text(rows().map(|row| id(after, row.to)))),
        ("keys", false, counts(rows().map(|row| Some(row.keys)))),
        ("records", false, counts(rows().map(|row| Some(row.records)))),
        ("bytes", false, counts(rows().map(|row| Some(row.bytes)))),
    ])
}

/// The fullest of each number of places: `places`, `even`, `median`, `p95`, `seed_0`,
/// `times_even`.
///
/// # Errors
/// `Internal` if the columns do not make a table, which would be a fault of shardlane.
pub fn fullest(skew: &Skew) -> Result<RecordBatch> {
    let rows = || skew.fullest.iter();
    table(vec![
        ("places", false, counts(rows().map(|row| Some(row.places as u64)))),
        ("even", false, floats(rows().map(|row| Some(row.even)))),
        ("median", false, floats(rows().map(|row| Some(row.median)))),
        ("p95", false, floats(rows().map(|row| Some(row.p95)))),
        ("seed_0", false, floats(rows().map(|row| Some(row.seed_0)))),
        ("times_even", false, floats(rows().map(|row| Some(row.times_even())))),
    ])
}

/// What each shard took in all: `index`, `id`, `records`, `bytes`, `share` of the records.
///
/// # Errors
/// `Internal` if the columns do not make a table, which would be a fault of shardlane.
pub fn totals(tally: &Tally) -> Result<RecordBatch> {
    let all = tally.records().max(1) as f64;
    let totals = || tally.totals().iter();
    let indices = 0..tally.totals().len() as u32;
    table(vec![
        ("index", false, Arc::new(UInt32Array::from_iter_values(indices))),
        ("id", false, text(tally.map().open_shards().map(|shard| Some(shard.id.as_str())))),
        ("records", false, counts(totals().map(|totals| Some(totals.records)))),
        ("bytes", false, counts(totals().map(|totals| Some(totals.bytes)))),
        ("share", false, floats(totals().map(|totals| Some(totals.records as f64 / all)))),
    ])
}

/// Hot keys: `key` (text; bytes that are not UTF-8 as `\xff`), `key_bytes`, `records`, `bytes`,
/// `share` of `all_records`, `shard` (its index), `error` (how many records the count may lack).
///
/// # Errors
/// `Internal` if the columns do not make a table, which would be a fault of shardlane.
pub fn hot_keys(keys: &[HotKey], all_records: u64) -> Result<RecordBatch> {
    let all = all_records.max(1) as f64;
    let bytes = keys.iter().map(|key| key.key.as_slice());
    table(vec![
        ("key", false, text(keys.iter().map(|key| Some(shown(key))))),
        ("key_bytes", false, Arc::new(BinaryArray::from_iter_values(bytes))),
        ("records", false, counts(keys.iter().map(|key| Some(key.records)))),
        ("bytes", false, counts(keys.iter().map(|key| Some(key.bytes)))),
        ("share", false, floats(keys.iter().map(|key| Some(key.records as f64 / all)))),
        ("shard", false, indices(keys.iter().map(|key| key.shard))),
        ("error", false, counts(keys.iter().map(|key| Some(key.error)))),
    ])
}

/// A key as text; bytes that are not UTF-8 as `\xff`.
fn shown(key: &HotKey) -> String {
    match std::str::from_utf8(&key.key) {
        Ok(text) => text.to_owned(),
        Err(_) => printable(&key.key),
    }
}

/// What each shard took in each window, empty ones left out: `window_start`, `shard` (its index),
/// `id`, `records`, `bytes`, `load` (as a part of the nearest limit), `throttled_records`,
/// `binding_limit`; in order of time, then of shard. No rows without a time column. `projection` says
/// the limits and the model.
///
/// # Errors
/// `Internal` if the columns do not make a table, which would be a fault of shardlane.
pub fn timeline(tally: &Tally, projection: &Projection) -> Result<RecordBatch> {
    let moments: Vec<_> = moments(tally, &projection.limits, &projection.conditions).collect();
    let rows = || moments.iter();
    let id = |index| tally.map().shard(index).map(|shard| shard.id.as_str());
    table(vec![
        ("window_start", false, instants(rows().map(|row| Some(row.window_start)))),
        ("shard", false, indices(rows().map(|row| row.shard))),
        ("id", true, text(rows().map(|row| id(row.shard)))),
        ("records", false, counts(rows().map(|row| Some(row.records)))),
        ("bytes", false, counts(rows().map(|row| Some(row.bytes)))),
        ("load", true, floats(rows().map(|row| row.load))),
        ("throttled_records", false, counts(rows().map(|row| Some(row.throttled_records)))),
        ("binding_limit", true, text(rows().map(|row| row.binding_limit.map(BindingLimit::name)))),
    ])
}

/// The windows in which a shard was over a limit: `window_start`, `shard` (its index), `id`,
/// `records` and `bytes` that came, `throttled_records`, `binding_limit`; in order of time, then of
/// shard. `projection` says the limits and the conditions.
///
/// # Errors
/// `Internal` if the columns do not make a table, which would be a fault of shardlane.
pub fn throttles(tally: &Tally, projection: &Projection) -> Result<RecordBatch> {
    let found: Vec<_> =
        projected_throttles(tally, &projection.limits, &projection.conditions).collect();
    let rows = || found.iter();
    let id = |index| tally.map().shard(index).map(|shard| shard.id.as_str());
    table(vec![
        ("window_start", false, instants(rows().map(|row| Some(row.window_start)))),
        ("shard", false, indices(rows().map(|row| row.shard))),
        ("id", true, text(rows().map(|row| id(row.shard)))),
        ("records", false, counts(rows().map(|row| Some(row.records)))),
        ("bytes", false, counts(rows().map(|row| Some(row.bytes)))),
        ("throttled_records", false, counts(rows().map(|row| Some(row.throttled_records)))),
        ("binding_limit", false, text(rows().map(|row| Some(row.binding_limit.name())))),
    ])
}

impl Report {
    /// The shards with their load and limits, columns as in the JSON: `index`, `id`, `records`,
    /// `bytes`, `spread_records_estimate`, `spread_bytes_estimate`, `read_units`, `write_units`, `share`, `peak_records_per_second`, `peak_bytes_per_second`, `throttled_records`,
    /// `throttled_seconds`, `first_throttle`, `binding_limit`, `headroom`, `distinct_keys`; then, if
    /// asked for, what waits and what readers do.
    ///
    /// # Errors
    /// `Internal` if the columns do not make a table, which would be a fault of shardlane.
    pub fn shards_table(&self) -> Result<RecordBatch> {
        let rows = || self.projection.shards.iter();
        let id = |index| self.map.shard(index).map(|shard| shard.id.as_str());
        let mut columns = vec![
            ("index", false, indices(rows().map(|row| row.index))),
            ("id", true, text(rows().map(|row| id(row.index)))),
            ("records", false, counts(rows().map(|row| Some(row.totals.records)))),
            ("bytes", false, counts(rows().map(|row| Some(row.totals.bytes)))),
            ("spread_records_estimate", false, counts(rows().map(|row| Some(row.spread.records)))),
            ("spread_bytes_estimate", false, counts(rows().map(|row| Some(row.spread.bytes)))),
            ("read_units", true, floats(rows().map(|row| row.read_units))),
            ("write_units", true, floats(rows().map(|row| row.write_units))),
            ("share", false, floats(rows().map(|row| Some(row.share)))),
            ("peak_records_per_second", true, floats(rows().map(|r| r.peak_records_per_second))),
            ("peak_bytes_per_second", true, floats(rows().map(|r| r.peak_bytes_per_second))),
            ("throttled_records", true, counts(rows().map(|row| row.throttled_records))),
            ("throttled_seconds", true, floats(rows().map(|row| row.throttled_seconds))),
            ("first_throttle", true, instants(rows().map(|row| row.first_throttle))),
            (
                "binding_limit",
                true,
                text(rows().map(|row| row.binding_limit.map(BindingLimit::name))),
            ),
            ("headroom", true, floats(rows().map(|row| row.headroom))),
            ("distinct_keys", true, counts(rows().map(|row| self.distinct_keys_of(row.index)))),
        ];
        for Asked { name, of, .. } in asked(&self.projection) {
            columns.push((name, true, values(rows().map(of))));
        }
        table(columns)
    }

    /// The hottest keys of the windows in which a shard was over a limit, shard by shard, those with
    /// the most throttled records first: `shard` (its index), `id`, `key` (text; bytes that are not
    /// UTF-8 as `\xff`), `key_bytes`, `records`, `bytes`, `share` of the load of these windows,
    /// `error` (how many records the count may lack).
    ///
    /// # Errors
    /// `Internal` if the columns do not make a table, which would be a fault of shardlane.
    pub fn throttled_keys_table(&self) -> Result<RecordBatch> {
        let shards = self.throttled_keys.shards.iter();
        let keys = shards.flat_map(|shard| shard.keys.iter().map(move |key| (shard, key)));
        // An array of bytes asks how many there will be.
        let keys: Vec<_> = keys.collect();
        let rows = || keys.iter().copied();
        let id = |index| self.map.shard(index).map(|shard| shard.id.as_str());
        let bytes = rows().map(|(_, key)| key.key.as_slice());
        table(vec![
            ("shard", false, indices(rows().map(|(shard, _)| shard.shard))),
            ("id", true, text(rows().map(|(shard, _)| id(shard.shard)))),
            ("key", false, text(rows().map(|(_, key)| Some(shown(key))))),
            ("key_bytes", false, Arc::new(BinaryArray::from_iter_values(bytes))),
            ("records", false, counts(rows().map(|(_, key)| Some(key.records)))),
            ("bytes", false, counts(rows().map(|(_, key)| Some(key.bytes)))),
            ("share", false, floats(rows().map(|(shard, key)| Some(shard.share(key))))),
            ("error", false, counts(rows().map(|(_, key)| Some(key.error)))),
        ])
    }

    /// The hottest keys of the stream, as [`hot_keys`] lays them out.
    ///
    /// # Errors
    /// `Internal` if the columns do not make a table, which would be a fault of shardlane.
    pub fn hot_keys_table(&self) -> Result<RecordBatch> {
        hot_keys(&self.hot_keys, self.input.records)
    }
}

fn table(columns: Vec<(&'static str, bool, ArrayRef)>) -> Result<RecordBatch> {
    let (fields, arrays): (Vec<_>, Vec<_>) = columns
        .into_iter()
        .map(|(name, nullable, array)| {
            (Field::new(name, array.data_type().clone(), nullable), array)
        })
        .unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("a table of a report: {error}")))
}

/// Values of one kind.
fn values(values: impl Iterator<Item = Value>) -> ArrayRef {
    let values: Vec<_> = values.collect();
    let all = || values.iter().copied();
    let count = |value| match value {
        Value::Count(value) | Value::Bytes(value) => value,
        _ => None,
    };
    let number = |value| if let Value::Number(value) = value { value } else { None };
    let instant = |value| if let Value::Instant(value) = value { value } else { None };
    let flag = |value| if let Value::Flag(value) = value { value } else { None };
    match values.first() {
        Some(Value::Number(_)) => floats(all().map(number)),
        Some(Value::Instant(_)) => instants(all().map(instant)),
        Some(Value::Flag(_)) => Arc::new(all().map(flag).collect::<BooleanArray>()),
        _ => counts(all().map(count)),
    }
}

fn text<T: AsRef<str>>(values: impl Iterator<Item = Option<T>>) -> ArrayRef {
    Arc::new(values.collect::<StringArray>())
}

fn counts(values: impl Iterator<Item = Option<u64>>) -> ArrayRef {
    Arc::new(values.collect::<UInt64Array>())
}

fn floats(values: impl Iterator<Item = Option<f64>>) -> ArrayRef {
    Arc::new(values.collect::<Float64Array>())
}

fn indices(values: impl Iterator<Item = u32>) -> ArrayRef {
    Arc::new(UInt32Array::from_iter_values(values))
}

fn instants(values: impl Iterator<Item = Option<i64>>) -> ArrayRef {
    Arc::new(values.collect::<TimestampMicrosecondArray>().with_timezone("UTC"))
}
