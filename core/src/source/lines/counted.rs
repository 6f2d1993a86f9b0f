//! What `sort | uniq -c` prints.

use super::{COLUMNS, Value};
use memchr::memchr_iter;
use std::ops::Range;

/// Lines that are looked at to tell.
const LOOKED_AT: usize = 1_000;

/// Columns that the count takes, where the system's `uniq` fills it up: 4 on macOS and the BSDs, 7
/// elsewhere.
const WIDTHS: [usize; 2] = [7, 4];

/// Splits a line into its count and its key; false if it is no such line.
#[inline]
pub(super) fn split(block: &[u8], line: Range<usize>, fields: &mut [Value; COLUMNS]) -> bool {
    let bytes = &block[line.clone()];
    let Some((padding, digits)) = count(bytes) else { return false };
    let start = line.start + padding;
    fields[0] = Value::At(start..start + digits);
    fields[1] = Value::At(start + digits + 1..line.end);
    true
}

/// How many spaces and how many digits a line begins with, if one more space follows.
#[inline]
fn count(line: &[u8]) -> Option<(usize, usize)> {
    let padding = line.iter().take_while(|&&byte| byte == b' ').count();
    let digits = line[padding..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0 && line.get(padding + digits) == Some(&b' ')).then_some((padding, digits))
}

/// Whether text that begins with `start` is lines with counts in front, aligned as `uniq` does.
pub(in crate::source) fn is_counted(start: &[u8]) -> bool {
    let mut lines = Vec::new();
    let mut from = 0;
    for end in memchr_iter(b'\n', start).take(LOOKED_AT) {
        lines.push(&start[from..end]);
        from = end + 1;
    }
    if lines.is_empty() {
        lines.push(start);
    }
    WIDTHS.iter().any(|&width| {
        lines.iter().all(|line| {
            count(line).is_some_and(|(padding, digits)| {
                padding + digits == width || padding == 0 && digits > width
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_told_by_their_alignment() {
        assert!(is_counted(b"      3 user-1\n     12 JP\n1234567 a b\n12345678 c\n"));
        assert!(is_counted(b"   3 user-1\n  12 JP\n1234 a\n12345 b\n      not looked at"));
        assert!(is_counted(b"      1 a"), "a single line, which does not end");
        for keys in
            ["user-1\n", "12 Main Street\n", "2026 a\n1999 b\n99 c\n", "   3\n", " 3 a\n", "\n"]
        {
            assert!(!is_counted(keys.as_bytes()), "{keys}");
        }
    }

    #[test]
    fn the_key_is_all_behind_one_space() {
        let split = |line: &str| {
            let mut fields = super::super::nulls();
            split(line.as_bytes(), 0..line.len(), &mut fields).then(|| {
                let text = |value: &Value| match value {
                    Value::At(at) => line[at.clone()].to_owned(),
                    other => panic!("{other:?}"),
                };
                (text(&fields[0]), text(&fields[1]))
            })
        };
        let pair = |count: &str, key: &str| Some((count.to_owned(), key.to_owned()));
        assert_eq!(split("      3 user 1 "), pair("3", "user 1 "));
        assert_eq!(split("      3   two spaces"), pair("3", "  two spaces"));
        assert_eq!(split("      3 "), pair("3", ""));
        assert_eq!(split("      3"), None);
        assert_eq!(split("      x y"), None);
    }
}
