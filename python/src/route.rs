//! Whole columns through a router, piece by piece, so that Ctrl-C is heard between the pieces.

use crate::arguments::check_signals;
use crate::column::Column;
use crate::errors::{Failure, Result};
use shardlane::arrow::array::NullBufferBuilder;
use shardlane::arrow::buffer::NullBuffer;
use shardlane::engine::Rejections;
use shardlane::{KeyColumn, Refusal, Router, System};

/// The most rows routed without a look at signals: about a tenth of a second's work.
const PIECE: usize = 1 << 23;

/// The shard of each row, and the rows without one.
pub(crate) fn route(
    router: &Router,
    keys: Column,
    explicit: Option<Column>,
) -> Result<(Vec<u32>, Rejections)> {
    let mut shards = Vec::new();
    let mut rejections = Rejections::default();
    each_piece(keys, explicit, |keys, explicit| {
        let done = shards.len();
        if done == 0 {
            // Zeroed by the system, page by page, as the threads reach them.
            shards = vec![0; keys.len()];
        } else {
            shards.resize(done + keys.len(), 0);
        }
        let found = router.route_into(keys, explicit, &mut shards[done..])?;
        for (reason, count, rows) in found.iter() {
            for row in rows {
                rejections.add(reason, done as u64 + row);
            }
            rejections.add_unplaced(reason, count - rows.len() as u64);
        }
        Ok(())
    })?;
    Ok((shards, rejections))
}

/// The digest of each row, and which rows have one.
pub(crate) fn digest(router: &Router, keys: Column) -> Result<(Vec<[u8; 16]>, Option<NullBuffer>)> {
    hashed(keys, |keys| router.digest(keys))
}

/// The 32-bit hash of each row, and which rows have one.
pub(crate) fn hashes(router: &Router, keys: Column) -> Result<(Vec<u32>, Option<NullBuffer>)> {
    hashed(keys, |keys| router.hashes(keys).unwrap_or_default())
}

fn hashed<T>(
    keys: Column,
    hash: impl Fn(&KeyColumn) -> Vec<T>,
) -> Result<(Vec<T>, Option<NullBuffer>)> {
    let mut hashes = Vec::new();
    let mut nulls = NullBufferBuilder::new(0);
    each_piece(keys, None, |keys, _| {
        let mut piece = hash(keys);
        if hashes.is_empty() {
            hashes = piece;
        } else {
            hashes.append(&mut piece);
        }
        if keys.null_count() == 0 {
            nulls.append_n_non_nulls(keys.len());
        } else {
            (0..keys.len()).for_each(|row| nulls.append(!keys.is_null(row)));
        }
        Ok(())
    })?;
    Ok((hashes, nulls.finish()))
}

/// Calls `work` with the rows of both columns, some at a time; they need not be cut alike.
fn each_piece(
    mut keys: Column,
    mut explicit: Option<Column>,
    mut work: impl FnMut(&KeyColumn, Option<&KeyColumn>) -> Result<()>,
) -> Result<()> {
    let mut done = 0;
    while let Some(mut rows) = keys.ready()? {
        rows = rows.min(PIECE);
        let beside = match &mut explicit {
            None => None,
            Some(column) => {
                let Some(ready) = column.ready()? else {
                    return Err(unequal(done + keys.count_rest()?, done));
                };
                rows = rows.min(ready);
                Some(column.take(rows)?)
            }
        };
        work(&keys.take(rows)?, beside.as_ref())?;
        done += rows;
        check_signals()?;
    }
    match explicit.map(Column::count_rest).transpose()? {
        None | Some(0) => Ok(()),
        Some(more) => Err(unequal(done, done + more)),
    }
}

fn unequal(keys: usize, explicit: usize) -> Failure {
    Failure::input(format!(
        "explicit_hash_keys has {explicit} rows, but keys has {keys}; give one explicit hash key, \
         or None, for each key"
    ))
}

/// An error that names the first keys that the service would refuse, if there are any. Null keys
/// are refused by no one: their rows are null.
pub(crate) fn refuse(rejections: &Rejections, system: System) -> Result<()> {
    let mut reasons = rejections
        .iter()
        .filter(|(reason, ..)| *reason != Refusal::NullKey)
        .map(|(reason, count, rows)| {
            let rows: Vec<_> = rows.iter().map(u64::to_string).collect();
            let more = if count > rows.len() as u64 { ", ..." } else { "" };
            format!("{count} x {} (row {}{more})", reason.explanation(system), rows.join(", "))
        })
        .peekable();
    if reasons.peek().is_none() {
        return Ok(());
    }
    let reasons: Vec<_> = reasons.collect();
    Err(Failure::input(format!(
        "the service would refuse some of the keys: {}; drop these rows, or type \
         on_invalid=\"null\" for null shards",
        reasons.join("; ")
    )))
}
