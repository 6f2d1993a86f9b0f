//! The systems whose rules a map can follow.

use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// A system that spreads records over shards by a hash of a key.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum System {
    /// Amazon Kinesis Data Streams.
    Kinesis,
    /// Apache Kafka.
    Kafka,
    /// Amazon `DynamoDB`.
    DynamoDb,
    /// Alibaba Cloud Simple Log Service.
    Sls,
}

impl System {
    /// Every system.
    pub const ALL: [Self; 4] = [Self::Kinesis, Self::Kafka, Self::DynamoDb, Self::Sls];

    /// The system's name, such as `kinesis`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kinesis => "kinesis",
            Self::Kafka => "kafka",
            Self::DynamoDb => "dynamodb",
            Self::Sls => "sls",
        }
    }

    /// What the system calls one of its shards.
    pub const fn shard_word(self) -> &'static str {
        match self {
            Self::Kinesis | Self::Sls => "shard",
            Self::Kafka | Self::DynamoDb => "partition",
        }
    }

    /// What the system's shards make up together, such as `Kinesis stream`.
    pub const fn whole(self) -> &'static str {
        match self {
            Self::Kinesis => "Kinesis stream",
            Self::Kafka => "Kafka topic",
            Self::DynamoDb => "DynamoDB table",
            Self::Sls => "Logstore",
        }
    }

    /// Whether the bytes of a record's key count towards its size beside those of its payload: a
    /// Kinesis record's and a Kafka record's do, a `DynamoDB` item has its key among its
    /// attributes, and a hash key of Simple Log Service is not stored.
    pub const fn counts_keys(self) -> bool {
        matches!(self, Self::Kinesis | Self::Kafka)
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for System {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|system| system.name() == name).ok_or_else(|| {
            Error::input(format!(
                "there is no system \"{name}\"; type kinesis, kafka, dynamodb or sls"
            ))
        })
    }
}
