//! What moves when one map takes the place of another.

use super::PyShardMap;
use crate::comparison::PyComparison;
use crate::errors::Result;
use crate::layout::layout;
use crate::progress::{Raised, Reporter};
use crate::salt::{PySalt, serializer};
use crate::source;
use pyo3::prelude::*;
use shardlane::engine;
use shardlane::source::{Columns, Wanted};

#[pymethods]
impl PyShardMap {
    /// Which of a log's keys, records and bytes move when `other` takes the place of this map.
    ///
    /// Shards are the same if their ids are. Keys are hashed once if both maps take one hash.
    ///
    /// Args:
    ///     other: The map that takes the place of this one.
    ///     source: The log, as for `replay`; a list of text is one of keys, and paths in a list are
    ///         `pathlib.Path` objects.
    ///     key: The name of the key column. This and the other columns, if not named, are guessed
    ///         from usual names.
    ///     bytes: The name of the column of payload sizes.
    ///     weight: The name of the column that says how many records a row stands for.
    ///     explicit_hash_key: The name of the column of explicit hash keys.
    ///     key_serializer: How producers write keys that are no text, as in `replay`.
    ///     salt: A `Salt` to put behind each key.
    ///     progress: As for `replay`.
    ///     input_format: As for `replay`.
    ///     delimiter: As for `replay`.
    ///     header: As for `replay`.
    ///     kcat_format: As for `replay`.
    ///     key_separator: As for `replay`.
    ///     null_key: As for `replay`.
    ///
    /// Raises:
    ///     InvalidInput: If the log has no rows, or a named column is missing.
    ///     UnsupportedType: If the source is no such thing, or a column cannot hold its part.
    ///     Io: If a file cannot be read.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> topic = sl.ShardMap.kafka(6)
    ///     >>> moves = topic.compare(topic.grow(12), [f"order-{i}" for i in range(10_000)])
    ///     >>> moves.keys_moved, moves.keys, moves.theory
    ///     (5051, 10000, 0.5)
    #[pyo3(signature = (
        other, source, *, key=None, bytes=None, weight=None, explicit_hash_key=None,
        key_serializer=None, salt=None, progress=None, input_format=None, delimiter=None, header=true, kcat_format=None,
        key_separator=None, null_key=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword in Python")]
    fn compare(
        &self,
        py: Python<'_>,
        other: &Bound<'_, Self>,
        source: &Bound<'_, PyAny>,
        key: Option<String>,
        bytes: Option<String>,
        weight: Option<String>,
        explicit_hash_key: Option<String>,
        key_serializer: Option<&str>,
        salt: Option<&Bound<'_, PySalt>>,
        progress: Option<&Bound<'_, PyAny>>,
        input_format: Option<&str>,
        delimiter: Option<&str>,
        header: bool,
        kcat_format: Option<&str>,
        key_separator: Option<&str>,
        null_key: Option<String>,
    ) -> Result<PyComparison> {
        let columns = Columns {
            key,
            bytes,
            weight,
            explicit_hash_key,
            key_serializer: serializer(key_serializer)?,
            salt: salt.map(|salt| salt.get().column()),
            wanted: Wanted::Loads,
            layout: layout(input_format, delimiter, header, kcat_format, key_separator, null_key)?,
            ..Columns::default()
        };
        let raised = Raised::default();
        let mut source = source::keys_or_log(source, &columns, &raised)?;
        let reporter = Reporter::new(py, progress, &raised)?;
        let (before, after) = (self.map().clone(), other.get().map().clone());
        let result = py.detach(|| {
            engine::compare(before, after, &mut *source, &mut |progress| reporter.tell(progress))
        });
        reporter.close(py)?;
        Ok(PyComparison::new(raised.or(result)?))
    }
}
