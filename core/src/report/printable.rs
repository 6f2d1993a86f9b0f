//! Text from a log made safe to show. Keys, column names and shard ids come from outside; they may
//! hold terminal escapes, text that runs right to left, markup, or bytes that are not text.

use std::fmt::Write;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// `bytes` with everything that would not print as itself escaped as Rust writes it: `\n`,
/// `\u{1b}`, `\u{202e}`, `\xff` for what is not UTF-8, and `\\` for a backslash, so that two keys
/// never look alike.
///
/// Marks that combine stay as they are, except where they have nothing to combine with.
pub(crate) fn printable(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        // Rust escapes quotes as well, which would only hurt the eye here.
        for piece in chunk.valid().split_inclusive(['"', '\'']) {
            let plain = piece.trim_end_matches(['"', '\'']);
            text.extend(plain.escape_debug());
            text.push_str(&piece[plain.len()..]);
        }
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// A message in which only what acts on the screen is escaped; its lines stay lines.
#[cfg(feature = "cli")]
pub(crate) fn message(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if acts(c) && c != '\n' {
            safe.extend(c.escape_default());
        } else {
            safe.push(c);
        }
    }
    safe
}

/// Whether a character acts on the screen instead of showing on it. All of them lie in the basic
/// multilingual plane.
pub(super) fn acts(c: char) -> bool {
    let is_format = matches!(c,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' | '\u{feff}');
    c.is_control() || is_format
}

/// Columns that `text` takes on a terminal.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// `text` in at most `columns` columns, its end replaced by `…` if there is more.
pub(super) fn fitted(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let Some(room) = columns.checked_sub(1) else { return String::new() };
    let mut taken = 0;
    let fits = |c: &char| {
        taken += c.width().unwrap_or(0);
        taken <= room
    };
    let mut cut: String = text.chars().take_while(fits).collect();
    cut.push('…');
    cut
}

/// `text` as it may stand in HTML, in an attribute too.
pub(super) fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_keys_print_as_they_are() {
        assert_eq!(printable("日本 it's \"7\"".as_bytes()), "日本 it's \"7\"");
        assert_eq!(printable("e\u{301}".as_bytes()), "e\u{301}");
    }

    #[test]
    fn what_could_move_the_cursor_or_turn_the_text_is_escaped() {
        assert_eq!(printable(b"\x1b[31mred\r\n\0"), "\\u{1b}[31mred\\r\\n\\0");
        assert_eq!(printable("a\u{202e}b\u{9b}2J".as_bytes()), "a\\u{202e}b\\u{9b}2J");
        assert_eq!(printable(b"\xff\\xff"), "\\xff\\\\xff");
    }

    #[test]
    fn text_is_cut_by_columns_not_by_characters() {
        assert_eq!(fitted("日本語", 6), "日本語");
        assert_eq!(fitted("日本語", 5), "日本…");
        assert_eq!(fitted("日本語", 4), "日…");
        assert_eq!(fitted("abc", 0), "");
    }

    #[test]
    fn markup_is_escaped() {
        assert_eq!(html("<b title='\"'>&"), "&lt;b title=&#39;&quot;&#39;&gt;&amp;");
    }
}
