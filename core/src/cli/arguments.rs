//! The command line.

use super::limits::GivenLimits;
use crate::projection::Model;
use crate::shards::{EvenRule, KeyLengthUnit, MAX_SHARDS};
use crate::source::{Columns, TimeUnit};
use crate::tally::parse_window;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// The most threads and hot keys that make sense to ask for; more is a slip of the keyboard.
const MAX_THREADS: u64 = 1_024;
const MAX_TOP: u64 = 100_000;

/// Which shard does each partition key go to, how full does each get, and when does the first
/// throttle?
#[derive(Debug, Parser)]
#[command(name = "shardlane", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Exit codes: 0 fine, 1 error, 2 wrong usage, 3 a shard is over its limit, \
                        130 interrupted.\n\nStart with: shardlane demo")]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Replay a year of flights, keyed in two ways, to see what a key choice does
    Demo(Demo),
    /// Print the shards of a map and the hash values they own
    Shards(Shards),
    /// Write each row of a log with the shard that its key goes to
    Route(Route),
    /// Replay a log: how full each shard gets, the hottest keys, and when the first throttles
    Replay(Replay),
}

#[derive(Debug, Args)]
pub(super) struct Demo {
    /// Number of shards
    #[arg(long, value_name = "N", default_value = "8", value_parser = shard_count, allow_negative_numbers = true)]
    pub(super) kinesis: usize,
}

#[derive(Debug, Args)]
pub(super) struct Shards {
    #[command(flatten)]
    pub(super) map: Map,
    /// How to print them
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    #[command(flatten)]
    pub(super) output: Output,
}

#[derive(Debug, Args)]
pub(super) struct Route {
    #[command(flatten)]
    pub(super) map: Map,
    #[command(flatten)]
    pub(super) files: Files,
    /// Column of the partition key; guessed from its name if not given
    #[arg(long, value_name = "COLUMN")]
    pub(super) key: Option<String>,
    /// Column of explicit hash keys
    #[arg(long, value_name = "COLUMN")]
    pub(super) explicit_hash_key: Option<String>,
    /// How to write them; by the name of OUT if not given, else csv
    #[arg(long, value_enum)]
    pub(super) format: Option<RowFormat>,
    /// Threads to route on; all cores if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS))]
    pub(super) threads: Option<u64>,
    /// Make a row that has no shard an error
    #[arg(long)]
    pub(super) strict: bool,
    #[command(flatten)]
    pub(super) output: Output,
    /// No progress and no notes on standard error
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[derive(Debug, Args)]
pub(super) struct Replay {
    #[command(flatten)]
    pub(super) map: Map,
    #[command(flatten)]
    pub(super) files: Files,
    #[command(flatten)]
    pub(super) columns: ColumnNames,
    /// The sizes include the key's own bytes
    #[arg(long)]
    pub(super) size_includes_key: bool,
    /// Limits of each shard: a JSON file, or pairs such as `bytes_per_second=1000000`
    #[arg(long, value_name = "FILE|NAME=VALUE,...")]
    pub(super) limits: Option<GivenLimits>,
    /// How throttling is modelled: tumbling
    #[arg(long, value_name = "NAME", default_value_t)]
    pub(super) model: Model,
    /// Length of a time window: whole seconds, minutes, hours or days, such as 1s or 5m
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = window, allow_hyphen_values = true)]
    pub(super) window: Duration,
    /// How many of the hottest keys to report, of the stream and of each shard; 0 for none
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u64).range(0..=MAX_TOP))]
    pub(super) top: u64,
    /// Threads to count on; all cores if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS))]
    pub(super) threads: Option<u64>,
    /// Make a row that cannot be used an error
    #[arg(long)]
    pub(super) strict: bool,
    /// How to print the report
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    /// Write the report as an HTML page, too
    #[arg(long, value_name = "OUT.html")]
    pub(super) html: Option<PathBuf>,
    #[command(flatten)]
    pub(super) output: Output,
    /// No progress and no notes on standard error
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// The shards to route to.
#[derive(Debug, Args)]
pub(super) struct Map {
    #[command(flatten)]
    pub(super) origin: Origin,
    /// How a new stream's shards share the hash values, with --kinesis: fixed-step, which is the
    /// default, or rational
    #[arg(long, value_name = "RULE", conflicts_with = "list_shards")]
    pub(super) even_rule: Option<EvenRule>,
    /// What a key's limit of 256 characters counts: code-points or utf16-units
    #[arg(long, value_name = "UNIT", default_value = "code-points")]
    pub(super) key_length_unit: KeyLengthUnit,
}

/// Where the map comes from: exactly one of these.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(super) struct Origin {
    /// A Kinesis stream of N shards that share the hash values evenly, as a new one does
    #[arg(long, value_name = "N", value_parser = shard_count, allow_negative_numbers = true)]
    pub(super) kinesis: Option<usize>,
    /// The Kinesis stream that this answer of `aws kinesis list-shards` or `describe-stream`
    /// describes; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(super) list_shards: Option<PathBuf>,
}

/// The log.
#[derive(Debug, Args)]
pub(super) struct Files {
    /// Parquet or CSV files, read one after another; - is standard input
    #[arg(value_name = "FILE", required = true)]
    pub(super) paths: Vec<PathBuf>,
}

/// Which column is what.
#[derive(Debug, Args)]
pub(super) struct ColumnNames {
    /// Column of the partition key; this and the other columns are guessed from their names if not
    /// given, and the report says which were
    #[arg(long, value_name = "COLUMN")]
    key: Option<String>,
    /// Column of payload sizes in bytes
    #[arg(long, value_name = "COLUMN")]
    bytes: Option<String>,
    /// Column of times; those without a zone are taken to be UTC
    #[arg(long, value_name = "COLUMN")]
    time: Option<String>,
    /// Unit of times that are whole numbers since 1970: s, ms, us or ns
    #[arg(long, value_name = "UNIT")]
    time_unit: Option<TimeUnit>,
    /// Column that says how many records a row stands for
    #[arg(long, value_name = "COLUMN")]
    weight: Option<String>,
    /// Column of explicit hash keys
    #[arg(long, value_name = "COLUMN")]
    explicit_hash_key: Option<String>,
}

impl ColumnNames {
    pub(super) fn columns(&self) -> Columns {
        Columns {
            key: self.key.clone(),
            bytes: self.bytes.clone(),
            time: self.time.clone(),
            weight: self.weight.clone(),
            explicit_hash_key: self.explicit_hash_key.clone(),
            time_unit: self.time_unit,
            keys_only: false,
        }
    }
}

/// Where results go.
#[derive(Debug, Args)]
pub(super) struct Output {
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "OUT")]
    pub(super) output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum Format {
    /// For reading
    #[default]
    Text,
    /// For programs
    Json,
    /// The table of shards
    Csv,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum RowFormat {
    /// Comma-separated values with a head line
    Csv,
    /// One JSON object a line
    Ndjson,
    /// Parquet
    Parquet,
}

/// A number of shards.
fn shard_count(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|count| (1..=MAX_SHARDS).contains(count)).ok_or_else(|| {
        format!("expected a whole number of shards from 1 to {MAX_SHARDS}, for example 8")
    })
}

/// A length of time such as `1s`, `5m`, `2h` or `1d`.
fn window(text: &str) -> Result<Duration, String> {
    parse_window(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn shard_counts_are_within_bounds() {
        assert_eq!(shard_count("1048576"), Ok(MAX_SHARDS));
        for wrong in ["0", "-3", "1048577", "4294967296", "abc", "1e3", ""] {
            assert!(shard_count(wrong).is_err(), "{wrong}");
        }
    }
}
