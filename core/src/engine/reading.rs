//! The one loop over a source, which tells how far it has come and stops when it is asked to.

use crate::error::{Error, Result};
use crate::source::{Batch, Source};
use std::ops::ControlFlow;

/// How far a replay, a comparison or a simulation has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Rows read.
    pub rows: u64,
    /// Bytes of input read, as far as the source can tell.
    pub bytes: u64,
    /// Rows in all, if the source can tell.
    pub rows_total: Option<u64>,
    /// Bytes of input in all, if the source can tell.
    pub bytes_total: Option<u64>,
    /// Whether the log is being read for the second time, from its start: for the keys of the
    /// windows in which shards were over a limit.
    pub is_second: bool,
}

/// Reads every batch, hands it on with the number of rows before it, and gives the rows in all.
pub(super) fn read_all(
    source: &mut dyn Source,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    mut hand_on: impl FnMut(Batch, u64) -> Result<()>,
) -> Result<u64> {
    let mut rows = 0;
    while let Some(batch) = source.next() {
        let batch = batch?;
        let first_row = rows;
        rows += batch.keys.len() as u64;
        hand_on(batch, first_row)?;
        if progress(progress_of(source, rows)).is_break() {
            break;
        }
    }
    Ok(rows)
}

/// How far `source` has come, `rows` of which have been counted.
pub(super) fn progress_of(source: &dyn Source, rows: u64) -> Progress {
    Progress {
        rows,
        bytes: source.bytes_read(),
        rows_total: source.rows_total(),
        bytes_total: source.bytes_total(),
        is_second: false,
    }
}

/// Makes the first thing that could not be read of a log's files an error.
pub(super) fn refuse_faults(source: &dyn Source) -> Result<()> {
    match source.faults().first() {
        None => Ok(()),
        Some(fault) => {
            Err(Error::input(format!("{fault} (and --strict is set, so that this is an error)")))
        }
    }
}

/// Why nothing was counted, if nothing was: no row there, or none that could be used.
pub(super) fn check_counted(rows: u64, records: u64, rejected: u64) -> Result<()> {
    match (rows, records, rejected) {
        (_, 1.., _) => Ok(()),
        (0, 0, 0) => Err(no_rows()),
        _ => Err(Error::input(format!(
            "no row of the log could be used ({rejected} were rejected); a replay tells why"
        ))),
    }
}

/// The input has no rows.
pub(super) fn no_rows() -> Error {
    Error::input("the input has no rows; expected at least one record with a partition key")
}
