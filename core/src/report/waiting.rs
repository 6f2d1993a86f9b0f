//! What is told of each shard only when it was asked for: what waits when throttled records are
//! retried, and how its readers fare. All forms of a report name it alike.

use super::Report;
use super::fullest::{Names, called, fullest};
use super::instant::{clock, rfc3339};
use super::number::{bytes, count, plural, rate};
use super::table::Column;
use crate::projection::{Backlog, Projection, Reads, ShardProjection};

/// A value; `None` is not known.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value {
    /// Records.
    Count(Option<u64>),
    /// Bytes.
    Bytes(Option<u64>),
    /// A rate, or seconds.
    Number(Option<f64>),
    /// Microseconds since 1970-01-01T00:00:00Z.
    Instant(Option<i64>),
    /// A yes or no.
    Flag(Option<bool>),
}

/// A column: its name, and its value of a shard.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    pub(super) name: &'static str,
    /// The same in words.
    pub(super) words: &'static str,
    pub(super) of: fn(&ShardProjection) -> Value,
}

const BACKLOG: [Asked; 5] = [
    Asked {
        name: "max_backlog_records",
        words: "max backlog records",
        of: |shard| Value::Count(shard.backlog.map(|backlog| backlog.max_records)),
    },
    Asked {
        name: "max_backlog_bytes",
        words: "max backlog bytes",
        // Those of a table are half units.
        of: |shard| {
            let backlog = shard.backlog.filter(|_| shard.read_units.is_none());
            Value::Bytes(backlog.map(|backlog| backlog.max_bytes))
        },
    },
    Asked {
        name: "max_delay_seconds",
        words: "max delay seconds",
        of: |shard| Value::Number(shard.backlog.map(delay)),
    },
    Asked {
        name: "backlog_drained",
        words: "backlog drained",
        of: |shard| Value::Instant(shard.backlog.and_then(|backlog| backlog.drained)),
    },
    Asked {
        name: "backlog_at_end",
        words: "backlog at end",
        of: |shard| Value::Count(shard.backlog.map(|backlog| backlog.records_at_end)),
    },
];

const READS: [Asked; 8] = [
    Asked {
        name: "peak_read_bytes_per_second",
        words: "peak read bytes per second",
        of: |shard| Value::Number(shard.reads.map(|reads| reads.peak_bytes_per_second)),
    },
    Asked {
        name: "refused_calls_per_second",
        words: "refused calls per second",
        of: |shard| Value::Number(shard.reads.and_then(|reads| reads.refused_calls_per_second)),
    },
    Asked {
        name: "reads_throttled",
        words: "reads throttled",
        of: |shard| Value::Flag(shard.reads.map(|reads| reads.is_throttled)),
    },
    Asked {
        name: "max_lag_records",
        words: "max lag records",
        of: |shard| Value::Count(shard.reads.map(|reads| reads.lag.max_records)),
    },
    Asked {
        name: "max_lag_bytes",
        words: "max lag bytes",
        of: |shard| Value::Bytes(shard.reads.map(|reads| reads.lag.max_bytes)),
    },
    Asked {
        name: "max_lag_seconds",
        words: "max lag seconds",
        of: |shard| Value::Number(shard.reads.map(|reads| delay(reads.lag))),
    },
    Asked {
        name: "lag_drained",
        words: "lag drained",
        of: |shard| Value::Instant(shard.reads.and_then(|reads| reads.lag.drained)),
    },
    Asked {
        name: "lag_at_end",
        words: "lag at end",
        of: |shard| Value::Count(shard.reads.map(|reads| reads.lag.records_at_end)),
    },
];

/// What was asked for.
pub(super) fn asked(projection: &Projection) -> impl Iterator<Item = Asked> {
    let conditions = &projection.conditions;
    let backlog = conditions.retry.then_some(BACKLOG);
    let reads = conditions.reads.map(|_| READS);
    backlog.into_iter().flatten().chain(reads.into_iter().flatten())
}

fn delay(backlog: Backlog) -> f64 {
    backlog.max_delay.as_secs_f64()
}

impl Value {
    /// As a program reads it; empty if it is not known.
    pub(super) fn to_field(self) -> String {
        match self {
            Self::Count(value) | Self::Bytes(value) => value.map(|value| value.to_string()),
            Self::Number(value) => value.map(|value| value.to_string()),
            Self::Instant(value) => value.map(rfc3339),
            Self::Flag(value) => value.map(|value| value.to_string()),
        }
        .unwrap_or_default()
    }

    /// As a person reads it.
    pub(super) fn to_cell(self) -> String {
        match self {
            Self::Count(value) => value.map(count),
            Self::Bytes(value) => value.map(bytes),
            Self::Number(value) => value.map(rate),
            Self::Instant(value) => value.map(clock),
            Self::Flag(value) => value.map(|value| if value { "yes" } else { "no" }.to_owned()),
        }
        .unwrap_or_else(|| "-".to_owned())
    }
}

/// Heads of the tables, of what is [`BACKLOG`] and [`READS`].
const WAITS: [[&str; 2]; 5] = [
    ["records", "waiting"],
    ["bytes", "waiting"],
    ["longest", "wait, s"],
    ["all through", "(UTC)"],
    ["waiting", "at end"],
];
const LAGS: [[&str; 2]; 8] = [
    ["read peak", "bytes/s"],
    ["calls", "refused/s"],
    ["", "throttled"],
    ["records", "behind"],
    ["bytes", "behind"],
    ["seconds", "behind"],
    ["all read", "(UTC)"],
    ["behind", "at end"],
];

/// A table of what waits, and one of what readers do, each under its head.
pub(super) fn tables(report: &Report, most: usize) -> Vec<(&'static str, Vec<Column>)> {
    let names = Names::of(&report.map);
    let shards = fullest(report, most);
    let table = |heads: &[[&str; 2]], asked: &[Asked]| {
        let shard = shards.iter().map(|shard| names.name(&report.map, shard.index)).collect();
        let mut columns = vec![Column::left(["", names.head()], shard)];
        for (head, asked) in heads.iter().zip(asked) {
            let cells: Vec<_> = shards.iter().map(|shard| (asked.of)(shard).to_cell()).collect();
            if cells.iter().any(|cell| cell != "-") {
                columns.push(Column::right(*head, cells));
            }
        }
        columns
    };
    let conditions = &report.projection.conditions;
    let is_timed = report.input.first_time.is_some();
    let backlog = (conditions.retry && is_timed)
        .then(|| ("At most, with throttled records retried in order", table(&WAITS, &BACKLOG)));
    let reads = (conditions.reads.is_some() && is_timed)
        .then(|| ("Readers, at most", table(&LAGS, &READS)));
    backlog.into_iter().chain(reads).collect()
}

/// What it comes down to, in a sentence for each.
pub(super) fn sentences(report: &Report) -> Vec<String> {
    let projection = &report.projection;
    if report.input.first_time.is_none() {
        return Vec::new();
    }
    let mut sentences = Vec::new();
    if projection.conditions.retry {
        let waited = |shard: &ShardProjection| shard.backlog;
        sentences.push(match longest(report, waited) {
            None => "Nothing has to be retried.".to_owned(),
            Some((shard, backlog)) => format!(
                "Retried in order, records of {} wait longest: {} s, {} at once at most{}.",
                called(&report.map, shard.index),
                rate(delay(backlog)),
                plural(backlog.max_records, "record"),
                ending(backlog, "the last of them goes through")
            ),
        });
    }
    if let Some(reads) = projection.conditions.reads {
        let who = match reads {
            Reads::Polls { consumers, per_second } => format!(
                "{} of {} a second",
                plural(consumers.into(), "consumer"),
                plural_rate(per_second, "poll")
            ),
            Reads::FanOut { consumers } => {
                format!("{} with fan-out", plural(consumers.into(), "consumer"))
            }
            Reads::AtRate { .. } => "A consumer of this rate".to_owned(),
        };
        sentences.push(match longest(report, |shard| shard.reads.map(|reads| reads.lag)) {
            None => format!("{who}: what comes is read at once."),
            Some((shard, lag)) => format!(
                "{who}: on {}, readers fall behind furthest: {} s, by {} at most{}.",
                called(&report.map, shard.index),
                rate(delay(lag)),
                plural(lag.max_records, "record"),
                ending(lag, "they have caught up")
            ),
        });
    }
    sentences
}

/// The shard of which something waits longest.
fn longest(
    report: &Report,
    of: impl Fn(&ShardProjection) -> Option<Backlog>,
) -> Option<(&ShardProjection, Backlog)> {
    let waiting = report.projection.shards.iter().filter_map(|shard| Some((shard, of(shard)?)));
    waiting
        .filter(|(_, backlog)| backlog.max_records > 0)
        .max_by_key(|(shard, backlog)| (backlog.max_delay, std::cmp::Reverse(shard.index)))
}

fn ending(backlog: Backlog, what: &str) -> String {
    let at = backlog.drained.map(|time| format!("; {what} at {}", rfc3339(time)));
    let left = (backlog.records_at_end > 0)
        .then(|| format!("; {} at the log's end", plural(backlog.records_at_end, "record")));
    format!("{}{}", left.unwrap_or_default(), at.unwrap_or_default())
}

fn plural_rate(number: f64, word: &str) -> String {
    format!("{} {word}{}", rate(number), if (number - 1.0).abs() < f64::EPSILON { "" } else { "s" })
}
