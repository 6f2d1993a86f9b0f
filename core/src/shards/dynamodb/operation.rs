//! What a request to `DynamoDB` costs: capacity units, by what it does and the size of its item.
//!
//! A read unit is a strongly consistent read of up to 4 KB in a second, a write unit a write of up
//! to 1 KB; each item is rounded up for itself, a KB is 1,024 bytes, an eventually consistent read
//! costs half and a transaction twice
//! (<https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/capacity-mode.html>, read
//! 2026-11-30).

use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// What a request does with its item.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Operation {
    /// A strongly consistent read.
    #[default]
    Read,
    /// An eventually consistent read.
    EventualRead,
    /// A read in a transaction.
    TransactionalRead,
    /// A write.
    Write,
    /// A write in a transaction.
    TransactionalWrite,
}

/// Names of the service's own operations. Its reads are eventually consistent unless they ask for
/// more, which a log of names does not tell: they are taken for strong ones, which cost most.
const API: [(&str, Operation); 12] = [
    ("GetItem", Operation::Read),
    ("BatchGetItem", Operation::Read),
    ("Query", Operation::Read),
    ("Scan", Operation::Read),
    ("TransactGetItems", Operation::TransactionalRead),
    ("PutItem", Operation::Write),
    ("UpdateItem", Operation::Write),
    ("DeleteItem", Operation::Write),
    ("BatchWriteItem", Operation::Write),
    ("TransactWriteItems", Operation::TransactionalWrite),
    ("get", Operation::Read),
    ("put", Operation::Write),
];

/// Half a unit, the smallest cost of a KB of either kind.
const READ_BYTES: u64 = 4_096;
const WRITE_BYTES: u64 = 1_024;

impl Operation {
    /// Every operation.
    pub const ALL: [Self; 5] = [
        Self::Read,
        Self::EventualRead,
        Self::TransactionalRead,
        Self::Write,
        Self::TransactionalWrite,
    ];

    /// The operation's name, such as `eventual-read`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::EventualRead => "eventual-read",
            Self::TransactionalRead => "transactional-read",
            Self::Write => "write",
            Self::TransactionalWrite => "transactional-write",
        }
    }

    /// Whether it costs write units, and not read units.
    pub const fn is_write(self) -> bool {
        matches!(self, Self::Write | Self::TransactionalWrite)
    }

    /// What it costs for an item of `bytes` bytes, in units. An item that is not there costs as
    /// much as the smallest one.
    ///
    /// ```
    /// use shardlane::Operation;
    /// assert_eq!(Operation::Read.units(20 * 1024), 5.0);
    /// assert_eq!(Operation::EventualRead.units(4_097), 1.0);
    /// assert_eq!(Operation::Write.units(1_025), 2.0);
    /// assert_eq!(Operation::TransactionalWrite.units(3_584), 8.0);
    /// ```
    pub fn units(self, bytes: u64) -> f64 {
        self.half_units(bytes) as f64 / 2.0
    }

    /// The same in half units, which are whole.
    pub(crate) fn half_units(self, bytes: u64) -> u64 {
        let steps = |each: u64| bytes.div_ceil(each).max(1);
        match self {
            Self::EventualRead => steps(READ_BYTES),
            Self::Read => 2 * steps(READ_BYTES),
            Self::TransactionalRead => 4 * steps(READ_BYTES),
            Self::Write => 2 * steps(WRITE_BYTES),
            Self::TransactionalWrite => 4 * steps(WRITE_BYTES),
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reads an operation by its name here or by the service's, such as `PutItem`.
impl FromStr for Operation {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let named = Self::ALL.into_iter().find(|operation| operation.name() == name);
        let api = || API.into_iter().find(|(api, _)| api.eq_ignore_ascii_case(name));
        named.or_else(|| api().map(|(_, operation)| operation)).ok_or_else(|| {
            Error::input(format!(
                "there is no operation \"{name}\"; type one of {}, or the service's own name, such \
                 as PutItem",
                Self::ALL.map(Self::name).join(", ")
            ))
        })
    }
}
