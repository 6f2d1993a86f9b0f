//! How a log's bytes are to be read, where that is told and not found out.

mod kcat;

#[cfg(feature = "files")]
pub(super) use kcat::Part;
pub use kcat::{KcatFormat, Separator};

use super::Format;
use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// How a log's bytes are to be read. What is not told is found out from the first of them.
///
/// ```
/// use shardlane::source::{Columns, Format, Layout};
/// let layout = Layout { format: Some(Format::Keys), ..Layout::default() };
/// let columns = Columns { layout, ..Columns::default() };
/// # assert!(columns.layout.format.is_some());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// The format of every file.
    pub format: Option<Format>,
    /// What stands between the fields of a row.
    pub delimiter: Option<Delimiter>,
    /// Whether the first row is a record and not the names of the columns, which then are `c1`,
    /// `c2` and so on.
    pub no_header: bool,
    /// How `kcat` was told to print records: its `-f`.
    pub kcat_format: Option<KcatFormat>,
    /// What stands between a key and what follows it: `-K` of `kcat`, `key.separator` of
    /// `kafka-console-consumer`.
    pub key_separator: Option<Separator>,
    /// What stands in place of a null key: `NULL` where `kcat` was given `-Z`.
    pub null_key: Option<String>,
}

impl Layout {
    /// Checks that all that is told is of one format.
    ///
    /// # Errors
    /// `InvalidInput` if it is not.
    #[cfg(feature = "files")]
    pub(super) fn check(&self) -> Result<()> {
        let fields: &[Format] = &[Format::Csv, Format::Tsv];
        let kafka: &[Format] = &[Format::Kcat, Format::ConsoleConsumer];
        let given = [
            ("--delimiter", "delimiter=", self.delimiter.is_some(), fields),
            ("--no-header", "header=False", self.no_header, fields),
            ("--kcat-format", "kcat_format=", self.kcat_format.is_some(), &kafka[..1]),
            ("--key-separator", "key_separator=", self.key_separator.is_some(), kafka),
            ("--null-key", "null_key=", self.null_key.is_some(), kafka),
        ];
        let mut given = given.into_iter().filter(|(_, _, is_given, _)| *is_given);
        let Some((option, python, _, formats)) = given.next() else { return Ok(()) };
        if let Some(format) = self.format.filter(|format| !formats.contains(format)) {
            return Err(Error::input(format!(
                "{option} (in Python: {python}) is for {}, but the format was said to be {format}; \
                 leave out one of them",
                formats.iter().map(|format| format.name()).collect::<Vec<_>>().join(" and ")
            )));
        }
        match given.find(|(_, _, _, others)| !others.iter().any(|one| formats.contains(one))) {
            None => Ok(()),
            Some((other, ..)) => Err(Error::input(format!(
                "{option} and {other} are for different formats; leave out one of them"
            ))),
        }
    }
}

/// What stands between the fields of a row: one ASCII character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Delimiter(u8);

impl Delimiter {
    /// A comma, as in CSV.
    pub const COMMA: Self = Self(b',');
    /// A tab, as in TSV.
    pub const TAB: Self = Self(b'\t');
    /// Those that are looked for, likeliest first.
    pub(super) const USUAL: [Self; 4] = [Self::COMMA, Self::TAB, Self(b';'), Self(b'|')];

    /// The character.
    pub const fn byte(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Delimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            b',' => f.write_str("commas"),
            b'\t' => f.write_str("tabs"),
            b';' => f.write_str("semicolons"),
            b'|' => f.write_str("vertical bars"),
            sign if sign.is_ascii_graphic() => write!(f, "\"{}\"", char::from(sign)),
            sign => write!(f, "bytes {sign:#04x}"),
        }
    }
}

/// Reads a delimiter: the character itself, `tab`, or `\t`.
///
/// ```
/// use shardlane::source::Delimiter;
/// assert_eq!("\\t".parse(), Ok(Delimiter::TAB));
/// assert!("ab".parse::<Delimiter>().is_err());
/// ```
impl FromStr for Delimiter {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.as_bytes() {
            b"tab" | b"\\t" => Ok(Self::TAB),
            // What quotes and ends rows cannot part fields as well.
            [sign] if sign.is_ascii() && !matches!(sign, b'"' | b'\n' | b'\r') => Ok(Self(*sign)),
            _ => Err(Error::input(format!(
                "a delimiter is one ASCII character other than a quote and a line end, but {text:?} \
                 was given; type for example --delimiter ';' or --delimiter tab"
            ))),
        }
    }
}
