//! What files hold, each by one name.

#[cfg(feature = "files")]
mod sniff;

#[cfg(feature = "files")]
pub(super) use sniff::{ENOUGH, sniff};

use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// A kind of log that can be read.
///
/// ```
/// use shardlane::source::Format;
/// assert_eq!("tsv".parse(), Ok(Format::Tsv));
/// ```
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// Parquet.
    Parquet,
    /// Arrow IPC, a file or a stream.
    Arrow,
    /// Fields with commas between them, or what else [`Delimiter`](super::Delimiter) says.
    Csv,
    /// The same with tabs.
    Tsv,
    /// JSON objects, one a line or one behind another, or an array of them.
    Ndjson,
    /// What `GetRecords` of Kinesis answers.
    KinesisRecords,
    /// Events of a Lambda function that reads a stream.
    LambdaEvent,
    /// Events of a Firehose transformation.
    FirehoseEvent,
    /// A full export of a `DynamoDB` table to S3.
    DynamoDbExport,
    /// An incremental one.
    DynamoDbIncrement,
    /// What `GetInsightRuleReport` of `CloudWatch` answers.
    ContributorInsights,
    /// `kcat -J`.
    KcatJson,
    /// One key a line.
    Keys,
    /// `sort | uniq -c`: a count and a key a line.
    UniqC,
    /// `kcat -f` or `kcat -K`.
    Kcat,
    /// `kafka-console-consumer` with `print.key=true` and what else it can be told to print.
    ConsoleConsumer,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 16] = [
        Self::Parquet,
        Self::Arrow,
        Self::Csv,
        Self::Tsv,
        Self::Ndjson,
        Self::KinesisRecords,
        Self::LambdaEvent,
        Self::FirehoseEvent,
        Self::DynamoDbExport,
        Self::DynamoDbIncrement,
        Self::ContributorInsights,
        Self::KcatJson,
        Self::Keys,
        Self::UniqC,
        Self::Kcat,
        Self::ConsoleConsumer,
    ];

    /// The format's name, such as `csv`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Ndjson => "ndjson",
            Self::KinesisRecords => "kinesis-records",
            Self::LambdaEvent => "lambda-event",
            Self::FirehoseEvent => "firehose-event",
            Self::DynamoDbExport => "dynamodb-export",
            Self::DynamoDbIncrement => "dynamodb-incremental-export",
            Self::ContributorInsights => "contributor-insights",
            Self::KcatJson => "kcat-json",
            Self::Keys => "keys",
            Self::UniqC => "uniq-c",
            Self::Kcat => "kcat",
            Self::ConsoleConsumer => "console-consumer",
        }
    }

    /// Whether it is records of text without names.
    #[cfg(feature = "files")]
    pub(super) fn is_lines(self) -> bool {
        matches!(self, Self::Keys | Self::UniqC | Self::Kcat | Self::ConsoleConsumer)
    }

    /// Whether it is JSON.
    #[cfg(feature = "files")]
    pub(super) fn is_json(self) -> bool {
        matches!(
            self,
            Self::Ndjson
                | Self::KinesisRecords
                | Self::LambdaEvent
                | Self::FirehoseEvent
                | Self::DynamoDbExport
                | Self::DynamoDbIncrement
                | Self::ContributorInsights
                | Self::KcatJson
        )
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::input(format!("there is no format \"{name}\"; type one of {names}"))
        })
    }
}
