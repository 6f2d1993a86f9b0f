//! Errors: an exception class of `shardlane._errors` for each kind of the core's.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use shardlane::arrow::error::ArrowError;
use shardlane::{Error, ErrorKind};

/// Why a call failed: the core refused, or Python itself raised (an interrupt, a callback, a
/// foreign object's own method).
#[derive(Debug)]
pub(crate) enum Failure {
    Core(Error),
    Python(PyErr),
}

/// The result of everything that Python calls.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// `InvalidInput`: a value that cannot be used.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::Core(Error::new(ErrorKind::InvalidInput, message))
    }

    /// `UnsupportedType`: an object or column of the wrong kind.
    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::Core(Error::new(ErrorKind::UnsupportedType, message))
    }

    /// The same error as one of the shard map's.
    pub(crate) fn of_map(self) -> Self {
        match self {
            Self::Core(error) => {
                Self::Core(Error::new(ErrorKind::InvalidShardMap, error.message()))
            }
            raised @ Self::Python(_) => raised,
        }
    }

    /// Adds a fact to an error of the core's.
    pub(crate) fn with(self, name: &'static str, value: impl std::fmt::Display) -> Self {
        match self {
            Self::Core(error) => Self::Core(error.with(name, value)),
            raised @ Self::Python(_) => raised,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Core(error)
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

/// A stream of foreign batches broke off. What Python raised inside it is raised again.
impl From<ArrowError> for Failure {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::ExternalError(inner) => match inner.downcast::<PyErr>() {
                Ok(raised) => Self::Python(*raised),
                Err(inner) => Self::input(format!("reading the Arrow stream failed: {inner}")),
            },
            error => Self::input(format!("reading the Arrow stream failed: {error}")),
        }
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Python(error) => error,
            Failure::Core(error) => {
                Python::attach(|py| exception(py, &error).unwrap_or_else(|raised| raised))
            }
        }
    }
}

/// The Python exception for `error`, with the error's facts in its attribute `context`.
fn exception(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let class = py.import("shardlane._errors")?.getattr(error.kind().name())?;
    let raised = class.call1((error.to_string(),))?;
    let context = PyDict::new(py);
    for (name, value) in error.context() {
        context.set_item(name, value)?;
    }
    raised.setattr("context", context)?;
    Ok(PyErr::from_value(raised))
}
