//! A log in memory that can be read again.

use super::data;
use crate::errors::Failure;
use crate::progress::Raised;
use pyo3::prelude::*;
use shardlane::source::{Batch, Block, Columns, Source, Taken};
use shardlane::{Error, ErrorKind, Result};

/// A source over a Python object that gives its rows as often as it is asked: a table, a frame, a
/// list; not an iterator.
pub(super) struct Again {
    pub(super) source: Box<dyn Source>,
    pub(super) value: Py<PyAny>,
    pub(super) columns: Columns,
    pub(super) raised: Raised,
}

impl Iterator for Again {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.source.next()
    }
}

impl Source for Again {
    fn taken(&self) -> &Taken {
        self.source.taken()
    }

    fn next_block(&mut self) -> Option<Result<Block>> {
        self.source.next_block()
    }

    fn reopen(&self) -> Option<Result<Box<dyn Source>>> {
        let again = Python::attach(|py| {
            data(self.value.bind(py), &self.columns, &self.raised, "source").map_err(|failure| {
                match failure {
                    Failure::Core(error) => error,
                    // What cannot be read again was read once: that is no reason to raise.
                    Failure::Python(error) => {
                        Error::new(ErrorKind::InvalidInput, error.to_string())
                    }
                }
            })
        });
        Some(again)
    }

    fn bytes_read(&self) -> u64 {
        self.source.bytes_read()
    }

    fn bytes_total(&self) -> Option<u64> {
        self.source.bytes_total()
    }

    fn rows_total(&self) -> Option<u64> {
        self.source.rows_total()
    }
}
