//! How a log turned out to be written.

use super::{Delimiter, Format};
use std::fmt;

/// How a file is compressed.
///
/// ```
/// use shardlane::source::Codec;
/// assert_eq!(Codec::Zstd.name(), "zstd");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Codec {
    /// Not at all.
    None,
    /// gzip, of one member or several.
    Gzip,
    /// Zstandard, of one frame or several.
    Zstd,
    /// Snappy: in its framing format, in the blocks of Hadoop or snappy-java, or in one piece.
    Snappy,
}

impl Codec {
    /// The codec's name: `none`, `gzip`, `zstd` or `snappy`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Snappy => "snappy",
        }
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How some files of a log are written. `Display` says it in a few words.
///
/// ```
/// use shardlane::source::{Codec, Delimiter, Format, Written};
/// let delimiter = Some(Delimiter::TAB);
/// let written =
///     Written { format: Format::Tsv, codec: Codec::Gzip, delimiter, input: "a.log".into(), files: 1 };
/// assert_eq!(written.to_string(), "a.log is tsv in gzip");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The format.
    pub format: Format,
    /// How it is compressed.
    pub codec: Codec,
    /// What stands between fields, where the format leaves that open.
    pub delimiter: Option<Delimiter>,
    /// The first file that is written so.
    pub input: String,
    /// How many files are.
    pub files: u64,
}

impl Written {
    /// Whether the other is written in the same way.
    #[cfg(feature = "files")]
    pub(super) fn is_like(&self, other: &Self) -> bool {
        (self.format, self.codec, self.delimiter) == (other.format, other.codec, other.delimiter)
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, codec, delimiter, input, files } = self;
        match files {
            0 | 1 => write!(f, "{input} is {format}")?,
            2 => write!(f, "{input} and 1 other file are {format}")?,
            files => write!(f, "{input} and {} other files are {format}", files - 1)?,
        }
        if let Some(delimiter) = delimiter
            && !matches!(*delimiter, Delimiter::COMMA | Delimiter::TAB)
        {
            write!(f, " with {delimiter}")?;
        }
        if *codec != Codec::None {
            write!(f, " in {codec}")?;
        }
        Ok(())
    }
}
