//! The one error type of the crate: what was given, what was expected, what to type.

use std::fmt;

/// What kind of thing went wrong. Each kind has one C status and one Python exception class.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// An argument, a row or a file's content is not usable as given.
    InvalidInput,
    /// A column has a type that cannot hold what was asked of it.
    UnsupportedType,
    /// A shard map has gaps, overlaps, no shards, or is malformed.
    InvalidShardMap,
    /// A split, merge or resize that the service would refuse.
    InvalidReshape,
    /// Bytes that are not a tally, or not one this version can read.
    CorruptTally,
    /// A file could not be read or written.
    Io,
    /// The caller asked to stop.
    Cancelled,
    /// A fault of shardlane itself.
    Internal,
}

impl ErrorKind {
    /// Every kind, in the order of the C status numbers.
    pub const ALL: [Self; 8] = [
        Self::InvalidInput,
        Self::UnsupportedType,
        Self::InvalidShardMap,
        Self::InvalidReshape,
        Self::CorruptTally,
        Self::Io,
        Self::Cancelled,
        Self::Internal,
    ];

    /// The kind's name, the same in every language.
    ///
    /// ```
    /// assert_eq!(shardlane::ErrorKind::InvalidShardMap.name(), "InvalidShardMap");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Self::InvalidInput => "InvalidInput",
            Self::UnsupportedType => "UnsupportedType",
            Self::InvalidShardMap => "InvalidShardMap",
            Self::InvalidReshape => "InvalidReshape",
            Self::CorruptTally => "CorruptTally",
            Self::Io => "Io",
            Self::Cancelled => "Cancelled",
            Self::Internal => "Internal",
        }
    }
}

/// An error: its kind, one or two sentences, and the facts behind them.
///
/// `Display` prints the message and then the context as `name: value` lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    context: Vec<(&'static str, String)>,
}

/// The crate's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of `kind` that says `message`.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), context: Vec::new() }
    }

    /// Adds a fact, such as the file or the row.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.context.push((name, value.to_string()));
        self
    }

    /// What kind of thing went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The sentence without its context.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The facts behind the message, in the order they were added.
    pub fn context(&self) -> &[(&'static str, String)] {
        &self.context
    }

    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidInput, message)
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::UnsupportedType, message)
    }

    pub(crate) fn shard_map(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidShardMap, message)
    }

    pub(crate) fn corrupt(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::CorruptTally, message)
    }

    pub(crate) fn io(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Io, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        for (name, value) in &self.context {
            write!(f, "\n  {name}: {value}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
