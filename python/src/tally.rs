//! `Tally`: what arrived where and when.

use crate::errors::Result;
use crate::limits::PyLimits;
use crate::outputs;
use crate::projection::PyProjection;
use crate::reads::{PyReads, conditions};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};
use shardlane::Tally;
use shardlane::report::arrow;
use std::sync::Arc;

/// What arrived where and when: records and bytes for each shard and window, and the hottest keys.
///
/// `ShardMap.tally` makes it. Tallies of parts of a log merge into the tally of the whole. One does
/// not change; threads may share it.
///
/// Examples:
///     >>> import shardlane as sl
///     >>> stream = sl.ShardMap.kinesis(4)
///     >>> monday = stream.tally(["user-1", "user-1", "JP"])
///     >>> week = monday.merge(stream.tally(["user-1"]))
///     >>> week.records
///     4
///     >>> week.hot_keys["key"].to_pylist()
///     ['user-1', 'JP']
#[pyclass(name = "Tally", module = "shardlane", frozen)]
pub(crate) struct PyTally(Arc<Tally>);

impl PyTally {
    pub(crate) fn new(tally: Arc<Tally>) -> Self {
        Self(tally)
    }
}

#[pymethods]
impl PyTally {
    /// Records that went to a shard.
    #[getter]
    fn records(&self) -> u64 {
        self.0.records()
    }

    /// Their bytes, partition keys included.
    #[getter]
    fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    /// Records without a shard of their own.
    #[getter]
    fn unassigned(&self) -> u64 {
        self.0.unassigned().records
    }

    /// How many rows could not be used, by reason.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> sl.ShardMap.kinesis(4).tally(["user-1", "", None]).rejected
    ///     {'null_key': 1, 'empty_key': 1}
    #[getter]
    fn rejected<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let rejected = PyDict::new(py);
        for (reason, rows) in self.0.rejected() {
            rejected.set_item(reason.name(), rows)?;
        }
        Ok(rejected)
    }

    /// Distinct keys that went to a shard of their own; None if hot keys were not counted.
    ///
    /// Exact up to 32,768, and an estimate within a few percent beyond that.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> sl.ShardMap.kinesis(4).tally(["user-1", "JP", "JP"]).distinct_keys
    ///     2
    #[getter]
    fn distinct_keys(&self) -> Option<u64> {
        self.0.distinct_keys().map(|keys| keys.all)
    }

    /// What each shard took in all, as an Arrow table.
    ///
    /// Its columns are index, id, records, bytes and share of the records.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> sl.ShardMap.kinesis(4).tally(["user-1", "JP"]).shards["records"].to_pylist()
    ///     [1, 0, 0, 1]
    #[getter]
    fn shards<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        outputs::table(py, arrow::totals(&self.0)?)
    }

    /// The hottest keys, hottest first, as an Arrow table.
    ///
    /// Its columns are key (as text, with escapes if it is not UTF-8), key_bytes, records,
    /// bytes, share of the records, shard and error: how many records the count may lack at most.
    #[getter]
    fn hot_keys<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        let keys = self.0.hot_keys(self.0.options().top);
        outputs::table(py, arrow::hot_keys(&keys, self.0.records())?)
    }

    /// The tally of both logs together; neither one changes.
    ///
    /// Args:
    ///     other: A tally of the same shards, made with the same options.
    ///
    /// Raises:
    ///     InvalidInput: If it is of other shards, or was made with other options.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> stream = sl.ShardMap.kinesis(4)
    ///     >>> stream.tally(["user-1"]).merge(stream.tally(["JP"])).records
    ///     2
    fn merge(&self, py: Python<'_>, other: &Self) -> Result<Self> {
        let merged = py.detach(|| {
            let mut tally = Tally::clone(&self.0);
            tally.merge(&other.0).map(|()| tally)
        })?;
        Ok(Self(Arc::new(merged)))
    }

    /// The tally as bytes, to be sent or stored.
    ///
    /// Tallies with the same content give the same bytes, in Rust, C and Python.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> data = sl.ShardMap.kinesis(4).tally(["user-1"]).to_bytes()
    ///     >>> sl.Tally.from_bytes(data).records
    ///     1
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = py.detach(|| self.0.to_bytes());
        PyBytes::new(py, &bytes)
    }

    /// The tally that `to_bytes` gave, here or elsewhere.
    ///
    /// Args:
    ///     data: The bytes. They may come from anywhere: whatever is no tally is refused.
    ///
    /// Raises:
    ///     CorruptTally: If they are no tally, or one that this version cannot read.
    #[classmethod]
    fn from_bytes(_class: &Bound<'_, PyType>, py: Python<'_>, data: &[u8]) -> Result<Self> {
        Ok(Self(Arc::new(py.detach(|| Tally::from_bytes(data))?)))
    }

    /// When the tally's traffic throttles.
    ///
    /// Args:
    ///     limits: What each shard may take; the system's own limits, if not given.
    ///     model: How throttling is modelled: "tumbling", in which each window stands alone, or
    ///         "token-bucket", in which each limit is a bucket that starts full; what those hold
    ///         may follow, as in "token-bucket:records_burst=1000,bytes_burst=10485760" (of a
    ///         DynamoDB table: table_burst_seconds=300).
    ///     scale: How many times the log's traffic to replay, such as 1.5.
    ///     retry: Whether throttled records are retried in order until they go through; shards then
    ///         has max_backlog_records, max_backlog_bytes, max_delay_seconds, backlog_drained and
    ///         backlog_at_end.
    ///     reads: Who reads; shards then has how far they fall behind: peak_read_bytes_per_second,
    ///         refused_calls_per_second, reads_throttled, max_lag_records, max_lag_bytes,
    ///         max_lag_seconds, lag_drained and lag_at_end.
    ///
    /// Raises:
    ///     InvalidInput: For an unknown model, or limits of another system.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> tally = sl.ShardMap.kinesis(4).tally(["user-1", "JP"])
    ///     >>> tally.project().throttle_records_per_second
    ///     2000.0
    #[pyo3(signature = (limits=None, model="tumbling", *, scale=1.0, retry=false, reads=None))]
    fn project(
        &self,
        py: Python<'_>,
        limits: Option<&Bound<'_, PyLimits>>,
        model: &str,
        scale: f64,
        retry: bool,
        reads: Option<&Bound<'_, PyReads>>,
    ) -> Result<PyProjection> {
        let conditions = conditions(model, scale, retry, reads)?;
        let limits = limits.map(Bound::get);
        py.detach(|| PyProjection::project(&self.0, limits, conditions))
    }

    /// For pickle and copy: the bytes.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> Result<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (self.to_bytes(py),)))
    }

    fn __repr__(&self) -> String {
        format!(
            "Tally({} records, {} bytes, {} shards)",
            self.0.records(),
            self.0.bytes(),
            self.0.map().len()
        )
    }
}
