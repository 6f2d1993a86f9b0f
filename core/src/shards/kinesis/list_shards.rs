//! A stream as the service itself lists it.

use super::{CapacityMode, explicit_hash};
use crate::error::{Error, Result};
use crate::shards::{HashRange, Rules, Shard, ShardMap, ShardState, System, check_ids};
use serde::Deserialize;

impl ShardMap {
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
