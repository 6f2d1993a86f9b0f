//! `Replay`: a whole log, counted and held against limits.

use crate::errors::{Failure, Result};
use crate::outputs;
use crate::projection::PyProjection;
use crate::tally::PyTally;
use pyo3::prelude::*;
use shardlane::report::{Report, arrow};
use shardlane::{Error, ErrorKind, Tally};
use std::path::PathBuf;
use std::sync::Arc;

/// What replaying a log found: which shard took what, and when each would have throttled.
///
/// `ShardMap.replay` makes it. It shows as a small table, and with bars in a notebook.
#[pyclass(name = "Replay", module = "shardlane", frozen)]
pub(crate) struct PyReplay {
    tally: Arc<Tally>,
    report: Report,
}

impl PyReplay {
    pub(crate) fn new(tally: Tally, report: Report) -> Self {
        Self { tally: Arc::new(tally), report }
    }
}

#[pymethods]
impl PyReplay {
    /// Each shard's load against its limits, as an Arrow table.
    ///
    /// Its columns are index, id, records, bytes, spread_records_estimate and
    /// spread_bytes_estimate (what each would get of the records without a shard of their own),
    /// read_units and write_units (of DynamoDB), share, peak_records_per_second,
    /// peak_bytes_per_second, throttled_records, throttled_seconds, first_throttle, binding_limit,
    /// headroom and distinct_keys. What needs a time column is null without one.
    #[getter]
    fn shards<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        outputs::table(py, self.report.shards_table()?)
    }

    /// The hottest keys of the stream, hottest first, as an Arrow table.
    ///
    /// Its columns are key (as text, with escapes if it is not UTF-8), key_bytes, records,
    /// bytes, share of the records, shard and error: how many records the count may lack at most.
    #[getter]
    fn hot_keys<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        outputs::table(py, self.report.hot_keys_table()?)
    }

    /// The hottest keys of each shard, shard by shard, with the columns of `hot_keys`.
    #[getter]
    fn hot_keys_by_shard<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        let keys = self.report.hot_keys_by_shard.concat();
        outputs::table(py, arrow::hot_keys(&keys, self.report.input.records)?)
    }

    /// The windows in which a shard was over a limit, as an Arrow table.
    ///
    /// Its columns are window_start, shard, id, records, bytes, throttled_records and
    /// binding_limit.
    #[getter]
    fn throttles<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        outputs::table(py, arrow::throttles(&self.tally, &self.report.projection)?)
    }

    /// The keys that filled a shard while it was over a limit, as an Arrow table.
    ///
    /// Its columns are shard, id, key (as text, with escapes if it is not UTF-8), key_bytes,
    /// records, bytes, share of the load of these windows (of the bytes where the limit is one of
    /// bytes, else of the records) and error. Shards with the most throttled records come first. No
    /// rows if nothing was throttled, or the log could be read only once.
    #[getter]
    fn throttled_keys<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        outputs::table(py, self.report.throttled_keys_table()?)
    }

    /// What each shard took in each window, as an Arrow table; no rows without a time column.
    ///
    /// Its columns are window_start, shard, id, records, bytes, load (as a part of the nearest
    /// limit, which is 1), throttled_records and binding_limit. Windows in which a shard took
    /// nothing are left out.
    #[getter]
    fn timeline<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        outputs::table(py, arrow::timeline(&self.tally, &self.report.projection)?)
    }

    /// Distinct keys that went to a shard of their own; None if hot keys were not counted.
    ///
    /// Exact up to 32,768, and an estimate within a few percent beyond that. Those of each shard
    /// are in `shards`.
    #[getter]
    fn distinct_keys(&self) -> Option<u64> {
        self.report.distinct_keys.as_ref().map(|keys| keys.all)
    }

    /// The part of the rows that went where the map says, if the log tells where they went.
    ///
    /// `ShardMap.verify` tells why it is not 1.
    #[getter]
    fn agreement(&self) -> Option<f64> {
        self.report.input.agreement.map(shardlane::tally::Agreement::share)
    }

    /// What to be warned of, as pairs of a code, such as "few_keys", and a message.
    #[getter]
    fn warnings(&self) -> Vec<(&'static str, String)> {
        let warnings = self.report.warnings().into_iter();
        warnings.map(|warning| (warning.code, warning.message)).collect()
    }

    /// What could not be read of the log's files: the rest of one, or one without a column.
    #[getter]
    fn faults(&self) -> Vec<String> {
        self.report.input.faults.clone()
    }

    /// What was counted, to be merged with other logs' tallies.
    #[getter]
    fn tally(&self) -> PyTally {
        PyTally::new(self.tally.clone())
    }

    /// When the traffic throttles, in numbers.
    #[getter]
    fn projection(&self) -> PyProjection {
        PyProjection::new(&self.tally, self.report.projection.clone())
    }

    /// The report as text: what was read, the verdict, the fullest shards, the hottest keys.
    fn summary(&self) -> String {
        self.report.to_text()
    }

    /// The report as JSON text, with the keys that the shell's `--format json` has.
    fn to_json(&self) -> String {
        self.report.to_json()
    }

    /// Writes the report as one self-contained HTML file.
    ///
    /// Args:
    ///     path: The file to write; one that is there is replaced.
    ///
    /// Raises:
    ///     Io: If it cannot be written.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "what Python gives becomes a path of its own"
    )]
    fn to_html(&self, py: Python<'_>, path: PathBuf) -> Result<()> {
        py.detach(|| std::fs::write(&path, self.report.to_html())).map_err(|error| {
            let message = format!(
                "cannot write the report to {}: {error}; name a file in a directory that exists",
                path.display()
            );
            Failure::Core(Error::new(ErrorKind::Io, message).with("path", path.display()))
        })
    }

    fn __repr__(&self) -> String {
        self.report.to_text()
    }

    fn _repr_html_(&self) -> String {
        self.report.to_html_fragment()
    }
}
