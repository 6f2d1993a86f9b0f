//! Alibaba Cloud Simple Log Service: ranges of hexadecimal hash values, of which a write names one,
//! or none at all.
//!
//! A range is written with its end left out, and the topmost ends at `ff…ff`, so that by the letter
//! no shard owns that one value. Here the last shard does; what the service does is not documented.

use super::placement::{Placement, Turn};
use super::range::RangeIndex;
use super::refusal::Refusal;
use super::reshape::refused;
use super::{
    HashRange, Rules, Shard, ShardMap, ShardState, System, Verdict, check_count, even_starts,
};
use crate::error::{Error, Result};
use serde::Deserialize;
use serde_json::Value;

/// The hexadecimal digits of a whole hash value.
const DIGITS: usize = 32;

impl ShardMap {
    /// A Logstore of `shards` shards that share all hash values evenly, as a new one does: proven
    /// for powers of two, an estimate for other numbers.
    ///
    /// # Errors
    /// `InvalidShardMap` if `shards` is 0 or above [`MAX_SHARDS`](super::MAX_SHARDS).
    ///
    /// ```
    /// use shardlane::{Router, ShardMap};
    /// let router = Router::new(ShardMap::sls(4)?);
    /// // A hash key names a shard by its first digits; without any, the write goes anywhere.
    /// assert_eq!(router.shard_of(None, Some(b"5F")), Ok(Some(1)));
    /// assert_eq!(router.shard_of(None, None), Ok(None));
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn sls(shards: usize) -> Result<Self> {
        check_count(shards)?;
        let starts = even_starts(shards);
        let ends = starts[1..].iter().map(|start| start - 1).chain([u128::MAX]);
        let shards = starts.iter().zip(ends).enumerate();
        let shards = shards
            .map(|(i, (&start, end))| Shard::open(i.to_string(), Some(HashRange { start, end })))
            .collect();
        Self::of_ranges(System::Sls, shards, Rules::Sls { buckets: None })
    }

    /// The Logstore that an answer of `ListShards` describes: a list of objects with `shardID`,
    /// `status`, `inclusiveBeginKey` and `exclusiveEndKey`, or an object that has it as `shards`.
    ///
    /// # Errors
    /// `InvalidShardMap` if the text is not such JSON, a key has more than 32 digits or others than
    /// hexadecimal ones, or the shards that take writes leave a gap or overlap.
    ///
    /// ```
    /// let map = shardlane::ShardMap::from_sls_shards(r#"[
    ///     {"shardID": 0, "status": "readwrite",
    ///      "inclusiveBeginKey": "00000000000000000000000000000000",
    ///      "exclusiveEndKey": "ffffffffffffffffffffffffffffffff"}]"#)?;
    /// assert_eq!(map.len(), 1);
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn from_sls_shards(json: &str) -> Result<Self> {
        let json = json.trim_start_matches('\u{feff}');
        let answer: Answer = serde_json::from_str(json).map_err(|error| {
            Error::shard_map(format!(
                "this is not the JSON of ListShards of Simple Log Service: {error}; make one with: \
                 aliyunlog log list_shards --project_name=P --logstore_name=L"
            ))
        })?;
        let (Answer::Shards(listed) | Answer::Object { shards: listed }) = answer;
        let shards = listed.into_iter().map(Listed::into_shard).collect::<Result<Vec<_>>>()?;
        super::check_ids(&shards)?;
        Self::of_ranges(System::Sls, shards, Rules::Sls { buckets: None })
    }

    /// The same Logstore, written to by producers that adjust hashes: they keep as many of the top
    /// bits as `buckets` has places, so that no more than `buckets` shards ever get anything. The
    /// Java producer does so by default, with 64.
    ///
    /// # Errors
    /// `InvalidShardMap` if this is no Logstore, or `buckets` is not a power of two up to 2^31.
    pub fn with_buckets(mut self, buckets: u32) -> Result<Self> {
        if self.system != System::Sls {
            return Err(Error::shard_map(format!(
                "buckets were given for a {}; only the producers of Simple Log Service have them",
                self.system.whole()
            )));
        }
        if !buckets.is_power_of_two() {
            return Err(Error::shard_map(format!(
                "{buckets} buckets were given; type a power of two, for example 64"
            )));
        }
        let kept = (u64::from(u32::MAX) << 32 >> buckets.trailing_zeros()) as u32;
        let starts: Vec<u128> = self.open_ranges().map(|range| range.start).collect();
        self.placement = Placement::Ranges(RangeIndex::new(&starts), Turn::Kept(kept));
        self.rules = Rules::Sls { buckets: Some(buckets) };
        Ok(self)
    }

    /// How many buckets the producers adjust hashes to, if they do.
    pub fn buckets(&self) -> Option<u32> {
        match self.rules {
            Rules::Sls { buckets } => buckets,
            _ => None,
        }
    }
}

/// What becomes of a key: the producers hash any, and without one nothing names a shard.
#[inline]
pub(super) fn verdict(key: Option<&[u8]>) -> Verdict {
    if key.is_some() { Verdict::Hashed } else { Verdict::Unassigned }
}

/// The hash value that a hash key names: up to 32 hexadecimal digits of either case, the topmost
/// first.
pub(super) fn explicit_hash(text: &[u8]) -> Result<u128, Refusal> {
    if text.is_empty() || text.len() > DIGITS {
        return Err(Refusal::MalformedExplicitHashKey);
    }
    let digits = text.iter().try_fold(0u128, |value, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        Some(value << 4 | u128::from(digit))
    });
    let value = digits.ok_or(Refusal::MalformedExplicitHashKey)?;
    Ok(value << (4 * (DIGITS - text.len())))
}

/// The two halves of a shard's range, or its two parts at `at`.
pub(super) fn halves(shard: &Shard, at: Option<u128>) -> Result<[HashRange; 2]> {
    let HashRange { start, end } = shard.range.unwrap_or(HashRange::ALL);
    let at = at.unwrap_or(start + (end - start) / 2 + 1);
    if at <= start || at > end {
        return Err(refused(format!(
            "ParameterInvalid: invalid mid hash: {at:032x} is not within shard {}, which begins at \
             {start:032x} and ends before {:032x}; type a hash key between the two",
            shard.id,
            end.saturating_add(1)
        )));
    }
    Ok([HashRange { start, end: at - 1 }, HashRange { start: at, end }])
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a list of shards, each with shardID, status, inclusiveBeginKey and exclusiveEndKey"
)]
enum Answer {
    Shards(Vec<Listed>),
    Object { shards: Vec<Listed> },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    #[serde(rename = "shardID", alias = "shardId", default)]
    shard_id: Value,
    #[serde(default)]
    status: Value,
    #[serde(default)]
    inclusive_begin_key: Value,
    #[serde(default)]
    exclusive_end_key: Value,
}

impl Listed {
    fn into_shard(self) -> Result<Shard> {
        let id = match &self.shard_id {
            Value::Number(number) if number.is_u64() => number.to_string(),
            Value::String(text) => text.clone(),
            other => {
                return Err(Error::shard_map(format!(
                    "the shardID of a shard is {other}; expected a whole number, such as 0"
                )));
            }
        };
        let boundary = |name: &str, value: &Value| {
            let text = value.as_str().unwrap_or_default();
            explicit_hash(text.as_bytes()).map_err(|_| {
                Error::shard_map(format!(
                    "the {name} of shard {id} is {value} ({} characters); expected 32 hexadecimal \
                     digits as text",
                    text.chars().count()
                ))
            })
        };
        let start = boundary("inclusiveBeginKey", &self.inclusive_begin_key)?;
        let end = boundary("exclusiveEndKey", &self.exclusive_end_key)?;
        // The end is left out, but that of the last shard is the topmost value itself.
        let end = if end == u128::MAX { Some(end) } else { end.checked_sub(1) };
        let range = end.filter(|end| *end >= start).map(|end| HashRange { start, end });
        let Some(range) = range else {
            return Err(Error::shard_map(format!(
                "the range of shard {id} ends at {}, before or where it begins, at {}",
                self.exclusive_end_key, self.inclusive_begin_key
            )));
        };
        let state = match self.status.as_str() {
            Some("readwrite") => ShardState::Open,
            Some("readonly") => ShardState::Closed,
            _ => {
                return Err(Error::shard_map(format!(
                    "the status of shard {id} is {}; expected \"readwrite\" or \"readonly\"",
                    self.status
                )));
            }
        };
        Ok(Shard { state, ..Shard::open(id, Some(range)) })
    }
}
