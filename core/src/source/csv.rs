//! CSV with a header row.
//!
//! Fields are text. One with nothing between its delimiters is null, one of two quotes is the empty
//! text, as in `PostgreSQL`'s COPY. A row with fewer or more fields than the header, or whose quotes do
//! not pair, is counted as broken and passed over.

mod records;

use super::columns::Roles;
use super::times::TextTimes;
use super::whole::parse_whole;
use super::{BYTES, Batch, ROWS};
use crate::error::{Error, Result};
use crate::keys::KeyColumn;
use arrow::array::{ArrayRef, BinaryBuilder};
use arrow::datatypes::{DataType, Field, Schema};
use records::{Next, Record, Records};
use std::io::Read;
use std::sync::Arc;

/// Columns that a header may have.
const COLUMNS: usize = 1 << 14;

/// A CSV file whose header has been read.
pub(super) struct Header<R> {
    records: Records<R>,
    schema: Schema,
    input: String,
}

impl<R: Read> Header<R> {
    /// Reads the header row; `input` is what errors call the file.
    ///
    /// # Errors
    /// `InvalidInput` if there is none, or it is not text; `Io` if reading fails.
    pub(super) fn read(from: R, input: &str) -> Result<Self> {
        let bad = |what: &str| {
            Error::input(format!(
                "the header row of {input} {what}; expected the names of the columns in UTF-8, with \
                 commas between them"
            ))
        };
        let mut records = Records::new(from);
        records.skip("\u{feff}".as_bytes()).map_err(|error| unreadable(input, &error))?;
        let schema = match records.next(COLUMNS).map_err(|error| unreadable(input, &error))? {
            Next::End => return Err(bad("is missing")),
            Next::Broken => return Err(bad("has a quote without its pair, or does not end")),
            Next::Record(header) if header.len() > COLUMNS => {
                return Err(bad(&format!("has more than {COLUMNS} columns")));
            }
            Next::Record(header) => {
                let names = (0..header.len()).map(|at| {
                    let name = header.get(at).unwrap_or_default().into_owned();
                    String::from_utf8(name).map_err(|_| bad("is not UTF-8"))
                });
                let field = |name| Field::new(name, DataType::Binary, true);
                Schema::new(names.map(|name| Ok(field(name?))).collect::<Result<Vec<_>>>()?)
            }
        };
        if schema.fields().iter().any(|field| field.name().contains('\r')) {
            return Err(Error::input(format!(
                "the lines of {input} end in carriage returns alone; turn them into line feeds: \
                 tr '\\r' '\\n' < {input} | shardlane ... -"
            )));
        }
        Ok(Self { records, schema, input: input.to_owned() })
    }

    /// The columns, all of them text.
    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The rows below the header.
    pub(super) fn rows(self, roles: Roles) -> Rows<R> {
        let columns = self.schema.fields().len();
        Rows { records: self.records, columns, roles, input: self.input, ended: false }
    }
}

/// The rows of a CSV file, in batches.
pub(super) struct Rows<R> {
    records: Records<R>,
    columns: usize,
    roles: Roles,
    input: String,
    ended: bool,
}

impl<R: Read> Rows<R> {
    /// Bytes read so far.
    pub(super) fn bytes_read(&self) -> u64 {
        self.records.consumed()
    }

    fn read(&mut self) -> Result<Option<Batch>> {
        let mut columns = Builders::new(&self.roles);
        let mut broken = 0;
        while columns.rows < ROWS && columns.bytes < BYTES {
            match self.records.next(self.columns) {
                Ok(Next::Record(record)) if record.len() == self.columns => {
                    columns.push(&self.roles, &record);
                }
                Ok(Next::Record(_) | Next::Broken) => broken += 1,
                Ok(Next::End) => {
                    self.ended = true;
                    break;
                }
                Err(error) => return Err(unreadable(&self.input, &error)),
            }
        }
        if columns.rows == 0 && broken == 0 {
            return Ok(None);
        }
        columns.into_batch(&self.roles, broken).map(Some)
    }
}

impl<R: Read> Iterator for Rows<R> {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let batch = self.read().transpose();
        // After a fault there is no telling where the next row begins.
        self.ended |= matches!(batch, Some(Err(_)));
        batch
    }
}

/// The columns of a batch as they grow.
struct Builders {
    rows: usize,
    bytes: usize,
    keys: BinaryBuilder,
    explicit_hash_keys: BinaryBuilder,
    salts: BinaryBuilder,
    operations: BinaryBuilder,
    sizes: Vec<i64>,
    weights: Vec<i64>,
    times: TextTimes,
}

impl Builders {
    fn new(roles: &Roles) -> Self {
        Self {
            rows: 0,
            bytes: 0,
            keys: BinaryBuilder::new(),
            explicit_hash_keys: BinaryBuilder::new(),
            salts: BinaryBuilder::new(),
            operations: BinaryBuilder::new(),
            sizes: Vec::new(),
            weights: Vec::new(),
            times: TextTimes::new(roles.time_unit),
        }
    }

    fn push(&mut self, roles: &Roles, record: &Record<'_>) {
        let key = record.get(roles.key);
        self.rows += 1;
        self.bytes += key.as_ref().map_or(0, |key| key.len());
        self.keys.append_option(key);
        if let Some(at) = roles.explicit_hash_key {
            let text = record.get(at);
            self.bytes += text.as_ref().map_or(0, |text| text.len());
            self.explicit_hash_keys.append_option(text);
        }
        for (at, column) in
            [(roles.salt_by, &mut self.salts), (roles.operation, &mut self.operations)]
        {
            if let Some(at) = at {
                let text = record.get(at);
                self.bytes += text.as_ref().map_or(0, |text| text.len());
                column.append_option(text);
            }
        }
        if let Some(at) = roles.bytes {
            self.sizes.push(parse_whole(record.get(at).as_deref()));
        }
        if let Some(at) = roles.weight {
            self.weights.push(parse_whole(record.get(at).as_deref()));
        }
        if let Some(at) = roles.time {
            self.times.push(record.get(at).as_deref());
        }
    }

    fn into_batch(mut self, roles: &Roles, broken_rows: u64) -> Result<Batch> {
        let explicit =
            roles.explicit_hash_key.map(|_| KeyColumn::try_new(&self.explicit_hash_keys.finish()));
        let time = roles.taken.time.as_deref();
        let keys: ArrayRef = Arc::new(self.keys.finish());
        let labels = roles.labels(&keys)?;
        let mut keys = roles.keys(&keys)?;
        if let (Some(salt), Some(_)) = (&roles.salt, roles.salt_by) {
            keys = salt.apply(&keys, &KeyColumn::try_new(&self.salts.finish())?)?;
        }
        let operations = roles.operation.map(|_| KeyColumn::try_new(&self.operations.finish()));
        Ok(Batch {
            keys,
            explicit_hash_keys: explicit.transpose()?,
            bytes: roles.bytes.map(|_| self.sizes.into()),
            times: time.map(|name| self.times.take(name)).transpose()?,
            weights: roles.weight.map(|_| self.weights.into()),
            operations: operations.transpose()?,
            labels,
            broken_rows,
        })
    }
}

/// Reading a file failed half-way.
fn unreadable(input: &str, error: &std::io::Error) -> Error {
    Error::io(format!("reading {input} failed: {error}"))
}
