//! The options that say where a log is and how it is written.

use crate::cli::note;
use crate::error::Result;
use crate::source::{
    Columns, Delimiter, Format, KcatFormat, Layout, Separator, Source, Taken, files, open,
};
use clap::Args;
use std::path::PathBuf;

/// The log.
#[derive(Debug, Args)]
pub(in crate::cli) struct Files {
    /// Files of a log, read one after another, folders and quoted patterns as the files in them:
    /// Parquet, Arrow, JSON, CSV, TSV, keys a line or what Kafka's consumers print; gzip, zstd and
    /// snappy are unpacked; - is standard input
    #[arg(value_name = "FILE", required = true)]
    paths: Vec<PathBuf>,
    /// Format of the files, where the one that their bytes suggest is wrong: parquet, arrow, csv, tsv,
    /// ndjson, kinesis-records, lambda-event, firehose-event, dynamodb-export,
    /// dynamodb-incremental-export, contributor-insights, kcat-json, keys, uniq-c, kcat or
    /// console-consumer
    #[arg(long, value_name = "NAME", help_heading = "FILES")]
    input_format: Option<Format>,
    /// What stands between the fields of a row: a character, or tab; told by the first row if not
    /// given
    #[arg(long, value_name = "CHARACTER", allow_hyphen_values = true, help_heading = "FILES")]
    delimiter: Option<Delimiter>,
    /// The first row is a record; the columns are called c1, c2 and so on
    #[arg(long, help_heading = "FILES")]
    no_header: bool,
    /// What kcat's -f was, such as '%k\t%p\t%T\t%S\n'
    #[arg(long, value_name = "FORMAT", help_heading = "FILES")]
    kcat_format: Option<KcatFormat>,
    /// What stands between key and value: kcat's -K, or key.separator of kafka-console-consumer
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, help_heading = "FILES")]
    key_separator: Option<Separator>,
    /// What stands in place of a null key: NULL if kcat was given -Z
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, help_heading = "FILES")]
    null_key: Option<String>,
}

impl Files {
    /// The files.
    pub(in crate::cli) fn paths(&self) -> Result<Vec<PathBuf>> {
        files(&self.paths)
    }

    /// Opens the log and says what it was found to be.
    pub(in crate::cli) fn open(&self, columns: Columns, quiet: bool) -> Result<Box<dyn Source>> {
        let layout = Layout {
            format: self.input_format,
            delimiter: self.delimiter,
            no_header: self.no_header,
            kcat_format: self.kcat_format.clone(),
            key_separator: self.key_separator.clone(),
            null_key: self.null_key.clone(),
        };
        let source = open(&self.paths, &Columns { layout, ..columns })?;
        for written in source.written() {
            let force = match self.input_format {
                Some(_) => "",
                None => " (if not, type --input-format NAME)",
            };
            note(quiet, &format!("{written}{force}"));
        }
        let guessed = guessed(source.taken());
        if !guessed.is_empty() {
            note(quiet, &format!("guessed columns: {guessed}"));
        }
        Ok(source)
    }
}

/// The columns that were guessed, each with its part.
fn guessed(taken: &Taken) -> String {
    let parts = [
        ("key", Some(&taken.key)),
        ("size", taken.bytes.as_ref()),
        ("time", taken.time.as_ref()),
        ("weight", taken.weight.as_ref()),
        ("explicit hash key", taken.explicit_hash_key.as_ref()),
        ("shard", taken.shard.as_ref()),
    ];
    let is_guessed = |name: &String| taken.guessed.contains(name);
    let parts = parts
        .into_iter()
        .filter_map(|(part, name)| Some((part, name.filter(|&name| is_guessed(name))?)));
    parts.map(|(part, name)| format!("{part} {name}")).collect::<Vec<_>>().join(", ")
}
