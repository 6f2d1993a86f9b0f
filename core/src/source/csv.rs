//! CSV with a header row.
//!
//! Fields are text. One with nothing between its delimiters is null, one of two quotes is the empty
//! text, as in `PostgreSQL`'s COPY. A row with fewer or more fields than the header, or whose quotes do
//! not pair, is counted as broken and passed over.

mod records;

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

/// A CSV file whose header has been read.
pub(super) struct Header<R> {
    cutter: Cutter<R>,
    /// What came with the header.
    first: Vec<u8>,
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
        let mut cutter = Cutter::new(from);
        let mut first = match next_cut(&mut cutter, input)? {
            None => return Err(bad("is missing")),
            Some(Cut::TooLong) => return Err(bad("does not end")),
            Some(Cut::Block(block)) => block,
        };
        let mark = "\u{feff}".as_bytes();
        let skipped = if first.starts_with(mark) { mark.len() } else { 0 };
        let mut records = Records::new(&first[skipped..]);
        let schema = match records.next(COLUMNS) {
            Next::End => return Err(bad("is missing")),
            Next::Broken => return Err(bad("has a quote without its pair, or does not end")),
            Next::Record(header) if header.len() > COLUMNS => {
                return Err(bad(&format!("has more than {COLUMNS} columns")));
            }
            Next::Record(header) => {
                let names = (0..header.len()).map(|at| {
                    let name = header.get(at).map(|name| name.as_bytes().to_vec());
                    String::from_utf8(name.unwrap_or_default()).map_err(|_| bad("is not UTF-8"))
                });
                let field = |name| Field::new(name, DataType::Binary, true);
                Schema::new(names.map(|name| Ok(field(name?))).collect::<Result<Vec<_>>>()?)
            }
        };
        let below = skipped + records.position();
        first.drain(..below);
        if schema.fields().iter().any(|field| field.name().contains('\r')) {
            return Err(Error::input(format!(
                "the lines of {input} end in carriage returns alone; turn them into line feeds: \
                 tr '\\r' '\\n' < {input} | shardlane ... -"
            )));
        }
        Ok(Self { cutter, first, schema, input: input.to_owned() })
    }

    /// The columns, all of them text.
    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The rows below the header.
    pub(super) fn rows(self, roles: Roles) -> Rows<R> {
        Rows {
            cutter: self.cutter,
            first: Some(self.first),
            columns: self.schema.fields().len(),
            roles: Arc::new(roles),
            input: self.input,
            ended: false,
        }
    }
}

/// The next block of whole records.
fn next_cut<R: Read>(cutter: &mut Cutter<R>, input: &str) -> Result<Option<Cut>> {
    cutter
        .next(last_record_end)
        .map_err(|error| Error::io(format!("reading {input} failed: {error}")))
}

/// The rows of a CSV file, in blocks.
pub(super) struct Rows<R> {
    cutter: Cutter<R>,
    first: Option<Vec<u8>>,
    columns: usize,
    roles: Arc<Roles>,
    input: String,
    ended: bool,
}

impl<R: Read> Rows<R> {
    /// Bytes read so far.
    pub(super) fn bytes_read(&self) -> u64 {
        self.cutter.consumed()
    }

    /// The next rows; `None` at the end.
    pub(super) fn next_block(&mut self) -> Option<Result<Block>> {
        if self.ended {
            return None;
        }
        let cut = match self.first.take().filter(|first| !first.is_empty()) {
            Some(first) => Ok(Some(Cut::Block(first))),
            None => next_cut(&mut self.cutter, &self.input),
        };
        // After a fault there is no telling where the next row begins.
        self.ended = !matches!(cut, Ok(Some(_)));
        let (roles, columns) = (self.roles.clone(), self.columns);
        let parse = move |cut| match cut {
            Cut::Block(bytes) => Block::new(move || parse(bytes, &roles, columns)),
            Cut::TooLong => {
                Block::new(move || Builders::new(&roles, &Buffer::from(&[])).into_batch(&roles, 1))
            }
        };
        cut.map(|cut| cut.map(parse)).transpose()
    }
}

/// The rows of a block.
fn parse(bytes: Vec<u8>, roles: &Roles, columns: usize) -> Result<Batch> {
    let block = Buffer::from_vec(bytes);
    let mut records = Records::new(&block);
    let mut builders = Builders::new(roles, &block);
    let mut broken = 0;
    loop {
        match records.next(columns) {
            Next::Record(record) if record.len() == columns => builders.push(roles, &record)?,
            Next::Record(_) | Next::Broken => broken += 1,
            Next::End => return builders.into_batch(roles, broken),
        }
    }
}

impl Fields for Record<'_> {
    fn text(&self, column: usize) -> Option<Text<'_>> {
        self.get(column)
    }
}
