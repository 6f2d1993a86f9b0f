//! Records out of a stream of CSV bytes, as RFC 4180 has them, one broken record costing no other.
//!
//! The usual CSV readers are lenient where a log must not be: a quote that is never closed swallows
//! the records after it, without an error and without a bound on memory. Here a record whose
//! quoting is wrong ends at its own line; the next line is read as if nothing had been.
//!
//! A quote inside a field that does not begin with one is a plain character, as in `5" disk,3`.

use memchr::{memchr, memchr2};
use std::borrow::Cow;
use std::io::{ErrorKind, Read, Result};
use std::ops::Range;

/// Bytes that a record may have. A quote left open is noticed after that many at the latest.
const LONGEST: usize = 16 << 20;

/// Bytes read at once, to begin with.
const READ: usize = 256 << 10;

/// The records of a stream.
pub(super) struct Records<R> {
    input: R,
    buffer: Vec<u8>,
    /// What of the buffer is filled and not yet given out.
    filled: Range<usize>,
    ended: bool,
    consumed: u64,
    fields: Vec<Field>,
    longest: usize,
}

/// What comes next in a stream.
#[derive(Debug)]
pub(super) enum Next<'a> {
    Record(Record<'a>),
    /// A line that begins no well-formed record; it has been passed over.
    Broken,
    End,
}

/// One record.
#[derive(Debug)]
pub(super) struct Record<'a> {
    bytes: &'a [u8],
    fields: &'a [Field],
}

/// Where a field lies in its record, without its outer quotes.
#[derive(Debug, Clone)]
struct Field {
    at: Range<usize>,
    quoted: bool,
    /// Whether it has doubled quotes inside.
    escaped: bool,
}

impl Record<'_> {
    /// Number of fields; those beyond the most that were asked for count as one.
    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    /// A field's text; `None` if there is nothing between its delimiters, not even quotes.
    pub(super) fn get(&self, index: usize) -> Option<Cow<'_, [u8]>> {
        let field = self.fields.get(index)?;
        let bytes = &self.bytes[field.at.clone()];
        if bytes.is_empty() && !field.quoted {
            return None;
        }
        if !field.escaped {
            return Some(Cow::Borrowed(bytes));
        }
        let mut text = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while let Some(quote) = memchr(b'"', rest) {
            text.extend_from_slice(&rest[..=quote]);
            rest = rest.get(quote + 2..).unwrap_or_default();
        }
        text.extend_from_slice(rest);
        Some(Cow::Owned(text))
    }
}

/// What the bytes at the start of the buffer are.
enum Found {
    /// A record of so many bytes, line end included.
    Record(usize),
    /// No record, up to the end of the line after so many bytes.
    Broken(usize),
    /// It takes more bytes to tell.
    Undecided,
}

impl<R: Read> Records<R> {
    pub(super) fn new(input: R) -> Self {
        Self::with_longest(input, LONGEST)
    }

    fn with_longest(input: R, longest: usize) -> Self {
        Self {
            input,
            buffer: vec![0; READ.min(longest)],
            filled: 0..0,
            ended: false,
            consumed: 0,
            fields: Vec::new(),
            longest,
        }
    }

    /// Bytes given out so far.
    pub(super) fn consumed(&self) -> u64 {
        self.consumed
    }

    /// Passes over `bytes` if the stream goes on with them.
    pub(super) fn skip(&mut self, bytes: &[u8]) -> Result<()> {
        while self.filled.len() < bytes.len() && !self.ended {
            self.fill()?;
        }
        if self.buffer[self.filled.clone()].starts_with(bytes) {
            self.consume(bytes.len());
        }
        Ok(())
    }

    /// The next record. `most` is how many fields are of interest: a record with more has
    /// `most + 1`. Blank lines are no records, but where one field is all that there is: there they
    /// are how others write a null.
    pub(super) fn next(&mut self, most: usize) -> Result<Next<'_>> {
        loop {
            let found = split(
                &self.buffer[self.filled.clone()],
                self.ended,
                most.saturating_add(1),
                &mut self.fields,
            );
            match found {
                Found::Record(len) => {
                    let start = self.filled.start;
                    self.consume(len);
                    if let [Field { at, quoted: false, .. }] = self.fields.as_slice()
                        && at.is_empty()
                    {
                        if len == 0 {
                            return Ok(Next::End);
                        }
                        if most != 1 {
                            continue;
                        }
                    }
                    let bytes = &self.buffer[start..start + len];
                    return Ok(Next::Record(Record { bytes, fields: &self.fields }));
                }
                Found::Broken(len) => {
                    self.consume(len);
                    return Ok(Next::Broken);
                }
                Found::Undecided if self.filled.len() >= self.longest => {
                    self.skip_line()?;
                    return Ok(Next::Broken);
                }
                Found::Undecided => self.fill()?,
            }
        }
    }

    /// Passes over all bytes up to the next line, or the end.
    fn skip_line(&mut self) -> Result<()> {
        loop {
            match memchr(b'\n', &self.buffer[self.filled.clone()]) {
                Some(end) => {
                    self.consume(end + 1);
                    return Ok(());
                }
                None => self.consume(self.filled.len()),
            }
            if self.ended {
                return Ok(());
            }
            self.fill()?;
        }
    }

    fn consume(&mut self, bytes: usize) {
        self.filled.start += bytes;
        self.consumed += bytes as u64;
    }

    /// Reads some more, after making room: never more than the longest record needs.
    fn fill(&mut self) -> Result<()> {
        if self.filled.start > 0 {
            self.buffer.copy_within(self.filled.clone(), 0);
            self.filled = 0..self.filled.len();
        }
        if self.filled.end == self.buffer.len() {
            let larger = self.buffer.len().saturating_mul(2).min(self.longest);
            self.buffer.resize(larger, 0);
        }
        loop {
            match self.input.read(&mut self.buffer[self.filled.end..]) {
                Ok(0) => self.ended = true,
                Ok(bytes) => self.filled.end += bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            return Ok(());
        }
    }
}

/// Splits the record at the start of `bytes` into `fields`, `most` at most. `ended` tells that no
/// bytes will follow these.
fn split(bytes: &[u8], ended: bool, most: usize, fields: &mut Vec<Field>) -> Found {
    fields.clear();
    let line = match memchr(b'\n', bytes) {
        Some(end) => end + 1,
        None if ended => bytes.len(),
        None => return Found::Undecided,
    };
    if memchr(b'"', &bytes[..line]).is_some() {
        return split_quoted(bytes, line, ended, most, fields);
    }
    let end = without_line_end(&bytes[..line]);
    let mut start = 0;
    while let Some(length) = memchr(b',', &bytes[start..end])
        && fields.len() < most
    {
        fields.push(Field { at: start..start + length, quoted: false, escaped: false });
        start += length + 1;
    }
    if fields.len() < most {
        fields.push(Field { at: start..end, quoted: false, escaped: false });
    }
    Found::Record(line)
}

/// The same for a record with a quote in its first line, which ends after `line` bytes.
fn split_quoted(
    bytes: &[u8],
    line: usize,
    ended: bool,
    most: usize,
    fields: &mut Vec<Field>,
) -> Found {
    let mut push = |field| {
        if fields.len() < most {
            fields.push(field);
        }
    };
    let more = if ended { Found::Broken(line) } else { Found::Undecided };
    let mut start = 0;
    loop {
        // Where what follows the field begins.
        let after = if bytes.get(start) == Some(&b'"') {
            let Some((end, escaped)) = closing_quote(bytes, start + 1) else {
                return more;
            };
            push(Field { at: start + 1..end, quoted: true, escaped });
            end + 1
        } else {
            let rest = &bytes[start..];
            let Some(length) = memchr2(b',', b'\n', rest).or(ended.then_some(rest.len())) else {
                return Found::Undecided;
            };
            let after = start + length;
            let is_last = bytes.get(after) != Some(&b',');
            let end = if is_last { start + without_return(&rest[..length]) } else { after };
            push(Field { at: start..end, quoted: false, escaped: false });
            after
        };
        match &bytes[after..] {
            [b',', ..] => start = after + 1,
            [b'\n', ..] => return Found::Record(after + 1),
            [b'\r', b'\n', ..] => return Found::Record(after + 2),
            [] | [b'\r'] if ended => return Found::Record(bytes.len()),
            [] | [b'\r'] => return Found::Undecided,
            // Only a field in quotes can be followed by anything else.
            _ => return Found::Broken(line),
        }
    }
}

/// Where the quote is that closes a field beginning at `start`, and whether there are doubled ones
/// before it.
fn closing_quote(bytes: &[u8], start: usize) -> Option<(usize, bool)> {
    let mut at = start;
    let mut escaped = false;
    loop {
        at += memchr(b'"', &bytes[at..])?;
        if bytes.get(at + 1) != Some(&b'"') {
            return Some((at, escaped));
        }
        escaped = true;
        at += 2;
    }
}

/// Length of a line without the end of line.
fn without_line_end(line: &[u8]) -> usize {
    without_return(line.strip_suffix(b"\n").unwrap_or(line))
}

/// Length of a line without a carriage return at its end.
fn without_return(line: &[u8]) -> usize {
    line.strip_suffix(b"\r").unwrap_or(line).len()
}

#[cfg(test)]
mod tests;
