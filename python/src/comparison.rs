//! `Comparison`: what moves.

use crate::errors::Result;
use crate::outputs;
use pyo3::prelude::*;
use shardlane::report::Comparison;
use shardlane::report::arrow::flows;

/// What moves when one map takes the place of another, over the records of a log.
///
/// Examples:
///     >>> import shardlane as sl
///     >>> stream = sl.ShardMap.kinesis(4)
///     >>> moves = stream.compare(stream.split(2), ["order-1001", "JP"])
///     >>> moves.records_moved, moves.flows["to"].to_pylist()
///     (1, ['shardId-000000000004'])
#[pyclass(name = "Comparison", module = "shardlane", frozen)]
pub(crate) struct PyComparison(Comparison);

impl PyComparison {
    pub(crate) fn new(comparison: Comparison) -> Self {
        Self(comparison)
    }
}

#[pymethods]
impl PyComparison {
    /// Distinct keys with a shard of their own.
    #[getter]
    fn keys(&self) -> u64 {
        self.0.keys.all
    }

    /// Those that move.
    #[getter]
    fn keys_moved(&self) -> u64 {
        self.0.keys.moved
    }

    /// Whether the distinct keys were few enough to be counted exactly.
    ///
    /// If not, their numbers are estimates from a sample.
    #[getter]
    fn keys_are_exact(&self) -> bool {
        self.0.keys_are_exact
    }

    /// Records.
    #[getter]
    fn records(&self) -> u64 {
        self.0.records.all
    }

    /// Those that move.
    #[getter]
    fn records_moved(&self) -> u64 {
        self.0.records.moved
    }

    /// Bytes.
    #[getter]
    fn bytes(&self) -> u64 {
        self.0.bytes.all
    }

    /// Those that move.
    #[getter]
    fn bytes_moved(&self) -> u64 {
        self.0.bytes.moved
    }

    /// Rows that could not be used.
    #[getter]
    fn rejected(&self) -> u64 {
        self.0.rejected
    }

    /// The part of all keys that moves if hashes are uniform, from 0 to 1.
    #[getter]
    fn theory(&self) -> f64 {
        self.0.theory
    }

    /// What moves from where to where, as an Arrow table, most records first.
    ///
    /// Its columns are from, to (shard ids; null for records without a shard of their own), keys,
    /// records and bytes.
    #[getter]
    fn flows<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        outputs::table(py, flows(&self.0)?)
    }

    /// The comparison as text, at most 100 columns wide.
    fn summary(&self) -> String {
        self.0.to_text()
    }

    /// The comparison as JSON.
    fn to_json(&self) -> String {
        self.0.to_json()
    }

    fn __repr__(&self) -> String {
        let Comparison { keys, records, .. } = &self.0;
        format!(
            "Comparison({} of {} keys move, {} of {} records)",
            keys.moved, keys.all, records.moved, records.all
        )
    }
}
