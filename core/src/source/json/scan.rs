//! One pass over JSON text that finds where values lie, and checks their grammar on the way.
//!
//! Nothing is unescaped, converted or copied: a log's rows hold much that nobody asked for. More
//! is let through than the grammar allows where that is harmless: control characters in strings,
//! numbers such as `007`, and Python's `NaN` and `Infinity`. A line break inside a string is not,
//! since it tells of a line that was cut off.

use memchr::memchr3;
use std::ops::Range;

/// Levels of nesting that a record may have.
const DEEPEST: u32 = 128;

/// Bytes of a string that are looked at in words before a search with a longer start takes over.
const SHORT: usize = 64;

/// Why a value cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The text ends before the value does.
    End,
    /// It is no JSON.
    Bad,
}

/// A string as it stands in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Raw {
    /// Where it begins, behind its opening quote.
    pub(super) start: usize,
    /// Where its closing quote is.
    pub(super) end: usize,
    pub(super) escaped: bool,
}

/// Where a value lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Null,
    String(Raw),
    /// A number, true or false.
    Word {
        start: usize,
        end: usize,
    },
    /// An object or an array.
    Nested {
        start: usize,
        end: usize,
    },
}

/// A position in a text.
#[derive(Debug, Clone)]
pub(super) struct Scan<'a> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a [u8], at: usize) -> Self {
        Self { text, at }
    }

    /// The byte here.
    #[inline(always)]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Passes over white space, and gives the byte behind it.
    #[inline(always)]
    pub(super) fn next_sign(&mut self) -> Result<u8, Fault> {
        loop {
            match self.peek() {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                Some(sign) => return Ok(sign),
                None => return Err(Fault::End),
            }
        }
    }

    /// Takes one byte that has to be here.
    #[inline(always)]
    fn expect(&mut self, sign: u8) -> Result<(), Fault> {
        match self.next_sign()? {
            found if found == sign => {
                self.at += 1;
                Ok(())
            }
            _ => Err(Fault::Bad),
        }
    }

    /// Takes the string whose opening quote is here.
    #[inline(always)]
    fn string(&mut self) -> Result<Raw, Fault> {
        let start = self.at + 1;
        let mut escaped = false;
        self.at = start;
        loop {
            self.at = string_stop(self.text, self.at).ok_or(Fault::End)?;
            match self.text[self.at] {
                b'"' => {
                    let end = self.at;
                    self.at += 1;
                    return Ok(Raw { start, end, escaped });
                }
                b'\\' => {
                    escaped = true;
                    self.at += 2;
                }
                _ => return Err(Fault::Bad),
            }
        }
    }

    /// Takes the name of a member and the colon behind it.
    #[inline(always)]
    pub(super) fn name(&mut self) -> Result<Raw, Fault> {
        if self.next_sign()? != b'"' {
            return Err(Fault::Bad);
        }
        let name = self.string()?;
        self.expect(b':')?;
        Ok(name)
    }

    /// Takes any value, and tells what it is.
    #[inline]
    pub(super) fn value(&mut self) -> Result<Value, Fault> {
        match self.next_sign()? {
            b'"' => self.string().map(Value::String),
            b'{' | b'[' => {
                let start = self.at;
                self.skip()?;
                Ok(Value::Nested { start, end: self.at })
            }
            _ => self.word(),
        }
    }

    /// Takes a number or a name such as true.
    #[inline]
    fn word(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        let is_word = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'-' | b'+' | b'.');
        let rest = &self.text[start..];
        let Some(length) = rest.iter().position(|byte| !is_word(byte)) else {
            return Err(Fault::End);
        };
        self.at += length;
        match &rest[..length] {
            b"null" | b"NaN" | b"Infinity" | b"-Infinity" => Ok(Value::Null),
            b"true" | b"false" => Ok(Value::Word { start, end: self.at }),
            [b'-', b'0'..=b'9', digits @ ..] | [b'0'..=b'9', digits @ ..]
                if !digits
                    .iter()
                    .any(|byte| byte.is_ascii_alphabetic() && !matches!(byte, b'e' | b'E')) =>
            {
                Ok(Value::Word { start, end: self.at })
            }
            _ => {
                self.at = start;
                Err(Fault::Bad)
            }
        }
    }

    /// Passes over any value, however deep its members lie.
    #[inline]
    pub(super) fn skip(&mut self) -> Result<(), Fault> {
        // One bit for each level: whether it is an object.
        let (mut objects, mut depth) = (0_u128, 0);
        loop {
            match self.next_sign()? {
                b'"' => {
                    self.string()?;
                }
                open @ (b'{' | b'[') => {
                    if depth == DEEPEST {
                        return Err(Fault::Bad);
                    }
                    depth += 1;
                    objects = objects << 1 | u128::from(open == b'{');
                    self.at += 1;
                    // `[` and `{` are two before `]` and `}`.
                    if self.next_sign()? != open + 2 {
                        if open == b'{' {
                            self.name()?;
                        }
                        continue;
                    }
                    self.at += 1;
                    (objects, depth) = (objects >> 1, depth - 1);
                }
                _ => {
                    self.word()?;
                }
            }
            // Behind a value: what is open goes on or ends.
            loop {
                if depth == 0 {
                    return Ok(());
                }
                let is_object = objects & 1 == 1;
                let sign = self.next_sign()?;
                self.at += 1;
                match sign {
                    b',' if is_object => {
                        self.name()?;
                        break;
                    }
                    b',' => break,
                    b'}' if is_object => {}
                    b']' if !is_object => {}
                    _ => {
                        self.at -= 1;
                        return Err(Fault::Bad);
                    }
                }
                (objects, depth) = (objects >> 1, depth - 1);
            }
        }
    }

    /// Calls `member` with the name of each member of the object whose brace is here; that takes
    /// the member's value.
    #[inline]
    pub(super) fn members(
        &mut self,
        mut member: impl FnMut(&mut Self, Raw) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.at += 1;
        if self.next_sign()? == b'}' {
            self.at += 1;
            return Ok(());
        }
        loop {
            let name = self.name()?;
            member(self, name)?;
            match self.next_sign()? {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(Fault::Bad),
            }
        }
    }

    /// Calls `element` with the number of each element of the array whose bracket is here; that
    /// takes the element.
    pub(super) fn elements(
        &mut self,
        mut element: impl FnMut(&mut Self, usize) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.at += 1;
        if self.next_sign()? == b']' {
            self.at += 1;
            return Ok(());
        }
        for number in 0.. {
            element(self, number)?;
            match self.next_sign()? {
                b',' => self.at += 1,
                b']' => break,
                _ => return Err(Fault::Bad),
            }
        }
        self.at += 1;
        Ok(())
    }

    /// What lies between two places.
    pub(super) fn between(&self, range: Range<usize>) -> &'a [u8] {
        &self.text[range]
    }
}

/// Where the string that goes on at `from` has its next quote, backslash or line break.
#[inline(always)]
fn string_stop(text: &[u8], from: usize) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    let rest = text.get(from..)?;
    let near = &rest[..rest.len().min(SHORT)];
    let (words, tail) = near.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // The lowest byte that is 0 gets its top bit: bytes above it may, too.
        let zeros = |word: u64| word.wrapping_sub(ONES) & !word & TOPS;
        let found =
            zeros(word ^ (ONES * 0x22)) | zeros(word ^ (ONES * 0x5c)) | zeros(word ^ (ONES * 0x0a));
        if found != 0 {
            return Some(from + i * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    if rest.len() <= SHORT {
        let start = from + words.len() * 8;
        return tail
            .iter()
            .position(|byte| matches!(byte, b'"' | b'\\' | b'\n'))
            .map(|at| start + at);
    }
    memchr3(b'"', b'\\', b'\n', &rest[SHORT..]).map(|at| from + SHORT + at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn skipped(text: &str) -> Result<usize, Fault> {
        let mut scan = Scan::new(text.as_bytes(), 0);
        scan.skip().map(|()| scan.at)
    }

    #[test]
    fn a_value_ends_where_its_grammar_says() {
        for (text, end) in [
            (r#"{"a":1}x"#, 7),
            ("{}{", 2),
            ("[ ] ", 3),
            (r#"{"a":[{"b":"}\"]"},{},[]],"c":null} "#, 35),
            ("-1.5e+3,", 7),
            ("\"tab\tand \\\\\" ", 12),
            ("NaN,", 3),
            ("true]", 4),
        ] {
            assert_eq!(skipped(text), Ok(end), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_told_from_what_is_not_all_there() {
        for text in
            ["{\"a\"", "{\"a\":", "[1,", "\"abc", "\"abc\\", "{\"a\":1", "12", "  ", "[\"\\\""]
        {
            assert_eq!(skipped(text), Err(Fault::End), "{text}");
        }
        for text in [
            "{a:1}",
            "{\"a\" 1}",
            "[1 2]",
            "{\"a\":1]",
            "[1}",
            "\"a\nb\"",
            "nul,",
            "{,}",
            "[,]",
            "1x,",
            "}",
            "-,",
            "{\"a\":1,}",
            "\u{7f}",
        ] {
            assert_eq!(skipped(text), Err(Fault::Bad), "{text}");
        }
        let deep = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(skipped(&deep(128)), Ok(256));
        assert_eq!(skipped(&deep(129)), Err(Fault::Bad));
    }

    proptest! {
        #[test]
        fn a_string_ends_at_the_first_quote_without_a_backslash(
            text in r#"[a-z"\\\n]{0,200}"#,
            more in "[a-z]{0,100}",
        ) {
            let text = format!("{more}{text}");
            let bytes = text.as_bytes();
            let plain = bytes.iter().position(|byte| matches!(byte, b'"' | b'\\' | b'\n'));
            prop_assert_eq!(string_stop(bytes, 0), plain);
        }

        #[test]
        fn what_serde_reads_ends_at_the_same_place(value in json()) {
            for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                let text = text + " ";
                prop_assert_eq!(skipped(&text), Ok(text.len() - 1));
            }
        }
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<f64>().prop_map(Into::into),
            ".{0,12}".prop_map(Into::into),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
                prop::collection::vec((".{0,5}", inner), 0..4).prop_map(|members| {
                    serde_json::Value::Object(members.into_iter().collect())
                }),
            ]
        })
    }
}
