//! The layout that `kcat -f` takes, and the separator of `-K`.
//!
//! `%k` is the key, `%s` the payload, `%K` and `%S` their lengths or -1 for a null, `%R` the
//! payload's length in four bytes, `%T` the time in milliseconds, `%p` the partition, `%o` the
//! offset, `%t` the topic, `%h` the headers; everything else stands for itself, with `\n`, `\t`,
//! `\r`, `\xHH` and `\NNN` as kcat reads them. Facts: the manual and `format.c` of kcat 1.7.

use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// How `kcat` was told to print records: its `-f`, given exactly so.
///
/// ```
/// use shardlane::source::KcatFormat;
/// let format: KcatFormat = r"%k\t%p\t%T\t%S\n".parse()?;
/// assert_eq!(format.to_string(), r"%k\t%p\t%T\t%S\n");
/// let error = r"%p\n".parse::<KcatFormat>().unwrap_err();
/// assert!(error.message().contains("%k"));
/// # Ok::<(), shardlane::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KcatFormat {
    text: String,
    parts: Vec<Part>,
}

/// A part of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::source) enum Part {
    Literal(Vec<u8>),
    Key,
    KeyLength,
    Payload,
    PayloadLength,
    PayloadLengthBinary,
    Timestamp,
    Partition,
    Offset,
    Topic,
    Headers,
}

impl Part {
    /// Whether it is text that only what follows it ends.
    #[cfg(feature = "files")]
    pub(in crate::source) fn is_free(&self) -> bool {
        matches!(self, Self::Key | Self::Payload | Self::Topic | Self::Headers)
    }

    fn is_literal(&self) -> bool {
        matches!(self, Self::Literal(_))
    }

    fn of(sign: char) -> Option<Self> {
        Some(match sign {
            'k' => Self::Key,
            'K' => Self::KeyLength,
            's' => Self::Payload,
            'S' => Self::PayloadLength,
            'R' => Self::PayloadLengthBinary,
            'T' => Self::Timestamp,
            'p' => Self::Partition,
            'o' => Self::Offset,
            't' => Self::Topic,
            'h' => Self::Headers,
            _ => return None,
        })
    }
}

impl KcatFormat {
    /// What `-K` makes kcat print: key, separator, payload, one record a line.
    #[cfg(feature = "files")]
    pub(in crate::source) fn keyed(separator: &Separator) -> Self {
        let literal = |text: &[u8]| Part::Literal(text.to_vec());
        let parts = vec![Part::Key, literal(separator.bytes()), Part::Payload, literal(b"\n")];
        Self { text: format!("%k{separator}%s\\n"), parts }
    }

    #[cfg(feature = "files")]
    pub(in crate::source) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Whether a record is a line: no length says where a key or a payload ends, and the last part
    /// is the only one with an end of line.
    #[cfg(feature = "files")]
    pub(in crate::source) fn has_lines(&self) -> bool {
        let Some((Part::Literal(last), others)) = self.parts.split_last() else { return false };
        let is_plain = |part: &Part| match part {
            Part::Literal(text) => !text.contains(&b'\n'),
            Part::PayloadLengthBinary => false,
            _ => true,
        };
        last.iter().position(|&byte| byte == b'\n') == last.len().checked_sub(1)
            && others.iter().all(is_plain)
            && !self.has_length_of(&Part::Key, &Part::KeyLength)
            && !self.has_length_of(&Part::Payload, &Part::PayloadLength)
    }

    /// Whether a part stands behind its length.
    fn has_length_of(&self, part: &Part, length: &Part) -> bool {
        let place = |wanted: &Part| self.parts.iter().position(|part| part == wanted);
        place(part).zip(place(length)).is_some_and(|(part, length)| length < part)
    }

    /// Why records could not be told apart, if they could not.
    fn check(&self) -> Result<(), String> {
        let count = |wanted: &Part| self.parts.iter().filter(|part| *part == wanted).count();
        if count(&Part::Key) == 0 {
            return Err("has no %k, so that there are no keys".to_owned());
        }
        for (sign, part) in [("%k", Part::Key), ("%s", Part::Payload)] {
            if count(&part) > 1 {
                return Err(format!("has {sign} more than once"));
            }
        }
        let is_measured = |part: &Part| match part {
            Part::Key => self.has_length_of(part, &Part::KeyLength),
            Part::Payload => {
                self.has_length_of(part, &Part::PayloadLength)
                    || self.has_length_of(part, &Part::PayloadLengthBinary)
            }
            Part::PayloadLengthBinary => true,
            _ => false,
        };
        for (at, part) in self.parts.iter().enumerate() {
            let next = self.parts.get(at + 1);
            if !part.is_literal() && !is_measured(part) && !next.is_some_and(Part::is_literal) {
                return Err(match next {
                    Some(_) => "has parts with nothing between them".to_owned(),
                    None => "ends without what parts its records, such as \\n".to_owned(),
                });
            }
        }
        Ok(())
    }
}

impl fmt::Display for KcatFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for KcatFormat {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refused = |why: &str| {
            Error::input(format!(
                "the kcat format {text:?} {why}; type what kcat's -f was, for example --kcat-format \
                 '%k\\t%p\\t%T\\t%S\\n' (in Python: kcat_format=)"
            ))
        };
        let mut parts = Vec::new();
        let mut literal = String::new();
        let end_literal = |literal: &mut String, parts: &mut Vec<Part>| {
            if !literal.is_empty() {
                parts.push(Part::Literal(unescaped(literal)));
                literal.clear();
            }
        };
        let mut signs = text.chars();
        while let Some(sign) = signs.next() {
            if sign != '%' {
                literal.push(sign);
                continue;
            }
            match signs.next() {
                Some('%') => literal.push('%'),
                Some(sign) => {
                    end_literal(&mut literal, &mut parts);
                    let part = Part::of(sign);
                    parts.push(part.ok_or_else(|| {
                        refused(&format!("has %{sign}, which is no part of a record"))
                    })?);
                }
                None => return Err(refused("ends in %")),
            }
        }
        end_literal(&mut literal, &mut parts);
        let format = Self { text: text.to_owned(), parts };
        format.check().map_err(|why| refused(&why))?;
        Ok(format)
    }
}

/// What stands between a key and what follows it; `\t` and its like are read as kcat does.
///
/// ```
/// use shardlane::source::Separator;
/// assert_eq!("\\t".parse::<Separator>()?.bytes(), b"\t");
/// assert!("".parse::<Separator>().is_err());
/// # Ok::<(), shardlane::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Separator {
    text: String,
    bytes: Vec<u8>,
}

impl Separator {
    /// The bytes that it is.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Display for Separator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Separator {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bytes = unescaped(text);
        if bytes.is_empty() || bytes.contains(&b'\n') {
            return Err(Error::input(format!(
                "a key separator is some characters without an end of line, but {text:?} was given; \
                 type for example --key-separator ':'"
            )));
        }
        Ok(Self { text: text.to_owned(), bytes })
    }
}

/// Text with its escapes taken for what they stand for.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        let Some((&sign, behind)) = rest.split_first().filter(|_| byte == b'\\') else {
            bytes.push(byte);
            continue;
        };
        rest = behind;
        bytes.push(match sign {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'x' => digits(&mut rest, 16, 0),
            // As C reads numbers: octal if it begins with a 0, decimal if not.
            b'0' => digits(&mut rest, 8, 0),
            b'1'..=b'9' => digits(&mut rest, 10, sign - b'0'),
            sign => sign,
        });
    }
    bytes
}

/// The byte that the digits in front stand for; what is above a byte is cut off, as C does.
fn digits(rest: &mut &[u8], base: u32, first: u8) -> u8 {
    let mut value = u32::from(first);
    while let Some((&sign, behind)) = rest.split_first()
        && let Some(digit) = char::from(sign).to_digit(base)
    {
        value = value.wrapping_mul(base).wrapping_add(digit);
        *rest = behind;
    }
    value as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_as_kcat_reads_them() {
        assert_eq!(
            unescaped("a\\tb\\n\\r\\\\\\x1f|\\0|\\9|\\011|\\q\\"),
            b"a\tb\n\r\\\x1f|\0|\t|\t|q\\"
        );
    }

    #[test]
    fn a_format_is_parts_and_what_stands_between_them() {
        let format: KcatFormat = "Key %k [%p]: 100%%\\n".parse().unwrap();
        let literal = |text: &[u8]| Part::Literal(text.to_vec());
        let parts =
            [literal(b"Key "), Part::Key, literal(b" ["), Part::Partition, literal(b"]: 100%\n")];
        assert_eq!(format.parts(), parts);
    }

    #[test]
    fn a_format_whose_records_cannot_be_told_apart_is_refused() {
        let why = |format: &str| {
            let error = format.parse::<KcatFormat>().unwrap_err();
            error.message().split("\" ").nth(1).unwrap().split("; type").next().unwrap().to_owned()
        };
        assert_eq!(why("%p\\n"), "has no %k, so that there are no keys");
        assert_eq!(why("%k%p\\n"), "has parts with nothing between them");
        assert_eq!(why("%k"), "ends without what parts its records, such as \\n");
        assert_eq!(why("%k %q\\n"), "has %q, which is no part of a record");
        assert_eq!(why("%k\\n%"), "ends in %");
        assert_eq!(why("%k %k\\n"), "has %k more than once");
        assert!("%K,%k%p\\n".parse::<KcatFormat>().is_ok(), "a length tells where the key ends");
        assert!("%R%s%K %k".parse::<KcatFormat>().is_ok());
    }

    #[test]
    fn records_are_lines_where_nothing_else_tells_their_end() {
        let has_lines = |format: &str| format.parse::<KcatFormat>().unwrap().has_lines();
        assert!(has_lines("%k\\t%p\\t%T\\t%S\\n"));
        assert!(has_lines("%k\\t%s\\t%K\\n"), "a length behind is of no use");
        assert!(!has_lines("%K %k\\n"));
        assert!(!has_lines("%k\\n%p\\n"));
        assert!(!has_lines("%k;%p;"));
        assert!(KcatFormat::keyed(&":".parse().unwrap()).has_lines());
    }
}
