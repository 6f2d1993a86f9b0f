//! What services write: which of their members is the key, the size and the time.
//!
//! | from | key | size | time | shard |
//! | --- | --- | --- | --- | --- |
//! | `aws kinesis get-records`, boto3 | `PartitionKey` | `Data`, decoded | `ApproximateArrivalTimestamp`, in s if a number | `ShardId`, if someone noted it |
//! | an event of a Lambda function that reads a stream | `kinesis.partitionKey` | `kinesis.data`, decoded | `kinesis.approximateArrivalTimestamp`, in s | `eventID` up to its colon |
//! | an event of a Firehose transformation | `kinesisRecordMetadata.partitionKey` | `data`, decoded | `kinesisRecordMetadata.approximateArrivalTimestamp`, in ms | `kinesisRecordMetadata.shardId` |
//! | `kcat -J` | `key` | `payload` in UTF-8 | `ts`, in ms | `partition` |
//! | a full export of `DynamoDB` to S3 | an attribute | the item, by the rules of `DynamoDB` | | |
//! | an incremental export of it | an attribute of the key | the new image, or the old one of a deletion | `Metadata.WriteTimestampMicros` | |
//! | `aws cloudwatch get-insight-rule-report` | `Keys.0`; weight: `ApproximateAggregateValue` | | | |
//! | anything else, such as logs of Simple Log Service in OSS | | | `__time__`, in s | |
//!
//! Facts: API references of Kinesis, Lambda, Firehose, `DynamoDB` and `CloudWatch`, and the manual of
//! kcat 1.7.1, read 2026-12-01.

use super::paths::{Found, Paths};
use super::scan::{Scan, Value};
use super::walk::{Layout, Place, Step, Walk};
use crate::source::{Format, TimeUnit};

/// Records that are looked into to tell the shape.
const LOOKED_INTO: usize = 64;

/// Who wrote a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Plain,
    GetRecords,
    Lambda,
    Firehose,
    Kcat,
    DynamoDbExport,
    DynamoDbIncrement,
    ContributorInsights,
}

/// How the size of a record follows from a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// It is the number.
    Whole,
    /// The bytes that its base64 stands for.
    Base64,
    /// The bytes of its text; 0 if it is null, as for a tombstone.
    Length,
    /// The bytes of its attributes, as `DynamoDB` counts them.
    Item,
}

/// The usual members of a shape; an empty name where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Usual {
    pub(super) key: &'static str,
    pub(super) size: &'static str,
    pub(super) time: &'static str,
    pub(super) weight: &'static str,
    pub(super) shard: &'static str,
}

/// Names of members that hold an array of records.
const ENVELOPES: [&str; 3] = ["Records", "records", "Contributors"];

impl Shape {
    /// The shape of what begins with `start`, and the member that holds its records, if one does.
    pub(super) fn of(start: &[u8]) -> (Self, Option<&'static str>) {
        let mut empty = None;
        for name in ENVELOPES {
            let mut walk = Walk::new(start, Layout::Stream, Some(name), Place::Top);
            let mut probe = Probe::new();
            while probe.records < LOOKED_INTO && walk.next(|scan| probe.look(scan)) == Step::Record
            {
            }
            if walk.envelopes > 0 {
                if probe.records > 0 {
                    return (probe.shape(Some(name)), Some(name));
                }
                empty.get_or_insert(name);
            }
        }
        if let Some(name) = empty {
            return (if name == "Records" { Self::GetRecords } else { Self::Plain }, Some(name));
        }
        let mut probe = Probe::new();
        let mut walk = Walk::new(start, Layout::Stream, None, Place::Top);
        while probe.records < LOOKED_INTO {
            match walk.next(|scan| probe.look(scan)) {
                Step::Record | Step::Broken => {}
                Step::CutShort | Step::End => break,
            }
        }
        (probe.shape(None), None)
    }

    /// The shape that a format has, unless that is to be found out.
    pub(super) fn of_format(format: Option<Format>) -> Option<Self> {
        Some(match format? {
            Format::KinesisRecords => Self::GetRecords,
            Format::LambdaEvent => Self::Lambda,
            Format::FirehoseEvent => Self::Firehose,
            Format::KcatJson => Self::Kcat,
            Format::DynamoDbExport => Self::DynamoDbExport,
            Format::DynamoDbIncrement => Self::DynamoDbIncrement,
            Format::ContributorInsights => Self::ContributorInsights,
            _ => Self::Plain,
        })
    }

    /// The format that has this shape.
    pub(super) fn format(self) -> Format {
        match self {
            Self::Plain => Format::Ndjson,
            Self::GetRecords => Format::KinesisRecords,
            Self::Lambda => Format::LambdaEvent,
            Self::Firehose => Format::FirehoseEvent,
            Self::Kcat => Format::KcatJson,
            Self::DynamoDbExport => Format::DynamoDbExport,
            Self::DynamoDbIncrement => Format::DynamoDbIncrement,
            Self::ContributorInsights => Format::ContributorInsights,
        }
    }

    /// The members that play a part unless others are named.
    pub(super) fn usual(self) -> Usual {
        let none = Usual::default();
        match self {
            Self::Plain => none,
            Self::GetRecords => Usual {
                key: "PartitionKey",
                size: "Data",
                time: "ApproximateArrivalTimestamp",
                shard: "ShardId",
                ..none
            },
            Self::Lambda => Usual {
                key: "kinesis.partitionKey",
                size: "kinesis.data",
                time: "kinesis.approximateArrivalTimestamp",
                shard: "eventID",
                ..none
            },
            Self::Firehose => Usual {
                key: "kinesisRecordMetadata.partitionKey",
                size: "data",
                time: "kinesisRecordMetadata.approximateArrivalTimestamp",
                shard: "kinesisRecordMetadata.shardId",
                ..none
            },
            Self::Kcat => {
                Usual { key: "key", size: "payload", time: "ts", shard: "partition", ..none }
            }
            Self::DynamoDbExport => Usual { size: "Item", ..none },
            Self::DynamoDbIncrement => {
                Usual { size: "NewImage", time: "Metadata.WriteTimestampMicros", ..none }
            }
            Self::ContributorInsights => {
                Usual { key: "Keys.0", weight: "ApproximateAggregateValue", ..none }
            }
        }
    }

    /// What a size in the member `name` is.
    pub(super) fn measure(self, name: &str) -> Measure {
        if name != self.usual().size {
            return Measure::Whole;
        }
        match self {
            Self::GetRecords | Self::Lambda | Self::Firehose => Measure::Base64,
            Self::Kcat => Measure::Length,
            Self::DynamoDbExport | Self::DynamoDbIncrement => Measure::Item,
            Self::Plain | Self::ContributorInsights => Measure::Whole,
        }
    }

    /// Whether a record's size is that of its payload, which may be an aggregate.
    pub(super) fn carries_payloads(self) -> bool {
        matches!(self, Self::GetRecords | Self::Lambda | Self::Firehose)
    }

    /// The unit of times in the member `name`, where those who write it always use one.
    pub(super) fn time_unit(self, name: &str) -> Option<TimeUnit> {
        if name.rsplit('.').next() == Some("__time__") {
            return Some(TimeUnit::Seconds);
        }
        (name == self.usual().time).then_some(match self {
            Self::Firehose | Self::Kcat => TimeUnit::Milliseconds,
            Self::DynamoDbIncrement => TimeUnit::Microseconds,
            _ => TimeUnit::Seconds,
        })
    }

    /// The member whose attributes are what people name, each behind the name of its type.
    pub(super) fn attributes(self) -> Option<&'static str> {
        match self {
            Self::DynamoDbExport => Some("Item"),
            Self::DynamoDbIncrement => Some("Keys"),
            _ => None,
        }
    }
}

/// Members that tell a shape.
const TELLING: [&str; 14] = [
    "PartitionKey",
    "Data",
    "SequenceNumber",
    "kinesis.partitionKey",
    "kinesisRecordMetadata",
    "recordId",
    "topic",
    "offset",
    "payload",
    "Item",
    "Keys",
    "Metadata.WriteTimestampMicros",
    "NewImage",
    "ApproximateAggregateValue",
];

/// Which of the telling members some records have.
struct Probe {
    paths: Paths,
    has: [bool; TELLING.len()],
    records: usize,
}

impl Probe {
    fn new() -> Self {
        let mut paths = Paths::new();
        for name in TELLING {
            paths.add([name]);
        }
        Self { paths, has: [false; TELLING.len()], records: 0 }
    }

    fn look(&mut self, scan: &mut Scan<'_>) -> Result<(), super::scan::Fault> {
        let mut found = [Found::NOTHING; TELLING.len()];
        self.paths.find(scan, &mut found)?;
        for ((has, found), name) in self.has.iter_mut().zip(&found).zip(TELLING) {
            let is_item = matches!(name, "Item" | "NewImage");
            *has |= found.is_there() && (!is_item || is_typed(scan.text, found.value));
        }
        self.records += 1;
        Ok(())
    }

    fn shape(&self, envelope: Option<&str>) -> Shape {
        let has = |name| TELLING.iter().zip(self.has).any(|(of, has)| *of == name && has);
        if has("kinesis.partitionKey") {
            Shape::Lambda
        } else if has("kinesisRecordMetadata") || envelope == Some("records") && has("recordId") {
            Shape::Firehose
        } else if has("PartitionKey") && (has("Data") || has("SequenceNumber")) {
            Shape::GetRecords
        } else if has("topic") && has("offset") && has("payload") {
            Shape::Kcat
        } else if has("Keys") && (has("Metadata.WriteTimestampMicros") || has("NewImage")) {
            Shape::DynamoDbIncrement
        } else if has("Item") {
            Shape::DynamoDbExport
        } else if envelope == Some("Contributors") && has("ApproximateAggregateValue") {
            Shape::ContributorInsights
        } else {
            Shape::Plain
        }
    }
}

/// Whether a value is an object of attributes that are objects with the name of a type.
fn is_typed(text: &[u8], value: Value) -> bool {
    let Value::Nested { start, .. } = value else { return false };
    let mut scan = Scan::new(text, start);
    if scan.peek() != Some(b'{') {
        return false;
    }
    let (mut any, mut all) = (false, true);
    let read = scan.members(|scan, _| {
        any = true;
        if scan.next_sign()? != b'{' {
            all = false;
            return scan.skip();
        }
        scan.members(|scan, kind| {
            let kind = &scan.text[kind.start..kind.end];
            all &= matches!(
                kind,
                b"S" | b"N" | b"B" | b"SS" | b"NS" | b"BS" | b"M" | b"L" | b"BOOL" | b"NULL"
            );
            scan.skip()
        })
    });
    read.is_ok() && any && all
}
