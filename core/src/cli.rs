//! The `shardlane` command.
//!
//! Results go to standard output, progress and notes to standard error. The exit code is 0 if all
//! is fine, 1 for an error, 2 for a wrong command line, 3 if `replay` finds a shard over its limit
//! or `verify` a log that does not agree, and 130 if it was interrupted.
//!
//! ```
//! use shardlane::cli::run;
//! assert_eq!(run(["shardlane", "shards", "--kinesis", "2"].map(Into::into)), 0);
//! assert_eq!(run(["shardlane", "shards", "--kinesis", "0"].map(Into::into)), 2);
//! ```

mod arguments;
mod compare;
mod demo;
mod limits;
mod map;
mod output;
mod progress;
mod replay;
mod reshape;
mod route;
mod shards;
mod skew;
mod verify;

use crate::error::{Error, ErrorKind};
use crate::report::message;
use crate::source::Source;
use arguments::{Arguments, Command};
use clap::Parser;
use std::ffi::OsString;
use std::io::Write;

/// Exit codes.
const FINE: i32 = 0;
const FAILED: i32 = 1;
const WRONG_USAGE: i32 = 2;
const OVER_LIMIT: i32 = 3;
const DISAGREES: i32 = 3;
const INTERRUPTED: i32 = 130;

/// Runs the command that `arguments` give, the program's name first, and returns the exit code.
/// Prints to standard output and standard error, and ends quietly when nobody reads on.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> i32 {
    run_until(arguments, &|| false)
}

/// As [`run`], but asks `stop` from time to time; once it answers true, a replay ends and reports
/// on the rows read so far. Who owns the process's signals decides how `stop` knows.
pub fn run_until(arguments: impl IntoIterator<Item = OsString>, stop: &dyn Fn() -> bool) -> i32 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and the version are no errors, and go to standard output. That nobody may read
            // them changes nothing.
            let _ = error.print();
            return error.exit_code();
        }
    };
    let (name, done) = match &arguments.command {
        Command::Demo(of) => ("demo", demo::run(of)),
        Command::Shards(of) => ("shards", shards::run(of)),
        Command::Route(of) => ("route", route::run(of, stop)),
        Command::Replay(of) => ("replay", replay::run(of, stop)),
        Command::Compare(of) => ("compare", compare::run(of, stop)),
        Command::Skew(of) => ("skew", skew::run(of, stop)),
        Command::Verify(of) => ("verify", verify::run(of, stop)),
    };
    match done {
        Ok(code) => code,
        Err(failure) => failure.report(name),
    }
}

/// Why a command did not do what was asked.
#[derive(Debug)]
enum Failure {
    /// The command line is wrong.
    Usage(Error),
    /// Something else is.
    Run(Error),
    /// Nobody reads the output any more, which is no failure at all.
    Closed,
}

impl Failure {
    /// Says on standard error what is wrong, and returns the exit code.
    fn report(&self, command: &str) -> i32 {
        let mut stderr = std::io::stderr().lock();
        // Where standard error is closed there is no other place to say so.
        match self {
            Self::Closed => return FINE,
            Self::Usage(error) => {
                let _ = writeln!(
                    stderr,
                    "error: {}\n\nFor more information, try 'shardlane {command} --help'.",
                    message(&error.to_string())
                );
                return WRONG_USAGE;
            }
            Self::Run(error) => {
                let _ = writeln!(stderr, "error: {}", message(&error.to_string()));
                if error.kind() == ErrorKind::Internal {
                    let _ = writeln!(stderr, "This is a fault of shardlane; please report it.");
                }
            }
        }
        FAILED
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Run(error)
    }
}

/// Prints what could not be read of a log's files on standard error, unless it is to be quiet.
fn note_faults(quiet: bool, source: &dyn Source) {
    for fault in source.faults() {
        note(quiet, fault);
    }
}

/// Prints a note on standard error, unless it is to be quiet.
fn note(quiet: bool, text: &str) {
    if !quiet {
        // A note that nobody reads is no reason to fail.
        let _ = writeln!(std::io::stderr().lock(), "note: {}", message(text));
    }
}
