//! Amazon Kinesis Data Streams: how a stream is divided, and which keys it takes.

mod capacity;
mod list_shards;

pub use capacity::CapacityMode;
pub(super) use capacity::{check_provisioned, halves};

use super::{HashRange, Refusal, Rules, Shard, ShardMap, System, Verdict, check_count};
use crate::error::{Error, Result};
use std::str::FromStr;

/// The most characters a partition key may have
/// ([PutRecord](https://docs.aws.amazon.com/kinesis/latest/APIReference/API_PutRecord.html), read
/// 2026-11-30).
const MAX_KEY_CHARACTERS: usize = 256;

/// How a new stream's shards share the hash values. The service documents it for three shards
/// only; the two rules agree wherever 2^128 mod N is 0 or 1, so for every power of two, and never
/// differ by N hash values or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum EvenRule {
    /// Shard i starts at `i * floor(2^128 / N)`; the last one takes the rest. What kinesalite,
    /// moto and ferrokinesis do.
    #[default]
    FixedStep,
    /// Shard i starts at `floor(i * 2^128 / N)`.
    Rational,
}

impl EvenRule {
    /// The rule's name, `fixed-step` or `rational`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FixedStep => "fixed-step",
            Self::Rational => "rational",
        }
    }

    /// First hash value of shard `i` of `n`, for `i < n` and `n` at least 1.
    pub(super) fn start(self, i: u128, n: u128) -> u128 {
        // 2^128 = step * n + rest, computed without ever holding 2^128.
        let (mut step, mut rest) = (u128::MAX / n, u128::MAX % n + 1);
        if rest == n {
            (step, rest) = (step.wrapping_add(1), 0);
        }
        match self {
            // With one shard the step wraps to 0, and so is its start.
            Self::FixedStep => i.wrapping_mul(step),
            Self::Rational => i.wrapping_mul(step) + i * rest / n,
        }
    }
}

impl FromStr for EvenRule {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        [Self::FixedStep, Self::Rational].into_iter().find(|rule| rule.name() == name).ok_or_else(
            || {
                Error::input(format!(
                    "there is no even rule \"{name}\"; type fixed-step or rational"
                ))
            },
        )
    }
}

/// What counts as one character of a partition key. The service does not say; implementations
/// differ, and only keys beyond the basic multilingual plane (emoji, say) show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum KeyLengthUnit {
    /// Unicode code points, as moto counts.
    #[default]
    CodePoints,
    /// UTF-16 units, as AWS's Java producer, kinesalite and kinesis-mock count.
    Utf16Units,
}

impl KeyLengthUnit {
    /// The unit's name, `code-points` or `utf16-units`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CodePoints => "code-points",
            Self::Utf16Units => "utf16-units",
        }
    }

    /// The length of `key` in this unit, from its UTF-8 bytes. What is not UTF-8 counts as its
    /// replacement would: a character for each sequence that is none.
    fn count(self, key: &[u8]) -> usize {
        if str::from_utf8(key).is_err() {
            let text = String::from_utf8_lossy(key);
            return self.count(text.as_bytes());
        }
        let characters = key.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        match self {
            Self::CodePoints => characters,
            // Four bytes in UTF-8 are a surrogate pair in UTF-16.
            Self::Utf16Units => characters + key.iter().filter(|&&byte| byte >= 0xf0).count(),
        }
    }
}

impl FromStr for KeyLengthUnit {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        [Self::CodePoints, Self::Utf16Units]
            .into_iter()
            .find(|unit| unit.name() == name)
            .ok_or_else(|| {
                Error::input(format!(
                    "there is no key length unit \"{name}\"; type code-points or utf16-units"
                ))
            })
    }
}

impl ShardMap {
    /// A stream of `shards` shards that share all hash values evenly, as a new one does.
    ///
    /// # Errors
    /// `InvalidShardMap` if `shards` is 0 or above [`MAX_SHARDS`](super::MAX_SHARDS).
    ///
    /// ```
    /// use shardlane::{EvenRule, ShardMap};
    /// let map = ShardMap::kinesis(3, EvenRule::FixedStep)?;
    /// assert_eq!(map.shards()[0].id, "shardId-000000000000");
    /// let end = map.shards()[0].range.unwrap().end;
    /// assert_eq!(end, 113427455640312821154458202477256070484);
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn kinesis(shards: usize, rule: EvenRule) -> Result<Self> {
        check_count(shards)?;
        let n = shards as u128;
        let range = |i| HashRange {
            start: rule.start(i, n),
            end: if i + 1 == n { u128::MAX } else { rule.start(i + 1, n) - 1 },
        };
        let shards = (0..n).map(|i| Shard::open(shard_id(i), Some(range(i)))).collect();
        Self::of_ranges(System::Kinesis, shards, Rules::KINESIS)
    }

    /// The same stream, with key lengths counted in `unit`; other systems count bytes or nothing.
    #[must_use]
    pub fn with_key_length_unit(mut self, unit: KeyLengthUnit) -> Self {
        if let Rules::Kinesis { unit: current, .. } = &mut self.rules {
            *current = unit;
        }
        self
    }

    /// What a "character" is in the rule that a Kinesis key has at most 256 of them; `None` for
    /// another system.
    pub fn key_length_unit(&self) -> Option<KeyLengthUnit> {
        match self.rules {
            Rules::Kinesis { unit, .. } => Some(unit),
            _ => None,
        }
    }
}

/// The id of shard number `i`: twelve digits at least.
pub(super) fn shard_id(i: u128) -> String {
    format!("shardId-{i:012}")
}

/// What becomes of a key.
#[inline]
pub(super) fn verdict(key: Option<&[u8]>, unit: KeyLengthUnit) -> Verdict {
    let Some(key) = key else { return Verdict::Refused(Refusal::NullKey) };
    // A character takes at least a byte in UTF-8, so most keys need no counting.
    if key.is_empty() {
        Verdict::Refused(Refusal::EmptyKey)
    } else if key.len() > MAX_KEY_CHARACTERS && unit.count(key) > MAX_KEY_CHARACTERS {
        Verdict::Refused(Refusal::KeyTooLong)
    } else {
        Verdict::Hashed
    }
}

/// Whether all keys of these lengths in bytes are hashed.
#[inline]
pub(super) fn hashes_all_of(shortest: usize, longest: usize) -> bool {
    shortest >= 1 && longest <= MAX_KEY_CHARACTERS
}

/// The hash value that an explicit hash key names: `0|([1-9]\d{0,38})`, at most 2^128 - 1
/// ([PutRecord](https://docs.aws.amazon.com/kinesis/latest/APIReference/API_PutRecord.html), read
/// 2026-11-30).
pub(super) fn explicit_hash(text: &[u8]) -> Result<u128, Refusal> {
    let plain = match text {
        [b'0'] => true,
        [b'1'..=b'9', rest @ ..] => rest.len() <= 38 && rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if !plain {
        return Err(Refusal::MalformedExplicitHashKey);
    }
    text.iter().try_fold(0u128, |value, digit| {
        value
            .checked_mul(10)
            .and_then(|value| value.checked_add(u128::from(digit - b'0')))
            .ok_or(Refusal::ExplicitHashKeyOutOfRange)
    })
}
