//! Rows with their shards, written batch by batch.

use crate::error::{Error, Result};
use crate::keys::KeyColumn;
use crate::report::printable;
use crate::shards::{NO_SHARD, ShardMap};
use arrow::array::{ArrayRef, RecordBatch, StringArray, StringBuilder, UInt32Array};
use arrow::csv::{Writer as CsvWriter, WriterBuilder as CsvWriterBuilder};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::json::{LineDelimitedWriter, WriterBuilder as JsonWriterBuilder};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use std::fmt::Display;
use std::io::Write;
use std::sync::Arc;

/// How routed rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RoutedFormat {
    /// Comma-separated values with a head line.
    #[default]
    Csv,
    /// One JSON object a line.
    Ndjson,
    /// Parquet, compressed with Zstandard.
    Parquet,
}

/// Writes each row's key with the index and the id of its shard. A row without a shard has neither:
/// empty in CSV, null elsewhere. A key that is not UTF-8 has `\xff` for its odd bytes.
///
/// ```
/// use shardlane::arrow::array::StringArray;
/// use shardlane::report::arrow::{RoutedFormat, RoutedWriter};
/// use shardlane::{EvenRule, KeyColumn, Router, ShardMap};
///
/// let router = Router::new(ShardMap::kinesis(4, EvenRule::FixedStep)?);
/// let keys = KeyColumn::try_new(&StringArray::from(vec!["JP"]))?;
/// let mut out = Vec::new();
/// let mut writer = RoutedWriter::try_new(&mut out, RoutedFormat::Csv, "country")?;
/// writer.write(router.map(), &keys, &router.route(&keys))?;
/// writer.finish()?;
/// assert_eq!(out, b"country,shard,shard_id\nJP,0,shardId-000000000000\n");
/// # Ok::<(), shardlane::Error>(())
/// ```
pub struct RoutedWriter<W: Write + Send> {
    schema: SchemaRef,
    sink: Sink<W>,
}

enum Sink<W: Write + Send> {
    Csv(Box<CsvWriter<W>>),
    Ndjson(LineDelimitedWriter<W>),
    Parquet(Box<ArrowWriter<W>>),
}

impl<W: Write + Send> RoutedWriter<W> {
    /// A writer to `out` whose first column is called `key`.
    ///
    /// # Errors
    /// `Io` if `out` cannot be written to.
    pub fn try_new(out: W, format: RoutedFormat, key: &str) -> Result<Self> {
        let schema = Arc::new(Schema::new(vec![
            Field::new(key, DataType::Utf8, true),
            Field::new("shard", DataType::UInt32, true),
            Field::new("shard_id", DataType::Utf8, true),
        ]));
        let sink = match format {
            RoutedFormat::Csv => {
                let writer = CsvWriterBuilder::new().with_header(true).build(out);
                Sink::Csv(Box::new(writer))
            }
            RoutedFormat::Ndjson => {
                Sink::Ndjson(JsonWriterBuilder::new().with_explicit_nulls(true).build(out))
            }
            RoutedFormat::Parquet => {
                let properties = WriterProperties::builder()
                    .set_compression(Compression::ZSTD(ZstdLevel::default()))
                    .build();
                let writer = ArrowWriter::try_new(out, schema.clone(), Some(properties))
                    .map_err(|error| cannot_write(&error))?;
                Sink::Parquet(Box::new(writer))
            }
        };
        let mut writer = Self { schema, sink };
        // A log without rows still gets its head line.
        writer.write_batch(&RecordBatch::new_empty(writer.schema.clone()))?;
        Ok(writer)
    }

    /// Writes some rows: their keys and the indices of their shards.
    ///
    /// # Errors
    /// `InvalidInput` if the two differ in length; `Io` if they cannot be written.
    pub fn write(&mut self, map: &ShardMap, keys: &KeyColumn, shards: &[u32]) -> Result<()> {
        if keys.len() != shards.len() {
            return Err(Error::input(format!(
                "{} keys were given with {} shards; give one shard for each key",
                keys.len(),
                shards.len()
            )));
        }
        let mut texts = StringBuilder::with_capacity(keys.len(), 16 * keys.len());
        for row in 0..keys.len() {
            match keys.get(row).map(std::str::from_utf8) {
                None => texts.append_null(),
                Some(Ok(text)) => texts.append_value(text),
                Some(Err(_)) => texts.append_value(printable(keys.get(row).unwrap_or_default())),
            }
        }
        let indices = shards.iter().map(|&shard| (shard != NO_SHARD).then_some(shard));
        let ids = shards.iter().map(|&shard| map.shard(shard).map(|shard| shard.id.as_str()));
        let columns: Vec<ArrayRef> = vec![
            Arc::new(texts.finish()),
            Arc::new(indices.collect::<UInt32Array>()),
            Arc::new(ids.collect::<StringArray>()),
        ];
        let batch = RecordBatch::try_new(self.schema.clone(), columns)
            .map_err(|error| cannot_write(&error))?;
        self.write_batch(&batch)
    }

    /// Writes what is still held back, such as a Parquet file's footer, and gives the output back.
    ///
    /// # Errors
    /// `Io` if it cannot be written.
    pub fn finish(self) -> Result<W> {
        let mut out = match self.sink {
            Sink::Csv(writer) => writer.into_inner(),
            Sink::Ndjson(mut writer) => {
                writer.finish().map_err(|error| cannot_write(&error))?;
                writer.into_inner()
            }
            Sink::Parquet(writer) => writer.into_inner().map_err(|error| cannot_write(&error))?,
        };
        out.flush().map_err(|error| cannot_write(&error))?;
        Ok(out)
    }

    fn write_batch(&mut self, batch: &RecordBatch) -> Result<()> {
        match &mut self.sink {
            Sink::Csv(writer) => writer.write(batch).map_err(|error| cannot_write(&error)),
            Sink::Ndjson(writer) => writer.write(batch).map_err(|error| cannot_write(&error)),
            Sink::Parquet(writer) => writer.write(batch).map_err(|error| cannot_write(&error)),
        }
    }
}

fn cannot_write(error: &dyn Display) -> Error {
    Error::io(format!("the routed rows could not be written: {error}"))
}
