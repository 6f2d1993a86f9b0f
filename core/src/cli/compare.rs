//! `shardlane compare`: what moves when one map takes the place of another.

use super::arguments::{Compare, Format};
use super::output::{Output, check_apart};
use super::progress::watched;
use super::{FINE, Failure, INTERRUPTED, note_faults};
use crate::engine::compare;
use crate::error::Error;
use crate::source::{Columns, Wanted};
use std::path::Path;

/// Compares the two maps over the log.
pub(super) fn run(arguments: &Compare, stop: &dyn Fn() -> bool) -> Result<i32, Failure> {
    let paths = &arguments.files.paths()?;
    let inputs = paths.iter().map(|path| &**path).chain(arguments.map.origin.file());
    let outputs: Vec<&Path> = arguments.output.output.iter().map(|path| &**path).collect();
    check_apart(&inputs.collect::<Vec<&Path>>(), &outputs)?;
    let before = arguments.map.load(paths, arguments.quiet)?;
    let after = arguments.to.reshape(&before)?;
    if after == before {
        return Err(Failure::Usage(Error::input(
            "both maps are the same; type --grow N, --resize N, --split SHARD, --merge SHARD, \
             --to-partitioner NAME, --to-partitions N or --to-seed S",
        )));
    }
    let columns = Columns { wanted: Wanted::Loads, ..arguments.columns.columns() };
    let mut source = arguments.files.open(columns, arguments.quiet)?;
    let (found, interrupted) = watched(arguments.quiet, stop, "comparison", |progress| {
        compare(before, after, &mut *source, progress)
    })?;
    note_faults(arguments.quiet, &*source);
    let text = match arguments.format {
        Format::Text => found.to_text(),
        Format::Json => found.to_json(),
        Format::Csv => found.to_csv(),
    };
    Output::open(arguments.output.output.as_deref())?.print(&text)?;
    Ok(if interrupted { INTERRUPTED } else { FINE })
}
