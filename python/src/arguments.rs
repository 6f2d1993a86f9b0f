//! Arguments that need more than a type: each says what to type when it is wrong.

use crate::errors::{Failure, Result};
use pyo3::prelude::*;
use pyo3::types::PyBool;
use std::str::FromStr;

/// A whole number from `least` to what `T` holds; `example` shows what to type.
pub(crate) fn whole<T: TryFrom<i128>>(
    value: &Bound<'_, PyAny>,
    name: &str,
    least: i128,
    example: &str,
) -> Result<T> {
    let number = if value.is_instance_of::<PyBool>() {
        None
    } else {
        value.extract::<i128>().ok().filter(|number| *number >= least)
    };
    number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
        let shown = value.repr().map_or_else(|_| "something".to_owned(), |text| text.to_string());
        Failure::input(format!(
            "{name}={shown} was given; expected a whole number of {least} or more, for example \
             {example}"
        ))
    })
}

/// The number of threads: `None` is one a core, which the core calls 0.
pub(crate) fn threads(value: Option<&Bound<'_, PyAny>>) -> Result<usize> {
    value.map_or(Ok(0), |value| whole(value, "threads", 1, "threads=4, or None for one a core"))
}

/// A value with a name of its own, such as a rule.
pub(crate) fn named<T: FromStr<Err = shardlane::Error>>(name: &str) -> Result<T> {
    Ok(name.parse::<T>()?)
}

/// Lets Python handle the signals that came in while it was let go of, so that Ctrl-C works.
pub(crate) fn check_signals() -> PyResult<()> {
    Python::attach(|py| py.check_signals())
}
