//! Who is told how far the work has come, and how Python stops it.

use crate::errors::{Failure, Result};
use pyo3::prelude::*;
use shardlane::engine::Progress;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

/// What Python raised while the core was at work, to be raised again once it has stopped.
#[derive(Debug, Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    /// Keeps the first of them.
    pub(crate) fn keep(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// The core's result, unless Python raised.
    pub(crate) fn or<T>(&self, result: shardlane::Result<T>) -> Result<T> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(raised) => Err(Failure::Python(raised)),
            None => Ok(result?),
        }
    }
}

/// The reporter that a caller asked for, if any.
pub(crate) struct Reporter {
    reporter: Option<Py<PyAny>>,
    raised: Raised,
}

impl Reporter {
    /// A reporter for the argument `progress`: True, a callable, or nothing.
    pub(crate) fn new(
        py: Python<'_>,
        progress: Option<&Bound<'_, PyAny>>,
        raised: &Raised,
    ) -> Result<Self> {
        let reporter = py.import("shardlane._progress")?.call_method1("reporter", (progress,))?;
        Ok(Self {
            reporter: (!reporter.is_none()).then(|| reporter.unbind()),
            raised: raised.clone(),
        })
    }

    /// Tells of a batch, and hears of Ctrl-C.
    pub(crate) fn tell(&self, progress: Progress) -> ControlFlow<()> {
        let told = Python::attach(|py| {
            py.check_signals()?;
            let Some(reporter) = &self.reporter else { return Ok(()) };
            let (done, total, unit) = match progress.bytes_total {
                Some(total) => (progress.bytes, Some(total), "B"),
                None => (progress.rows, progress.rows_total, "rows"),
            };
            let reading = 1 + u8::from(progress.is_second);
            let update = (done, total, unit, progress.rows, reading);
            reporter.call_method1(py, "update", update).map(|_| ())
        });
        match told {
            Ok(()) => ControlFlow::Continue(()),
            Err(raised) => {
                self.raised.keep(raised);
                ControlFlow::Break(())
            }
        }
    }

    /// Ends the display.
    pub(crate) fn close(self, py: Python<'_>) -> Result<()> {
        if let Some(reporter) = self.reporter {
            reporter.call_method0(py, "close")?;
        }
        Ok(())
    }
}
