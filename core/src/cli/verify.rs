//! `shardlane verify`: a log that says where its records went, held against a map; or, with
//! `--infer`, the map that it fits.

use super::arguments::{Format, Verify};
use super::output::{Output, check_apart};
use super::progress::watched;
use super::{DISAGREES, FINE, Failure, INTERRUPTED, note_faults};
use crate::engine::{infer, verify};
use crate::source::{Columns, Wanted};
use std::path::Path;

/// Verifies the map, or infers one.
pub(super) fn run(arguments: &Verify, stop: &dyn Fn() -> bool) -> Result<i32, Failure> {
    let paths = &arguments.files.paths()?;
    let inputs = paths.iter().map(|path| &**path).chain(arguments.map.origin.file());
    let outputs: Vec<&Path> = arguments.output.output.iter().map(|path| &**path).collect();
    check_apart(&inputs.collect::<Vec<&Path>>(), &outputs)?;
    let columns = Columns {
        key: arguments.key.clone(),
        shard: arguments.shard.clone(),
        explicit_hash_key: arguments.explicit_hash_key.clone(),
        payload: arguments.payload.clone(),
        key_serializer: arguments.written.key_serializer,
        salt: arguments.written.salt(),
        wanted: Wanted::Shards,
        ..Columns::default()
    };
    let (text, is_fine, interrupted) = if arguments.infer {
        let mut source = arguments.files.open(columns, arguments.quiet)?;
        let (found, interrupted) =
            watched(arguments.quiet, stop, "inference", |progress| infer(&mut *source, progress))?;
        note_faults(arguments.quiet, &*source);
        let text = match arguments.format {
            Format::Text => found.to_text(),
            Format::Json => found.to_json(),
            Format::Csv => found.to_csv(),
        };
        (text, found.fits(), interrupted)
    } else {
        let map = arguments.map.load(paths, arguments.quiet)?;
        let mut source = arguments.files.open(columns, arguments.quiet)?;
        let (found, interrupted) = watched(arguments.quiet, stop, "verification", |progress| {
            verify(map, &mut *source, progress)
        })?;
        note_faults(arguments.quiet, &*source);
        let text = match arguments.format {
            Format::Text => found.to_text(),
            Format::Json => found.to_json(),
            Format::Csv => found.to_csv(),
        };
        let disagrees = found.disagreed() as f64 / found.compared as f64;
        (text, disagrees <= arguments.tolerance, interrupted)
    };
    Output::open(arguments.output.output.as_deref())?.print(&text)?;
    Ok(match (interrupted, is_fine) {
        (true, _) => INTERRUPTED,
        (false, true) => FINE,
        (false, false) => DISAGREES,
    })
}
