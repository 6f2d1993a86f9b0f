//! How throttling is modelled, and by which figures.

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::shards::System;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// How the service's throttling is modelled. The services do not document theirs.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Model {
    /// Each window stands alone: what exceeds the window's allowance is throttled.
    #[default]
    Tumbling,
    /// Each limit is a bucket of tokens that starts full and fills up at the limit's rate: what
    /// finds no token is throttled. The records of a window are taken to come at its start.
    TokenBucket(Bursts),
}

/// How much the buckets of [`Model::TokenBucket`] hold; what is `None` follows from the limits.
///
/// Amazon's own producer limits itself by a bucket of one second of a Kinesis shard's records and
/// ten seconds of its bytes (`aws/kinesis/core/shard_limiter` of
/// <https://github.com/awslabs/amazon-kinesis-producer>, commit 11c4a64, read 2026-11-30), and so
/// do these buckets. Those of other systems hold one second. No bucket holds less than a window's
/// allowance, since the model does not know when in a window a record comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bursts {
    /// Records that a shard takes at once.
    pub records: Option<u64>,
    /// Bytes that a shard takes at once.
    pub bytes: Option<u64>,
    /// Seconds of its unused capacity that a `DynamoDB` table keeps, beside what it has anyway; 300
    /// if not said
    /// (<https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/burst-adaptive-capacity.html>,
    /// read 2026-11-30).
    pub table_seconds: Option<u64>,
}

/// The names of the parameters, as they are written.
const RECORDS: &str = "records_burst";
const BYTES: &str = "bytes_burst";
const TABLE: &str = "table_burst_seconds";

/// Seconds of unused capacity that a table keeps.
pub(super) const KEPT: u64 = 300;

/// The most of them that make sense: a year.
const MOST_KEPT: u64 = 366 * 86_400;

impl Model {
    /// The model's name: `tumbling` or `token-bucket`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tumbling => "tumbling",
            Self::TokenBucket(_) => "token-bucket",
        }
    }

    /// The length of the windows that suit the model, unless others are asked for: a second, and a
    /// tenth of one for a bucket, which may be emptied within a second.
    ///
    /// ```
    /// use shardlane::Model;
    /// let model: Model = "token-bucket".parse()?;
    /// assert_eq!(model.window().as_millis(), 100);
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub const fn window(self) -> Duration {
        match self {
            Self::Tumbling => Duration::from_secs(1),
            Self::TokenBucket(_) => Duration::from_millis(100),
        }
    }

    /// The model's parameters for `limits` by name, those that were not said included; none of a
    /// model that has none.
    ///
    /// ```
    /// use shardlane::{Limits, Model};
    /// let model: Model = "token-bucket:records_burst=2000".parse()?;
    /// let parameters = model.parameters(&Limits::kinesis());
    /// assert_eq!(parameters, [("records_burst", 2_000), ("bytes_burst", 10_485_760)]);
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn parameters(self, limits: &Limits) -> Vec<(&'static str, u64)> {
        let Self::TokenBucket(bursts) = self else { return Vec::new() };
        let [records, bytes] = bursts.of_shard(limits);
        let named = [(RECORDS, records), (BYTES, bytes), (TABLE, bursts.of_table(limits))];
        named.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// Checks that the model's parameters mean something for `system`.
    pub(super) fn check(self, system: System) -> Result<()> {
        let Self::TokenBucket(bursts) = self else { return Ok(()) };
        let is_table = system == System::DynamoDb;
        let given = [
            (RECORDS, bursts.records.is_some(), !is_table),
            (BYTES, bursts.bytes.is_some(), !is_table),
            (TABLE, bursts.table_seconds.is_some(), is_table),
        ];
        match given.into_iter().find(|(_, is_given, fits)| *is_given && !fits) {
            None => Ok(()),
            Some((name, ..)) => Err(Error::input(format!(
                "the model's {name} was given for a {}, which has no such bucket; {}",
                system.whole(),
                if is_table {
                    "its table's is table_burst_seconds"
                } else {
                    "its buckets are records_burst and bytes_burst"
                }
            ))),
        }
    }
}

impl Bursts {
    /// Records and bytes that a shard's buckets hold, where there is a limit to fill them.
    pub(super) fn of_shard(self, limits: &Limits) -> [Option<u64>; 2] {
        // Of bytes, ten seconds of a Kinesis shard's.
        let seconds = if limits.system() == System::Kinesis { 10 } else { 1 };
        let records = limits.records_per_second().map(|limit| limit.value);
        let bytes = limits.bytes_per_second().map(|limit| limit.value.saturating_mul(seconds));
        [
            records.map(|second| self.records.unwrap_or(second)),
            bytes.map(|held| self.bytes.unwrap_or(held)),
        ]
    }

    /// Seconds of its capacity that a table keeps, if it has one.
    pub(super) fn of_table(self, limits: &Limits) -> Option<u64> {
        let has_capacity = limits.table_read_units_per_second().is_some()
            || limits.table_write_units_per_second().is_some();
        has_capacity.then(|| self.table_seconds.unwrap_or(KEPT))
    }
}

/// The name, and the parameters that were said: what [`from_str`](Model::from_str) reads.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        let Self::TokenBucket(bursts) = self else { return Ok(()) };
        let given =
            [(RECORDS, bursts.records), (BYTES, bursts.bytes), (TABLE, bursts.table_seconds)];
        let given = given.into_iter().filter_map(|(name, value)| Some((name, value?)));
        for (at, (name, value)) in given.enumerate() {
            write!(f, "{}{name}={value}", if at == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

/// Reads a model's name, and of a bucket's parameters those that follow it.
///
/// ```
/// use shardlane::Model;
/// let text = "token-bucket:records_burst=1000,bytes_burst=10485760";
/// assert_eq!(text.parse::<Model>()?.to_string(), text);
/// # Ok::<(), shardlane::Error>(())
/// ```
impl FromStr for Model {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, parameters) = text.split_once(':').unwrap_or((text, ""));
        match name.trim() {
            "tumbling" if parameters.is_empty() => Ok(Self::Tumbling),
            "tumbling" => Err(Error::input(format!(
                "the model tumbling has no parameters, but \"{parameters}\" was given; type \
                 tumbling alone"
            ))),
            "token-bucket" => bursts(parameters).map(Self::TokenBucket),
            name => Err(Error::input(format!(
                "there is no throttling model \"{name}\"; type tumbling or token-bucket"
            ))),
        }
    }
}

/// Reads the parameters of a bucket.
fn bursts(text: &str) -> Result<Bursts> {
    let mut bursts = Bursts::default();
    for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        let (name, value) = item.split_once('=').unwrap_or((item, ""));
        let place = match name.trim() {
            RECORDS => &mut bursts.records,
            BYTES => &mut bursts.bytes,
            TABLE => &mut bursts.table_seconds,
            name => {
                return Err(Error::input(format!(
                    "the model token-bucket has no parameter \"{name}\"; type one of {RECORDS}, \
                     {BYTES} and {TABLE}, for example token-bucket:{RECORDS}=1000"
                )));
            }
        };
        let most = if name.trim() == TABLE { MOST_KEPT } else { u64::MAX };
        let number = value.trim().replace('_', "").parse().ok();
        let Some(number) = number.filter(|number| (1..=most).contains(number)) else {
            return Err(Error::input(format!(
                "\"{item}\" is not a parameter of token-bucket; type name=value with a whole \
                 number from 1 to {most}, for example {RECORDS}=1000"
            )));
        };
        if place.replace(number).is_some() {
            return Err(Error::input(format!(
                "the parameter {} is given twice; give it once",
                name.trim()
            )));
        }
    }
    Ok(bursts)
}
