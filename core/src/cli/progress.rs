//! How far a command has come, on standard error if that is a terminal.

use crate::engine::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stderr};

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
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
                .with_style(style("{spinner} {msg}  {decimal_bytes_per_sec}  {elapsed}"))
        });
        Self { bar }
    }

    /// Shows how far it has come.
    pub(super) fn show(&self, progress: &Progress) {
        let Some(bar) = &self.bar else { return };
        if let (Some(total), None) = (progress.bytes_total, bar.length()) {
            bar.set_length(total);
            bar.set_style(style(
                "{bar:24} {percent:>3}%  {msg}  {decimal_bytes_per_sec}  {elapsed} of {duration}",
            ));
        }
        bar.set_message(format!("{} rows", crate::report::grouped(progress.rows)));
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
