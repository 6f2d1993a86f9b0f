//! What a report tells only when it was asked for: of each shard, and who reads.

use crate::projection::{self, ShardProjection};
use crate::report::Report;
use crate::report::instant::rfc3339;
use crate::report::waiting::{Value, asked};
use serde::{Serialize, Serializer};

/// What is told only when it was asked for.
pub(super) struct AskedOf<'a> {
    pub(super) report: &'a Report,
    pub(super) shard: &'a ShardProjection,
}

impl Serialize for AskedOf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            asked(&self.report.projection).map(|asked| (asked.name, (asked.of)(self.shard))),
        )
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Count(value) | Self::Bytes(value) => value.serialize(serializer),
            Self::Number(value) => value.serialize(serializer),
            Self::Instant(value) => value.map(rfc3339).serialize(serializer),
            Self::Flag(value) => value.serialize(serializer),
        }
    }
}

/// Who reads.
#[derive(Serialize)]
pub(super) struct Reads {
    #[serde(skip_serializing_if = "Option::is_none")]
    consumers: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    polls_per_second: Option<f64>,
    fan_out: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    records_per_second: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_per_second: Option<u64>,
}

impl Reads {
    pub(super) fn of(reads: projection::Reads) -> Self {
        let none = Self {
            consumers: None,
            polls_per_second: None,
            fan_out: false,
            records_per_second: None,
            bytes_per_second: None,
        };
        match reads {
            projection::Reads::Polls { consumers, per_second } => {
                Self { consumers: Some(consumers), polls_per_second: Some(per_second), ..none }
            }
            projection::Reads::FanOut { consumers } => {
                Self { consumers: Some(consumers), fan_out: true, ..none }
            }
            projection::Reads::AtRate { records_per_second, bytes_per_second } => {
                Self { records_per_second, bytes_per_second, ..none }
            }
        }
    }
}
