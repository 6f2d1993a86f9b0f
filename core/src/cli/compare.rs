//! `shardlane compare`: what moves when one map takes the place of another.

use super::arguments::{Compare, Format};
use super::output::{Output, check_apart};
use super::progress::Bar;
use super::{FINE, Failure, INTERRUPTED, note};
use crate::engine::compare;
use crate::error::Error;
use crate::report::grouped;
use crate::source::{Columns, Wanted, open};
use std::ops::ControlFlow;
use std::path::Path;

/// Compares the two maps over the log.
pub(super) fn run(arguments: &Compare, stop: &dyn Fn() -> bool) -> Result<i32, Failure> {
    let paths = &arguments.files.paths;
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
    let mut source =
        open(paths, &Columns { wanted: Wanted::Loads, ..arguments.columns.columns() })?;
    let bar = Bar::new(arguments.quiet);
    let (mut interrupted, mut rows) = (false, 0);
    let found = compare(before, after, &mut *source, &mut |progress| {
        bar.show(&progress);
        rows = progress.rows;
        interrupted = stop();
        if interrupted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    bar.finish();
    if interrupted {
        let rows = grouped(rows);
        note(false, &format!("interrupted after {rows} rows; the comparison covers these only"));
    }
    let text = match arguments.format {
        Format::Text => found.to_text(),
        Format::Json => found.to_json(),
        Format::Csv => found.to_csv(),
    };
    match Output::open(arguments.output.output.as_deref())?.finish_with(&text) {
        Ok(()) | Err(Failure::Closed) => Ok(if interrupted { INTERRUPTED } else { FINE }),
        Err(failure) => Err(failure),
    }
}
