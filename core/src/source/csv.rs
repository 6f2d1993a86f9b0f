//! CSV, TSV, and what else has one character between fields; with a header row or without.
//!
//! Fields are text. One with nothing between its delimiters is null, one of two quotes is the empty
//! text, as in `PostgreSQL`'s COPY. A row with fewer or more fields than the header, or whose quotes do
//! not pair, or that is the header once more, is counted as broken and passed over.

mod dialect;
mod records;

pub(super) use dialect::Dialect;

use super::builders::{Builders, Fields, Text};
use super::columns::Roles;
use super::cutter::{Cut, Cutter};
use super::{Batch, Block};
use crate::error::{Error, Result};
use arrow::buffer::Buffer;
use arrow::datatypes::{DataType, Field, Schema};
use records::{Next, Record, Records, last_record_end};
use std::io::Read;
use std::sync::Arc;

/// Columns that a header may have.
const COLUMNS: usize = 1 << 14;

/// A CSV file whose columns are known.
pub(super) struct Header<R> {
    cutter: Cutter<R>,
    dialect: Dialect,
    /// What came with the header.
    first: Vec<u8>,
    schema: Schema,
    input: String,
}

impl<R: Read> Header<R> {
    /// Reads the first row; `input` is what errors call the file. Where it names no columns they
    /// are called `c1`, `c2` and so on.
    ///
    /// # Errors
    /// `InvalidInput` if there is none, or its names are not text; `Io` if reading fails.
    pub(super) fn read(from: R, dialect: Dialect, input: &str) -> Result<Self> {
        let bad = |what: &str| {
            let (row, expected) = if dialect.has_header {
                ("header", "the names of the columns in UTF-8")
            } else {
                ("first", "the fields of a record")
            };
            Error::input(format!(
                "the {row} row of {input} {what}; expected {expected}, with {} between them",
                dialect.delimiter
            ))
        };
        let delimiter = dialect.delimiter.byte();
        let mut cutter = Cutter::new(from);
        let mut first = match next_cut(&mut cutter, delimiter, input)? {
            None => return Err(bad("is missing")),
            Some(Cut::TooLong) => return Err(bad("does not end")),
            Some(Cut::Block(block)) => block,
        };
        let mark = "\u{feff}".as_bytes();
        let skipped = if first.starts_with(mark) { mark.len() } else { 0 };
        let mut records = Records::new(&first[skipped..], delimiter);
        let schema = match records.next(COLUMNS) {
            Next::End => return Err(bad("is missing")),
            Next::Broken => return Err(bad("has a quote without its pair, or does not end")),
            Next::Record(header) if header.len() > COLUMNS => {
                return Err(bad(&format!("has more than {COLUMNS} columns")));
            }
            Next::Record(header) => {
                let names = (0..header.len()).map(|at| {
                    if !dialect.has_header {
                        return Ok(format!("c{}", at + 1));
                    }
                    let name = header.get(at).map(|name| name.as_bytes().to_vec());
                    String::from_utf8(name.unwrap_or_default()).map_err(|_| bad("is not UTF-8"))
                });
                let field = |name| Field::new(name, DataType::Binary, true);
                Schema::new(names.map(|name| Ok(field(name?))).collect::<Result<Vec<_>>>()?)
            }
        };
        let below = skipped + if dialect.has_header { records.position() } else { 0 };
        first.drain(..below);
        if schema.fields().iter().any(|field| field.name().contains('\r')) {
            return Err(Error::input(format!(
                "the lines of {input} end in carriage returns alone; turn them into line feeds: \
                 tr '\\r' '\\n' < {input} | shardlane ... -"
            )));
        }
        Ok(Self { cutter, dialect, first, schema, input: input.to_owned() })
    }

    /// The columns, all of them text.
    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The rows, of which the header is none.
    pub(super) fn rows(self, roles: Roles) -> Rows<R> {
        Rows {
            cutter: self.cutter,
            delimiter: self.dialect.delimiter.byte(),
            first: Some(self.first),
            has_header: self.dialect.has_header,
            names: self.schema.fields().iter().map(|field| field.name().clone()).collect(),
            roles: Arc::new(roles),
            input: self.input,
            ended: false,
        }
    }
}

/// The next block of whole records.
fn next_cut<R: Read>(cutter: &mut Cutter<R>, delimiter: u8, input: &str) -> Result<Option<Cut>> {
    cutter
        .next(|bytes| last_record_end(bytes, delimiter))
        .map_err(|error| Error::io(format!("reading {input} failed: {error}")))
}

/// The rows of a CSV file, in blocks.
pub(super) struct Rows<R> {
    cutter: Cutter<R>,
    delimiter: u8,
    first: Option<Vec<u8>>,
    has_header: bool,
    names: Arc<[String]>,
    roles: Arc<Roles>,
    input: String,
    ended: bool,
}

impl<R: Read> Rows<R> {
    /// The next rows; `None` at the end.
    pub(super) fn next_block(&mut self) -> Option<Result<Block>> {
        if self.ended {
            return None;
        }
        let cut = match self.first.take().filter(|first| !first.is_empty()) {
            Some(first) => Ok(Some(Cut::Block(first))),
            None => next_cut(&mut self.cutter, self.delimiter, &self.input),
        };
        // After a fault there is no telling where the next row begins.
        self.ended = !matches!(cut, Ok(Some(_)));
        let (roles, names) = (self.roles.clone(), self.names.clone());
        let (delimiter, has_header) = (self.delimiter, self.has_header);
        let parse = move |cut| match cut {
            Cut::Block(bytes) => {
                Block::new(move || parse(bytes, delimiter, &roles, &names, has_header))
            }
            Cut::TooLong => {
                Block::new(move || Builders::new(&roles, &Buffer::from(&[])).into_batch(&roles, 1))
            }
        };
        cut.map(|cut| cut.map(parse)).transpose()
    }
}

/// The rows of a block.
fn parse(
    bytes: Vec<u8>,
    delimiter: u8,
    roles: &Roles,
    names: &[String],
    has_header: bool,
) -> Result<Batch> {
    let block = Buffer::from_vec(bytes);
    let mut records = Records::new(&block, delimiter);
    let mut builders = Builders::new(roles, &block);
    let mut broken = 0;
    loop {
        match records.next(names.len()) {
            Next::Record(record) if record.len() == names.len() => {
                if has_header && is_header(&record, names, roles.key) {
                    broken += 1;
                } else {
                    builders.push(roles, &record)?;
                }
            }
            Next::Record(_) | Next::Broken => broken += 1,
            Next::End => return builders.into_batch(roles, broken),
        }
    }
}

/// Whether a row is the header once more, as where files were put together. A single column may
/// hold its own name.
#[inline]
fn is_header(record: &Record<'_>, names: &[String], key: usize) -> bool {
    let is_name = |at: usize| {
        let name = names.get(at).map_or(&[][..], String::as_bytes);
        record.get(at).map_or(name.is_empty(), |text| text.as_bytes() == name)
    };
    is_name(key) && names.len() > 1 && (0..names.len()).all(is_name)
}

impl Fields for Record<'_> {
    #[inline]
    fn text(&self, column: usize) -> Option<Text<'_>> {
        self.get(column)
    }
}
