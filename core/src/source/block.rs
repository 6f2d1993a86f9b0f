//! A part of a log that has been cut from it and is yet to be parsed, on whichever thread has time.

use super::Batch;
use crate::error::Result;
use std::fmt;
use std::iter;

/// Some rows of a log, not parsed before they are asked for.
///
/// Cutting a log into blocks is cheap and has to be done in order; parsing them is neither, so a
/// [`Source`](super::Source) does the one and the threads that count do the other.
///
/// ```
/// use shardlane::arrow::array::{ArrayRef, StringArray};
/// use shardlane::source::{Batches, Source};
/// use std::sync::Arc;
///
/// let keys: ArrayRef = Arc::new(StringArray::from(vec!["user-1", "JP"]));
/// let mut source = Batches::of_keys(vec![keys])?;
/// let block = source.next_block().unwrap()?;
/// let rows = std::thread::spawn(|| block.map(|batch| batch.unwrap().keys.len()).sum::<usize>());
/// assert_eq!(rows.join().unwrap(), 2);
/// # Ok::<(), shardlane::Error>(())
/// ```
pub struct Block(Box<dyn Iterator<Item = Result<Batch>> + Send>);

impl Block {
    /// A block of one batch, which `parse` makes.
    pub fn new(parse: impl FnOnce() -> Result<Batch> + Send + 'static) -> Self {
        Self::of(iter::once_with(parse))
    }

    /// A block of the batches that `batches` gives.
    pub fn of(batches: impl Iterator<Item = Result<Batch>> + Send + 'static) -> Self {
        Self(Box::new(batches))
    }

    /// A block that has been parsed already.
    pub fn ready(batch: Batch) -> Self {
        Self::of(iter::once(Ok(batch)))
    }
}

impl Iterator for Block {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Block").finish_non_exhaustive()
    }
}
