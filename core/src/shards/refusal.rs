//! Why a row has no shard: the reasons that reports count by.

use super::System;
use std::fmt;

/// Why the service would refuse a row, or why a row cannot be used.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Refusal {
    /// The key is null, and this system needs one.
    NullKey,
    /// The key has no characters.
    EmptyKey,
    /// The key has more than 256 characters, or 2,048 bytes for `DynamoDB`.
    KeyTooLong,
    /// An explicit hash key that is not `0` or digits without a leading zero; for Simple Log
    /// Service, one that is not 1 to 32 hexadecimal digits.
    MalformedExplicitHashKey,
    /// An explicit hash key above 2^128 - 1.
    ExplicitHashKeyOutOfRange,
    /// The size column has a null here, or text that is not a whole number.
    NullBytes,
    /// The size is below 0.
    NegativeBytes,
    /// The weight column has a null here, or text that is not a whole number.
    NullWeight,
    /// The weight is below 0.
    NegativeWeight,
    /// The time column has a null, or text that is not a time, here.
    NullTime,
    /// The row could not be read, for example a CSV row with too few fields.
    BrokenRow,
    /// The partitioner takes text only, and the key is none.
    KeyNotText,
    /// The serializer cannot write the key, for example a word as a long, or the value is null that
    /// it is to be salted with.
    UnserializableKey,
    /// The operation column has a null here, or no operation that is known.
    UnknownOperation,
}

impl Refusal {
    /// Every reason.
    pub const ALL: [Self; 14] = [
        Self::NullKey,
        Self::EmptyKey,
        Self::KeyTooLong,
        Self::MalformedExplicitHashKey,
        Self::ExplicitHashKeyOutOfRange,
        Self::NullBytes,
        Self::NegativeBytes,
        Self::NullWeight,
        Self::NegativeWeight,
        Self::NullTime,
        Self::BrokenRow,
        Self::KeyNotText,
        Self::UnserializableKey,
        Self::UnknownOperation,
    ];

    /// The reason's name in reports, such as `key_too_long`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NullKey => "null_key",
            Self::EmptyKey => "empty_key",
            Self::KeyTooLong => "key_too_long",
            Self::MalformedExplicitHashKey => "malformed_explicit_hash_key",
            Self::ExplicitHashKeyOutOfRange => "explicit_hash_key_out_of_range",
            Self::NullBytes => "null_bytes",
            Self::NegativeBytes => "negative_bytes",
            Self::NullWeight => "null_weight",
            Self::NegativeWeight => "negative_weight",
            Self::NullTime => "null_time",
            Self::BrokenRow => "broken_row",
            Self::KeyNotText => "key_not_text",
            Self::UnserializableKey => "unserializable_key",
            Self::UnknownOperation => "unknown_operation",
        }
    }

    /// The reason in words: what `system` expects.
    pub const fn explanation(self, system: System) -> &'static str {
        match self {
            Self::NullKey => "the key is null; a record needs a partition key",
            Self::EmptyKey if matches!(system, System::DynamoDb) => {
                "the key is empty; a partition key has 1 to 2,048 bytes"
            }
            Self::KeyTooLong if matches!(system, System::DynamoDb) => {
                "the key is too long; a partition key has 1 to 2,048 bytes"
            }
            Self::EmptyKey => "the key is empty; a partition key has 1 to 256 characters",
            Self::KeyTooLong => "the key is too long; a partition key has 1 to 256 characters",
            Self::MalformedExplicitHashKey if matches!(system, System::Sls) => {
                "the hash key must be 1 to 32 hexadecimal digits"
            }
            Self::MalformedExplicitHashKey => {
                "the explicit hash key must be 0, or decimal digits that do not begin with 0"
            }
            Self::ExplicitHashKeyOutOfRange => {
                "the explicit hash key must be in the range [0, 2^128-1]"
            }
            Self::NullBytes => {
                "the size is null or no whole number; a size is a whole number of bytes, 0 or more"
            }
            Self::NegativeBytes => "the size is negative; a size is 0 or more bytes",
            Self::NullWeight => {
                "the weight is null or no whole number; a weight is a whole number of records, 0 or more"
            }
            Self::NegativeWeight => "the weight is negative; a weight is 0 or more records",
            Self::NullTime => "the time is missing or is not a time",
            Self::BrokenRow => "the row could not be read",
            Self::KeyNotText => {
                "the key is not UTF-8, and this partitioner hashes text only (the hash code of a \
                 Java byte array differs in each process)"
            }
            Self::UnserializableKey => {
                "no key can be made of the value: the key serializer does not take it, or what it is \
                 salted with is null"
            }
            Self::UnknownOperation => {
                "the operation is none of read, eventual-read, transactional-read, write, \
                 transactional-write and the service's own names"
            }
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
