//! `shardlane skew`: how full the fullest of any number of places gets.

use super::arguments::{Format, Skew};
use super::output::{Output, check_apart};
use super::progress::watched;
use super::{FINE, Failure, INTERRUPTED, note_faults};
use crate::engine::skew;
use crate::source::{Columns, Wanted};
use std::path::Path;

/// Simulates the placements of the log's keys.
pub(super) fn run(arguments: &Skew, stop: &dyn Fn() -> bool) -> Result<i32, Failure> {
    let paths = &arguments.files.paths()?;
    let inputs: Vec<&Path> = paths.iter().map(|path| &**path).collect();
    let outputs: Vec<&Path> = arguments.output.output.iter().map(|path| &**path).collect();
    check_apart(&inputs, &outputs)?;
    let columns = Columns { wanted: Wanted::Loads, ..arguments.columns.columns() };
    let mut source = arguments.files.open(columns, arguments.quiet)?;
    let (found, interrupted) = watched(arguments.quiet, stop, "simulation", |progress| {
        skew(&mut *source, &arguments.places, arguments.seeds, progress)
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
