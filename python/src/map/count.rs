//! Counting a log's load, and holding it against limits.

use super::PyShardMap;
use crate::arguments::{Minutes, Threads, Top, Window};
use crate::errors::{Failure, Result};
use crate::layout::layout;
use crate::limits::PyLimits;
use crate::progress::{Raised, Reporter};
use crate::reads::{PyReads, conditions};
use crate::replay::PyReplay;
use crate::salt::{PySalt, serializer};
use crate::source;
use crate::tally::PyTally;
use pyo3::prelude::*;
use shardlane::engine::{self, ReplayOptions};
use shardlane::source::Columns;
use shardlane::{Operation, System, TallyOptions};
use std::sync::Arc;

impl PyShardMap {
    /// What requests do that do not say it in a column; refused of a system that has no operations.
    fn operation(&self, operation: &str, has_column: bool) -> Result<Operation> {
        let system = self.map().system();
        if system != System::DynamoDb && (operation != "read" || has_column) {
            return Err(Failure::input(format!(
                "an operation was given for a {}; only DynamoDB has capacity units, so leave out \
                 operation and operation_column",
                system.whole()
            )));
        }
        Ok(operation.parse()?)
    }
}

#[pymethods]
impl PyShardMap {
    /// Counts records and bytes for each shard and window, and finds the hottest keys.
    ///
    /// Args:
    ///     data: The log: a table or a stream of batches with the Arrow PyCapsule methods (pyarrow,
    ///         polars, pandas 3, a DuckDB relation, arro3, nanoarrow), an iterable of these, or a
    ///         single column or list of keys.
    ///     key: The name of the key column. This and the other columns, if not named, are guessed
    ///         from usual names.
    ///     bytes: The name of the column of payload sizes; without one, only the keys' own bytes
    ///         count.
    ///     time: The name of the time column: Arrow timestamps, text, or whole numbers.
    ///     weight: The name of the column that says how many records a row stands for.
    ///     explicit_hash_key: The name of the column of explicit hash keys.
    ///     time_unit: The unit of a time column of whole numbers: "s", "ms", "us" or "ns".
    ///     size_includes_key: Whether the sizes already include the key's own bytes. Those of
    ///         DynamoDB and Simple Log Service always do.
    ///     key_serializer: How producers write keys that are no text: "long", "integer", "short",
    ///         "double", "float", "uuid", "bytes" or "text".
    ///     salt: A `Salt` to put behind each key.
    ///     operation: What DynamoDB requests do that do not say it in a column: "read",
    ///         "eventual-read", "transactional-read", "write" or "transactional-write".
    ///     operation_column: The name of the column of the operations of DynamoDB requests: these,
    ///         or the service's own names, such as PutItem.
    ///     payload: The name of the column of the payloads themselves, bytes or text in base64: it
    ///         tells the size, and the records that Amazon's producer library put into one are
    ///         counted each by its own key.
    ///     window: The length of a time window: "100ms", "1s", "5m", whole seconds, or a timedelta.
    ///     top: How many hot keys to report, for the stream and for each shard; 0 for none.
    ///     threads: How many threads to work on; None is one a core.
    ///
    /// Raises:
    ///     InvalidInput: If a named column is missing, or an option is not usable.
    ///     UnsupportedType: If the data is no such thing, or a column cannot hold its part.
    ///
    /// Examples:
    ///     >>> import polars as pl
    ///     >>> import shardlane as sl
    ///     >>> clicks = pl.DataFrame({"user_id": ["user-1", "JP"], "size": [100, 50]})
    ///     >>> tally = sl.ShardMap.kinesis(4).tally(clicks, key="user_id", bytes="size")
    ///     >>> tally.shards["bytes"].to_pylist()
    ///     [52, 0, 0, 106]
    #[pyo3(signature = (
        data, *, key=None, bytes=None, time=None, weight=None, explicit_hash_key=None,
        time_unit=None, size_includes_key=false, key_serializer=None, salt=None, operation="read",
        operation_column=None, payload=None, window=Window::default(), top=Top::default(),
        threads=Threads(0)
    ), text_signature = "($self, data, *, key=None, bytes=None, time=None, weight=None, explicit_hash_key=None, time_unit=None, size_includes_key=False, key_serializer=None, salt=None, operation='read', operation_column=None, payload=None, window='1s', top=10, threads=None)")]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword in Python")]
    fn tally(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        key: Option<String>,
        bytes: Option<String>,
        time: Option<String>,
        weight: Option<String>,
        explicit_hash_key: Option<String>,
        time_unit: Option<&str>,
        size_includes_key: bool,
        key_serializer: Option<&str>,
        salt: Option<&Bound<'_, PySalt>>,
        operation: &str,
        operation_column: Option<String>,
        payload: Option<String>,
        window: Window,
        top: Top,
        threads: Threads,
    ) -> Result<PyTally> {
        let time_unit = time_unit.map(str::parse).transpose()?;
        let has_operations = operation_column.is_some();
        let columns = Columns {
            key,
            bytes,
            time,
            weight,
            explicit_hash_key,
            time_unit,
            key_serializer: serializer(key_serializer)?,
            salt: salt.map(|salt| salt.get().column()),
            operation: operation_column,
            payload,
            ..Columns::default()
        };
        let options = ReplayOptions {
            tally: TallyOptions {
                window: window.0,
                top: top.0,
                size_includes_key,
                operation: self.operation(operation, has_operations)?,
            },
            threads: threads.0,
            ..ReplayOptions::default()
        };
        let raised = Raised::default();
        let mut source = source::data(data, &columns, &raised, "data")?;
        let reporter = Reporter::new(py, None, &raised)?;
        let result = py.detach(|| {
            engine::tally(self.map().clone(), &mut *source, &options, &mut |progress| {
                reporter.tell(progress)
            })
        });
        let (tally, _) = raised.or(result)?;
        Ok(PyTally::new(Arc::new(tally)))
    }

    /// Replays a log: what each shard takes, and when each would throttle.
    ///
    /// A file is read batch by batch and never held whole. Where a shard throttles it is read
    /// again, for the keys that filled the shard then. Ctrl-C stops it.
    ///
    /// Args:
    ///     source: The log: the path of a Parquet, CSV or JSON file, or a list of paths, or what
    ///         `tally` takes.
    ///     key: The name of the key column. This and the other columns, if not named, are guessed
    ///         from usual names.
    ///     bytes: The name of the column of payload sizes; without one, only the keys' own bytes
    ///         count.
    ///     time: The name of the time column: Arrow timestamps, text, or whole numbers.
    ///     weight: The name of the column that says how many records a row stands for.
    ///     explicit_hash_key: The name of the column of explicit hash keys.
    ///     time_unit: The unit of a time column of whole numbers: "s", "ms", "us" or "ns".
    ///     size_includes_key: Whether the sizes already include the key's own bytes. Those of
    ///         DynamoDB and Simple Log Service always do.
    ///     key_serializer: How producers write keys that are no text: "long", "integer", "short",
    ///         "double", "float", "uuid", "bytes" or "text".
    ///     salt: A `Salt` to put behind each key.
    ///     shard: The name of the column of the shards that the service chose, to tell how well they
    ///         agree with this map.
    ///     operation: What DynamoDB requests do that do not say it in a column: "read",
    ///         "eventual-read", "transactional-read", "write" or "transactional-write".
    ///     operation_column: The name of the column of the operations of DynamoDB requests: these,
    ///         or the service's own names, such as PutItem.
    ///     payload: The name of the column of the payloads themselves, bytes or text in base64: it
    ///         tells the size, and the records that Amazon's producer library put into one are
    ///         counted each by its own key.
    ///     limits: What each shard may take; the system's own limits, if not given.
    ///     model: How throttling is modelled: "tumbling", in which each window stands alone, or
    ///         "token-bucket", in which each limit is a bucket that starts full; what those hold
    ///         may follow, as in "token-bucket:records_burst=1000,bytes_burst=10485760" (of a
    ///         DynamoDB table: table_burst_seconds=300).
    ///     window: The length of a time window: "100ms", "1s", "5m", whole seconds, or a timedelta.
    ///         None is the model's own: "1s", and "100ms" for "token-bucket".
    ///     scale: How many times the log's traffic to replay, such as 1.5.
    ///     retry: Whether throttled records are retried in order until they go through; shards then
    ///         has max_backlog_records, max_backlog_bytes, max_delay_seconds, backlog_drained and
    ///         backlog_at_end.
    ///     reads: Who reads; shards then has how far they fall behind: peak_read_bytes_per_second,
    ///         refused_calls_per_second, reads_throttled, max_lag_records, max_lag_bytes,
    ///         max_lag_seconds, lag_drained and lag_at_end.
    ///     top: How many hot keys to report, for the stream and for each shard; 0 for none.
    ///     progress: True for a bar of tqdm, or a callable of (done, total), which are bytes of
    ///         files and rows of anything else; the total is None if unknown. A second reading
    ///         begins at 0 again.
    ///     threads: How many threads to work on; None is one a core.
    ///     strict: Whether a row that cannot be used is an error, instead of being counted by
    ///         reason.
    ///     worst_minutes: How many of the worst minutes the report tells of, window by window.
    ///     read_once: Whether to read a file only once, and so not to tell which keys filled a
    ///         shard while it throttled.
    ///     input_format: The format of files, where the one that their bytes suggest is wrong: "parquet",
    ///         "arrow", "csv", "tsv", "ndjson", "kinesis-records", "lambda-event", "firehose-event",
    ///         "dynamodb-export", "dynamodb-incremental-export", "contributor-insights", "kcat-json",
    ///         "keys", "uniq-c", "kcat" or "console-consumer".
    ///     delimiter: What stands between the fields of a row: a character, or "tab"; told by the first
    ///         row if not given.
    ///     header: Whether the first row names the columns; if not, they are c1, c2 and so on.
    ///     kcat_format: What the -f of kcat was, such as "%k %p %T %S"; its escapes are read as kcat does.
    ///     key_separator: What stands between key and value: the -K of kcat, or the key.separator of
    ///         kafka-console-consumer.
    ///     null_key: What stands in place of a null key: "NULL" if kcat was given -Z.
    ///
    /// Raises:
    ///     InvalidInput: If the log has no rows, a named column is missing, or an option is not
    ///         usable; with strict, for the first row that cannot be used.
    ///     UnsupportedType: If the source is no such thing, or a column cannot hold its part.
    ///     Io: If a file cannot be read.
    ///
    /// Examples:
    ///     >>> import datetime as dt
    ///     >>> import polars as pl
    ///     >>> import shardlane as sl
    ///     >>> second = dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)
    ///     >>> clicks = pl.DataFrame({"user_id": ["user-1"] * 1500, "ts": [second] * 1500})
    ///     >>> replay = sl.ShardMap.kinesis(4).replay(clicks, key="user_id", time="ts")
    ///     >>> replay.throttles["throttled_records"].to_pylist()
    ///     [500]
    #[pyo3(signature = (
        source, *, key=None, bytes=None, time=None, weight=None, explicit_hash_key=None,
        time_unit=None, size_includes_key=false, key_serializer=None, salt=None, shard=None,
        operation="read", operation_column=None, payload=None, limits=None, model="tumbling",
        window=None, scale=1.0, retry=false, reads=None, top=Top::default(), progress=None,
        threads=Threads(0), strict=false, worst_minutes=Minutes::default(), read_once=false,
        input_format=None, delimiter=None, header=true, kcat_format=None, key_separator=None,
        null_key=None
    ), text_signature = "($self, source, *, key=None, bytes=None, time=None, weight=None, explicit_hash_key=None, time_unit=None, size_includes_key=False, key_serializer=None, salt=None, shard=None, operation='read', operation_column=None, payload=None, limits=None, model='tumbling', window=None, scale=1.0, retry=False, reads=None, top=10, progress=None, threads=None, strict=False, worst_minutes=5, read_once=False, input_format=None, delimiter=None, header=True, kcat_format=None, key_separator=None, null_key=None)")]
    #[expect(
        clippy::too_many_arguments,
        clippy::fn_params_excessive_bools,
        reason = "each is a keyword in Python"
    )]
    fn replay(
        &self,
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        key: Option<String>,
        bytes: Option<String>,
        time: Option<String>,
        weight: Option<String>,
        explicit_hash_key: Option<String>,
        time_unit: Option<&str>,
        size_includes_key: bool,
        key_serializer: Option<&str>,
        salt: Option<&Bound<'_, PySalt>>,
        shard: Option<String>,
        operation: &str,
        operation_column: Option<String>,
        payload: Option<String>,
        limits: Option<&Bound<'_, PyLimits>>,
        model: &str,
        window: Option<Window>,
        scale: f64,
        retry: bool,
        reads: Option<&Bound<'_, PyReads>>,
        top: Top,
        progress: Option<&Bound<'_, PyAny>>,
        threads: Threads,
        strict: bool,
        worst_minutes: Minutes,
        read_once: bool,
        input_format: Option<&str>,
        delimiter: Option<&str>,
        header: bool,
        kcat_format: Option<&str>,
        key_separator: Option<&str>,
        null_key: Option<String>,
    ) -> Result<PyReplay> {
        let time_unit = time_unit.map(str::parse).transpose()?;
        let has_operations = operation_column.is_some();
        let columns = Columns {
            key,
            bytes,
            time,
            weight,
            explicit_hash_key,
            time_unit,
            key_serializer: serializer(key_serializer)?,
            salt: salt.map(|salt| salt.get().column()),
            operation: operation_column,
            payload,
            shard,
            layout: layout(input_format, delimiter, header, kcat_format, key_separator, null_key)?,
            ..Columns::default()
        };
        let conditions = conditions(model, scale, retry, reads)?;
        let options = ReplayOptions {
            tally: TallyOptions {
                window: window.map_or_else(|| conditions.model.window(), |window| window.0),
                top: top.0,
                size_includes_key,
                operation: self.operation(operation, has_operations)?,
            },
            limits: limits.map(|limits| limits.get().limits().clone()),
            conditions,
            threads: threads.0,
            strict,
            worst_minutes: worst_minutes.0,
            read_once,
        };
        let raised = Raised::default();
        let mut source = source::log(source, &columns, &raised)?;
        let reporter = Reporter::new(py, progress, &raised)?;
        let result = py.detach(|| {
            engine::replay(self.map().clone(), &mut *source, &options, &mut |progress| {
                reporter.tell(progress)
            })
        });
        reporter.close(py)?;
        let (tally, report) = raised.or(result)?;
        Ok(PyReplay::new(tally, report))
    }
}
