//! Records out of a block of CSV, as RFC 4180 has them, one broken record costing no other.
//!
//! The usual CSV readers are lenient where a log must not be: a quote that is never closed swallows
//! the records after it, without an error and without a bound on memory. Here a record whose
//! quoting is wrong ends at its own line; the next line is read as if nothing had been.
//!
//! A quote inside a field that does not begin with one is a plain character, as in `5" disk,3`.

use crate::source::builders::Text;
use memchr::{memchr, memchr2, memrchr};
use std::ops::Range;

/// The records of a block that ends where a record does.
pub(super) struct Records<'a> {
    bytes: &'a [u8],
    /// What stands between fields.
    delimiter: u8,
    at: usize,
    fields: Vec<Field>,
}

/// What comes next in a block.
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
    /// Where it begins in its block.
    start: usize,
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
    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<Text<'_>> {
        let field = self.fields.get(index)?;
        let bytes = &self.bytes[field.at.clone()];
        if bytes.is_empty() && !field.quoted {
            return None;
        }
        if !field.escaped {
            return Some(Text::Whole(bytes, self.start + field.at.start));
        }
        let mut text = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while let Some(quote) = memchr(b'"', rest) {
            text.extend_from_slice(&rest[..=quote]);
            rest = rest.get(quote + 2..).unwrap_or_default();
        }
        text.extend_from_slice(rest);
        Some(Text::Unescaped(text))
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

impl<'a> Records<'a> {
    pub(super) fn new(bytes: &'a [u8], delimiter: u8) -> Self {
        Self { bytes, delimiter, at: 0, fields: Vec::new() }
    }

    /// Where the next record begins.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The next record. `most` is how many fields are of interest: a record with more has
    /// `most + 1`. Blank lines are no records, but where one field is all that there is: there they
    /// are how others write a null.
    #[inline]
    pub(super) fn next(&mut self, most: usize) -> Next<'_> {
        loop {
            let start = self.at;
            let bytes = &self.bytes[start..];
            match split(bytes, self.delimiter, true, most.saturating_add(1), &mut self.fields) {
                Found::Record(len) => {
                    self.at += len;
                    if let [Field { at, quoted: false, .. }] = self.fields.as_slice()
                        && at.is_empty()
                    {
                        if len == 0 {
                            return Next::End;
                        }
                        if most != 1 {
                            continue;
                        }
                    }
                    let bytes = &bytes[..len];
                    return Next::Record(Record { bytes, start, fields: &self.fields });
                }
                // All bytes are there, so that nothing is undecided.
                Found::Broken(len) => {
                    self.at += len;
                    return Next::Broken;
                }
                Found::Undecided => return Next::End,
            }
        }
    }
}

/// Where the last whole record of `bytes` ends, more of which may follow; 0 if none does.
pub(super) fn last_record_end(bytes: &[u8], delimiter: u8) -> usize {
    let Some(quote) = memchr(b'"', bytes) else {
        return memrchr(b'\n', bytes).map_or(0, |end| end + 1);
    };
    // Records before the first quote end where lines do; from there on, they have to be walked.
    let mut end = memrchr(b'\n', &bytes[..quote]).map_or(0, |end| end + 1);
    let mut fields = Vec::new();
    while let Found::Record(len) | Found::Broken(len) =
        split(&bytes[end..], delimiter, false, 1, &mut fields)
    {
        end += len;
    }
    end
}

/// Splits the record at the start of `bytes` into `fields`, `most` at most. `ended` tells that no
/// bytes will follow these.
fn split(bytes: &[u8], delimiter: u8, ended: bool, most: usize, fields: &mut Vec<Field>) -> Found {
    fields.clear();
    let line = match memchr(b'\n', bytes) {
        Some(end) => end + 1,
        None if ended => bytes.len(),
        None => return Found::Undecided,
    };
    if memchr(b'"', &bytes[..line]).is_some() {
        return split_quoted(bytes, delimiter, line, ended, most, fields);
    }
    let end = without_line_end(&bytes[..line]);
    let mut start = 0;
    while let Some(length) = memchr(delimiter, &bytes[start..end])
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
    delimiter: u8,
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
            let Some(length) = memchr2(delimiter, b'\n', rest).or(ended.then_some(rest.len()))
            else {
                return Found::Undecided;
            };
            let after = start + length;
            let is_last = bytes.get(after) != Some(&delimiter);
            let end = if is_last { start + without_return(&rest[..length]) } else { after };
            push(Field { at: start..end, quoted: false, escaped: false });
            after
        };
        match &bytes[after..] {
            [sign, ..] if *sign == delimiter => start = after + 1,
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
