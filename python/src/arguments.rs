//! Arguments that need more than a type: each says what to type when it is wrong.

use crate::errors::{Failure, Result};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDelta, PyString};
use shardlane::TallyOptions;
use shardlane::engine::ReplayOptions;
use shardlane::tally::parse_window;
use std::ops::RangeInclusive;
use std::time::Duration;

/// The most threads, hot keys and minutes that make sense to ask for, as in the shell.
const MAX_THREADS: i128 = 1_024;
const MAX_TOP: i128 = 100_000;
const MAX_MINUTES: i128 = 1_000;

/// The longest window in seconds, as for one in words.
const MAX_WINDOW: i128 = 366 * 86_400;

/// A whole number within `range`; `example` shows what to type.
pub(crate) fn whole<T: TryFrom<i128>>(
    value: &Bound<'_, PyAny>,
    name: &str,
    range: RangeInclusive<i128>,
    example: &str,
) -> Result<T> {
    let number = if value.is_instance_of::<PyBool>() { None } else { value.extract::<i128>().ok() };
    number
        .filter(|number| range.contains(number))
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| {
            Failure::input(format!(
                "{name}={} was given; expected a whole number from {} to {}: type {example}",
                shown(value),
                range.start(),
                range.end()
            ))
        })
}

/// The number of threads: `None` is one a core, which the core calls 0.
#[derive(Clone, Copy)]
pub(crate) struct Threads(pub(crate) usize);

impl FromPyObject<'_, '_> for Threads {
    type Error = Failure;

    fn extract(value: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if value.is_none() {
            return Ok(Self(0));
        }
        whole(&value, "threads", 1..=MAX_THREADS, "threads=4, or None for one a core").map(Self)
    }
}

/// How many hot keys to report.
#[derive(Clone, Copy)]
pub(crate) struct Top(pub(crate) usize);

impl Default for Top {
    fn default() -> Self {
        Self(TallyOptions::default().top)
    }
}

impl FromPyObject<'_, '_> for Top {
    type Error = Failure;

    fn extract(value: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        whole(&value, "top", 0..=MAX_TOP, "top=10, or 0 for none").map(Self)
    }
}

/// How many of the worst minutes.
#[derive(Clone, Copy)]
pub(crate) struct Minutes(pub(crate) usize);

impl Default for Minutes {
    fn default() -> Self {
        Self(ReplayOptions::default().worst_minutes)
    }
}

impl FromPyObject<'_, '_> for Minutes {
    type Error = Failure;

    fn extract(value: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let hint = "worst_minutes=5, or 0 for none";
        whole(&value, "worst_minutes", 0..=MAX_MINUTES, hint).map(Self)
    }
}

/// The length of a window: text such as "1s", a whole number of seconds, or a timedelta.
#[derive(Clone, Copy)]
pub(crate) struct Window(pub(crate) Duration);

impl Default for Window {
    fn default() -> Self {
        Self(TallyOptions::default().window)
    }
}

impl FromPyObject<'_, '_> for Window {
    type Error = Failure;

    fn extract(value: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        let text = if let Ok(text) = value.cast::<PyString>() {
            text.to_string()
        } else if value.is_instance_of::<PyDelta>() {
            let seconds: f64 = value.call_method0("total_seconds")?.extract()?;
            // What is no whole number of milliseconds stays so, and is refused.
            format!("{}ms", (seconds * 1e6).round() / 1e3)
        } else {
            format!("{}s", whole::<u64>(&value, "window", 1..=MAX_WINDOW, "window=\"1s\"")?)
        };
        Ok(Self(parse_window(&text)?))
    }
}

/// Lets Python handle the signals that came in while it was let go of, so that Ctrl-C works.
#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the method itself is not general enough over the lifetime"
)]
pub(crate) fn check_signals() -> PyResult<()> {
    Python::attach(|py| py.check_signals())
}

/// `value` as Python would print it.
fn shown(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| "something".to_owned(), |text| text.to_string())
}
