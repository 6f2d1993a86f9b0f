//! `shardlane replay`: a log through the whole pipeline.

use super::arguments::{Format, Replay, Table};
use super::limits::GivenLimits;
use super::output::{Output, check_apart};
use super::progress::watched;
use super::{FINE, Failure, INTERRUPTED, OVER_LIMIT, note, note_faults};
use crate::engine::{ReplayOptions, replay};
use crate::error::Error;
use crate::limits::Limits;
use crate::report::{self, Report, grouped};
use crate::shards::System;
use crate::source::Columns;
use crate::tally::TallyOptions;
use std::path::{Path, PathBuf};

/// Replays the log and prints the report.
pub(super) fn run(arguments: &Replay, stop: &dyn Fn() -> bool) -> Result<i32, Failure> {
    let paths = &arguments.files.paths()?;
    check_files(arguments, paths)?;
    check_table(arguments)?;
    let map = arguments.map.load(paths, arguments.quiet)?;
    check_system(arguments, map.system())?;
    let defaults = Limits::for_map(&map);
    let limits = match &arguments.limits {
        Some(given) => given.over(defaults)?,
        None => defaults,
    };
    let options = ReplayOptions {
        tally: TallyOptions {
            window: arguments.supposed.window(),
            top: arguments.top as usize,
            size_includes_key: arguments.size_includes_key,
            operation: arguments.operation.unwrap_or_default(),
        },
        limits: Some(limits.with_unit_rule(arguments.unit_rule.unwrap_or_default())),
        conditions: arguments.supposed.conditions(),
        threads: arguments.threads.unwrap_or(0) as usize,
        strict: arguments.strict,
        worst_minutes: arguments.worst_minutes as usize,
        read_once: arguments.read_once,
    };
    let columns = Columns { shard: arguments.shard.clone(), ..arguments.columns.columns() };
    let mut source = arguments.files.open(columns, arguments.quiet)?;
    let ((tally, report), interrupted) = watched(arguments.quiet, stop, "report", |progress| {
        replay(map, &mut *source, &options, progress)
    })?;
    if arguments.format != Format::Text {
        note_faults(arguments.quiet, &*source);
        note_rejected(arguments.quiet, &report);
    }
    if let Some(path) = &arguments.html {
        Output::open(Some(path))?.finish_with(&report.to_html())?;
    }
    let code = if interrupted {
        INTERRUPTED
    } else if is_over_limit(&report) {
        OVER_LIMIT
    } else {
        FINE
    };
    let output = Output::open(arguments.output.output.as_deref())?;
    match arguments.format {
        Format::Text => output.print(&report.to_text())?,
        Format::Json => output.print(&report.to_json())?,
        Format::Csv => {
            let table = arguments.table.map_or_else(Default::default, Into::into);
            output.print_with(|out| report.write_csv(table, &tally, out))?;
        }
    }
    match unusable(&report) {
        Some(error) if code == FINE => Err(Failure::Run(error)),
        _ => Ok(code),
    }
}

/// Checks that no option is given which the map's system has no use for.
fn check_system(arguments: &Replay, system: System) -> Result<(), Failure> {
    let given = [
        ("--operation", arguments.operation.is_some()),
        ("--operation-column", arguments.columns.operation_column.is_some()),
        ("--unit-rule", arguments.unit_rule.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given && system != System::DynamoDb) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::Usage(Error::input(format!(
            "{option} was given for a {}; only DynamoDB has capacity units, so leave it out",
            system.whole()
        )))),
    }
}

/// Checks that a table is named only where one is printed.
fn check_table(arguments: &Replay) -> Result<(), Failure> {
    if arguments.table.is_some() && arguments.format != Format::Csv {
        return Err(Failure::Usage(Error::input(
            "--table names the table to print as csv; type --format csv with it",
        )));
    }
    Ok(())
}

impl From<Table> for report::Table {
    fn from(table: Table) -> Self {
        match table {
            Table::Shards => Self::Shards,
            Table::Timeline => Self::Timeline,
            Table::Throttles => Self::Throttles,
            Table::HotKeys => Self::HotKeys,
            Table::ThrottledKeys => Self::ThrottledKeys,
        }
    }
}

/// Checks where the command reads from and writes to.
fn check_files(arguments: &Replay, paths: &[PathBuf]) -> Result<(), Failure> {
    if arguments.html.as_deref().is_some_and(|path| path.as_os_str() == "-") {
        return Err(Failure::Usage(Error::input(
            "--html - would mix the page with the report on standard output; type the name of a \
             file, for example --html report.html",
        )));
    }
    let given = paths.iter().map(|path| &**path);
    let limits = arguments.limits.as_ref().and_then(GivenLimits::file);
    let inputs: Vec<&Path> = given.chain(arguments.map.origin.file()).chain(limits).collect();
    let outputs = arguments.output.output.iter().chain(&arguments.html);
    check_apart(&inputs, &outputs.map(|path| &**path).collect::<Vec<_>>())
}

/// The error of a log in which no row could be used: a script that asks only whether a shard was
/// over its limit ought not to take that for a no.
fn unusable(report: &Report) -> Option<Error> {
    let rejected = &report.input.rejected;
    let most = rejected.iter().max_by_key(|rejected| rejected.count)?;
    let all = rejected.iter().map(|rejected| rejected.count).sum::<u64>();
    (report.input.records == 0 && all >= report.input.rows).then(|| {
        Error::input(format!(
            "no row of the log could be used: {}",
            most.reason.explanation(report.map.system())
        ))
    })
}

/// Whether any record was over a limit.
fn is_over_limit(report: &Report) -> bool {
    let shards = report.projection.shards.iter().chain(&report.projection.stream);
    shards.into_iter().any(|shard| shard.throttled_records.unwrap_or(0) > 0)
}

/// The text says it itself; the other formats are for programs, whose user should know as well.
fn note_rejected(quiet: bool, report: &Report) {
    for rejected in &report.input.rejected {
        note(
            quiet,
            &format!(
                "{} rows could not be used: {}",
                grouped(rejected.count),
                rejected.reason.explanation(report.map.system())
            ),
        );
    }
}
