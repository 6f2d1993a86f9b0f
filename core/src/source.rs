//! From files to batches of keys, sizes and times.
//!
//! A [`Source`] gives [`Batch`]es until its rows are used up, holding only a few at a time. Which
//! column is what is decided once, by [`Columns`], and said in [`Taken`]. [`open`] reads Parquet
//! and CSV files, [`Batches`] reads what is in memory already.
//!
#![cfg_attr(feature = "files", doc = "```")]
#![cfg_attr(not(feature = "files"), doc = "```ignore")]
//! use shardlane::source::{Columns, open};
//!
//! let path = std::env::temp_dir().join("shardlane-source-example.csv");
//! std::fs::write(&path, "user_id,size\nuser-1,512\nJP,1024\n").unwrap();
//! let columns = Columns { key: Some("user_id".to_owned()), ..Columns::default() };
//! let mut source = open(&[&path], &columns)?;
//! assert_eq!(source.taken().bytes.as_deref(), Some("size"));
//! let batch = source.next().unwrap()?;
//! assert_eq!(batch.keys.get(1), Some(&b"JP"[..]));
//! assert_eq!(batch.bytes.unwrap()[..], [512, 1024]);
//! # std::fs::remove_file(&path).unwrap();
//! # Ok::<(), shardlane::Error>(())
//! ```

#[cfg(feature = "files")]
mod ahead;
mod arrow;
mod block;
#[cfg(feature = "files")]
mod builders;
#[cfg(feature = "files")]
mod bytes;
#[cfg(feature = "files")]
mod codec;
mod columns;
#[cfg(feature = "files")]
mod csv;
#[cfg(feature = "files")]
mod cutter;
#[cfg(feature = "files")]
mod files;
mod format;
#[cfg(feature = "files")]
mod ipc;
#[cfg(feature = "files")]
mod json;
mod layout;
#[cfg(feature = "files")]
mod lines;
#[cfg(feature = "files")]
mod opened;
#[cfg(feature = "files")]
mod parquet;
#[cfg(feature = "files")]
mod paths;
mod payload;
#[cfg(feature = "files")]
mod start;
mod time_notes;
mod times;
mod whole;
mod written;

pub use self::arrow::Batches;
#[cfg(feature = "files")]
pub use self::bytes::open_bytes;
pub use block::Block;
#[cfg(feature = "files")]
pub use files::open;
pub use format::Format;
pub use layout::{Delimiter, KcatFormat, Layout, Separator};
#[cfg(feature = "files")]
pub use paths::files;
pub use time_notes::TimeNotes;
pub use written::{Codec, Written};

use crate::error::{Error, Result};
use crate::keys::{KeyColumn, KeySerializer, Salt};
use ::arrow::buffer::ScalarBuffer;
use std::fmt;
use std::str::FromStr;

/// Rows in a batch, unless they are long or the file's own parts end sooner. Enough that handing a
/// batch to a thread costs nothing against counting it, and few enough to hold several.
const ROWS: usize = 1 << 16;

/// Bytes of keys after which a batch ends early.
#[cfg(feature = "files")]
const BYTES: usize = 32 << 20;

/// Which column is what. What is not named is guessed from the usual names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns {
    /// The partition key.
    pub key: Option<String>,
    /// The payload's size in bytes.
    pub bytes: Option<String>,
    /// The time of arrival.
    pub time: Option<String>,
    /// How many records a row stands for.
    pub weight: Option<String>,
    /// The explicit hash key.
    pub explicit_hash_key: Option<String>,
    /// The unit of a time column of numbers since 1970-01-01T00:00:00Z.
    pub time_unit: Option<TimeUnit>,
    /// How the producer writes its keys, where they are not text.
    pub key_serializer: Option<KeySerializer>,
    /// A salt to put behind each key, and the column that it is made from.
    pub salt: Option<(Salt, String)>,
    /// The operation of a `DynamoDB` request.
    pub operation: Option<String>,
    /// The shard that the service chose, as far as the log tells.
    pub shard: Option<String>,
    /// The payload itself, as bytes or as text in base64: it tells the size, and what a producer
    /// library put into it.
    pub payload: Option<String>,
    /// What is looked for.
    pub wanted: Wanted,
    /// How files are to be read, where that is told.
    pub layout: Layout,
}

/// What is looked for in a log. The rest is neither guessed nor read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Wanted {
    /// Everything.
    #[default]
    All,
    /// Everything but times.
    Loads,
    /// Keys and explicit hash keys.
    Keys,
    /// Keys, explicit hash keys, and the shards that the service chose.
    Shards,
}

/// The unit of a time that is a whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TimeUnit {
    /// `s`
    Seconds,
    /// `ms`
    Milliseconds,
    /// `us`
    Microseconds,
    /// `ns`
    Nanoseconds,
}

impl TimeUnit {
    /// Every unit, longest first.
    pub const ALL: [Self; 4] =
        [Self::Seconds, Self::Milliseconds, Self::Microseconds, Self::Nanoseconds];

    /// The unit's name: `s`, `ms`, `us` or `ns`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Milliseconds => "ms",
            Self::Microseconds => "us",
            Self::Nanoseconds => "ns",
        }
    }
}

impl fmt::Display for TimeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reads a unit by its name.
///
/// ```
/// use shardlane::source::TimeUnit;
/// assert_eq!("ms".parse(), Ok(TimeUnit::Milliseconds));
/// assert!("minutes".parse::<TimeUnit>().is_err());
/// ```
impl FromStr for TimeUnit {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|unit| unit.name() == name).ok_or_else(|| {
            Error::input(format!("there is no time unit \"{name}\"; type s, ms, us or ns"))
        })
    }
}

/// The columns that a source took, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// The partition key.
    pub key: String,
    /// The payload's size, if there is one.
    pub bytes: Option<String>,
    /// The time of arrival, if there is one.
    pub time: Option<String>,
    /// The weight, if there is one.
    pub weight: Option<String>,
    /// The explicit hash key, if there is one.
    pub explicit_hash_key: Option<String>,
    /// What the salt is made from, if there is one.
    pub salt: Option<String>,
    /// The operation, if there is one.
    pub operation: Option<String>,
    /// The shard that the service chose, if the log tells.
    pub shard: Option<String>,
    /// The payload itself, if it is looked into.
    pub payload: Option<String>,
    /// Which of these names were guessed.
    pub guessed: Vec<String>,
}

/// Some rows of a log, column by column. All columns have the same length; a value that is null or
/// unreadable is [`MISSING`](crate::tally::MISSING).
#[derive(Debug, Clone)]
pub struct Batch {
    /// The partition keys.
    pub keys: KeyColumn,
    /// The explicit hash keys as text; null where there is none.
    pub explicit_hash_keys: Option<KeyColumn>,
    /// Payload sizes in bytes.
    pub bytes: Option<ScalarBuffer<i64>>,
    /// Times in microseconds since 1970-01-01T00:00:00Z.
    pub times: Option<ScalarBuffer<i64>>,
    /// What is to be said of them.
    pub time_notes: TimeNotes,
    /// How many records each row stands for.
    pub weights: Option<ScalarBuffer<i64>>,
    /// The operation of each `DynamoDB` request, as text.
    pub operations: Option<KeyColumn>,
    /// The shard that the service chose, as text: its id, or a number.
    pub shards: Option<KeyColumn>,
    /// How each record came to its shard; nothing if each came by itself.
    pub travels: Option<Vec<Travel>>,
    /// What the keys were made from, as text, where they are to be shown and a serializer made
    /// them.
    pub labels: Option<KeyColumn>,
    /// Rows that could not be read at all since the batch before.
    pub broken_rows: u64,
}

/// How a record comes to its shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Travel {
    /// As one record of the service.
    Alone,
    /// As the first of several that a producer library put into one; its size includes the keys and
    /// what else that one record has.
    First,
    /// Within the record of the row above; its size is its payload's.
    Within,
}

/// A log being read: batch by batch as an iterator, or block by block for threads that parse.
pub trait Source: Iterator<Item = Result<Batch>> + Send {
    /// The columns that it takes.
    fn taken(&self) -> &Taken;

    /// The next part of the log, yet to be parsed if that is worth a thread's time. Blocks and
    /// batches are of the same rows: whoever asks for the one does not ask for the other.
    fn next_block(&mut self) -> Option<Result<Block>> {
        self.next().map(|batch| batch.map(Block::ready))
    }

    /// The same log from its start; `None` if it can be read only once, as a pipe.
    fn reopen(&self) -> Option<Result<Box<dyn Source>>> {
        None
    }

    /// How the log's files are written, each way once; empty if they are no files.
    fn written(&self) -> &[Written] {
        &[]
    }

    /// What could not be read of the log, file by file, as far as it has been read: the rest of a
    /// file that ends early, or a file that lacks a column. What could be read is given out.
    fn faults(&self) -> &[String] {
        &[]
    }

    /// How many bytes of input have been read so far, compressed if they are, if it can tell.
    fn bytes_read(&self) -> u64 {
        0
    }

    /// How many bytes of input there are in all, if it can tell.
    fn bytes_total(&self) -> Option<u64> {
        None
    }

    /// How many rows there are in all, if it can tell.
    fn rows_total(&self) -> Option<u64> {
        None
    }
}
