//! How far a command has come, on standard error if that is a terminal.

use super::note;
use crate::engine::Progress;
use crate::error::Result;
use crate::report::grouped;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::ops::ControlFlow;

/// Runs `work` under a bar until it ends or `stop` says so: what it found, and whether it was
/// interrupted, which is told of `what`, such as "report".
pub(super) fn watched<T>(
    quiet: bool,
    stop: &dyn Fn() -> bool,
    what: &str,
    work: impl FnOnce(&mut dyn FnMut(Progress) -> ControlFlow<()>) -> Result<T>,
) -> Result<(T, bool)> {
    let bar = Bar::new(quiet);
    let (mut interrupted, mut rows, mut is_second) = (false, 0, false);
    let found = work(&mut |progress| {
        bar.show(&progress);
        (rows, is_second) = (progress.rows, progress.is_second);
        interrupted = stop();
        if interrupted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    bar.finish();
    if interrupted && is_second {
        note(
            quiet,
            &format!("interrupted while the log was read again; the {what} says what it lacks"),
        );
    } else if interrupted {
        // Said even when quiet, since a part of a log looks like a whole one.
        let rows = grouped(rows);
        note(false, &format!("interrupted after {rows} rows; the {what} covers these only"));
    }
    Ok((found, interrupted))
}

/// A progress bar, or nothing where nobody would see it.
#[derive(Debug)]
pub(super) struct Bar {
    bar: Option<ProgressBar>,
}

impl Bar {
    /// A bar, unless it is to be quiet or standard error is no terminal.
    pub(super) fn new(quiet: bool) -> Self {
        let is_seen = !quiet && stderr().is_terminal();
        let bar = is_seen.then(|| {
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style(
                "{spinner} {msg}  {decimal_bytes}  {decimal_bytes_per_sec}  {elapsed}",
            ))
        });
        Self { bar }
    }

    /// Shows how far it has come.
    pub(super) fn show(&self, progress: &Progress) {
        let Some(bar) = &self.bar else { return };
        if let (Some(total), None) = (progress.bytes_total, bar.length()) {
            bar.set_length(total);
            bar.set_style(style(
                "{bar:20} {percent:>3}%  {msg}  {decimal_bytes}  {decimal_bytes_per_sec}  {eta} left",
            ));
        }
        let again = if progress.is_second { ", second reading" } else { "" };
        bar.set_message(format!("{} rows{again}", grouped(progress.rows)));
        bar.set_position(progress.bytes);
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    // The templates above are fixed; the plain bar stands in for one with a slip.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.finish();
    }
}
