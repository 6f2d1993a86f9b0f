//! The command line.

#![expect(clippy::doc_markdown, reason = "what clap shows as help has no backticks")]

mod columns;
mod files;
mod map;
mod supposed;

pub(super) use columns::{ColumnNames, Written};
pub(super) use files::Files;
pub(super) use map::{Map, To};
pub(super) use supposed::Supposed;

use super::limits::GivenLimits;
use crate::limits::UnitRule;
use crate::shards::{MAX_SHARDS, Operation};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// The most threads, hot keys and minutes that make sense to ask for; more is a slip of the keyboard.
const MAX_THREADS: u64 = 1_024;
const MAX_TOP: u64 = 100_000;
const MAX_MINUTES: u64 = 1_000;

/// Which shard does each partition key go to, how full does each get, and when does the first
/// throttle?
#[derive(Debug, Parser)]
#[command(name = "shardlane", version, max_term_width = 100, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 fine, 1 error, 2 wrong usage, 3 a shard is over its limit or \
                        a log does not agree, 130 interrupted.\n\nStart with: shardlane demo"
)]
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
    /// Tell which keys of a log move when one map takes the place of another
    Compare(Compare),
    /// Tell how full the fullest of 8, 32, 128 or 512 places gets, over many placements of a log's
    /// keys
    Skew(Skew),
    /// Hold a log that says where its records went against a map, or find the map that it fits
    Verify(Verify),
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
    #[command(flatten)]
    pub(super) to: To,
    /// Print the order in which the shards have to be read instead: each after its parents
    #[arg(long)]
    pub(super) drain_order: bool,
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
    #[command(flatten)]
    pub(super) written: Written,
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
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(super) struct Replay {
    #[command(flatten)]
    pub(super) map: Map,
    #[command(flatten)]
    pub(super) files: Files,
    #[command(flatten)]
    pub(super) columns: ColumnNames,
    /// Column of the shards that the service chose, to tell how well they agree with the map
    #[arg(long, value_name = "COLUMN")]
    pub(super) shard: Option<String>,
    /// The sizes include the key's own bytes
    #[arg(long)]
    pub(super) size_includes_key: bool,
    /// What DynamoDB requests do that do not say it in a column: read, if this is not said either,
    /// eventual-read, transactional-read, write or transactional-write
    #[arg(long, value_name = "NAME")]
    pub(super) operation: Option<Operation>,
    /// How read and write units of a DynamoDB partition go together: independent, the default, or
    /// linear-combination
    #[arg(long, value_name = "RULE")]
    pub(super) unit_rule: Option<UnitRule>,
    /// Limits of each shard: a JSON file, or pairs such as `bytes_per_second=1000000`
    #[arg(long, value_name = "FILE|NAME=VALUE,...")]
    pub(super) limits: Option<GivenLimits>,
    #[command(flatten)]
    pub(super) supposed: Supposed,
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
    /// Which table to print as csv
    #[arg(long, value_enum, value_name = "NAME")]
    pub(super) table: Option<Table>,
    /// How many of the worst minutes to report, window by window; 0 for none
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u64).range(0..=MAX_MINUTES))]
    pub(super) worst_minutes: u64,
    /// Read the log only once: which keys filled a shard while it throttled takes a second reading
    #[arg(long)]
    pub(super) read_once: bool,
    /// Write the report as an HTML page, too
    #[arg(long, value_name = "OUT.html")]
    pub(super) html: Option<PathBuf>,
    #[command(flatten)]
    pub(super) output: Output,
    /// No progress and no notes on standard error
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[derive(Debug, Args)]
pub(super) struct Compare {
    #[command(flatten)]
    pub(super) map: Map,
    #[command(flatten)]
    pub(super) to: To,
    #[command(flatten)]
    pub(super) files: Files,
    #[command(flatten)]
    pub(super) columns: ColumnNames,
    /// How to print it; csv is the table of flows
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    #[command(flatten)]
    pub(super) output: Output,
    /// No progress and no notes on standard error
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[derive(Debug, Args)]
pub(super) struct Skew {
    #[command(flatten)]
    pub(super) files: Files,
    #[command(flatten)]
    pub(super) columns: ColumnNames,
    /// Numbers of places
    #[arg(long, value_name = "N,...", allow_negative_numbers = true, value_delimiter = ',', default_value = "8,32,128,512", value_parser = shard_count)]
    pub(super) places: Vec<usize>,
    /// How many placements to simulate
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value = "100", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) seeds: u32,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    #[command(flatten)]
    pub(super) output: Output,
    /// No progress and no notes on standard error
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[derive(Debug, Args)]
#[command(mut_group("Origin", |group| group.required(false)))]
pub(super) struct Verify {
    #[command(flatten)]
    pub(super) map: Map,
    /// Find the rule and the number of shards that the log fits, instead of giving a map
    #[arg(long, required_unless_present = "Origin", help_heading = "MAP", conflicts_with_all = [
        "Origin", "even_rule", "key_length_unit", "capacity_mode", "partitioner", "seed", "buckets",
        "tolerance",
    ])]
    pub(super) infer: bool,
    #[command(flatten)]
    pub(super) files: Files,
    /// Column of the partition key; guessed from its name if not given
    #[arg(long, value_name = "COLUMN")]
    pub(super) key: Option<String>,
    /// Column of the shards that the service chose, by id, number or index; guessed from its name if
    /// not given
    #[arg(long, value_name = "COLUMN")]
    pub(super) shard: Option<String>,
    /// Column of explicit hash keys
    #[arg(long, value_name = "COLUMN")]
    pub(super) explicit_hash_key: Option<String>,
    /// Column of payloads, as bytes or in base64: those that a producer library of Kinesis made are
    /// taken apart
    #[arg(long, value_name = "COLUMN")]
    pub(super) payload: Option<String>,
    #[command(flatten)]
    pub(super) written: Written,
    /// The part of the rows, from 0 to 1, that may disagree before the exit code is 3
    #[arg(long, value_name = "PART", default_value = "0", value_parser = part, allow_negative_numbers = true)]
    pub(super) tolerance: f64,
    /// How to print it; csv is the table of where rows went instead, or of the rules that fit
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    #[command(flatten)]
    pub(super) output: Output,
    /// No progress and no notes on standard error
    #[arg(long, short)]
    pub(super) quiet: bool,
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
    /// The table, of shards or of what else is told
    Csv,
}

/// The tables of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Table {
    /// A line for each shard, as without this option
    Shards,
    /// A line for each window of each shard
    Timeline,
    /// A line for each window in which a shard was over a limit
    Throttles,
    /// The hottest keys of the stream
    HotKeys,
    /// The hottest keys of the windows in which a shard was over a limit
    ThrottledKeys,
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
    text.parse()
        .ok()
        .filter(|count| (1..=MAX_SHARDS).contains(count))
        .ok_or_else(|| format!("expected a whole number from 1 to {MAX_SHARDS}, for example 8"))
}

/// A part of a whole, from 0 to 1.
fn part(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|part| (0.0..=1.0).contains(part))
        .ok_or_else(|| "expected a number from 0 to 1, for example 0.001".to_owned())
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
