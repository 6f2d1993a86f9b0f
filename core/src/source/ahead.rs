//! Reading ahead of whoever parses, on a thread of its own.

use std::io::{Error, Read, Result};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::Builder;

/// Bytes of a buffer, and how many of them wait: enough that neither side waits for long.
const BUFFER: usize = 1 << 20;
const WAITING: usize = 3;

/// A stream that is read ahead from the first time that somebody reads it.
///
/// Unpacking takes about as long as cutting and parsing what was unpacked, so the one is done while
/// the other is. A stream that is only looked into has no thread.
pub(super) enum Ahead<R> {
    /// Nobody has read yet. Empty only while the thread is being started.
    Still(Option<R>),
    /// A thread reads.
    Running { buffers: Receiver<Result<Vec<u8>>>, buffer: Vec<u8>, at: usize },
}

impl<R: Read + Send + 'static> Ahead<R> {
    pub(super) fn new(input: R) -> Self {
        Self::Still(Some(input))
    }

    /// Starts the thread. It ends with the stream, with a fault, or when nobody reads any more.
    fn start(mut input: R) -> Result<Self> {
        let (sender, buffers) = sync_channel(WAITING);
        Builder::new().name("unpacking".to_owned()).spawn(move || {
            loop {
                let mut buffer = Vec::with_capacity(BUFFER);
                let read = (&mut input).take(BUFFER as u64).read_to_end(&mut buffer);
                let is_last = buffer.len() < BUFFER;
                if sender.send(Ok(buffer)).is_err() {
                    return;
                }
                if let Err(error) = read {
                    // Nobody reads any more if this fails, and nobody needs to know then.
                    let _ = sender.send(Err(error));
                    return;
                }
                if is_last {
                    return;
                }
            }
        })?;
        Ok(Self::Running { buffers, buffer: Vec::new(), at: 0 })
    }
}

impl<R: Read + Send + 'static> Read for Ahead<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        if let Self::Still(input) = self {
            let input = input.take().ok_or_else(|| Error::other("no thread to read on"))?;
            *self = Self::start(input)?;
        }
        let Self::Running { buffers, buffer, at } = self else { return Ok(0) };
        while *at == buffer.len() {
            match buffers.recv() {
                Ok(next) => (*buffer, *at) = (next?, 0),
                // The thread has ended, and so has the stream.
                Err(_) => return Ok(0),
            }
        }
        let read = into.len().min(buffer.len() - *at);
        into[..read].copy_from_slice(&buffer[*at..*at + read]);
        *at += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{ErrorKind, repeat};

    #[test]
    fn all_bytes_come_in_order_and_then_the_end() {
        let bytes: Vec<u8> = (0..3 * BUFFER + 5).map(|i| (i % 251) as u8).collect();
        let mut read = Vec::new();
        let mut ahead = Ahead::new(std::io::Cursor::new(bytes.clone()));
        ahead.read_to_end(&mut read).unwrap();
        assert!(read == bytes, "the stream is the same");
        assert_eq!(ahead.read(&mut [0; 8]).unwrap(), 0, "and ends for good");
    }

    #[test]
    fn a_fault_comes_after_the_bytes_before_it() {
        struct Fails(usize);
        impl Read for Fails {
            fn read(&mut self, into: &mut [u8]) -> Result<usize> {
                if self.0 == 0 {
                    return Err(ErrorKind::UnexpectedEof.into());
                }
                let read = into.len().min(self.0);
                into[..read].fill(7);
                self.0 -= read;
                Ok(read)
            }
        }
        let mut read = Vec::new();
        let error = Ahead::new(Fails(BUFFER + 3)).read_to_end(&mut read).unwrap_err();
        assert_eq!((read.len(), error.kind()), (BUFFER + 3, ErrorKind::UnexpectedEof));
    }

    #[test]
    fn a_stream_without_end_can_be_left() {
        let mut ahead = Ahead::new(repeat(1));
        assert_eq!(ahead.read(&mut [0; 8]).unwrap(), 8);
        drop(ahead);
    }
}
