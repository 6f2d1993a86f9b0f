//! `Verification`: how well a log that says where its records went agrees with a map.

use crate::errors::Result;
use crate::outputs;
use pyo3::prelude::*;
use shardlane::report::Verification;
use shardlane::report::arrow::{causes, disagreements, pairs};

/// A log that says where its records went, held against a map.
///
/// `ShardMap.verify` makes it.
///
/// Examples:
///     >>> import polars as pl
///     >>> import shardlane as sl
///     >>> log = pl.DataFrame({"key": ["order-1001", "JP"], "partition": [6, 0]})
///     >>> found = sl.ShardMap.kafka(12).verify(log)
///     >>> found.compared, found.agreed, found.disagreements["key"].to_pylist()
///     (2, 1, ['JP'])
#[pyclass(name = "Verification", module = "shardlane", frozen)]
pub(crate) struct PyVerification(Verification);

impl PyVerification {
    pub(crate) fn new(verification: Verification) -> Self {
        Self(verification)
    }
}

#[pymethods]
impl PyVerification {
    /// Rows read.
    #[getter]
    fn rows(&self) -> u64 {
        self.0.rows
    }

    /// Rows that name a shard and have one of their own by the map.
    #[getter]
    fn compared(&self) -> u64 {
        self.0.compared
    }

    /// Of these, the rows that went where the map says.
    #[getter]
    fn agreed(&self) -> u64 {
        self.0.agreed
    }

    /// The part of the rows compared that agree, from 0 to 1.
    #[getter]
    fn agreement(&self) -> f64 {
        self.0.agreement()
    }

    /// Rows that name no shard.
    #[getter]
    fn unobserved(&self) -> u64 {
        self.0.unobserved
    }

    /// Rows without a shard of their own, since the producer spreads them.
    #[getter]
    fn unassigned(&self) -> u64 {
        self.0.unassigned
    }

    /// The first rows that disagree, as an Arrow table.
    ///
    /// Its columns are row (from 1), key, key_bytes, observed and predicted (shard ids).
    #[getter]
    fn disagreements<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        outputs::table(py, disagreements(&self.0)?)
    }

    /// Where rows went instead of where the map says, as an Arrow table, the most frequent first.
    ///
    /// Its columns are observed and predicted (shard ids) and rows.
    #[getter]
    fn pairs<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        outputs::table(py, pairs(&self.0)?)
    }

    /// The likely causes, the likeliest first, as an Arrow table.
    ///
    /// Its columns are code, message, options (what to type in a shell for a map that fits, if it
    /// is known), explains, of and share: how many of the rows that it was tested on it explains.
    #[getter]
    fn causes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        outputs::table(py, causes(&self.0)?)
    }

    /// The verification as text, at most 100 columns wide.
    fn summary(&self) -> String {
        self.0.to_text()
    }

    /// The verification as JSON.
    fn to_json(&self) -> String {
        self.0.to_json()
    }

    fn __repr__(&self) -> String {
        format!("Verification({})", self.0.verdict())
    }
}
