//! Bytes of text in blocks of whole records.

use memchr::memchr;
use std::io::{Error, Read, Result};

/// Bytes that a record may have. One that is longer is passed over, and so is a quote left open:
/// neither may take the memory.
const LONGEST: usize = 16 << 20;

/// Bytes of the first block: soon there, and enough to tell the columns.
const FIRST: usize = 64 << 10;

/// Bytes of every other block: enough that handing it to a thread costs nothing against parsing it.
const BLOCK: usize = 1 << 20;

/// What was cut.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Whole records.
    Block(Vec<u8>),
    /// A line longer than any record may be; it has been passed over.
    TooLong,
}

/// Cuts a stream into blocks that end where a record does.
pub(super) struct Cutter<R> {
    input: R,
    /// What has been read and not yet given out.
    rest: Vec<u8>,
    ended: bool,
    /// Why it ended, if it failed: to be told once what came before is given out.
    failed: Option<Error>,
    /// Bytes of the next block, if its records are shorter.
    block: usize,
    longest: usize,
}

impl<R: Read> Cutter<R> {
    pub(super) fn new(input: R) -> Self {
        Self::with_sizes(input, FIRST, LONGEST)
    }

    pub(super) fn with_sizes(input: R, first: usize, longest: usize) -> Self {
        Self { input, rest: Vec::new(), ended: false, failed: None, block: first, longest }
    }

    /// The next block; `None` at the end. `last_end` tells where the last whole record of some bytes
    /// ends: 0 if none does. What the stream ends with counts as a whole record, unless it fails
    /// there: a part of a number would be read as another number.
    pub(super) fn next(&mut self, last_end: impl Fn(&[u8]) -> usize) -> Result<Option<Cut>> {
        let mut bytes = std::mem::take(&mut self.rest);
        let mut wanted = self.block.max(bytes.len());
        loop {
            self.fill(&mut bytes, wanted);
            let is_whole = self.ended && self.failed.is_none();
            let end = if is_whole { bytes.len() } else { last_end(&bytes) };
            if end > 0 {
                self.block = self.block.max(BLOCK.min(self.longest));
                return Ok(Some(Cut::Block(self.cut(bytes, end))));
            }
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            if self.ended {
                return Ok(None);
            }
            if bytes.len() >= self.longest {
                // Too long in all, but its first line may be a line of its own.
                if let Some(line) = memchr(b'\n', &bytes) {
                    return Ok(Some(Cut::Block(self.cut(bytes, line + 1))));
                }
                self.skip_line(bytes);
                return Ok(Some(Cut::TooLong));
            }
            wanted = wanted.saturating_mul(2).min(self.longest);
        }
    }

    /// Reads until there are `wanted` bytes, or the stream ends.
    fn fill(&mut self, bytes: &mut Vec<u8>, wanted: usize) {
        let more = wanted.saturating_sub(bytes.len());
        if more > 0 && !self.ended {
            bytes.reserve_exact(more);
            // What was read before a fault is kept.
            let read = (&mut self.input).take(more as u64).read_to_end(bytes);
            self.ended = !matches!(read, Ok(read) if read == more);
            self.failed = read.err();
        }
    }

    /// Gives out the first `end` bytes and keeps the rest.
    fn cut(&mut self, mut bytes: Vec<u8>, end: usize) -> Vec<u8> {
        self.rest.extend_from_slice(&bytes[end..]);
        bytes.truncate(end);
        bytes
    }

    /// Passes over all bytes up to the next line, or the end.
    fn skip_line(&mut self, mut bytes: Vec<u8>) {
        loop {
            if let Some(end) = memchr(b'\n', &bytes) {
                self.cut(bytes, end + 1);
                return;
            }
            bytes.clear();
            if self.ended {
                return;
            }
            self.fill(&mut bytes, self.block);
        }
    }
}

/// Where the last line of `bytes` ends, for [`Cutter::next`].
pub(super) fn last_line_end(bytes: &[u8]) -> usize {
    memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(cutter: &mut Cutter<impl Read>) -> Vec<Cut> {
        std::iter::from_fn(|| cutter.next(last_line_end).unwrap()).collect()
    }

    #[test]
    fn a_line_longer_than_a_record_may_be_is_passed_over_and_takes_no_more_memory() {
        let text = format!("a\n{}\nb", "x".repeat(1000));
        let mut cutter = Cutter::with_sizes(text.as_bytes(), 16, 64);
        let cuts = all(&mut cutter);
        assert_eq!(cuts, [Cut::Block(b"a\n".to_vec()), Cut::TooLong, Cut::Block(b"b".to_vec())]);
    }

    proptest! {
        #[test]
        fn blocks_are_whole_lines_and_together_the_stream(
            lines in prop::collection::vec("[a-c]{0,9}", 0..40),
            ends_in_line_end: bool,
            first in 1usize..20,
        ) {
            let mut text = lines.join("\n");
            if ends_in_line_end {
                text.push('\n');
            }
            let mut cutter = Cutter::with_sizes(text.as_bytes(), first, 64);
            let cuts = all(&mut cutter);
            let mut whole = Vec::new();
            for (at, cut) in cuts.iter().enumerate() {
                let Cut::Block(block) = cut else { panic!("no line is that long") };
                prop_assert!(at + 1 == cuts.len() || block.ends_with(b"\n"));
                whole.extend_from_slice(block);
            }
            prop_assert_eq!(whole, text.as_bytes());
        }
    }
}
