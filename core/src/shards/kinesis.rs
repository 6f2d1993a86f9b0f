//! Amazon Kinesis Data Streams: how a stream is divided, read from the service's own answers, and
//! which keys it takes.

use super::{Refusal, Shard, ShardMap, ShardState, System, check_count};
use crate::error::{Error, Result};
use serde::Deserialize;
use std::collections::HashSet;
use std::str::FromStr;

/// The most characters a partition key may have
/// ([PutRecord](https://docs.aws.amazon.com/kinesis/latest/APIReference/API_PutRecord.html), read
/// 2026-11-30).
pub(super) const MAX_KEY_CHARACTERS: usize = 256;

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
    fn start(self, i: u128, n: u128) -> u128 {
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
    /// assert_eq!(map.shards()[0].end, 113427455640312821154458202477256070484);
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn kinesis(shards: usize, rule: EvenRule) -> Result<Self> {
        check_count(shards)?;
        let n = shards as u128;
        let shards = (0..n)
            .map(|i| Shard {
                id: shard_id(i),
                start: rule.start(i, n),
                end: if i + 1 == n { u128::MAX } else { rule.start(i + 1, n) - 1 },
                state: ShardState::Open,
                parent: None,
                adjacent_parent: None,
            })
            .collect();
        Self::from_shards(System::Kinesis, shards)
    }

    /// The stream that an answer of ListShards or DescribeStream describes. Closed shards stay
    /// listed and own no keys.
    ///
    /// Takes the JSON of the AWS command line and SDKs: an object with `Shards`, one with
    /// `StreamDescription`, or the list of shards alone.
    ///
    /// # Errors
    /// `InvalidShardMap` if the text is not such JSON, a hash key is not a number below 2^128, or
    /// the open shards leave a gap or overlap.
    ///
    /// ```
    /// let json = r#"{"Shards": [{
    ///     "ShardId": "shardId-000000000000",
    ///     "HashKeyRange": {"StartingHashKey": "0",
    ///                      "EndingHashKey": "340282366920938463463374607431768211455"},
    ///     "SequenceNumberRange": {"StartingSequenceNumber": "49"}}]}"#;
    /// assert_eq!(shardlane::ShardMap::from_list_shards(json)?.len(), 1);
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn from_list_shards(json: &str) -> Result<Self> {
        // Some shells begin what they redirect to a file with a byte order mark.
        let json = json.trim_start_matches('\u{feff}');
        let answer: ListShards = serde_json::from_str(json).map_err(|error| {
            Error::shard_map(format!(
                "this is not the JSON of ListShards or DescribeStream: {error}; make one with: aws \
                 kinesis list-shards --stream-name NAME"
            ))
        })?;
        let (listed, more) = match answer {
            ListShards::Answer { shards, next_token } => (shards, next_token.is_some()),
            ListShards::Describe { stream } => (stream.shards, stream.has_more_shards),
            ListShards::Shards(shards) => (shards, false),
        };
        if more {
            return Err(Error::shard_map(
                "this is one page of a longer answer (it has a NextToken or HasMoreShards); join \
                 the Shards of all pages into one list",
            ));
        }
        let shards = listed.into_iter().map(ListedShard::into_shard).collect::<Result<Vec<_>>>()?;
        let mut ids = HashSet::new();
        for shard in &shards {
            if shard.id.is_empty() {
                return Err(Error::shard_map(
                    "a shard has an empty ShardId; give each the id that the service gave it",
                ));
            }
            if !ids.insert(&shard.id) {
                return Err(Error::shard_map(format!(
                    "shard {} is listed twice; list each shard once (is a page in the list twice?)",
                    shard.id
                )));
            }
        }
        Self::from_shards(System::Kinesis, shards)
    }
}

/// The id of shard number `i`: twelve digits at least.
fn shard_id(i: u128) -> String {
    format!("shardId-{i:012}")
}

/// Why the service would refuse `key`, if it would.
#[inline]
pub(super) fn refuse_key(key: &[u8], unit: KeyLengthUnit) -> Option<Refusal> {
    // A character takes at least a byte in UTF-8, so most keys need no counting.
    if key.is_empty() {
        Some(Refusal::EmptyKey)
    } else if key.len() > MAX_KEY_CHARACTERS && unit.count(key) > MAX_KEY_CHARACTERS {
        Some(Refusal::KeyTooLong)
    } else {
        None
    }
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

/// The forms that a list of shards comes in.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected an object with \"Shards\" or \"StreamDescription\", or a list of shards, each with ShardId and HashKeyRange {StartingHashKey, EndingHashKey} as decimal text"
)]
enum ListShards {
    Answer {
        #[serde(rename = "Shards")]
        shards: Vec<ListedShard>,
        #[serde(rename = "NextToken", default)]
        next_token: Option<String>,
    },
    Describe {
        #[serde(rename = "StreamDescription")]
        stream: StreamDescription,
    },
    Shards(Vec<ListedShard>),
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct StreamDescription {
    shards: Vec<ListedShard>,
    #[serde(default)]
    has_more_shards: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ListedShard {
    shard_id: String,
    hash_key_range: HashKeyRange,
    #[serde(default)]
    sequence_number_range: SequenceNumberRange,
    #[serde(default)]
    parent_shard_id: Option<String>,
    #[serde(default)]
    adjacent_parent_shard_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct HashKeyRange {
    starting_hash_key: String,
    ending_hash_key: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase")]
struct SequenceNumberRange {
    #[serde(default)]
    ending_sequence_number: Option<String>,
}

impl ListedShard {
    fn into_shard(self) -> Result<Shard> {
        let boundary = |name: &str, text: &str| {
            explicit_hash(text.as_bytes()).map_err(|_| {
                Error::shard_map(format!(
                    "the {name} of shard {} is \"{text}\"; expected a whole number from 0 to {}, in \
                     decimal digits without a leading zero",
                    self.shard_id,
                    u128::MAX
                ))
            })
        };
        let start = boundary("StartingHashKey", &self.hash_key_range.starting_hash_key)?;
        let end = boundary("EndingHashKey", &self.hash_key_range.ending_hash_key)?;
        // A shard is closed exactly when its sequence numbers have an end.
        let closed = self.sequence_number_range.ending_sequence_number.is_some();
        Ok(Shard {
            start,
            end,
            state: if closed { ShardState::Closed } else { ShardState::Open },
            id: self.shard_id,
            parent: self.parent_shard_id,
            adjacent_parent: self.adjacent_parent_shard_id,
        })
    }
}
