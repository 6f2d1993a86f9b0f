//! The parts that columns play: what to type for one, what it is called, which types it takes.

use crate::source::Wanted;
use crate::source::times::holds_times;
use crate::source::whole::holds_whole_numbers;
use arrow::datatypes::DataType;

/// A part that a column can play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Key,
    Bytes,
    Time,
    Weight,
    ExplicitHashKey,
    Salt,
    Operation,
    Shard,
    Payload,
}

impl Role {
    /// Every part.
    #[cfg(feature = "files")]
    pub(super) const ALL: [Self; 9] = [
        Self::Key,
        Self::Bytes,
        Self::Time,
        Self::Weight,
        Self::ExplicitHashKey,
        Self::Salt,
        Self::Operation,
        Self::Shard,
        Self::Payload,
    ];

    /// Whether the part is looked for.
    pub(super) fn is_wanted(self, wanted: Wanted) -> bool {
        match wanted {
            Wanted::All => true,
            Wanted::Loads => !matches!(self, Self::Time | Self::Shard),
            Wanted::Keys => matches!(self, Self::Key | Self::ExplicitHashKey),
            Wanted::Shards => matches!(self, Self::Key | Self::ExplicitHashKey | Self::Shard),
        }
    }

    /// What to type to name the column: in the shell and in Python.
    pub(super) const fn options(self) -> (&'static str, &'static str) {
        match self {
            Self::Key => ("--key", "key="),
            Self::Bytes => ("--bytes", "bytes="),
            Self::Time => ("--time", "time="),
            Self::Weight => ("--weight", "weight="),
            Self::ExplicitHashKey => ("--explicit-hash-key", "explicit_hash_key="),
            Self::Salt => ("--salt-by", "salt=Salt(...)"),
            Self::Operation => ("--operation-column", "operation_column="),
            Self::Shard => ("--shard", "shard="),
            Self::Payload => ("--payload", "payload="),
        }
    }

    /// What to type to give the column a name.
    pub(super) fn option(self) -> String {
        let (shell, python) = self.options();
        format!("{shell} (in Python: {python})")
    }

    /// What to type to make `name` the column.
    pub(super) fn named(self, name: &str) -> String {
        let (shell, python) = self.options();
        if self == Self::Salt {
            return format!("{shell} {name} (in Python: salt=Salt(\"{name}\", 8))");
        }
        format!("{shell} {name} (in Python: {python}\"{name}\")")
    }

    /// What the column is called in a sentence.
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Bytes => "size",
            Self::Time => "time",
            Self::Weight => "weight",
            Self::ExplicitHashKey => "explicit hash key",
            Self::Salt => "salt",
            Self::Operation => "operation",
            Self::Shard => "shard",
            Self::Payload => "payload",
        }
    }

    /// Names that such a column usually has, likeliest first, in lower case.
    pub(super) const fn usual_names(self) -> &'static [&'static str] {
        match self {
            Self::Key => &[
                "partition_key",
                "partitionkey",
                "key",
                "pk",
                "hash_key",
                "routing_key",
                "message_key",
                "shard_key",
            ],
            Self::Bytes => &["bytes", "size", "length", "payload_size", "value_size"],
            Self::Time => &[
                "ts",
                "timestamp",
                "time",
                "event_time",
                "approximate_arrival_timestamp",
                "__time__",
            ],
            Self::Weight => &["count", "n", "weight"],
            Self::ExplicitHashKey => &["explicit_hash_key", "explicithashkey"],
            Self::Shard => &["shard", "shard_id", "shardid", "partition"],
            // Never guessed.
            Self::Salt | Self::Operation | Self::Payload => &[],
        }
    }

    /// Whether a column of this type can play the part.
    pub(super) fn takes(self, kind: &DataType) -> bool {
        match self {
            Self::Key | Self::ExplicitHashKey | Self::Operation | Self::Payload => {
                holds_text(kind) || *kind == DataType::Null
            }
            Self::Salt => holds_text(kind) || kind.is_integer() || *kind == DataType::Null,
            Self::Bytes | Self::Weight | Self::Shard => holds_whole_numbers(kind),
            Self::Time => holds_times(kind),
        }
    }

    /// Whether a column of this type is likely to play the part, if its name says so. Fractions,
    /// such as a length in metres, are taken for sizes and times only where one is named.
    pub(super) fn is_likely(self, kind: &DataType) -> bool {
        self.takes(kind) && !kind.is_floating()
    }

    /// What a column needs to be to play the part.
    pub(super) const fn needs(self) -> &'static str {
        match self {
            Self::Key => {
                "a partition key is text or bytes, as the producer writes it (whole numbers that it writes as \
                 such: --key-serializer long or integer; key_serializer= in Python)"
            }
            Self::ExplicitHashKey => {
                "an explicit hash key is decimal text, since 64 bits cannot hold it"
            }
            Self::Bytes => "a size is a whole number of bytes",
            Self::Weight => "a weight is a whole number of records",
            Self::Salt => "a salt is made from text or whole numbers",
            Self::Operation => "an operation is text, such as read or PutItem",
            Self::Payload => "a payload is bytes, or text in base64",
            Self::Shard => "a shard is the id that the service gave it, or a number",
            Self::Time => {
                "a time is an Arrow timestamp or date, a whole number of a stated unit, or text \
                 such as 2013-01-01T05:15:00Z"
            }
        }
    }

    /// A type to write the column as, in SQL.
    pub(super) const fn sql(self) -> &'static str {
        match self {
            Self::Key | Self::ExplicitHashKey | Self::Salt | Self::Operation | Self::Shard => {
                "VARCHAR"
            }
            Self::Payload => "BLOB",
            Self::Bytes | Self::Weight => "BIGINT",
            Self::Time => "TIMESTAMP",
        }
    }
}

/// Whether a column of this type can be read as keys.
pub(in crate::source) fn holds_text(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => {
            !matches!(**values, DataType::Dictionary(..)) && holds_text(values)
        }
        kind => matches!(
            kind,
            DataType::Utf8
                | DataType::LargeUtf8
                | DataType::Utf8View
                | DataType::Binary
                | DataType::LargeBinary
                | DataType::BinaryView
                | DataType::FixedSizeBinary(_)
        ),
    }
}
