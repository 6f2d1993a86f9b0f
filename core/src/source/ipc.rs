//! Arrow IPC: files and streams, read from their start.
//!
//! A file is a stream between two marks, with a table of contents behind it that nobody needs who
//! reads it all; so files are read as streams, from a pipe as well. Only the columns taken are
//! unpacked, by whoever counts them. What ends in the middle of a batch is read up to there.

mod messages;

use super::codec::Bytes;
use super::columns::{Roles, Unnamed, assign};
use super::{Batch, Block, Columns};
use crate::error::{Error, Result};
use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ipc::convert::fb_to_schema;
use arrow::ipc::reader::{read_dictionary, read_record_batch};
use arrow::ipc::{MessageHeader, root_as_message};
use messages::{Message, Messages};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

pub(super) use messages::is_arrow;

/// How many bytes one compressed byte stands for at most: `Zstandard` writes 128 KiB of one byte as
/// four.
const DENSEST: u64 = 1 << 15;

/// The most bytes of one unpacked buffer.
const LARGEST: u64 = 8 << 30;

/// What dictionaries stand for, by their numbers.
type Dictionaries = HashMap<i64, ArrayRef>;

/// The batches of a file or a stream.
pub(super) struct Rows {
    messages: Messages,
    plan: Arc<Plan>,
    /// As they are now: a stream may replace them, or add to them.
    dictionaries: Arc<Dictionaries>,
    input: String,
    ended: bool,
    /// Whether what was read is not whole.
    is_damaged: bool,
}

/// How to make rows of a message.
struct Plan {
    schema: SchemaRef,
    /// The positions of the columns taken, in order.
    taken: Vec<usize>,
    roles: Roles,
    input: String,
}

impl Rows {
    /// Reads what describes the columns; `input` is what errors call the data.
    ///
    /// # Errors
    /// As [`assign`]; `InvalidInput` if it is not whole.
    pub(super) fn open(
        from: Bytes,
        columns: &Columns,
        unnamed: Unnamed,
        input: &str,
    ) -> Result<Self> {
        let failed = |found: &str| unreadable(input, found);
        let mut messages = Messages::new(from);
        let first = messages.next().map_err(|error| failed(&error.to_string()))?;
        let first = first.ok_or_else(|| failed("there is nothing in it"))?;
        let schema = guarded(|| {
            let message = root(&first.about)?;
            let schema = message.header_as_schema().ok_or_else(|| {
                ArrowError::IpcError("what comes first does not describe the columns".to_owned())
            })?;
            Ok(Arc::new(fb_to_schema(schema)))
        });
        let schema = schema.map_err(|error| failed(&error))?;
        let roles = assign(&schema, columns, unnamed, input)?;
        let mut taken = Vec::new();
        for name in roles.names() {
            taken.push(schema.index_of(name)?);
        }
        taken.sort_unstable();
        let roles = roles.within(&schema.project(&taken)?)?;
        let input = input.to_owned();
        let plan = Arc::new(Plan { schema, taken, roles, input: input.clone() });
        let dictionaries = Arc::default();
        Ok(Self { messages, plan, dictionaries, input, ended: false, is_damaged: false })
    }

    /// The columns taken.
    pub(super) fn roles(&self) -> &Roles {
        &self.plan.roles
    }

    /// What is wrong with the data, once that has turned out.
    pub(super) fn damage(&self) -> Option<&'static str> {
        self.is_damaged.then_some("ends early or is damaged")
    }

    /// The next batch; `None` at the end.
    pub(super) fn next_block(&mut self) -> Option<Result<Block>> {
        while !self.ended {
            let message = match self.messages.next() {
                Ok(Some(message)) => message,
                Ok(None) => break,
                Err(error) => return Some(Err(self.damaged(&error))),
            };
            let kind = guarded(|| root(&message.about).map(|message| message.header_type()));
            match kind {
                Ok(MessageHeader::RecordBatch) => {
                    let (plan, dictionaries) = (self.plan.clone(), self.dictionaries.clone());
                    return Some(Ok(Block::of(Batches::Unread { message, plan, dictionaries })));
                }
                Ok(MessageHeader::DictionaryBatch) => {
                    if let Err(error) = self.learn(&message) {
                        return Some(Err(self.damaged(&error)));
                    }
                }
                Ok(_) => return Some(Err(self.damaged(&"a message that is no batch"))),
                Err(error) => return Some(Err(self.damaged(&error))),
            }
        }
        self.ended = true;
        None
    }

    /// Keeps a dictionary, or what is added to one.
    fn learn(&mut self, message: &Message) -> Result<(), String> {
        let dictionaries = Arc::make_mut(&mut self.dictionaries);
        guarded(|| {
            let about = root(&message.about)?;
            let Some(batch) = about.header_as_dictionary_batch() else { return Ok(()) };
            check_sizes(batch.data(), &message.body)?;
            read_dictionary(&message.body, batch, &self.plan.schema, dictionaries, &about.version())
        })
    }

    /// The error of data that are not whole.
    fn damaged(&mut self, found: &dyn std::fmt::Display) -> Error {
        (self.ended, self.is_damaged) = (true, true);
        unreadable(&self.input, &found.to_string())
    }
}

/// A message's description.
fn root(about: &[u8]) -> Result<arrow::ipc::Message<'_>, ArrowError> {
    root_as_message(about).map_err(|error| ArrowError::IpcError(error.to_string()))
}

/// Checks what the compressed buffers of a batch say of their sizes, for which the reader takes
/// memory before it unpacks anything.
fn check_sizes(batch: Option<arrow::ipc::RecordBatch<'_>>, body: &[u8]) -> Result<(), ArrowError> {
    let Some(batch) = batch.filter(|batch| batch.compression().is_some()) else { return Ok(()) };
    for buffer in batch.buffers().into_iter().flatten() {
        let place =
            usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let bytes = place.and_then(|(at, length)| body.get(at..)?.get(..length));
        let bytes = bytes.ok_or_else(|| {
            ArrowError::IpcError("a buffer beyond the bytes that there are".to_owned())
        })?;
        // -1 is for one that is not compressed.
        let size = bytes.first_chunk().map_or(0, |size| i64::from_le_bytes(*size));
        let most = (bytes.len() as u64).saturating_mul(DENSEST).min(LARGEST);
        if size > 0 && size as u64 > most {
            return Err(ArrowError::IpcError(format!("a buffer that would have {size} bytes")));
        }
    }
    Ok(())
}

/// Does some reading; what fails is told in words.
///
/// Damaged data may name lengths and positions that are beyond what is there, over some of which the
/// reader panics. They are an error like any other.
fn guarded<T>(read: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(read) => read.map_err(|error| error.to_string()),
        Err(_) => Err("the Arrow reader gave up".to_owned()),
    }
}

fn unreadable(input: &str, found: &str) -> Error {
    Error::input(format!(
        "{input} begins as Arrow IPC does but cannot be read: it is cut short or damaged; copy or \
         write it again"
    ))
    .with("found", found)
}

/// The rows of a message, in parts that threads can share.
enum Batches {
    Unread { message: Message, plan: Arc<Plan>, dictionaries: Arc<Dictionaries> },
    Rest { batch: RecordBatch, plan: Arc<Plan> },
    Done,
}

impl Iterator for Batches {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        let (batch, plan) = match std::mem::replace(self, Self::Done) {
            Self::Done => return None,
            Self::Rest { batch, plan } => (batch, plan),
            Self::Unread { message, plan, dictionaries } => {
                match plan.read(&message, &dictionaries) {
                    Ok(batch) => (batch, plan),
                    Err(error) => return Some(Err(error)),
                }
            }
        };
        let rows = plan.roles.rows_at_once(&batch).min(batch.num_rows());
        let first = plan.roles.take(&batch.slice(0, rows));
        if rows < batch.num_rows() {
            *self = Self::Rest { batch: batch.slice(rows, batch.num_rows() - rows), plan };
        }
        Some(first)
    }
}

impl Plan {
    /// The columns taken of a message.
    fn read(&self, message: &Message, dictionaries: &Dictionaries) -> Result<RecordBatch> {
        let batch = guarded(|| {
            let about = root(&message.about)?;
            let batch = about
                .header_as_record_batch()
                .ok_or_else(|| ArrowError::IpcError("a batch without a description".to_owned()))?;
            check_sizes(Some(batch), &message.body)?;
            let schema = self.schema.clone();
            let taken = Some(&self.taken[..]);
            read_record_batch(&message.body, batch, schema, dictionaries, taken, &about.version())
        });
        batch.map_err(|error| unreadable(&self.input, &error))
    }
}
