//! Arrow IPC as messages: each a description, and the bytes that it describes.

use crate::source::codec::Bytes;
use arrow::buffer::Buffer;
use arrow::ipc::root_as_message;
use std::io::{Error, ErrorKind, Read, Result};

/// How a file begins, and ends.
const MARK: &[u8; 6] = b"ARROW1";

/// What stands in front of every message.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The most bytes of a description: far above those of thousands of columns.
const LONGEST: u64 = 256 << 20;

/// Whether bytes begin as a file or a stream does.
pub(in crate::source) fn is_arrow(start: &[u8]) -> bool {
    start.starts_with(MARK) || start.starts_with(&CONTINUATION)
}

/// A message.
pub(super) struct Message {
    /// What describes it.
    pub(super) about: Vec<u8>,
    pub(super) body: Buffer,
}

/// The messages of a file or a stream.
pub(super) struct Messages {
    input: Bytes,
    /// Whether it begins as a file; unknown before the first message.
    is_file: Option<bool>,
}

impl Messages {
    pub(super) fn new(input: Bytes) -> Self {
        Self { input, is_file: None }
    }

    /// The next message; `None` at the end.
    ///
    /// # Errors
    /// What reading gives; `InvalidData` or `UnexpectedEof` if what is there is no message, or the
    /// end is not that of a file.
    pub(super) fn next(&mut self) -> Result<Option<Message>> {
        let Some(mut word) = self.word()? else { return self.end() };
        if self.is_file.is_none() {
            let is_file = word == MARK[..4];
            self.is_file = Some(is_file);
            if is_file {
                self.exactly(4)?;
                word = [0; 4];
                // The mark is filled up to eight bytes, or to as many as its writer likes.
                while word == [0; 4] {
                    word = self.word()?.ok_or(ErrorKind::UnexpectedEof)?;
                }
            }
        }
        // Writers of old leave out the mark.
        if word == CONTINUATION {
            word = self.word()?.ok_or(ErrorKind::UnexpectedEof)?;
        }
        let length = u64::from(u32::from_le_bytes(word));
        if length == 0 {
            return self.end();
        }
        if length > LONGEST {
            return Err(Error::new(ErrorKind::InvalidData, "a description that is too long"));
        }
        let about = self.exactly(length)?;
        let message = root_as_message(&about)
            .map_err(|error| Error::new(ErrorKind::InvalidData, error.to_string()))?;
        let length = u64::try_from(message.bodyLength())
            .map_err(|_| Error::new(ErrorKind::InvalidData, "a message of a negative length"))?;
        let body = Buffer::from_vec(self.exactly(length)?);
        Ok(Some(Message { about, body }))
    }

    /// Four bytes, or `None` if there are none at all.
    fn word(&mut self) -> Result<Option<[u8; 4]>> {
        let mut bytes = Vec::with_capacity(4);
        (&mut self.input).take(4).read_to_end(&mut bytes)?;
        match bytes.first_chunk() {
            Some(word) => Ok(Some(*word)),
            None if bytes.is_empty() => Ok(None),
            None => Err(ErrorKind::UnexpectedEof.into()),
        }
    }

    /// So many bytes. Memory is taken as they come, since a length may be wrong.
    fn exactly(&mut self, length: u64) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(length.min(64 << 20) as usize);
        (&mut self.input).take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == length { Ok(bytes) } else { Err(ErrorKind::UnexpectedEof.into()) }
    }

    /// The end, if it is one: a stream may end behind any message, a file has a table of contents
    /// and its mark there.
    fn end(&mut self) -> Result<Option<Message>> {
        if self.is_file != Some(true) {
            return Ok(None);
        }
        let mut end = Vec::new();
        let mut bytes = [0; 4096];
        loop {
            match self.input.read(&mut bytes)? {
                0 if end.ends_with(MARK) => return Ok(None),
                0 => return Err(Error::new(ErrorKind::UnexpectedEof, "no mark at its end")),
                read => {
                    end.extend_from_slice(&bytes[..read]);
                    end.drain(..end.len().saturating_sub(MARK.len()));
                }
            }
        }
    }
}
