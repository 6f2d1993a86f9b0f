//! The first bytes of a stream, looked at without losing any.

use super::codec::Bytes;
use std::io::{Error, Read, Result};

/// The first bytes of a stream, `enough` if it has so many, and the rest. Where reading the first
/// fails, the rest does.
pub(super) fn start_of(mut bytes: Bytes, enough: usize) -> (Vec<u8>, Bytes) {
    let mut start = Vec::with_capacity(enough);
    match (&mut bytes).take(enough as u64).read_to_end(&mut start) {
        Ok(_) => (start, bytes),
        Err(error) => (start, Box::new(Failed(Some(error)))),
    }
}

/// What is left of a stream that failed.
struct Failed(Option<Error>);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}
