//! Compressed bytes, told by how they begin and never by a name, as the bytes they stand for.

mod snappy;

use super::Codec;
use super::ahead::Ahead;
use flate2::bufread::MultiGzDecoder;
use snap::read::FrameDecoder;
use snappy::{Blocks, Unblocked, may_be_a_piece, piece};
use std::io::{BufReader, Cursor, Error, ErrorKind, Read, Result};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Bytes that are enough to tell a codec.
const ENOUGH: usize = 16;

/// How Snappy in its framing format begins.
const FRAMED: &[u8] = b"\xff\x06\x00\x00sNaPpY";

/// Bytes read from a file at once.
const CHUNK: usize = 128 << 10;

/// Bytes of any file or stream.
pub(super) type Bytes = Box<dyn Read + Send>;

/// The codec of what begins with `start`.
fn codec(start: &[u8]) -> Codec {
    match start {
        [0x1f, 0x8b, ..] => Codec::Gzip,
        // A frame, or one that is to be skipped, as some writers put in front.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Codec::Zstd,
        _ if start.starts_with(FRAMED) || Blocks::of(start).is_some() => Codec::Snappy,
        _ => Codec::None,
    }
}

/// What is known of a file from beside its bytes, while they are being read.
#[derive(Debug, Clone, Default)]
pub(super) struct Watch {
    /// Bytes read of the file as it is.
    read: Arc<AtomicU64>,
    /// Whether reading itself failed.
    failed: Arc<OnceLock<()>>,
    /// Why unpacking stopped before the end, once it has.
    damage: Arc<OnceLock<&'static str>>,
}

impl Watch {
    /// Bytes read of the file so far, compressed if it is.
    pub(super) fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// How the compressed bytes are wrong, if they have turned out to be.
    pub(super) fn damage(&self) -> Option<&'static str> {
        self.damage.get().copied()
    }
}

/// The bytes that `input` stands for, how it was compressed, and a watch over it.
pub(super) fn unpacked(mut input: Bytes) -> Result<(Bytes, Codec, Watch)> {
    let watch = Watch::default();
    let mut start = Vec::with_capacity(ENOUGH);
    (&mut input).take(ENOUGH as u64).read_to_end(&mut start)?;
    let codec = codec(&start);
    let blocks = Blocks::of(&start);
    let may_be_a_piece = codec == Codec::None && may_be_a_piece(&start);
    let whole = Watched { input: Cursor::new(start).chain(input), watch: watch.clone() };
    let buffered = |whole| BufReader::with_capacity(CHUNK, whole);
    let bytes: Bytes = match codec {
        Codec::None if may_be_a_piece => {
            let (bytes, is_piece) = piece(Box::new(whole))?;
            return Ok((bytes, if is_piece { Codec::Snappy } else { codec }, watch));
        }
        Codec::None => Box::new(whole),
        Codec::Gzip => unpacking(MultiGzDecoder::new(buffered(whole)), &watch),
        Codec::Zstd => unpacking(zstd::Decoder::with_buffer(buffered(whole))?, &watch),
        Codec::Snappy => match blocks {
            Some(blocks) => unpacking(Unblocked::new(buffered(whole), blocks)?, &watch),
            None => unpacking(FrameDecoder::new(buffered(whole)), &watch),
        },
    };
    Ok((bytes, codec, watch))
}

fn unpacking(decoder: impl Read + Send + 'static, watch: &Watch) -> Bytes {
    Box::new(Unpacking { decoder, watch: watch.clone() })
}

/// The same bytes, to be unpacked on a thread of their own from now on if they are compressed.
pub(super) fn ahead(bytes: Bytes, codec: Codec) -> Bytes {
    match codec {
        Codec::None => bytes,
        _ => Box::new(Ahead::new(bytes)),
    }
}

/// A file whose bytes are counted as they are read.
struct Watched<R> {
    input: R,
    watch: Watch,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        match self.input.read(into) {
            Ok(read) => {
                self.watch.read.fetch_add(read as u64, Ordering::Relaxed);
                Ok(read)
            }
            Err(error) => {
                if error.kind() != ErrorKind::Interrupted {
                    // It may be set already.
                    let _ = self.watch.failed.set(());
                }
                Err(error)
            }
        }
    }
}

/// A decoder whose faults are told apart from those of the file below it.
struct Unpacking<R> {
    decoder: R,
    watch: Watch,
}

impl<R: Read> Read for Unpacking<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        self.decoder.read(into).inspect_err(|error: &Error| {
            if error.kind() != ErrorKind::Interrupted && self.watch.failed.get().is_none() {
                let damage = match error.kind() {
                    ErrorKind::UnexpectedEof => "ends early",
                    _ => "is damaged",
                };
                // The first fault counts.
                let _ = self.watch.damage.set(damage);
            }
        })
    }
}

#[cfg(test)]
mod tests;
