//! A file read at positions, so that several threads can read one: handles that are cloned share
//! one position, and would read each other's bytes.

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::sync::Arc;

/// A file whose length is known.
#[derive(Debug, Clone)]
pub(super) struct Positioned {
    file: Arc<File>,
    len: u64,
}

impl Positioned {
    pub(super) fn new(file: File) -> io::Result<Self> {
        let len = file.metadata()?.len();
        Ok(Self { file: Arc::new(file), len })
    }
}

impl Length for Positioned {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for Positioned {
    type T = BufReader<From>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        // A page's header, which is all that is read this way, is a few dozen bytes.
        Ok(BufReader::with_capacity(512, From { file: self.file.clone(), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // A damaged file may ask for any length; no more is set aside than there is.
        let there = self.len.saturating_sub(start);
        if there < length as u64 {
            return Err(ParquetError::EOF(format!(
                "expected {length} bytes at {start}, found {there}"
            )));
        }
        let mut bytes = Vec::with_capacity(length);
        let from = From { file: self.file.clone(), at: start };
        let read = from.take(length as u64).read_to_end(&mut bytes)?;
        if read < length {
            return Err(ParquetError::EOF(format!(
                "expected {length} bytes at {start}, read {read}"
            )));
        }
        Ok(bytes.into())
    }
}

/// The bytes of a file from a position on.
#[derive(Debug)]
pub(super) struct From {
    file: Arc<File>,
    at: u64,
}

impl Read for From {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = loop {
            match read_at(&self.file, buffer, self.at) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}
