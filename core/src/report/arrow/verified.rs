//! The tables of a verification and of an inference.

use super::{counts, floats, table, text};
use crate::error::Result;
use crate::report::printable::printable;
use crate::report::{Cause, Inference, Verification};
use crate::shards::Partitioner;
use arrow::array::{BinaryArray, RecordBatch};
use std::sync::Arc;

/// Where rows went instead of where the map says: `observed` and `predicted` (shard ids), `rows`;
/// the most frequent first.
///
/// # Errors
/// `Internal` if the columns do not make a table, which would be a fault of shardlane.
pub fn pairs(found: &Verification) -> Result<RecordBatch> {
    let rows = || found.pairs.iter();
    table(vec![
        ("observed", false, text(rows().map(|row| Some(printable(&row.observed))))),
        ("predicted", false, text(rows().map(|row| Some(found.id(row.predicted))))),
        ("rows", false, counts(rows().map(|row| Some(row.rows)))),
    ])
}

/// The first rows that disagree: `row` (from 1), `key` (text; bytes that are not UTF-8 as `\xff`),
/// `key_bytes`, `observed`, `predicted`.
///
/// # Errors
/// `Internal` if the columns do not make a table, which would be a fault of shardlane.
pub fn disagreements(found: &Verification) -> Result<RecordBatch> {
    let rows = || found.disagreements.iter();
    let bytes: BinaryArray = rows().map(|row| row.key.as_deref()).collect();
    table(vec![
        ("row", false, counts(rows().map(|row| Some(row.row)))),
        ("key", true, text(rows().map(|row| row.key.as_deref().map(printable)))),
        ("key_bytes", true, Arc::new(bytes)),
        ("observed", false, text(rows().map(|row| Some(printable(&row.observed))))),
        ("predicted", false, text(rows().map(|row| Some(found.id(row.predicted))))),
    ])
}

/// The likely causes of disagreement, the likeliest first: `code`, `message`, `options` (of a map
/// that fits, if it is known), `explains`, `of` and `share`.
///
/// # Errors
/// `Internal` if the columns do not make a table, which would be a fault of shardlane.
pub fn causes(found: &Verification) -> Result<RecordBatch> {
    let rows = || found.causes.iter();
    table(vec![
        ("code", false, text(rows().map(|row| Some(row.code)))),
        ("message", false, text(rows().map(|row| Some(row.message.as_str())))),
        ("options", true, text(rows().map(|row| row.options.as_deref()))),
        ("explains", false, counts(rows().map(|row| Some(row.explains)))),
        ("of", false, counts(rows().map(|row| Some(row.of)))),
        ("share", false, floats(rows().map(|row| Some(Cause::share(row))))),
    ])
}

/// The rules that fit best, the best first: `system`, `partitioner`, `buckets`, `shards`,
/// `key_form`, `agreed`, `of`, `agreement`, `options`.
///
/// # Errors
/// `Internal` if the columns do not make a table, which would be a fault of shardlane.
pub fn candidates(found: &Inference) -> Result<RecordBatch> {
    let rows = || found.candidates.iter();
    table(vec![
        ("system", false, text(rows().map(|row| Some(row.system.name())))),
        ("partitioner", true, text(rows().map(|row| row.partitioner.map(Partitioner::name)))),
        ("buckets", true, counts(rows().map(|row| row.buckets.map(u64::from)))),
        ("shards", false, counts(rows().map(|row| Some(row.shards as u64)))),
        ("key_form", false, text(rows().map(|row| Some(row.form.explanation())))),
        ("agreed", false, counts(rows().map(|row| Some(row.agreed)))),
        ("of", false, counts(rows().map(|row| Some(row.rows)))),
        ("agreement", false, floats(rows().map(|row| Some(row.agreement())))),
        ("options", false, text(rows().map(|row| Some(row.options())))),
    ])
}

/// The shards that a log names, in order of the lowest MD5 of their keys: `name`, `rows`,
/// `first_hash` and `last_hash` (text, since they have up to 39 digits).
///
/// # Errors
/// `Internal` if the columns do not make a table, which would be a fault of shardlane.
pub fn seen_shards(found: &Inference) -> Result<RecordBatch> {
    let rows = || found.shards.iter();
    table(vec![
        ("name", false, text(rows().map(|row| Some(printable(&row.name))))),
        ("rows", false, counts(rows().map(|row| Some(row.rows)))),
        ("first_hash", false, text(rows().map(|row| Some(row.first_hash.to_string())))),
        ("last_hash", false, text(rows().map(|row| Some(row.last_hash.to_string())))),
    ])
}
