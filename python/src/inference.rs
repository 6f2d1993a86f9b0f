//! `infer`: the rule that a log's records were placed by.

use crate::errors::Result;
use crate::outputs;
use crate::progress::{Raised, Reporter};
use crate::salt::{PySalt, serializer};
use crate::source;
use pyo3::prelude::*;
use shardlane::engine;
use shardlane::report::Inference;
use shardlane::report::arrow::{candidates, seen_shards};
use shardlane::source::{Columns, Wanted};

/// What can be told of the placement of a log's keys.
///
/// `infer` makes it.
#[pyclass(name = "Inference", module = "shardlane", frozen)]
pub(crate) struct PyInference(Inference);

#[pymethods]
impl PyInference {
    /// Whether a rule fits, or each shard has a range of hash values of its own.
    #[getter]
    fn fits(&self) -> bool {
        self.0.fits()
    }

    /// What was found, in sentences.
    #[getter]
    fn verdict(&self) -> String {
        self.0.verdict()
    }

    /// The rules that fit best, the best first, as an Arrow table.
    ///
    /// Its columns are system, partitioner, buckets, shards, key_form (what was hashed), agreed, of
    /// and agreement (how many of the sampled keys go where they went), and options: what to type
    /// in a shell.
    #[getter]
    fn candidates<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        outputs::table(py, candidates(&self.0)?)
    }

    /// Whether no two shards' hash values overlap.
    #[getter]
    fn are_ranges(&self) -> bool {
        self.0.are_ranges
    }

    /// The shards that the log names, as an Arrow table, in order of their lowest hash value.
    ///
    /// Its columns are name, rows, first_hash and last_hash: the lowest and the highest MD5 of its
    /// keys, as decimal text.
    #[getter]
    fn shards<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        outputs::table(py, seen_shards(&self.0)?)
    }

    /// What was found as text, at most 100 columns wide.
    fn summary(&self) -> String {
        self.0.to_text()
    }

    /// What was found as JSON.
    fn to_json(&self) -> String {
        self.0.to_json()
    }

    fn __repr__(&self) -> String {
        format!("Inference({})", self.0.verdict())
    }
}

/// Finds the rule that sends a log's keys where the log says that they went.
///
/// Tried are all of Kafka's partitioners and the even shards of Kinesis and Simple Log Service, over
/// every number of shards up to 10,000, and if none fits, with keys serialized in other ways. Where
/// the shards are ranges that are not even, these are told as far as the keys show them.
///
/// Args:
///     source: The log, as for `ShardMap.replay`.
///     key: The name of the key column. This and the other columns, if not named, are guessed from
///         usual names.
///     shard: The name of the column of the shards that the service chose, by id or by number.
///     explicit_hash_key: The name of the column of explicit hash keys.
///     payload: The name of the column of payloads: those that a producer library of Kinesis made
///         are taken apart.
///     key_serializer: How producers write keys that are no text, as in `ShardMap.replay`.
///     salt: A `Salt` to put behind each key.
///     progress: As for `ShardMap.replay`.
///
/// Raises:
///     InvalidInput: If the log has no column of shards, or no row with a key and a shard.
///     UnsupportedType: If the source is no such thing, or a column cannot hold its part.
///     Io: If a file cannot be read.
///
/// Examples:
///     >>> import polars as pl
///     >>> import shardlane as sl
///     >>> keys = [f"order-{i}" for i in range(1_000)]
///     >>> sent = sl.ShardMap.kafka(12, partitioner="kafkajs:legacy").route(keys)
///     >>> found = sl.infer(pl.DataFrame({"key": keys, "partition": pl.Series(sent)}))
///     >>> found.candidates["options"].to_pylist()[0]
///     '--kafka 12 --partitioner kafkajs:legacy'
#[pyfunction]
#[pyo3(signature = (
    source, *, key=None, shard=None, explicit_hash_key=None, payload=None, key_serializer=None, salt=None,
    progress=None
))]
#[expect(clippy::too_many_arguments, reason = "each is a keyword in Python")]
pub(crate) fn infer(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    key: Option<String>,
    shard: Option<String>,
    explicit_hash_key: Option<String>,
    payload: Option<String>,
    key_serializer: Option<&str>,
    salt: Option<&Bound<'_, PySalt>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> Result<PyInference> {
    let columns = Columns {
        key,
        shard,
        explicit_hash_key,
        payload,
        key_serializer: serializer(key_serializer)?,
        salt: salt.map(|salt| salt.get().column()),
        wanted: Wanted::Shards,
        ..Columns::default()
    };
    let raised = Raised::default();
    let mut source = source::log(source, &columns, &raised)?;
    let reporter = Reporter::new(py, progress, &raised)?;
    let result = py.detach(|| engine::infer(&mut *source, &mut |progress| reporter.tell(progress)));
    reporter.close(py)?;
    Ok(PyInference(raised.or(result)?))
}
