//! `Projection`: a tally held against limits.

use crate::errors::Result;
use crate::limits::PyLimits;
use crate::outputs;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use shardlane::projection::{BindingLimit, Conditions};
use shardlane::report::{Input, Report, ThrottledKeys, Timeline, arrow};
use shardlane::{Limits, Projection, Tally, projection};
use std::sync::Arc;

/// A tally held against limits under a named model: when does it throttle, and where?
///
/// `Tally.project` makes it; `Replay.projection` has it.
#[pyclass(name = "Projection", module = "shardlane", frozen)]
pub(crate) struct PyProjection {
    tally: Arc<Tally>,
    projection: Projection,
}

impl PyProjection {
    pub(crate) fn new(tally: &Arc<Tally>, projection: Projection) -> Self {
        Self { tally: tally.clone(), projection }
    }

    /// Holds `tally` against `limits`, or the system's own.
    pub(crate) fn project(
        tally: &Arc<Tally>,
        limits: Option<&PyLimits>,
        conditions: Conditions,
    ) -> Result<Self> {
        let limits = limits
            .map_or_else(|| Limits::of(tally.map().system()), |limits| limits.limits().clone());
        Ok(Self::new(tally, projection::project(tally, &limits, conditions)?))
    }
}

#[pymethods]
impl PyProjection {
    /// How many times the log's traffic was replayed.
    #[getter]
    fn scale(&self) -> f64 {
        self.projection.conditions.scale.value()
    }

    /// The model's parameters, those not given included; empty for "tumbling".
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> tally = sl.ShardMap.kinesis(4).tally(["user-1"])
    ///     >>> tally.project(model="token-bucket").model_parameters
    ///     {'records_burst': 1000, 'bytes_burst': 10485760}
    #[getter]
    fn model_parameters<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let parameters = PyDict::new(py);
        let model = self.projection.conditions.model;
        for (name, value) in model.parameters(&self.projection.limits) {
            parameters.set_item(name, value)?;
        }
        Ok(parameters)
    }

    /// The throttling model's name.
    #[getter]
    fn model(&self) -> &'static str {
        self.projection.conditions.model.name()
    }

    /// The limits that were applied.
    #[getter]
    fn limits(&self) -> PyLimits {
        PyLimits::of(self.projection.limits.clone())
    }

    /// The steady rate at which the first shard meets a limit.
    ///
    /// In records a second of the whole stream, at these shares and sizes. None if nothing was
    /// counted.
    #[getter]
    fn throttle_records_per_second(&self) -> Option<f64> {
        self.projection.throttle_records_per_second
    }

    /// The index of the shard that meets it.
    #[getter]
    fn shard(&self) -> Option<u32> {
        self.projection.shard
    }

    /// The limit that it meets: "records_per_second" or "bytes_per_second".
    #[getter]
    fn binding_limit(&self) -> Option<&'static str> {
        self.projection.binding_limit.map(BindingLimit::name)
    }

    /// How many times this traffic fits before the first throttle, its shape unchanged.
    ///
    /// None without a time column.
    #[getter]
    fn headroom(&self) -> Option<f64> {
        self.projection.headroom
    }

    /// Each shard's load against its limits, as an Arrow table.
    ///
    /// Its columns are index, id, records, bytes, spread_records_estimate and
    /// spread_bytes_estimate (what each would get of the records without a shard of their own),
    /// read_units and write_units (of DynamoDB), share, peak_records_per_second,
    /// peak_bytes_per_second, throttled_records, throttled_seconds, first_throttle, binding_limit,
    /// headroom and distinct_keys. What needs a time column is null without one.
    #[getter]
    fn shards<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        let report = Report {
            map: self.tally.map().clone(),
            input: Input::default(),
            window: self.tally.window(),
            projection: self.projection.clone(),
            distinct_keys: self.tally.distinct_keys(),
            hot_keys: Vec::new(),
            hot_keys_by_shard: Vec::new(),
            timeline: Timeline::default(),
            throttled_keys: ThrottledKeys::default(),
        };
        outputs::table(py, report.shards_table()?)
    }

    /// The windows in which a shard was over a limit, as an Arrow table.
    ///
    /// Its columns are window_start, shard, id, records, bytes, throttled_records and
    /// binding_limit.
    #[getter]
    fn throttles<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        outputs::table(py, arrow::throttles(&self.tally, &self.projection)?)
    }

    fn __repr__(&self) -> String {
        let rate = self.projection.throttle_records_per_second;
        let shard = self.projection.shard.and_then(|index| self.tally.map().shard(index));
        match (rate, shard, self.binding_limit()) {
            (Some(rate), Some(shard), Some(limit)) => format!(
                "Projection({}: {} meets {limit} at {rate:.0} records/s of the stream)",
                self.model(),
                shard.id
            ),
            _ => format!("Projection({}: nothing was counted)", self.model()),
        }
    }
}
