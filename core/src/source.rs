//! From files to batches of keys, sizes and times.
//!
//! A [`Source`] gives [`Batch`]es until its rows are used up, holding only a few at a time. Which
//! column is what is decided once, by [`Columns`], and said in [`Taken`].

use crate::error::Result;
use crate::keys::KeyColumn;
use arrow::buffer::ScalarBuffer;

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
    /// The unit of a time column of whole numbers since 1970-01-01T00:00:00Z.
    pub time_unit: Option<TimeUnit>,
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
    /// How many records each row stands for.
    pub weights: Option<ScalarBuffer<i64>>,
    /// Rows that could not be read at all since the batch before.
    pub broken_rows: u64,
}

/// A log being read.
pub trait Source: Iterator<Item = Result<Batch>> + Send {
    /// The columns that it takes.
    fn taken(&self) -> &Taken;

    /// How many bytes of input have been read so far, if it can tell.
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
