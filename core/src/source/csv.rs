//! CSV with a header row.
//!
//! Fields are text. One with nothing between its delimiters is null, one of two quotes is the empty
//! text, as in `PostgreSQL`'s COPY. A row with fewer or more fields than the header, or whose quotes do
//! not pair, is counted as broken and passed over.

mod records;

use super::columns::Roles;
use super::cutter::{Cut, Cutter};
use super::times::TextTimes;
use super::whole::parse_whole;
use super::{Batch, Block};
use crate::error::{Error, Result};
use crate::keys::KeyColumn;
use arrow::array::{ArrayRef, BinaryViewBuilder};
use arrow::buffer::Buffer;
use arrow::datatypes::{DataType, Field, Schema};
use records::{Next, Record, Records, Text, last_record_end};
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
                Block::new(move || Builders::new(&roles, Buffer::from(&[])).into_batch(&roles, 1))
            }
        };
        cut.map(|cut| cut.map(parse)).transpose()
    }
}

/// The rows of a block.
fn parse(bytes: Vec<u8>, roles: &Roles, columns: usize) -> Result<Batch> {
    let block = Buffer::from_vec(bytes);
    let mut records = Records::new(&block);
    let mut builders = Builders::new(roles, block.clone());
    let mut broken = 0;
    loop {
        match records.next(columns) {
            Next::Record(record) if record.len() == columns => builders.push(roles, &record)?,
            Next::Record(_) | Next::Broken => broken += 1,
            Next::End => return builders.into_batch(roles, broken),
        }
    }
}

/// A column of text in the making: views into the block, or into a buffer of its own where the
/// block has escapes.
struct Texts {
    views: BinaryViewBuilder,
    /// The block, as the views name it.
    block: u32,
}

impl Texts {
    fn new(block: Buffer) -> Self {
        let mut views = BinaryViewBuilder::new();
        let block = views.append_block(block);
        Self { views, block }
    }

    #[inline]
    fn push(&mut self, text: Option<Text<'_>>) -> Result<()> {
        match text {
            // A block is far from 4 GiB.
            Some(Text::Whole(text, at)) => {
                self.views.try_append_view(self.block, at as u32, text.len() as u32)?;
            }
            Some(Text::Unescaped(text)) => self.views.append_value(text),
            None => self.views.append_null(),
        }
        Ok(())
    }

    fn finish(mut self) -> ArrayRef {
        Arc::new(self.views.finish())
    }

    fn into_keys(self) -> Result<KeyColumn> {
        KeyColumn::try_new(&*self.finish())
    }
}

/// The columns of a batch as they grow.
struct Builders {
    keys: Texts,
    explicit_hash_keys: Texts,
    salts: Texts,
    operations: Texts,
    shards: Texts,
    sizes: Vec<i64>,
    weights: Vec<i64>,
    times: TextTimes,
}

impl Builders {
    fn new(roles: &Roles, block: Buffer) -> Self {
        let texts = || Texts::new(block.clone());
        Self {
            keys: texts(),
            explicit_hash_keys: texts(),
            salts: texts(),
            operations: texts(),
            shards: texts(),
            sizes: Vec::new(),
            weights: Vec::new(),
            times: TextTimes::new(roles.time_unit),
        }
    }

    fn push(&mut self, roles: &Roles, record: &Record<'_>) -> Result<()> {
        self.keys.push(record.get(roles.key))?;
        for (at, column) in [
            (roles.explicit_hash_key, &mut self.explicit_hash_keys),
            (roles.salt_by, &mut self.salts),
            (roles.operation, &mut self.operations),
            (roles.shard, &mut self.shards),
        ] {
            if let Some(at) = at {
                column.push(record.get(at))?;
            }
        }
        for (at, column) in [(roles.bytes, &mut self.sizes), (roles.weight, &mut self.weights)] {
            if let Some(at) = at {
                column.push(parse_whole(record.get(at).as_ref().map(Text::as_bytes)));
            }
        }
        if let Some(at) = roles.time {
            self.times.push(record.get(at).as_ref().map(Text::as_bytes));
        }
        Ok(())
    }

    fn into_batch(mut self, roles: &Roles, broken_rows: u64) -> Result<Batch> {
        let time = roles.taken.time.as_deref();
        let keys = self.keys.finish();
        let labels = roles.labels(&keys)?;
        let mut keys = roles.keys(&keys)?;
        if let (Some(salt), Some(_)) = (&roles.salt, roles.salt_by) {
            keys = salt.apply(&keys, &self.salts.into_keys()?)?;
        }
        let explicit = roles.explicit_hash_key.map(|_| self.explicit_hash_keys.into_keys());
        let operations = roles.operation.map(|_| self.operations.into_keys());
        let shards = roles.shard.map(|_| self.shards.into_keys());
        Ok(Batch {
            keys,
            explicit_hash_keys: explicit.transpose()?,
            bytes: roles.bytes.map(|_| self.sizes.into()),
            times: time.map(|name| self.times.take(name)).transpose()?,
            weights: roles.weight.map(|_| self.weights.into()),
            operations: operations.transpose()?,
            shards: shards.transpose()?,
            labels,
            broken_rows,
        })
    }
}
