//! A log that says where its records went, held against the map.

use super::PyShardMap;
use crate::errors::Result;
use crate::progress::{Raised, Reporter};
use crate::salt::{PySalt, serializer};
use crate::source;
use crate::verification::PyVerification;
use pyo3::prelude::*;
use shardlane::engine;
use shardlane::source::{Columns, Wanted};

#[pymethods]
impl PyShardMap {
    /// Holds the shard that each row of a log says it went to against the one of this map.
    ///
    /// Where they disagree, the likely causes are tested: another partitioner or number of
    /// partitions, a topic that grew, an old shard list, aggregated records, lost explicit hash
    /// keys, keys that were serialized otherwise.
    ///
    /// Args:
    ///     source: The log, as for `replay`.
    ///     key: The name of the key column. This and the other columns, if not named, are guessed
    ///         from usual names.
    ///     shard: The name of the column of the shards that the service chose: by id, by number or
    ///         by index.
    ///     explicit_hash_key: The name of the column of explicit hash keys.
    ///     payload: The name of the column of payloads: those that a producer library of Kinesis made
    ///         are taken apart.
    ///     key_serializer: How producers write keys that are no text, as in `replay`.
    ///     salt: A `Salt` to put behind each key.
    ///     progress: As for `replay`.
    ///
    /// Raises:
    ///     InvalidInput: If the log has no column of shards, or no row that can be compared; or for
    ///         a DynamoDB table, whose partitions are simulated.
    ///     UnsupportedType: If the source is no such thing, or a column cannot hold its part.
    ///     Io: If a file cannot be read.
    ///
    /// Examples:
    ///     >>> import polars as pl
    ///     >>> import shardlane as sl
    ///     >>> keys = [f"order-{i}" for i in range(1_000)]
    ///     >>> sent = sl.ShardMap.kafka(6).route(keys)
    ///     >>> log = pl.DataFrame({"key": keys, "partition": pl.Series(sent)})
    ///     >>> sl.ShardMap.kafka(6).verify(log).agreement
    ///     1.0
    ///     >>> sl.ShardMap.kafka(12).verify(log).causes["options"].to_pylist()
    ///     ['--kafka 6 --partitioner java']
    #[pyo3(signature = (
        source, *, key=None, shard=None, explicit_hash_key=None, payload=None, key_serializer=None, salt=None,
        progress=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword in Python")]
    fn verify(
        &self,
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        key: Option<String>,
        shard: Option<String>,
        explicit_hash_key: Option<String>,
        payload: Option<String>,
        key_serializer: Option<&str>,
        salt: Option<&Bound<'_, PySalt>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> Result<PyVerification> {
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
        let map = self.map().clone();
        let result = py
            .detach(|| engine::verify(map, &mut *source, &mut |progress| reporter.tell(progress)));
        reporter.close(py)?;
        Ok(PyVerification::new(raised.or(result)?))
    }
}
