//! What a shard may take: dated, sourced profiles of the services' limits, each of which can be
//! overridden.
//!
//! ```
//! use shardlane::Limits;
//! let limits = Limits::kinesis().with_text("bytes_per_second=1000000")?;
//! assert_eq!(limits.bytes_per_second().unwrap().value, 1_000_000);
//! assert_eq!(limits.records_per_second().unwrap().value, 1_000);
//! # Ok::<(), shardlane::Error>(())
//! ```

mod dynamodb;
mod kafka;
mod kinesis;
mod sls;
mod written;

pub use dynamodb::{burst_seconds, estimated_partitions};

use crate::error::{Error, Result};
use crate::shards::{CapacityMode, ShardMap, System};
use std::borrow::Cow;
use std::str::FromStr;

/// The limits of readers.
const READS: [&str; 2] = ["read_bytes_per_second", "reads_per_second"];

/// One limit of a shard: its value and where that comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// The value, in the unit that the limit's name says.
    pub value: u64,
    /// The page or code that states it, or `given` when it was overridden.
    pub source: Cow<'static, str>,
    /// The day that source was read, as YYYY-MM-DD; empty when it was overridden.
    pub date: Cow<'static, str>,
}

impl Limit {
    /// A limit that a user gave.
    fn given(value: u64) -> Self {
        Self { value, source: Cow::Borrowed("given"), date: Cow::Borrowed("") }
    }
}

/// The limits of each shard of one system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    system: System,
    records_per_second: Option<Limit>,
    bytes_per_second: Option<Limit>,
    read_units_per_second: Option<Limit>,
    write_units_per_second: Option<Limit>,
    unit_rule: UnitRule,
    stream_records_per_second: Option<Limit>,
    stream_bytes_per_second: Option<Limit>,
    table_read_units_per_second: Option<Limit>,
    table_write_units_per_second: Option<Limit>,
    read_bytes_per_second: Option<Limit>,
    reads_per_second: Option<Limit>,
}

/// How the read and the write units of a `DynamoDB` partition go together. The service's pages
/// disagree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum UnitRule {
    /// Each has its limit for itself.
    #[default]
    Independent,
    /// Both share one allowance: reads / 3,000 + writes / 1,000 is at most 1.
    LinearCombination,
}

impl UnitRule {
    /// The rule's name, `independent` or `linear-combination`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Independent => "independent",
            Self::LinearCombination => "linear-combination",
        }
    }
}

impl FromStr for UnitRule {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        [Self::Independent, Self::LinearCombination]
            .into_iter()
            .find(|rule| rule.name() == name)
            .ok_or_else(|| {
                Error::input(format!(
                    "there is no unit rule \"{name}\"; type independent or linear-combination"
                ))
            })
    }
}

impl Limits {
    /// The default profile of `system`.
    pub fn of(system: System) -> Self {
        match system {
            System::Kinesis => Self::kinesis(),
            System::Kafka => Self::kafka(),
            System::DynamoDb => Self::dynamodb(),
            System::Sls => Self::sls(),
        }
    }

    /// No limits at all.
    fn none(system: System) -> Self {
        Self {
            system,
            records_per_second: None,
            bytes_per_second: None,
            read_units_per_second: None,
            write_units_per_second: None,
            unit_rule: UnitRule::Independent,
            stream_records_per_second: None,
            stream_bytes_per_second: None,
            table_read_units_per_second: None,
            table_write_units_per_second: None,
            read_bytes_per_second: None,
            reads_per_second: None,
        }
    }

    /// The system whose shards are limited.
    pub fn system(&self) -> System {
        self.system
    }

    /// Records a second that a shard takes, if that is limited.
    pub fn records_per_second(&self) -> Option<&Limit> {
        self.records_per_second.as_ref()
    }

    /// Bytes a second that a shard takes, if that is limited.
    pub fn bytes_per_second(&self) -> Option<&Limit> {
        self.bytes_per_second.as_ref()
    }

    /// Read units a second that a `DynamoDB` partition gives, if that is limited.
    pub fn read_units_per_second(&self) -> Option<&Limit> {
        self.read_units_per_second.as_ref()
    }

    /// Write units a second that a `DynamoDB` partition takes, if that is limited.
    pub fn write_units_per_second(&self) -> Option<&Limit> {
        self.write_units_per_second.as_ref()
    }

    /// Records a second that a whole stream takes, if that is limited, as on-demand ones are.
    pub fn stream_records_per_second(&self) -> Option<&Limit> {
        self.stream_records_per_second.as_ref()
    }

    /// Bytes a second that a whole stream takes, if that is limited.
    pub fn stream_bytes_per_second(&self) -> Option<&Limit> {
        self.stream_bytes_per_second.as_ref()
    }

    /// Read units a second of a whole `DynamoDB` table, if its capacity is told.
    pub fn table_read_units_per_second(&self) -> Option<&Limit> {
        self.table_read_units_per_second.as_ref()
    }

    /// Write units a second of a whole `DynamoDB` table, if its capacity is told.
    pub fn table_write_units_per_second(&self) -> Option<&Limit> {
        self.table_write_units_per_second.as_ref()
    }

    /// Bytes a second that the consumers of a Kinesis shard read together, or each of them with
    /// fan-out. It binds nobody who writes.
    pub fn read_bytes_per_second(&self) -> Option<&Limit> {
        self.read_bytes_per_second.as_ref()
    }

    /// Calls a second that the consumers of a Kinesis shard make together. It binds nobody who
    /// writes.
    pub fn reads_per_second(&self) -> Option<&Limit> {
        self.reads_per_second.as_ref()
    }

    /// The default profile for `map`: that of its system, of an on-demand stream its own.
    pub fn for_map(map: &ShardMap) -> Self {
        match map.capacity_mode() {
            Some(CapacityMode::OnDemand) => Self::kinesis_on_demand(None),
            _ => Self::of(map.system()),
        }
    }

    /// The limits of the whole stream as if it were one shard.
    pub(crate) fn of_stream(&self) -> Self {
        Self {
            records_per_second: self.stream_records_per_second.clone(),
            bytes_per_second: self.stream_bytes_per_second.clone(),
            ..Self::none(self.system)
        }
    }

    /// How read and write units go together.
    pub fn unit_rule(&self) -> UnitRule {
        self.unit_rule
    }

    /// The same profile, with read and write units held to `rule`.
    #[must_use]
    pub fn with_unit_rule(mut self, rule: UnitRule) -> Self {
        self.unit_rule = rule;
        self
    }

    /// The limits by name, those that are set; those of readers are for themselves:
    /// [`of_reads`](Self::of_reads).
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Limit)> {
        let writes = self.names().iter().filter(|name| !READS.contains(name));
        writes.filter_map(|name| Some((*name, self.get(name)?)))
    }

    /// The limits of readers by name, those that are set.
    pub fn of_reads(&self) -> impl Iterator<Item = (&'static str, &Limit)> {
        let names = READS.iter().filter(|name| self.names().contains(name));
        names.filter_map(|name| Some((*name, self.get(name)?)))
    }

    /// The names of the limits that the system's shards can have.
    pub(crate) fn names(&self) -> &'static [&'static str] {
        match self.system {
            System::DynamoDb => &[
                "read_units_per_second",
                "write_units_per_second",
                "table_read_units_per_second",
                "table_write_units_per_second",
            ],
            System::Kinesis => &[
                "records_per_second",
                "bytes_per_second",
                "stream_records_per_second",
                "stream_bytes_per_second",
                "read_bytes_per_second",
                "reads_per_second",
            ],
            System::Kafka | System::Sls => &["records_per_second", "bytes_per_second"],
        }
    }

    /// The limit called `name`, if it is set.
    pub(crate) fn get(&self, name: &str) -> Option<&Limit> {
        match name {
            "records_per_second" => self.records_per_second(),
            "bytes_per_second" => self.bytes_per_second(),
            "read_units_per_second" => self.read_units_per_second(),
            "write_units_per_second" => self.write_units_per_second(),
            "stream_records_per_second" => self.stream_records_per_second(),
            "stream_bytes_per_second" => self.stream_bytes_per_second(),
            "table_read_units_per_second" => self.table_read_units_per_second(),
            "table_write_units_per_second" => self.table_write_units_per_second(),
            "read_bytes_per_second" => self.read_bytes_per_second(),
            "reads_per_second" => self.reads_per_second(),
            _ => None,
        }
    }

    /// The same profile with the limit called `name` set to `value`.
    ///
    /// # Errors
    /// `InvalidInput` if there is no such limit, or the value is 0.
    ///
    /// ```
    /// use shardlane::Limits;
    /// let error = Limits::kinesis().with("record_per_second", 500).unwrap_err();
    /// assert!(error.message().contains("did you mean records_per_second?"));
    /// ```
    pub fn with(mut self, name: &str, value: u64) -> Result<Self> {
        if value == 0 {
            return Err(Error::input(format!(
                "the limit {name} is 0; type a whole number of 1 or more"
            )));
        }
        let place = self.place(name)?;
        // What the profile says in any case keeps its source.
        if place.as_ref().is_none_or(|limit| limit.value != value) {
            *place = Some(Limit::given(value));
        }
        Ok(self)
    }

    /// The same profile without a limit called `name`.
    ///
    /// # Errors
    /// `InvalidInput` if no limit has that name.
    pub fn without(mut self, name: &str) -> Result<Self> {
        *self.place(name)? = None;
        Ok(self)
    }

    /// Where the limit called `name` is.
    fn place(&mut self, name: &str) -> Result<&mut Option<Limit>> {
        let names = self.names();
        let known = names.contains(&name);
        match name {
            "records_per_second" if known => Ok(&mut self.records_per_second),
            "bytes_per_second" if known => Ok(&mut self.bytes_per_second),
            "read_units_per_second" if known => Ok(&mut self.read_units_per_second),
            "write_units_per_second" if known => Ok(&mut self.write_units_per_second),
            "stream_records_per_second" if known => Ok(&mut self.stream_records_per_second),
            "stream_bytes_per_second" if known => Ok(&mut self.stream_bytes_per_second),
            "table_read_units_per_second" if known => Ok(&mut self.table_read_units_per_second),
            "table_write_units_per_second" if known => Ok(&mut self.table_write_units_per_second),
            "read_bytes_per_second" if known => Ok(&mut self.read_bytes_per_second),
            "reads_per_second" if known => Ok(&mut self.reads_per_second),
            _ => {
                let near = names
                    .iter()
                    .map(|known| (strsim::jaro_winkler(name, known), known))
                    .filter(|(likeness, _)| *likeness >= 0.8)
                    .max_by(|(one, _), (other, _)| one.total_cmp(other));
                let near =
                    near.map_or_else(String::new, |(_, near)| format!("did you mean {near}? "));
                Err(Error::input(format!(
                    "there is no limit \"{name}\"; {near}type one of {}",
                    names.join(", ")
                )))
            }
        }
    }
}
