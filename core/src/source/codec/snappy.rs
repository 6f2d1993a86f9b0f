//! Snappy as it is written without its framing format: in blocks by Hadoop and by snappy-java, and
//! as one piece.

use crate::source::codec::Bytes;
use snap::raw::{Decoder, decompress_len, max_compress_len};
use std::io::{Cursor, Error, ErrorKind, Read, Result};

/// What begins a stream of snappy-java; two numbers of a version follow.
const XERIAL: &[u8] = b"\x82SNAPPY\0";

/// Bytes of what begins it, with the version.
const XERIAL_LENGTH: usize = 16;

/// The most bytes of a block, and of a file that is one piece and so has to be in memory whole.
const LARGEST_BLOCK: usize = 64 << 20;
const LARGEST_PIECE: usize = 512 << 20;

/// Which way it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blocks {
    /// Blocks of blocks, each behind its length: unpacked in front of the outer, packed in front of
    /// the inner ones. So do Firehose ("Hadoop-compatible Snappy") and Hadoop.
    Hadoop,
    /// Blocks behind their packed lengths, and a mark in front of all.
    Xerial,
}

impl Blocks {
    /// The way that what begins with `start` is written, if it is one of them.
    pub(super) fn of(start: &[u8]) -> Option<Self> {
        if start.starts_with(XERIAL) {
            return Some(Self::Xerial);
        }
        let (outer, rest) = start.split_first_chunk()?;
        let (inner, block) = rest.split_first_chunk()?;
        let (outer, inner) =
            (u32::from_be_bytes(*outer) as usize, u32::from_be_bytes(*inner) as usize);
        // Text does not begin with a zero, as a length does here.
        let is_sane =
            (1..1 << 24).contains(&outer) && (2..=max_compress_len(outer)).contains(&inner);
        let unpacked = decompress_len(block).ok()?;
        (is_sane && (1..=outer).contains(&unpacked)).then_some(Self::Hadoop)
    }
}

/// A stream of blocks as the bytes that they stand for.
pub(super) struct Unblocked<R> {
    input: R,
    blocks: Blocks,
    /// Bytes that the outer block still has, where there is one.
    outer: usize,
    unpacked: Vec<u8>,
    at: usize,
}

impl<R: Read> Unblocked<R> {
    pub(super) fn new(mut input: R, blocks: Blocks) -> Result<Self> {
        if blocks == Blocks::Xerial {
            input.read_exact(&mut [0; XERIAL_LENGTH])?;
        }
        Ok(Self { input, blocks, outer: 0, unpacked: Vec::new(), at: 0 })
    }

    /// A length; `None` at the end.
    fn length(&mut self) -> Result<Option<usize>> {
        let mut bytes = Vec::with_capacity(4);
        (&mut self.input).take(4).read_to_end(&mut bytes)?;
        match bytes.first_chunk() {
            Some(length) => Ok(Some(u32::from_be_bytes(*length) as usize)),
            None if bytes.is_empty() => Ok(None),
            None => Err(ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Unpacks the next block; false at the end.
    fn next(&mut self) -> Result<bool> {
        if self.blocks == Blocks::Hadoop {
            while self.outer == 0 {
                match self.length()? {
                    Some(length) => self.outer = length,
                    None => return Ok(false),
                }
            }
        }
        let Some(length) = self.length()? else {
            return if self.outer > 0 { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(false) };
        };
        let damaged = || Error::new(ErrorKind::InvalidData, "not a block of Snappy");
        if length > max_compress_len(LARGEST_BLOCK) {
            return Err(damaged());
        }
        let mut packed = Vec::new();
        (&mut self.input).take(length as u64).read_to_end(&mut packed)?;
        if packed.len() < length {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if decompress_len(&packed)? > LARGEST_BLOCK {
            return Err(damaged());
        }
        self.unpacked = Decoder::new().decompress_vec(&packed)?;
        self.at = 0;
        if self.blocks == Blocks::Hadoop {
            self.outer = self.outer.checked_sub(self.unpacked.len()).ok_or_else(damaged)?;
        }
        Ok(true)
    }
}

impl<R: Read> Read for Unblocked<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        while self.at == self.unpacked.len() {
            if !self.next()? {
                return Ok(0);
            }
        }
        let read = into.len().min(self.unpacked.len() - self.at);
        into[..read].copy_from_slice(&self.unpacked[self.at..self.at + read]);
        self.at += read;
        Ok(read)
    }
}

/// Whether what begins with `start` may be one piece of Snappy: it is no text, and has a length and
/// then bytes as they are, which is how every piece begins.
pub(super) fn may_be_a_piece(start: &[u8]) -> bool {
    let is_text = match str::from_utf8(start) {
        Ok(_) => true,
        // The last character may be cut.
        Err(error) => error.error_len().is_none(),
    };
    let length = start.iter().take(5).position(|byte| *byte < 0x80).map_or(0, |last| last + 1);
    !is_text && length > 1 && start.get(length).is_some_and(|tag| tag.trailing_zeros() >= 2)
}

/// The bytes that a piece of Snappy stands for, and true; what is none is left as it is.
pub(super) fn piece(mut input: Bytes) -> Result<(Bytes, bool)> {
    let mut bytes = Vec::new();
    (&mut input).take(16).read_to_end(&mut bytes)?;
    let unpacked = decompress_len(&bytes).unwrap_or(usize::MAX);
    if unpacked <= LARGEST_PIECE {
        let most = max_compress_len(unpacked) as u64 + 1;
        (&mut input).take(most.saturating_sub(bytes.len() as u64)).read_to_end(&mut bytes)?;
        if let Ok(unpacked) = Decoder::new().decompress_vec(&bytes) {
            return Ok((Box::new(Cursor::new(unpacked)), true));
        }
    }
    Ok((Box::new(Cursor::new(bytes).chain(input)), false))
}
