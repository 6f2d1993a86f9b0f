//! Files and Arrow data as sources: what is read from good ones, and what is said of bad ones.
#![cfg(feature = "files")]

#[path = "source/aggregates.rs"]
mod aggregates;
#[path = "source/bad_input.rs"]
mod bad_input;
#[path = "source/columns.rs"]
mod columns;
#[path = "source/damage.rs"]
mod damage;
#[path = "source/formats.rs"]
mod formats;
#[path = "source/json.rs"]
mod json;
#[path = "source/json_shapes.rs"]
mod json_shapes;
#[path = "source/layouts.rs"]
mod layouts;
#[path = "source/reading.rs"]
mod reading;

use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use shardlane::arrow::array::{Array, ArrayRef, RecordBatch};
use shardlane::arrow::datatypes::{Field, Schema};
use shardlane::source::{Columns, Source, open};
use shardlane::{Error, KeyColumn};
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

/// A directory with files in it, gone when it is dropped.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    fn parquet(&self, name: &str, batch: &RecordBatch, properties: WriterProperties) -> PathBuf {
        let path = self.path(name);
        let file = File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
        writer.write(batch).unwrap();
        writer.close().unwrap();
        path
    }

    /// What opening the file says, its directory left out.
    fn error(&self, path: PathBuf, columns: &Columns) -> Error {
        let directory = format!("{}/", self.0.path().display());
        let error = match open(&[path], columns) {
            Err(error) => error,
            Ok(mut source) => source.find_map(Result::err).expect("an error"),
        };
        Error::new(error.kind(), error.message().replace(&directory, ""))
    }
}

/// A record batch of columns by name.
fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let field =
        |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    RecordBatch::try_new(Arc::new(schema), arrays).unwrap()
}

/// Columns with only the key named.
fn by(key: &str) -> Columns {
    Columns { key: Some(key.to_owned()), ..Columns::default() }
}

/// All that a source gives, column by column.
#[derive(Debug, Default, PartialEq)]
struct Read {
    keys: Vec<Option<Vec<u8>>>,
    explicit_hash_keys: Vec<Option<Vec<u8>>>,
    bytes: Vec<i64>,
    times: Vec<i64>,
    weights: Vec<i64>,
    shards: Vec<Option<Vec<u8>>>,
    broken_rows: u64,
    batches: usize,
}

fn read(source: &mut dyn Source) -> Read {
    let values = |column: &KeyColumn| {
        (0..column.len()).map(|row| column.get(row).map(<[u8]>::to_vec)).collect::<Vec<_>>()
    };
    let mut read = Read::default();
    for batch in source {
        let batch = batch.unwrap();
        read.keys.extend(values(&batch.keys));
        read.explicit_hash_keys.extend(batch.explicit_hash_keys.iter().flat_map(values));
        read.bytes.extend(batch.bytes.iter().flat_map(|bytes| bytes.iter()));
        read.times.extend(batch.times.iter().flat_map(|times| times.iter()));
        read.weights.extend(batch.weights.iter().flat_map(|weights| weights.iter()));
        read.shards.extend(batch.shards.iter().flat_map(values));
        read.broken_rows += batch.broken_rows;
        read.batches += 1;
    }
    read
}

/// Keys as text, where every one is.
fn texts(read: &Read) -> Vec<Option<&str>> {
    read.keys.iter().map(|key| key.as_deref().map(|key| str::from_utf8(key).unwrap())).collect()
}
