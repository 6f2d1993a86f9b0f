//! Amazon Kinesis Data Streams: how a stream is divided, read from the service's own answers, and
//! which keys it takes.

use super::reshape::{Work, refused};
use super::{
    HashRange, Refusal, Rules, Shard, ShardMap, ShardState, SplitAt, System, Verdict, check_count,
    check_ids,
};
use crate::error::{Error, Result};
use serde::Deserialize;
use std::fmt;
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
        let mut mode = CapacityMode::Provisioned;
        let (listed, more) = match answer {
            ListShards::Answer { shards, next_token } => (shards, next_token.is_some()),
            ListShards::Describe { stream } => {
                mode = stream.stream_mode_details.stream_mode;
                (stream.shards, stream.has_more_shards)
            }
            ListShards::Shards(shards) => (shards, false),
        };
        if more {
            return Err(Error::shard_map(
                "this is one page of a longer answer (it has a NextToken or HasMoreShards); join \
                 the Shards of all pages into one list",
            ));
        }
        let shards = listed.into_iter().map(ListedShard::into_shard).collect::<Result<Vec<_>>>()?;
        check_ids(&shards)?;
        Ok(Self::of_ranges(System::Kinesis, shards, Rules::KINESIS)?.with_capacity_mode(mode))
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

    /// The same stream, with its shards managed by `mode`.
    #[must_use]
    pub fn with_capacity_mode(mut self, mode: CapacityMode) -> Self {
        if let Rules::Kinesis { mode: current, .. } = &mut self.rules {
            *current = mode;
        }
        self
    }

    /// Who manages a Kinesis stream's shards; `None` for another system.
    pub fn capacity_mode(&self) -> Option<CapacityMode> {
        match self.rules {
            Rules::Kinesis { mode, .. } => Some(mode),
            _ => None,
        }
    }

    /// The stream after `UpdateShardCount` to `shards` shards of even ranges: splits, then merges,
    /// each of which leaves its parents listed. The service does not document the steps between;
    /// these are those that were seen of it (4 to 3: two splits, then merges).
    ///
    /// # Errors
    /// `InvalidReshape` for what the service refuses: more than twice or less than half of the open
    /// shards, more than 10,000, an on-demand stream, another system.
    ///
    /// ```
    /// use shardlane::{EvenRule, ShardMap};
    /// let stream = ShardMap::kinesis(4, EvenRule::FixedStep)?;
    /// assert_eq!(stream.resize(3)?.len(), 3);
    /// assert!(stream.resize(9).unwrap_err().message().contains("at most 8"));
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn resize(&self, shards: usize) -> Result<Self> {
        if self.system != System::Kinesis {
            return Err(refused(format!(
                "resize is UpdateShardCount of Kinesis, and this is a {}; {}",
                self.system.whole(),
                if self.system == System::Kafka { "type grow" } else { "type split or merge" }
            )));
        }
        check_provisioned(self)?;
        let (least, most) = (self.len().div_ceil(2), (2 * self.len()).min(MOST_BY_RESIZE));
        if shards < least || shards > most {
            return Err(refused(format!(
                "UpdateShardCount to {shards} shards is refused: from {} open shards, one call goes \
                 to at least {least} (half) and at most {most} (twice, and no more than \
                 {MOST_BY_RESIZE}); go there in several calls",
                self.len()
            )));
        }
        let starts = super::even_starts(shards);
        let mut work = Work::of(self);
        // First every shard is split where a new boundary lies within it, then what lies between
        // two boundaries is merged.
        let mut pieces: Vec<(usize, HashRange)> = Vec::new();
        for (mut place, mut range) in (0..self.len()).zip(self.open_ranges()) {
            for &start in &starts {
                if start > range.start && start <= range.end {
                    let low = HashRange { start: range.start, end: start - 1 };
                    let high = HashRange { start, end: range.end };
                    let [below, above] = work.split(place, [low, high]);
                    pieces.push((below, low));
                    (place, range) = (above, high);
                }
            }
            pieces.push((place, range));
        }
        let mut before: Option<(usize, HashRange)> = None;
        for (place, range) in pieces {
            before = Some(match before {
                Some((left, low)) if starts.binary_search(&range.start).is_err() => {
                    let joined = HashRange { start: low.start, end: range.end };
                    (work.merge(left, place, joined), joined)
                }
                _ => (place, range),
            });
        }
        work.done(self)
    }
}

/// The most shards that one call of `UpdateShardCount` goes to
/// ([UpdateShardCount](https://docs.aws.amazon.com/kinesis/latest/APIReference/API_UpdateShardCount.html),
/// read 2026-11-30).
const MOST_BY_RESIZE: usize = 10_000;

/// Who manages the shards of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CapacityMode {
    /// Its owner, by splits, merges and resizes.
    #[default]
    Provisioned,
    /// The service: it splits shards that take much, and refuses to be told.
    OnDemand,
}

impl CapacityMode {
    /// The mode's name, `provisioned` or `on-demand`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Provisioned => "provisioned",
            Self::OnDemand => "on-demand",
        }
    }
}

impl fmt::Display for CapacityMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for CapacityMode {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        [Self::Provisioned, Self::OnDemand].into_iter().find(|mode| mode.name() == name).ok_or_else(
            || {
                Error::input(format!(
                    "there is no capacity mode \"{name}\"; type provisioned or on-demand"
                ))
            },
        )
    }
}

/// Checks that the owner may reshape the stream.
pub(super) fn check_provisioned(map: &ShardMap) -> Result<()> {
    if map.capacity_mode() == Some(CapacityMode::OnDemand) {
        return Err(refused(
            "ValidationException: this stream is on-demand, whose shards the service splits and \
             merges itself; switch it to provisioned first (UpdateStreamMode)",
        ));
    }
    Ok(())
}

/// The two parts of a shard's range, each of which has to have two hash values at least.
pub(super) fn halves(shard: &Shard, at: SplitAt) -> Result<[HashRange; 2]> {
    let HashRange { start, end } = shard.range.unwrap_or(HashRange::ALL);
    let half = (end - start) / 2;
    let at = match at {
        // (start + end) / 2, of which the sum may not fit.
        SplitAt::DocsMidpoint => start + half,
        SplitAt::ExactHalf => start + half + (end - start) % 2,
        SplitAt::Value(value) => value,
    };
    if at <= start.saturating_add(1) || at >= end {
        return Err(refused(format!(
            "InvalidArgumentException: NewStartingHashKey {at} used in SplitShard() on shard {} is \
             not both greater than one plus the shard's StartingHashKey {start} and less than the \
             shard's EndingHashKey {end}",
            shard.id
        )));
    }
    Ok([HashRange { start, end: at - 1 }, HashRange { start: at, end }])
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
    #[serde(default)]
    stream_mode_details: StreamModeDetails,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase")]
struct StreamModeDetails {
    #[serde(default)]
    stream_mode: CapacityMode,
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
            range: Some(HashRange { start, end }),
            state: if closed { ShardState::Closed } else { ShardState::Open },
            id: self.shard_id,
            parent: self.parent_shard_id,
            adjacent_parent: self.adjacent_parent_shard_id,
        })
    }
}
