//! What `kafka-console-consumer` prints with `print.timestamp`, `print.partition`, `print.offset`,
//! `print.headers` and `print.key`.
//!
//! Each part stands behind its name and before the separator, a tab unless `key.separator` says
//! otherwise: `CreateTime:1700000000000⇥Partition:3⇥Offset:12⇥NO_HEADERS⇥key⇥value`. Facts: Apache
//! Kafka's `DefaultMessageFormatter`, versions 2.0 to 4.0.

use super::{COLUMNS, Value};
use crate::source::Layout;
use memchr::memmem;
use std::ops::Range;

/// What stands in front of a part, and the column that it is.
const PREFIXES: [(&[u8], usize); 6] = [
    (b"CreateTime:", TIMESTAMP),
    (b"LogAppendTime:", TIMESTAMP),
    (b"Partition:", PARTITION),
    (b"Offset:", OFFSET),
    (b"Delivery:", NOWHERE),
    (b"Epoch:", NOWHERE),
];

/// What stands in place of a time or headers where there are none.
const NO_TIMESTAMP: &[u8] = b"NO_TIMESTAMP";
const NO_HEADERS: &[u8] = b"NO_HEADERS";

/// What stands in place of a key or a value that is null.
const NULL: &[u8] = b"null";

/// The columns that there may be.
const NAMES: [&str; 6] = ["key", "size", "timestamp", "partition", "offset", "headers"];

const KEY: usize = 0;
const SIZE: usize = 1;
const TIMESTAMP: usize = 2;
const PARTITION: usize = 3;
const OFFSET: usize = 4;
const HEADERS: usize = 5;
/// No column.
const NOWHERE: usize = NAMES.len();

/// Lines that are looked at to tell whether there are headers.
const LOOKED_AT: usize = 1_000;

/// How the consumer was told to print.
#[derive(Debug)]
pub(super) struct Console {
    separator: Vec<u8>,
    null: Vec<u8>,
    has_headers: bool,
    has_value: bool,
    /// The column that each part is, if it is there.
    places: [Option<usize>; NAMES.len()],
}

/// Whether text begins as the consumer's does that prints more than keys and values.
pub(in crate::source) fn is_consumed(start: &[u8], layout: &Layout) -> bool {
    let separator = separator(layout);
    let line = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
    prefix(line, &separator).is_some()
}

fn separator(layout: &Layout) -> Vec<u8> {
    layout.key_separator.as_ref().map_or_else(|| b"\t".to_vec(), |told| told.bytes().to_vec())
}

/// A part with a name in front: which column it is, where its value lies, and where the next part
/// begins.
#[inline]
fn prefix(line: &[u8], separator: &[u8]) -> Option<(usize, Range<usize>, usize)> {
    let (column, start, length) = if line.starts_with(NO_TIMESTAMP) {
        (NOWHERE, NO_TIMESTAMP.len(), 0)
    } else {
        let (name, column) = PREFIXES.into_iter().find(|(name, _)| line.starts_with(name))?;
        let value = &line[name.len()..];
        let sign = usize::from(value.first() == Some(&b'-'));
        let digits = value[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        // A part that is not known is printed by its name.
        let length =
            if digits == 0 && value.starts_with(b"NOT_PRESENT") { 11 } else { sign + digits };
        if length == sign {
            return None;
        }
        (column, name.len(), length)
    };
    let end = start + length;
    let next = match &line[end..] {
        [] | [b'\r'] => line.len(),
        rest if rest.starts_with(separator) => end + separator.len(),
        _ => return None,
    };
    Some((column, start..end, next))
}

impl Console {
    /// How it was told to print what begins with `start`.
    pub(super) fn of(layout: &Layout, start: &[u8]) -> Self {
        let separator = separator(layout);
        let null = layout.null_key.as_ref().map_or(NULL, |null| null.as_bytes()).to_vec();
        let mut is_there = [false; NAMES.len() + 1];
        is_there[KEY] = true;
        // The last line may go on behind the sample.
        let end = memchr::memrchr(b'\n', start).unwrap_or(start.len());
        for line in start[..end].split(|&byte| byte == b'\n').take(LOOKED_AT) {
            let rest = &line[named(line, &separator, |column, _| is_there[column] = true)..];
            let parts = memmem::find_iter(rest, &separator).count();
            let after = rest.strip_prefix(NO_HEADERS);
            is_there[HEADERS] |= after.is_some_and(|after| after.starts_with(&separator));
            is_there[SIZE] |= parts > usize::from(is_there[HEADERS]);
        }
        let mut columns = 0..;
        let place = |is_there: bool| is_there.then(|| columns.next()).flatten();
        let (has_headers, has_value) = (is_there[HEADERS], is_there[SIZE]);
        let [all @ .., _] = is_there;
        Self { separator, null, has_headers, has_value, places: all.map(place) }
    }

    /// The names of the columns.
    pub(super) fn names(&self) -> Vec<&'static str> {
        NAMES.into_iter().zip(self.places).filter_map(|(name, place)| place.map(|_| name)).collect()
    }

    /// Splits a line into its parts; false if it has none of those that stand in front, as the
    /// second line of a value, or lacks a part.
    pub(super) fn split(
        &self,
        block: &[u8],
        line: Range<usize>,
        fields: &mut [Value; COLUMNS],
    ) -> bool {
        fields.fill(Value::Null);
        let bytes = &block[line.clone()];
        let mut keep = |column: usize, value: Value| {
            if let Some(Some(place)) = self.places.get(column) {
                fields[*place] = value;
            }
        };
        let here = |at: Range<usize>| Value::At(line.start + at.start..line.start + at.end);
        let named = named(bytes, &self.separator, |column, value| {
            // A time that is not known is printed as -1.
            if bytes.get(value.start) != Some(&b'-') {
                keep(column, here(value));
            }
        });
        let mut at = named;
        let mut part = |is_last: bool| {
            let rest = &bytes[at..];
            let length = if is_last { None } else { memmem::find(rest, &self.separator) };
            let found = at..at + length.unwrap_or(rest.len());
            at = (found.end + self.separator.len()).min(bytes.len());
            (is_last || length.is_some()).then_some(found)
        };
        if self.has_headers {
            let Some(headers) = part(false) else { return false };
            keep(HEADERS, here(headers));
        }
        let Some(key) = part(!self.has_value) else { return false };
        if bytes[key.clone()] != *self.null {
            keep(KEY, here(key));
        }
        if self.has_value {
            let Some(value) = part(true) else { return false };
            let is_null = bytes[value.clone()] == *NULL;
            keep(SIZE, Value::Size(if is_null { 0 } else { value.len() as u64 }));
        }
        named > 0
    }
}

/// Takes the parts with names in front off a line, and tells where the others begin.
#[inline]
fn named(line: &[u8], separator: &[u8], mut take: impl FnMut(usize, Range<usize>)) -> usize {
    let mut at = 0;
    while let Some((column, value, next)) = prefix(&line[at..], separator) {
        take(column, at + value.start..at + value.end);
        at += next;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::super::nulls;
    use super::*;

    /// The parts of a line that there are: of key, size, time, partition, offset and headers.
    fn split(console: &Console, line: &str) -> Option<Vec<String>> {
        let mut fields = nulls();
        console.split(line.as_bytes(), 0..line.len(), &mut fields).then(|| {
            fields[..console.names().len()]
                .iter()
                .map(|field| match field {
                    Value::Null => "NULL".to_owned(),
                    Value::At(at) => line[at.clone()].to_owned(),
                    Value::Size(size) => size.to_string(),
                })
                .collect()
        })
    }

    fn console(start: &str, separator: Option<&str>) -> Console {
        let separator = separator.map(|told| told.parse().unwrap());
        let layout = Layout { key_separator: separator, ..Layout::default() };
        assert!(is_consumed(start.as_bytes(), &layout), "{start}");
        Console::of(&layout, start.as_bytes())
    }

    #[test]
    fn parts_are_known_by_what_stands_in_front() {
        let line = "CreateTime:1700000000000\tPartition:3\tOffset:12\tuser-1\t{\"a\":\t1}";
        let parts = ["user-1", "8", "1700000000000", "3", "12"].map(str::to_owned);
        assert_eq!(split(&console(line, None), line), Some(parts.to_vec()));
        let headers = "LogAppendTime:17\tPartition:0\tNO_HEADERS\tnull\tnull";
        let of = console(headers, None);
        assert_eq!(of.names(), ["key", "size", "timestamp", "partition", "headers"]);
        assert_eq!(split(&of, headers).unwrap(), ["NULL", "0", "17", "0", "NO_HEADERS"]);
        let line = "LogAppendTime:18\tPartition:1\ta:1,b:2\tk\tv";
        assert_eq!(split(&of, line).unwrap(), ["k", "1", "18", "1", "a:1,b:2"]);
        let line = "NO_TIMESTAMP|Partition:8||";
        assert_eq!(split(&console(line, Some("|")), line).unwrap(), ["", "0", "8"]);
    }

    #[test]
    fn keys_without_values_are_the_rest_of_the_line() {
        let line = "Partition:5\tuser 1";
        let parts = split(&console(line, None), line).unwrap();
        assert_eq!(parts, ["user 1", "5"]);
    }

    #[test]
    fn lines_that_go_on_a_value_are_no_records() {
        let of = console("Partition:5\tk\tv\n", None);
        for line in ["more of v", "Partition:5", "Partition:\tk\tv", "Partition:5\tk", ""] {
            assert_eq!(split(&of, line), None, "{line}");
        }
        for start in ["key\tvalue\n", "CreateTime:\tk", "CreateTime:12k\n", ""] {
            assert!(!is_consumed(start.as_bytes(), &Layout::default()), "{start}");
        }
    }
}
