//! Under which conditions a log is held against limits.

use crate::projection::{Conditions, Model, Reads, Scale};
use crate::tally::parse_window;
use clap::Args;
use std::time::Duration;

/// What is supposed of the service, the traffic and its readers.
#[derive(Debug, Args)]
pub(in crate::cli) struct Supposed {
    /// How throttling is modelled: tumbling, or token-bucket, whose buckets can be told:
    /// token-bucket:records_burst=1000,bytes_burst=10485760 (of a DynamoDB table:
    /// table_burst_seconds=300)
    #[arg(long, value_name = "NAME[:NAME=VALUE,...]", default_value = "tumbling")]
    model: Model,
    /// Length of a time window: whole milliseconds from 100 up, seconds, minutes, hours or days, such
    /// as 100ms, 1s or 5m; 1s if not given, and 100ms with token-bucket
    #[arg(long, value_name = "TIME", value_parser = window, allow_hyphen_values = true)]
    window: Option<Duration>,
    /// Replay this many times the log's traffic, such as 1.5
    #[arg(long, value_name = "TIMES", default_value = "1", allow_hyphen_values = true)]
    scale: Scale,
    /// Retry throttled records in order until they go through, and tell how long that takes
    #[arg(long)]
    retry: bool,
    /// How many consumers read a Kinesis stream, to tell how far they fall behind
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    consumers: Option<u32>,
    /// How often each of them polls a shard
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        requires = "consumers",
        conflicts_with = "fan_out"
    )]
    polls_per_second: f64,
    /// They have enhanced fan-out, and share nothing
    #[arg(long, requires = "consumers")]
    fan_out: bool,
    /// What one consumer takes of each shard or partition, such as
    /// `records_per_second=5000,bytes_per_second=1000000`, to tell how far it falls behind
    #[arg(long, value_name = "NAME=VALUE,...", conflicts_with = "consumers")]
    consumer_rate: Option<Reads>,
}

impl Supposed {
    /// The conditions.
    pub(in crate::cli) fn conditions(&self) -> Conditions {
        let reads = self.consumers.map(|consumers| {
            if self.fan_out {
                Reads::FanOut { consumers }
            } else {
                Reads::Polls { consumers, per_second: self.polls_per_second }
            }
        });
        Conditions {
            model: self.model,
            scale: self.scale,
            retry: self.retry,
            reads: reads.or(self.consumer_rate),
        }
    }

    /// The length of a window.
    pub(in crate::cli) fn window(&self) -> Duration {
        self.window.unwrap_or_else(|| self.model.window())
    }
}

/// A length of time such as `100ms`, `1s`, `5m`, `2h` or `1d`.
fn window(text: &str) -> Result<Duration, String> {
    parse_window(text).map_err(|error| error.to_string())
}
