//! What `kcat` prints as `-f` told it to, or with `-K`.
//!
//! A key printed with nothing is a null, since kcat prints nulls so; where its length is printed
//! too, -1 tells a null from an empty key. A null payload, a tombstone, has the size 0.

use super::{COLUMNS, Found, Value};
use crate::error::{Error, Result};
use crate::source::layout::Part;
use crate::source::{KcatFormat, Layout};
use memchr::memmem;
use std::ops::Range;

/// The columns that there may be.
const NAMES: [&str; COLUMNS] =
    ["key", "size", "timestamp", "partition", "offset", "topic", "headers"];

/// How records were printed.
#[derive(Debug)]
pub(super) struct Kcat {
    parts: Vec<Placed>,
    has_lines: bool,
    names: Vec<&'static str>,
    /// What stands in place of a null, if `-Z` said so.
    null: Option<Vec<u8>>,
}

/// A part, and the column that it is.
#[derive(Debug)]
struct Placed {
    part: Part,
    column: Option<usize>,
}

/// The lengths that a record has told.
#[derive(Debug, Default)]
struct Lengths {
    key: Option<i64>,
    payload: Option<i64>,
}

/// How far a part reaches.
enum Reach {
    To(usize),
    Broken,
    Undecided,
}

impl Kcat {
    /// How records were printed, as told.
    pub(super) fn of(layout: &Layout) -> Result<Self> {
        let format = match (&layout.kcat_format, &layout.key_separator) {
            (Some(format), _) => format.clone(),
            (None, Some(separator)) => KcatFormat::keyed(separator),
            (None, None) => {
                return Err(Error::input(
                    "what kcat prints depends on what it was told; type --kcat-format with what its \
                     -f was, such as '%k\\t%p\\t%T\\t%S\\n', or --key-separator with what its -K was \
                     (in Python: kcat_format= and key_separator=)",
                ));
            }
        };
        let is_there = |name: &&str| format.parts().iter().any(|part| name_of(part) == Some(name));
        let names: Vec<&str> = NAMES.into_iter().filter(is_there).collect();
        let column = |part: &Part| names.iter().position(|name| name_of(part) == Some(name));
        let placed = |part: &Part| Placed { column: column(part), part: part.clone() };
        Ok(Self {
            parts: format.parts().iter().map(placed).collect(),
            has_lines: format.has_lines(),
            names,
            null: layout.null_key.as_ref().map(|null| null.clone().into_bytes()),
        })
    }

    /// The names of the columns.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.names.clone()
    }

    /// Whether every record is a line, so that a block can be cut at any of them.
    pub(super) fn has_lines(&self) -> bool {
        self.has_lines
    }

    /// Splits a line, its end included. The parts in front of the first text of any kind are taken
    /// from the left, those behind the last from the right, so that a key may have what stands
    /// between the parts if it is the only such text.
    pub(super) fn line(
        &self,
        block: &[u8],
        line: Range<usize>,
        fields: &mut [Value; COLUMNS],
    ) -> bool {
        fields.fill(Value::Null);
        let (mut start, mut end) = (line.start, line.end);
        let (mut from, mut to) = (0, self.parts.len());
        while from < to && !self.parts[from].part.is_free() {
            let Some(length) = length_in_front(&self.parts[from].part, &block[start..end]) else {
                return false;
            };
            self.keep(&self.parts[from], block, start..start + length, fields);
            start += length;
            from += 1;
        }
        // The last line of a log may lack its end.
        let mut is_ended = block[line.clone()].ends_with(b"\n");
        while from < to && !self.parts[to - 1].part.is_free() {
            let placed = &self.parts[to - 1];
            let length = match &placed.part {
                Part::Literal(text) if !std::mem::replace(&mut is_ended, true) => {
                    let text = text.strip_suffix(b"\n").unwrap_or(text);
                    block[start..end].ends_with(text).then_some(text.len())
                }
                part => length_behind(part, &block[start..end]),
            };
            let Some(length) = length else { return false };
            self.keep(placed, block, end - length..end, fields);
            end -= length;
            to -= 1;
        }
        let lengths = &mut Lengths::default();
        for at in from..to {
            let reach = if at + 1 == to {
                Reach::To(end)
            } else {
                self.reach(at, &block[..end], start, true, lengths)
            };
            let Reach::To(next) = reach else { return false };
            self.keep(&self.parts[at], block, start..next, fields);
            start = next;
        }
        start == end
    }

    /// The record that begins `at` some place, its parts taken one after another. `ended` tells that
    /// no bytes will follow these.
    pub(super) fn record(
        &self,
        bytes: &[u8],
        at: usize,
        ended: bool,
        fields: &mut [Value; COLUMNS],
    ) -> Found {
        fields.fill(Value::Null);
        if at == bytes.len() {
            return Found::Undecided;
        }
        let mut lengths = Lengths::default();
        let mut start = at;
        for (index, placed) in self.parts.iter().enumerate() {
            match self.reach(index, bytes, start, ended, &mut lengths) {
                Reach::To(next) => {
                    if !self.keep_measured(placed, bytes, start..next, &lengths, fields) {
                        return self.broken(bytes, at, ended);
                    }
                    start = next;
                }
                Reach::Broken => return self.broken(bytes, at, ended),
                Reach::Undecided => return Found::Undecided,
            }
        }
        Found::Record(start)
    }

    /// How far the part number `index` reaches that begins at `start`.
    fn reach(
        &self,
        index: usize,
        bytes: &[u8],
        start: usize,
        ended: bool,
        lengths: &mut Lengths,
    ) -> Reach {
        let rest = &bytes[start..];
        let short = if ended { Reach::Broken } else { Reach::Undecided };
        let part = &self.parts[index].part;
        let measured = match part {
            Part::Key => lengths.key,
            Part::Payload => lengths.payload,
            _ => None,
        };
        if let Some(length) = measured {
            // In place of what is empty, `-Z` prints a null.
            let null = self.null.as_deref().filter(|null| length <= 0 && rest.starts_with(null));
            let length = null.map_or(length.max(0) as usize, <[u8]>::len);
            return if length > rest.len() { short } else { Reach::To(start + length) };
        }
        if part.is_free() {
            // A literal follows, as was checked.
            let Some(Part::Literal(next)) = self.parts.get(index + 1).map(|next| &next.part) else {
                return Reach::Broken;
            };
            return match memmem::find(rest, next) {
                Some(length) => Reach::To(start + length),
                // The last record may lack its end.
                None if ended && index + 2 == self.parts.len() => Reach::To(bytes.len()),
                None => short,
            };
        }
        let is_last = index + 1 == self.parts.len();
        match part {
            Part::Literal(_) if is_last && ended && rest.is_empty() => return Reach::To(start),
            Part::Literal(text) if rest.len() < text.len() && text.starts_with(rest) => {
                return short;
            }
            Part::PayloadLengthBinary => {
                let Some((length, _)) = rest.split_first_chunk() else { return short };
                lengths.payload = Some(i32::from_be_bytes(*length).into());
                return Reach::To(start + 4);
            }
            _ => {}
        }
        let Some(length) = length_in_front(part, rest) else {
            return if rest.is_empty() || rest == b"-" { short } else { Reach::Broken };
        };
        if length == rest.len() && !matches!(part, Part::Literal(_)) && !ended {
            // More digits may follow.
            return Reach::Undecided;
        }
        let number = || str::from_utf8(&rest[..length]).ok()?.parse().ok();
        match part {
            Part::KeyLength => lengths.key = number(),
            Part::PayloadLength => lengths.payload = number(),
            _ => {}
        }
        Reach::To(start + length)
    }

    /// A record that is none: it ends where a record next does.
    fn broken(&self, bytes: &[u8], at: usize, ended: bool) -> Found {
        let end = match self.parts.last().map(|last| &last.part) {
            Some(Part::Literal(last)) => {
                memmem::find(&bytes[at..], last).map(|end| end + last.len())
            }
            _ => None,
        };
        match end {
            Some(end) => Found::Broken(at + end),
            // Without it there is no telling where the next one begins.
            None if ended || bytes.len() - at >= UNTOLD => Found::Broken(bytes.len()),
            None => Found::Undecided,
        }
    }

    /// Keeps a part whose length may have been told; false if that is no length.
    fn keep_measured(
        &self,
        placed: &Placed,
        block: &[u8],
        at: Range<usize>,
        lengths: &Lengths,
        fields: &mut [Value; COLUMNS],
    ) -> bool {
        let told = match placed.part {
            Part::Key => lengths.key,
            Part::Payload => lengths.payload,
            _ => None,
        };
        match (told, placed.column) {
            (Some(..-1), _) => return false,
            (Some(-1), Some(column)) if placed.part == Part::Key => fields[column] = Value::Null,
            (Some(0), Some(column)) if placed.part == Part::Key => {
                fields[column] = Value::At(at.start..at.start);
            }
            (Some(_), Some(column)) if placed.part == Part::Key => fields[column] = Value::At(at),
            (Some(length), Some(column)) => fields[column] = Value::Size(length.max(0) as u64),
            _ => self.keep(placed, block, at, fields),
        }
        true
    }

    /// Keeps a part in its column.
    #[inline]
    fn keep(&self, placed: &Placed, block: &[u8], at: Range<usize>, fields: &mut [Value; COLUMNS]) {
        let Some(column) = placed.column else { return };
        let text = &block[at.clone()];
        let is_null = || self.null.as_deref() == Some(text);
        fields[column] = match placed.part {
            Part::Key if text.is_empty() || is_null() => Value::Null,
            Part::Payload if is_null() => Value::Size(0),
            // The size may be told as well, which then counts.
            Part::Payload if fields[column] != Value::Null => return,
            Part::Payload => Value::Size(at.len() as u64),
            // -1 stands for a null payload, and for a time that is not known.
            Part::PayloadLength if text == b"-1" => Value::Size(0),
            Part::PayloadLengthBinary => {
                let length = text.first_chunk().map_or(0, |bytes| i32::from_be_bytes(*bytes));
                Value::Size(u64::try_from(length).unwrap_or(0))
            }
            Part::Timestamp if text.starts_with(b"-") => Value::Null,
            _ => Value::At(at),
        };
    }
}

/// Bytes after which a record that is none is given up with all that follows it in its block.
const UNTOLD: usize = 1 << 20;

/// The column that a part is.
fn name_of(part: &Part) -> Option<&'static str> {
    match part {
        Part::Key => Some("key"),
        Part::Payload | Part::PayloadLength | Part::PayloadLengthBinary => Some("size"),
        Part::Timestamp => Some("timestamp"),
        Part::Partition => Some("partition"),
        Part::Offset => Some("offset"),
        Part::Topic => Some("topic"),
        Part::Headers => Some("headers"),
        Part::Literal(_) | Part::KeyLength => None,
    }
}

/// Length of the literal or the number that bytes begin with.
#[inline]
fn length_in_front(part: &Part, bytes: &[u8]) -> Option<usize> {
    if let Part::Literal(text) = part {
        return bytes.starts_with(text).then_some(text.len());
    }
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let digits = bytes[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0).then_some(sign + digits)
}

/// Length of the literal or the number that bytes end with.
#[inline]
fn length_behind(part: &Part, bytes: &[u8]) -> Option<usize> {
    if let Part::Literal(text) = part {
        return bytes.ends_with(text).then_some(text.len());
    }
    let digits = bytes.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = bytes[..bytes.len() - digits].ends_with(b"-");
    (digits > 0).then_some(digits + usize::from(sign))
}
