//! `shardlane route`: each row with its shard, in constant memory.

use super::arguments::{Route, RowFormat};
use super::output::{Output, check_apart};
use super::progress::Bar;
use super::{FINE, Failure, INTERRUPTED, note, note_faults};
use crate::engine::{Progress, Rejections, Router, RouterOptions};
use crate::error::Error;
use crate::report::arrow::{RoutedFormat, RoutedWriter};
use crate::report::grouped;
use crate::shards::System;
use crate::source::{Columns, Wanted};
use std::io::{IsTerminal, stdout};
use std::path::Path;

/// Routes the log and writes its rows.
pub(super) fn run(arguments: &Route, stop: &dyn Fn() -> bool) -> Result<i32, Failure> {
    let paths = &arguments.files.paths()?;
    let out = arguments.output.output.as_deref().filter(|path| path.as_os_str() != "-");
    let inputs = paths.iter().map(|path| &**path).chain(arguments.map.origin.file());
    check_apart(&inputs.collect::<Vec<&Path>>(), &out.into_iter().collect::<Vec<_>>())?;
    let format = format(arguments, out);
    if format == RoutedFormat::Parquet && out.is_none() && stdout().is_terminal() {
        return Err(Failure::Usage(Error::input(
            "Parquet is not for a terminal; type -o OUT.parquet, or send standard output to a file",
        )));
    }

    let map = arguments.map.load(paths, arguments.quiet)?;
    let columns = Columns {
        key: arguments.key.clone(),
        explicit_hash_key: arguments.explicit_hash_key.clone(),
        key_serializer: arguments.written.key_serializer,
        salt: arguments.written.salt(),
        wanted: Wanted::Keys,
        ..Columns::default()
    };
    let mut source = arguments.files.open(columns, arguments.quiet)?;
    let threads = arguments.threads.unwrap_or(0) as usize;
    let router = Router::with_options(map, &RouterOptions { threads, backend: None })?;

    let output = Output::open(out)?;
    let closing = output.closing();
    let mut writer = RoutedWriter::try_new(output, format, &source.taken().key)
        .map_err(|error| closing.failure(error))?;
    let bar = Bar::new(arguments.quiet || out.is_none());
    let (mut rows, mut broken, mut rejections) = (0u64, 0u64, Rejections::default());
    let mut shards = Vec::new();
    let mut interrupted = false;
    while let Some(batch) = source.next() {
        let batch = batch?;
        shards.clear();
        shards.resize(batch.keys.len(), 0);
        let explicit = batch.explicit_hash_keys.as_ref();
        let found = router.route_into(&batch.keys, explicit, &mut shards)?;
        if arguments.strict {
            refuse(&found, router.map().system(), rows, batch.broken_rows)?;
        }
        let shown = batch.labels.as_ref().unwrap_or(&batch.keys);
        writer.write(router.map(), shown, &shards).map_err(|error| closing.failure(error))?;
        rows += batch.keys.len() as u64;
        broken += batch.broken_rows;
        rejections = rejections.merged(found);
        bar.show(&Progress {
            rows,
            bytes: source.bytes_read(),
            rows_total: source.rows_total(),
            bytes_total: source.bytes_total(),
            is_second: false,
        });
        interrupted = stop();
        if interrupted {
            break;
        }
    }
    writer.finish().map_err(|error| closing.failure(error))?;
    bar.finish();
    note_faults(arguments.quiet, &*source);
    if arguments.strict && !source.faults().is_empty() {
        return Err(Failure::Run(Error::input(
            "a part of the log is missing (and --strict is set, so that this is an error)",
        )));
    }

    for (reason, count, _) in rejections.iter() {
        note(
            arguments.quiet,
            &format!(
                "{} of {} rows have no shard: {}",
                grouped(count),
                grouped(rows),
                reason.explanation(router.map().system())
            ),
        );
    }
    if broken > 0 {
        note(
            arguments.quiet,
            &format!("{} rows could not be read and are left out", grouped(broken)),
        );
    }
    if interrupted {
        note(false, &format!("interrupted after {} rows", grouped(rows)));
        return Ok(INTERRUPTED);
    }
    Ok(FINE)
}

/// The format asked for, or the one that the output's name says.
fn format(arguments: &Route, out: Option<&Path>) -> RoutedFormat {
    let named = || {
        let suffix = out?.extension()?.to_str()?.to_ascii_lowercase();
        match suffix.as_str() {
            "ndjson" | "jsonl" | "json" => Some(RoutedFormat::Ndjson),
            "parquet" | "pq" => Some(RoutedFormat::Parquet),
            _ => None,
        }
    };
    match arguments.format {
        Some(RowFormat::Csv) => RoutedFormat::Csv,
        Some(RowFormat::Ndjson) => RoutedFormat::Ndjson,
        Some(RowFormat::Parquet) => RoutedFormat::Parquet,
        None => named().unwrap_or_default(),
    }
}

/// Makes the first row without a shard an error.
fn refuse(found: &Rejections, system: System, rows_before: u64, broken: u64) -> Result<(), Error> {
    let strict = "(and --strict is set, so that such a row is an error)";
    if let Some((reason, _, rows)) = found.iter().next() {
        let error = Error::input(format!("{} {strict}", reason.explanation(system)));
        return Err(match rows.first() {
            Some(row) => error.with("first such row", rows_before + row + 1),
            None => error,
        });
    }
    if broken > 0 {
        return Err(Error::input(format!("a row could not be read {strict}"))
            .with("among the rows up to", rows_before + broken));
    }
    Ok(())
}
