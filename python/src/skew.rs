//! `skew`: how full the fullest of any number of places gets.

use crate::arguments::whole;
use crate::errors::{Failure, Result};
use crate::layout::layout;
use crate::outputs;
use crate::progress::{Raised, Reporter};
use crate::salt::{PySalt, serializer};
use crate::source;
use pyo3::prelude::*;
use pyo3::types::PyString;
use shardlane::MAX_SHARDS;
use shardlane::engine;
use shardlane::report::Skew;
use shardlane::report::arrow::fullest;
use shardlane::source::{Columns, Wanted};

/// How uneven a log's keys make places, whatever their number.
///
/// Examples:
///     >>> import shardlane as sl
///     >>> found = sl.skew(["a", "b", "b", "c"], places=[512])
///     >>> found.floor, found.top_key
///     (0.5, b'b')
#[pyclass(name = "Skew", module = "shardlane", frozen)]
pub(crate) struct PySkew(Skew);

#[pymethods]
impl PySkew {
    /// One row for each number of places, as an Arrow table.
    ///
    /// Its columns are places, even (the share of each if all were even), median and p95 (the share
    /// of the fullest over the placements), seed_0 (in that of seed 0) and times_even.
    #[getter]
    fn table<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        outputs::table(py, fullest(&self.0)?)
    }

    /// The share of the hottest key: no number of places brings the fullest below it.
    #[getter]
    fn floor(&self) -> Option<f64> {
        self.0.floor()
    }

    /// The hottest key.
    #[getter]
    fn top_key(&self) -> Option<&[u8]> {
        self.0.top.as_ref().map(|top| top.key.as_slice())
    }

    /// Records, after weights.
    #[getter]
    fn records(&self) -> u64 {
        self.0.records
    }

    /// Rows that could not be used.
    #[getter]
    fn rejected(&self) -> u64 {
        self.0.rejected
    }

    /// The skew as text, at most 100 columns wide.
    fn summary(&self) -> String {
        self.0.to_text()
    }

    /// The skew as JSON.
    fn to_json(&self) -> String {
        self.0.to_json()
    }

    fn __repr__(&self) -> String {
        format!("Skew({} records, {} placements)", self.0.records, self.0.seeds)
    }
}

/// How full the fullest of any number of places gets, over many placements of a log's keys.
///
/// Simulated for systems whose hash is not public, such as DynamoDB, and true of any that hashes
/// well. The log is read once, and each key hashed once.
///
/// Args:
///     source: The log, as for `ShardMap.replay`; a list of text is one of keys, and paths in a list
///         are `pathlib.Path` objects.
///     key: The name of the key column, guessed from usual names if not given.
///     weight: The name of the column that says how many records a row stands for.
///     places: The numbers of places.
///     seeds: How many placements to simulate.
///     key_serializer: How producers write keys that are no text, as in `ShardMap.replay`.
///     salt: A `Salt` to put behind each key.
///     progress: As for `ShardMap.replay`.
///     input_format: As for `ShardMap.replay`.
///     delimiter: As for `ShardMap.replay`.
///     header: As for `ShardMap.replay`.
///     kcat_format: As for `ShardMap.replay`.
///     key_separator: As for `ShardMap.replay`.
///     null_key: As for `ShardMap.replay`.
///
/// Raises:
///     InvalidInput: If the log has no rows, a named column is missing, or a number is not usable.
///     UnsupportedType: If the source is no such thing, or a column cannot hold its part.
///     Io: If a file cannot be read.
///
/// Examples:
///     >>> import shardlane as sl
///     >>> found = sl.skew([f"user-{i}" for i in range(10_000)], places=[8, 512])
///     >>> found.table["median"].to_pylist()[0] < 0.14
///     True
#[pyfunction]
#[pyo3(signature = (
    source, *, key=None, weight=None, places=None, seeds=None,
    key_serializer=None, salt=None, progress=None, input_format=None, delimiter=None, header=true, kcat_format=None,
    key_separator=None, null_key=None
), text_signature = "(source, *, key=None, weight=None, places=(8, 32, 128, 512), seeds=100, key_serializer=None, salt=None, progress=None, input_format=None, delimiter=None, header=True, kcat_format=None, key_separator=None, null_key=None)")]
#[expect(clippy::too_many_arguments, reason = "each is a keyword in Python")]
pub(crate) fn skew(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    key: Option<String>,
    weight: Option<String>,
    places: Option<&Bound<'_, PyAny>>,
    seeds: Option<&Bound<'_, PyAny>>,
    key_serializer: Option<&str>,
    salt: Option<&Bound<'_, PySalt>>,
    progress: Option<&Bound<'_, PyAny>>,
    input_format: Option<&str>,
    delimiter: Option<&str>,
    header: bool,
    kcat_format: Option<&str>,
    key_separator: Option<&str>,
    null_key: Option<String>,
) -> Result<PySkew> {
    let columns = Columns {
        key,
        weight,
        key_serializer: serializer(key_serializer)?,
        salt: salt.map(|salt| salt.get().column()),
        wanted: Wanted::Loads,
        layout: layout(input_format, delimiter, header, kcat_format, key_separator, null_key)?,
        ..Columns::default()
    };
    let places = counts(places)?;
    let seeds = seeds.map_or(Ok(100), |seeds| whole(seeds, "seeds", 1..=10_000, "seeds=100"))?;
    let raised = Raised::default();
    let mut source = source::keys_or_log(source, &columns, &raised)?;
    let reporter = Reporter::new(py, progress, &raised)?;
    let result = py.detach(|| {
        engine::skew(&mut *source, &places, seeds, &mut |progress| reporter.tell(progress))
    });
    reporter.close(py)?;
    Ok(PySkew(raised.or(result)?))
}

/// The numbers of places: those given, or the usual ones.
fn counts(places: Option<&Bound<'_, PyAny>>) -> Result<Vec<usize>> {
    let Some(places) = places else { return Ok(vec![8, 32, 128, 512]) };
    let unusable =
        || Failure::input("places is no list of whole numbers; type, for example, places=[8, 512]");
    if places.is_instance_of::<PyString>() {
        return Err(unusable());
    }
    let each = places.try_iter().map_err(|_| unusable())?;
    each.map(|count| whole(&count?, "places", 1..=MAX_SHARDS as i128, "places=[8, 512]")).collect()
}
