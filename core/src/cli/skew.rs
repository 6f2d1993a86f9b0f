//! `shardlane skew`: how full the fullest of any number of places gets.

use super::arguments::{Format, Skew};
use super::output::{Output, check_apart};
use super::progress::Bar;
use super::{FINE, Failure, INTERRUPTED, note};
use crate::engine::skew;
use crate::report::grouped;
use crate::source::{Columns, Wanted, open};
use std::ops::ControlFlow;
use std::path::Path;

/// Simulates the placements of the log's keys.
pub(super) fn run(arguments: &Skew, stop: &dyn Fn() -> bool) -> Result<i32, Failure> {
    let paths = &arguments.files.paths;
    let inputs: Vec<&Path> = paths.iter().map(|path| &**path).collect();
    let outputs: Vec<&Path> = arguments.output.output.iter().map(|path| &**path).collect();
    check_apart(&inputs, &outputs)?;
    let mut source =
        open(paths, &Columns { wanted: Wanted::Loads, ..arguments.columns.columns() })?;
    let bar = Bar::new(arguments.quiet);
    let (mut interrupted, mut rows) = (false, 0);
    let found = skew(&mut *source, &arguments.places, arguments.seeds, &mut |progress| {
        bar.show(&progress);
        rows = progress.rows;
        interrupted = stop();
        if interrupted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    bar.finish();
    if interrupted {
        note(
            false,
            &format!("interrupted after {} rows; the skew is of these only", grouped(rows)),
        );
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
