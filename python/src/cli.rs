//! The `shardlane` command, as a wheel installs it.

use crate::arguments::check_signals;
use pyo3::prelude::*;
use shardlane::cli::run_until;
use std::ffi::OsString;

/// Runs the `shardlane` command.
///
/// Args:
///     argv: Its arguments, the program's name first, as in sys.argv.
///
/// Returns:
///     The exit code: 0 fine, 1 error, 2 wrong usage, 3 a shard is over its limit, 130 interrupted.
#[pyfunction]
pub(crate) fn cli_main(py: Python<'_>, argv: Vec<OsString>) -> i32 {
    // Ctrl-C is Python's to handle: its handler raises, which stops the command.
    py.detach(|| run_until(argv, &|| check_signals().is_err()))
}
