//! A Parquet file that is in memory, as a sample within a program is.

use super::{Batches, Columns, ROWS, Source};
use crate::error::{Error, Result};
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

/// Opens a Parquet file whose content is `bytes`; errors call it `name`.
///
/// # Errors
/// As [`open`](super::open).
///
/// ```
/// use shardlane::source::{Columns, open_bytes};
/// let error = open_bytes(&b"key\nuser-1\n"[..], "keys.csv", &Columns::default()).err().unwrap();
/// assert!(error.message().starts_with("keys.csv cannot be read as Parquet"));
/// ```
pub fn open_bytes(
    bytes: impl Into<Bytes>,
    name: &str,
    columns: &Columns,
) -> Result<Box<dyn Source>> {
    let failed = |error: &dyn std::fmt::Display| {
        Error::input(format!("{name} cannot be read as Parquet: {error}"))
    };
    let file = ParquetRecordBatchReaderBuilder::try_new(bytes.into())
        .map_err(|error| failed(&error))?
        .with_batch_size(ROWS);
    let schema = file.schema().clone();
    let batches = file.build().map_err(|error| failed(&error))?;
    Ok(Box::new(Batches::new(&schema, batches, columns)?))
}
