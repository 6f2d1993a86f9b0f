//! Who reads the shards, how much of them, and how far readers fall behind.

use super::queue::{Backlog, Queue};
use super::rules::{Rule, Rules};
use super::{Conditions, ShardProjection};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::shards::System;
use crate::tally::Tally;
use std::str::FromStr;
use std::time::Duration;

/// A call of Kinesis' `GetRecords` gives at most 10 MB and 10,000 records
/// (<https://docs.aws.amazon.com/streams/latest/dev/service-sizes-and-limits.html>, read
/// 2026-11-30).
const CALL_RECORDS: u64 = 10_000;
const CALL_BYTES: u64 = 10_485_760;

/// Who reads the shards. Each reader reads everything, in order. A log is of what was written, so
/// readers have it from the time at which it came, whatever the limits of writes.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reads {
    /// Consumers of a Kinesis stream that share what each shard gives.
    Polls {
        /// How many.
        consumers: u32,
        /// Calls of `GetRecords` a second that each makes of each shard.
        per_second: f64,
    },
    /// Consumers of a Kinesis stream with enhanced fan-out: each shard gives each of them its own.
    FanOut {
        /// How many.
        consumers: u32,
    },
    /// One consumer that takes so much of each shard or partition.
    AtRate {
        /// Records a second.
        records_per_second: Option<u64>,
        /// Bytes a second.
        bytes_per_second: Option<u64>,
    },
}

/// What the readers of one shard do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReadLoad {
    /// Bytes a second that all readers together want in the shard's busiest window.
    pub peak_bytes_per_second: f64,
    /// Calls a second that the service refuses; only of readers that poll.
    pub refused_calls_per_second: Option<f64>,
    /// Whether the service gives less than the readers ask for.
    pub is_throttled: bool,
    /// How far a reader falls behind: what it has yet to read, and how late it reads it.
    pub lag: Backlog,
}

impl Reads {
    /// A consumer's rate, written as `records_per_second=5000,bytes_per_second=1000000`, or one of
    /// the two.
    ///
    /// # Errors
    /// `InvalidInput` for text of another form.
    ///
    /// ```
    /// use shardlane::projection::Reads;
    /// let reads = Reads::at_rate("records_per_second=5000")?;
    /// let rate = Reads::AtRate { records_per_second: Some(5_000), bytes_per_second: None };
    /// assert_eq!(reads, rate);
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn at_rate(text: &str) -> Result<Self> {
        // Any system has these two.
        let limits = Limits::kafka().with_text(text).map_err(|error| {
            Error::input(format!("this is not a consumer's rate: {}", error.message()))
        })?;
        let value = |limit: Option<&crate::limits::Limit>| limit.map(|limit| limit.value);
        let rate = Self::AtRate {
            records_per_second: value(limits.records_per_second()),
            bytes_per_second: value(limits.bytes_per_second()),
        };
        match limits.iter().next() {
            Some(_) => Ok(rate),
            None => Err(no_rate()),
        }
    }

    /// Checks that these readers can read shards of `system`.
    pub(super) fn check(&self, system: System) -> Result<()> {
        let is_kinesis = system == System::Kinesis;
        match *self {
            Self::Polls { .. } | Self::FanOut { .. } if !is_kinesis => Err(Error::input(format!(
                "consumers were counted for a {}, but only a Kinesis shard shares out what it \
                 gives; {}",
                system.whole(),
                if system == System::DynamoDb {
                    "leave them out"
                } else {
                    "tell what one takes, with --consumer-rate records_per_second=5000 (in \
                     Python: reads=Reads(records_per_second=5000))"
                }
            ))),
            Self::Polls { consumers: 0, .. } | Self::FanOut { consumers: 0 } => Err(Error::input(
                "0 consumers were given; type 1 or more, for example --consumers 3",
            )),
            Self::Polls { per_second, .. } if !(per_second > 0.0 && per_second <= 1e6) => {
                Err(Error::input(format!(
                    "{per_second} polls a second were given; type a number above 0, for example \
                     --polls-per-second 1"
                )))
            }
            Self::AtRate { .. } if system == System::DynamoDb => Err(Error::input(
                "a consumer's rate was given for a DynamoDB table, whose partitions nobody reads in \
                 order; leave it out",
            )),
            Self::AtRate { records_per_second: None, bytes_per_second: None } => Err(no_rate()),
            _ => Ok(()),
        }
    }

    /// How many readers read everything.
    fn readers(&self) -> u32 {
        match *self {
            Self::Polls { consumers, .. } | Self::FanOut { consumers } => consumers,
            Self::AtRate { .. } => 1,
        }
    }

    /// Calls a second that are refused of one shard.
    fn refused(&self, limits: &Limits) -> Option<f64> {
        let Self::Polls { consumers, per_second } = *self else { return None };
        let calls = f64::from(consumers) * per_second;
        let allowed = limits.reads_per_second().map_or(calls, |limit| limit.value as f64);
        Some((calls - allowed).max(0.0))
    }

    /// What one reader gets of a shard.
    fn rules(&self, limits: &Limits, window: Duration) -> Rules {
        let given = limits.read_bytes_per_second().map(|limit| limit.value);
        match *self {
            Self::Polls { consumers, per_second } => {
                let calls = limits.reads_per_second().map_or(per_second, |limit| {
                    per_second.min(limit.value as f64 / f64::from(consumers))
                });
                let polled = |most: u64| {
                    let refill = (most as f64 * calls * window.as_micros() as f64) as u128;
                    let capacity = refill.max(u128::from(most) * super::rules::PARTS);
                    Rule { refill: refill.max(1), capacity }
                };
                let bytes = polled(CALL_BYTES);
                let shared = given.map(|given| {
                    let rule = Rule::new(given, CALL_BYTES, window);
                    let share = |all: u128| (all / u128::from(consumers)).max(1);
                    Rule { refill: share(rule.refill), capacity: share(rule.capacity) }
                });
                // The service gives its share only when it is asked.
                let bytes = shared.filter(|shared| shared.refill <= bytes.refill).unwrap_or(bytes);
                Rules { records: Some(polled(CALL_RECORDS)), bytes: Some(bytes) }
            }
            Self::FanOut { .. } => {
                let bytes = given.map(|given| Rule::new(given, given, window));
                Rules { records: None, bytes }
            }
            Self::AtRate { records_per_second, bytes_per_second } => {
                let rule = |rate: u64| Rule::new(rate, 0, window);
                Rules { records: records_per_second.map(rule), bytes: bytes_per_second.map(rule) }
            }
        }
    }
}

/// Reads the text of [`at_rate`](Reads::at_rate).
impl FromStr for Reads {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::at_rate(text)
    }
}

/// The rate of a consumer that has none.
fn no_rate() -> Error {
    Error::input(
        "no rate of a consumer was given; type records_per_second=5000, bytes_per_second=1000000 \
         or both, separated by a comma",
    )
}

/// Tells each shard what its readers do; nothing without a time column.
pub(super) fn project(
    shards: &mut [ShardProjection],
    reads: &Reads,
    tally: &Tally,
    limits: &Limits,
    conditions: &Conditions,
) {
    let window = tally.window();
    if tally.first_time().is_none() {
        return;
    }
    let rules = reads.rules(limits, window);
    let mut queues: Vec<_> = shards.iter().map(|_| Queue::new(&rules)).collect();
    let mut last = 0;
    for cell in tally.estimated_cells() {
        last = cell.window;
        if let Some(queue) = queues.get_mut(cell.shard as usize) {
            queue.take(&rules, &cell, conditions.scale);
        }
    }
    let refused = reads.refused(limits);
    let readers = f64::from(reads.readers());
    for (shard, mut queue) in shards.iter_mut().zip(queues) {
        let lag = queue.finish(&rules, last, window, |window| tally.start_of(window));
        let wanted = shard.peak_bytes_per_second.unwrap_or(0.0) * readers;
        let is_service = !matches!(reads, Reads::AtRate { .. });
        shard.reads = Some(ReadLoad {
            peak_bytes_per_second: wanted,
            refused_calls_per_second: refused,
            is_throttled: is_service && (queue.windows > 0 || refused.is_some_and(|of| of > 0.0)),
            lag,
        });
    }
}
