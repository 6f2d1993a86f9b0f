//! Records of text that have no names: keys alone, keys with counts, and what the Kafka consumers
//! of the command line print.
//!
//! | format | record | columns |
//! | --- | --- | --- |
//! | keys | a line | `key` |
//! | uniq-c | a line of `sort \| uniq -c`: spaces, a number, one space, the key | `count`, `key` |
//! | kcat | as `-f` or `-K` laid it out | those of `key`, `size`, `timestamp`, `partition`, `offset`, `topic` and `headers` that there are |
//! | console-consumer | a line with `CreateTime:`, `Partition:` and so on in front | the same, but for `topic` |
//!
//! An empty line is an empty key. What cannot be read is counted as broken.

mod console;
mod counted;
mod kcat;

pub(super) use console::is_consumed;
pub(super) use counted::is_counted;

use super::builders::{Builders, Fields, Text};
use super::codec::Bytes;
use super::columns::{Roles, Unnamed, assign};
use super::cutter::{Cut, Cutter, last_line_end};
use super::{Batch, Block, Columns, Format, TimeUnit};
use crate::error::{Error, Result};
use crate::tally::MISSING;
use arrow::buffer::Buffer;
use arrow::datatypes::{DataType, Field, Schema};
use console::Console;
use kcat::Kcat;
use memchr::memchr;
use std::io::{Cursor, Read};
use std::ops::Range;
use std::sync::Arc;

/// The most columns that a record has.
const COLUMNS: usize = 7;

/// How records are laid out.
#[derive(Debug)]
enum Kind {
    Keys,
    Counted,
    Kcat(Kcat),
    Console(Console),
}

/// What a record has in one column.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Null,
    /// It lies here in the block.
    At(Range<usize>),
    /// It is a size.
    Size(u64),
}

/// What the bytes at some place of a block are.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    /// A record that ends there.
    Record(usize),
    /// None, up to there.
    Broken(usize),
    /// It takes more bytes to tell.
    Undecided,
}

impl Kind {
    /// How the records of `format` are laid out that begin with `start`.
    fn of(format: Format, columns: &Columns, start: &[u8]) -> Result<Self> {
        let layout = &columns.layout;
        Ok(match format {
            Format::UniqC => Self::Counted,
            Format::Kcat => Self::Kcat(Kcat::of(layout)?),
            Format::ConsoleConsumer => Self::Console(Console::of(layout, start)),
            _ => Self::Keys,
        })
    }

    /// The names of the columns.
    fn names(&self) -> Vec<&'static str> {
        match self {
            Self::Keys => vec!["key"],
            Self::Counted => vec!["count", "key"],
            Self::Kcat(kcat) => kcat.names(),
            Self::Console(console) => console.names(),
        }
    }

    /// Where the last whole record of `bytes` ends; 0 if none does.
    fn last_end(&self, bytes: &[u8]) -> usize {
        match self {
            Self::Kcat(kcat) if !kcat.has_lines() => {
                let mut fields = nulls();
                let mut at = 0;
                while let Found::Record(end) | Found::Broken(end) =
                    kcat.record(bytes, at, false, &mut fields)
                {
                    at = end;
                }
                at
            }
            _ => last_line_end(bytes),
        }
    }

    /// The record that begins `at` some place of a block of whole records.
    #[inline]
    fn record(&self, block: &[u8], at: usize, fields: &mut [Value; COLUMNS]) -> Found {
        if let Self::Kcat(kcat) = self
            && !kcat.has_lines()
        {
            return kcat.record(block, at, true, fields);
        }
        let length = memchr(b'\n', &block[at..]);
        let behind = length.map_or(block.len(), |length| at + length + 1);
        let line = length.map_or(block.len(), |length| at + length);
        let end = if line > at && block[line - 1] == b'\r' { line - 1 } else { line };
        let is_record = match self {
            Self::Keys => {
                fields[0] = Value::At(at..end);
                true
            }
            Self::Counted => counted::split(block, at..end, fields),
            Self::Console(console) => console.split(block, at..end, fields),
            // Its format says how a line ends.
            Self::Kcat(kcat) => kcat.line(block, at..behind, fields),
        };
        if is_record { Found::Record(behind) } else { Found::Broken(behind) }
    }
}

fn nulls() -> [Value; COLUMNS] {
    std::array::from_fn(|_| Value::Null)
}

/// The records of a text, in blocks.
pub(super) struct Rows {
    cutter: Cutter<Bytes>,
    plan: Arc<Plan>,
    input: String,
    ended: bool,
}

/// How to make rows of a block.
#[derive(Debug)]
struct Plan {
    kind: Kind,
    roles: Roles,
}

impl Rows {
    /// The records of `format` that begin with `start` and go on with `rest`.
    ///
    /// # Errors
    /// As [`assign`]; `InvalidInput` if the format has to be told more of.
    pub(super) fn open(
        format: Format,
        start: &[u8],
        rest: Bytes,
        columns: &Columns,
        unnamed: Unnamed,
        input: &str,
    ) -> Result<Self> {
        let start = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(start);
        let kind = Kind::of(format, columns, start)?;
        let field = |name| Field::new(name, DataType::Binary, true);
        let schema = Schema::new(kind.names().into_iter().map(field).collect::<Vec<_>>());
        let mut roles = assign(&schema, columns, unnamed, input)?;
        // The format tells them.
        roles.taken.guessed.clear();
        if matches!(format, Format::Kcat | Format::ConsoleConsumer) {
            roles.time_unit = roles.time_unit.or(Some(TimeUnit::Milliseconds));
        }
        let whole: Bytes = Box::new(Cursor::new(start.to_vec()).chain(rest));
        let plan = Arc::new(Plan { kind, roles });
        Ok(Self { cutter: Cutter::new(whole), plan, input: input.to_owned(), ended: false })
    }

    /// The columns taken.
    pub(super) fn roles(&self) -> &Roles {
        &self.plan.roles
    }

    /// The next rows; `None` at the end.
    pub(super) fn next_block(&mut self) -> Option<Result<Block>> {
        if self.ended {
            return None;
        }
        let cut = self.cutter.next(|bytes| self.plan.kind.last_end(bytes));
        // After a fault there is no telling where the next record begins.
        self.ended = !matches!(cut, Ok(Some(_)));
        let plan = self.plan.clone();
        let parse = move |cut| match cut {
            Cut::Block(bytes) => Block::new(move || plan.parse(bytes)),
            Cut::TooLong => Block::new(move || {
                Builders::new(&plan.roles, &Buffer::from(&[])).into_batch(&plan.roles, 1)
            }),
        };
        let failed = |error| Error::io(format!("reading {} failed: {error}", self.input));
        cut.map_err(failed).map(|cut| cut.map(parse)).transpose()
    }
}

impl Plan {
    /// The rows of a block.
    fn parse(&self, bytes: Vec<u8>) -> Result<Batch> {
        let block = Buffer::from_vec(bytes);
        let mut builders = Builders::new(&self.roles, &block);
        let mut fields = nulls();
        let (mut at, mut broken) = (0, 0);
        while at < block.len() {
            match self.kind.record(&block, at, &mut fields) {
                Found::Record(end) => {
                    builders.push(&self.roles, &Row { block: &block, fields: &fields })?;
                    at = end;
                }
                Found::Broken(end) => {
                    broken += 1;
                    at = end;
                }
                // All bytes are there.
                Found::Undecided => break,
            }
        }
        builders.into_batch(&self.roles, broken)
    }
}

/// One record.
struct Row<'a> {
    block: &'a [u8],
    fields: &'a [Value; COLUMNS],
}

impl Fields for Row<'_> {
    #[inline]
    fn text(&self, column: usize) -> Option<Text<'_>> {
        match &self.fields[column] {
            Value::Null => None,
            Value::At(at) => Some(Text::Whole(&self.block[at.clone()], at.start)),
            Value::Size(size) => Some(Text::Unescaped(size.to_string().into_bytes())),
        }
    }

    #[inline]
    fn size(&self, column: usize) -> i64 {
        match &self.fields[column] {
            Value::Size(size) => i64::try_from(*size).unwrap_or(MISSING),
            _ => super::whole::parse_whole(self.text(column).as_ref().map(Text::as_bytes)),
        }
    }
}

#[cfg(test)]
mod tests;
