//! `ShardMap`: which shard owns which key.

mod compare;
mod make;
mod reshape;

use crate::arguments::{Threads, Top, Window};
use crate::column::Column;
use crate::errors::{Failure, Result};
use crate::limits::PyLimits;
use crate::progress::{Raised, Reporter};
use crate::replay::PyReplay;
use crate::salt::{PySalt, serializer};
use crate::tally::PyTally;
use crate::{list, outputs, route, source};
use pyo3::prelude::*;
use pyo3::types::PyType;
use shardlane::engine::{self, ReplayOptions};
use shardlane::report::arrow::map_shards;
use shardlane::source::{Columns, Wanted};
use shardlane::{HashFunction, Router, RouterOptions, ShardMap, System, Tally, TallyOptions};
use std::borrow::Cow;
use std::sync::Arc;

/// The shards of one stream, topic, table or Logstore, and the way to look keys up in them.
///
/// Make one with a class method: `kinesis`, `kafka`, `dynamodb` or `sls` for a new stream, topic,
/// table or Logstore, `from_list_shards` or `from_sls_shards` for one that exists. A map does not
/// change; threads may share it.
///
/// Examples:
///     >>> import shardlane as sl
///     >>> stream = sl.ShardMap.kinesis(4)
///     >>> stream
///     ShardMap(kinesis, 4 shards)
///     >>> stream.shard_of("user-1")
///     3
#[pyclass(name = "ShardMap", module = "shardlane", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct PyShardMap {
    router: Routes,
}

/// Bytes for Python.
type Bytes = Cow<'static, [u8]>;

/// A router, equal to another when their maps are.
struct Routes(Router);

impl PartialEq for Routes {
    fn eq(&self, other: &Self) -> bool {
        self.0.map() == other.0.map()
    }
}

impl PyShardMap {
    fn of(map: ShardMap) -> Self {
        Self { router: Routes(Router::new(map)) }
    }

    /// Refuses operations of a system that has none.
    fn check_operation(&self, operation: &str, has_column: bool) -> Result<()> {
        let system = self.map().system();
        if system != System::DynamoDb && (operation != "read" || has_column) {
            return Err(Failure::input(format!(
                "an operation was given for a {}; only DynamoDB has capacity units, so leave out \
                 operation and operation_column",
                system.whole()
            )));
        }
        Ok(())
    }

    pub(crate) fn map(&self) -> &Arc<ShardMap> {
        self.router.0.map()
    }
}

#[pymethods]
impl PyShardMap {
    /// The system whose rules the map follows, such as "kinesis".
    #[getter]
    fn system(&self) -> &'static str {
        self.map().system().name()
    }

    /// All shards as an Arrow table.
    ///
    /// Its columns are index, id, start, end, state, parent, adjacent_parent and share. The shards
    /// that take writes come first, in range order, and have an index; the others have none.
    /// `start` and `end` are text, as the service writes its ranges: for Kinesis decimal and both
    /// inclusive, for Simple Log Service 32 hexadecimal digits with the end left out. A Kafka
    /// partition has none.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> sl.ShardMap.kinesis(2).shards["id"].to_pylist()
    ///     ['shardId-000000000000', 'shardId-000000000001']
    #[getter]
    fn shards<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        outputs::table(py, map_shards(self.map())?)
    }

    /// The index of the shard that one record goes to.
    ///
    /// Args:
    ///     key: The partition key: str, bytes of UTF-8, or None.
    ///     explicit_hash_key: The hash value that decides in the key's place: decimal text or int
    ///         for Kinesis, up to 32 hexadecimal digits for Simple Log Service.
    ///
    /// Returns:
    ///     The shard's position in `shards`. None for a null key, unless the partitioner hashes
    ///     it, and for a record that the system sends to any shard.
    ///
    /// Raises:
    ///     InvalidInput: For a key or an explicit hash key that the service would refuse.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> stream = sl.ShardMap.kinesis(4)
    ///     >>> stream.shard_of("order-1001")
    ///     2
    ///     >>> stream.shard_of("order-1001", explicit_hash_key="0")
    ///     0
    ///     >>> sl.ShardMap.kafka(12).shard_of("order-1001")
    ///     6
    #[pyo3(signature = (key, *, explicit_hash_key=None))]
    fn shard_of(
        &self,
        key: &Bound<'_, PyAny>,
        explicit_hash_key: Option<&Bound<'_, PyAny>>,
    ) -> Result<Option<u32>> {
        let router = &self.router.0;
        let explicit = match explicit_hash_key {
            Some(value) => {
                self.map().check_explicit_hash_keys()?;
                let text = list::decimal(value, self.map().system())?;
                Some(list::with_key(&text, || "explicit_hash_key".to_owned(), <[u8]>::to_vec)?)
            }
            None => None,
        };
        let explicit = explicit.as_deref();
        let shard = if key.is_none() {
            router.shard_of(None, explicit)
        } else {
            list::with_key(key, || "key".to_owned(), |key| router.shard_of(Some(key), explicit))?
        };
        shard.map_err(|reason| Failure::input(reason.explanation(self.map().system())))
    }

    /// The shard of each key of a column.
    ///
    /// Args:
    ///     keys: The column: anything with the Arrow PyCapsule methods (pyarrow, polars, pandas 3,
    ///         a DuckDB relation, arro3, nanoarrow), read without a copy, or a list of str, bytes
    ///         and None. It may be a table, of which `column` is taken.
    ///     column: The name of the table's key column.
    ///     explicit_hash_keys: A column of explicit hash keys, as decimal text; where it is not
    ///         null, it decides in the key's place.
    ///     on_invalid: What a key that the service would refuse gives: "null", or "raise" for an
    ///         error that names the first ones.
    ///     threads: How many threads to work on; None is one a core.
    ///     key_serializer: How producers write keys that are no text, as in `replay`: with "long", a
    ///         column or list of whole numbers is hashed as their 8 bytes.
    ///
    /// Returns:
    ///     An arro3 Array of uint32 shard indices, in the order of the keys, with nulls for keys
    ///     that the service would refuse, for null ones unless the partitioner hashes them, and for
    ///     records that the system sends to any shard.
    ///
    /// Raises:
    ///     UnsupportedType: If `keys` is no such column, or holds neither text nor bytes.
    ///     InvalidInput: If the columns differ in length; with "raise", for the first bad keys.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> stream = sl.ShardMap.kinesis(4)
    ///     >>> stream.route(["order-1001", None, "user-1", ""]).to_pylist()
    ///     [2, None, 3, None]
    ///
    ///     >>> import polars as pl
    ///     >>> frame = pl.DataFrame({"user_id": ["order-1001", "user-1"]})
    ///     >>> frame.with_columns(shard=pl.Series(stream.route(frame["user_id"])))["shard"].to_list()
    ///     [2, 3]
    #[pyo3(signature = (
        keys, *, column=None, explicit_hash_keys=None, on_invalid="null", threads=Threads(0),
        key_serializer=None
    ), text_signature = "($self, keys, *, column=None, explicit_hash_keys=None, on_invalid='null', threads=None, key_serializer=None)")]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword in Python")]
    fn route<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
        column: Option<&str>,
        explicit_hash_keys: Option<&Bound<'py, PyAny>>,
        on_invalid: &str,
        threads: Threads,
        key_serializer: Option<&str>,
    ) -> Result<Bound<'py, PyAny>> {
        let raise = match on_invalid {
            "null" => false,
            "raise" => true,
            other => {
                return Err(Failure::input(format!(
                    "on_invalid=\"{other}\" was given; type \"null\" or \"raise\""
                )));
            }
        };
        let keys = Column::open(keys, column, "keys", serializer(key_serializer)?)?;
        let explicit = explicit_hash_keys
            .map(|values| Column::open(values, None, "explicit_hash_keys", None))
            .transpose()?;
        let (shards, rejections) = py.detach(|| match threads {
            Threads(0) => route::route(&self.router.0, keys, explicit),
            Threads(threads) => {
                let options = RouterOptions { threads, backend: None };
                let router = Router::with_options(self.map().clone(), &options)?;
                route::route(&router, keys, explicit)
            }
        })?;
        if raise {
            route::refuse(&rejections, self.map().system())?;
        }
        let complete = rejections.total() == 0 && !self.map().spreads();
        outputs::shards(py, shards, complete)
    }

    /// The hash of each key of a column, before any shard is looked up.
    ///
    /// Args:
    ///     keys: The column, as in `route`. Any bytes are hashed, whatever the service's rules.
    ///     column: The name of the key column, if `keys` is a table.
    ///     key_serializer: As in `route`.
    ///
    /// Returns:
    ///     An arro3 Array, null for null keys. Of MD5, which Kinesis, Simple Log Service and the
    ///     simulated DynamoDB read as a big-endian number: 16-byte fixed-size binary, which sorts
    ///     like the numbers do. Of a Kafka partitioner's hash: uint32.
    ///
    /// Raises:
    ///     UnsupportedType: If `keys` is no such column, or holds neither text nor bytes.
    ///     InvalidInput: If the partitioner takes no hash.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> digests = sl.ShardMap.kinesis(4).digest(["user-1"])
    ///     >>> int.from_bytes(digests[0].as_py(), "big") // 2**126
    ///     3
    ///     >>> sl.ShardMap.kafka(12).digest(["abc"]).to_pylist()
    ///     [479470107]
    #[pyo3(signature = (keys, *, column=None, key_serializer=None))]
    fn digest<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
        column: Option<&str>,
        key_serializer: Option<&str>,
    ) -> Result<Bound<'py, PyAny>> {
        let keys = Column::open(keys, column, "keys", serializer(key_serializer)?)?;
        let router = &self.router.0;
        match router.map().hash() {
            Some(HashFunction::Md5) => {
                let (digests, nulls) = py.detach(|| route::digest(router, keys))?;
                outputs::digests(py, digests, nulls)
            }
            Some(_) => {
                let (hashes, nulls) = py.detach(|| route::hashes(router, keys))?;
                outputs::hashes(py, hashes, nulls)
            }
            None => Err(Failure::input(
                "this partitioner sends every record anywhere and takes no hash; type another, for \
                 example partitioner=\"java\"",
            )),
        }
    }

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
    ///     window: The length of a time window: "1s", "5m", whole seconds, or a timedelta.
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
        operation_column=None, window=Window::default(), top=Top::default(),
        threads=Threads(0)
    ), text_signature = "($self, data, *, key=None, bytes=None, time=None, weight=None, explicit_hash_key=None, time_unit=None, size_includes_key=False, key_serializer=None, salt=None, operation='read', operation_column=None, window='1s', top=10, threads=None)")]
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
        window: Window,
        top: Top,
        threads: Threads,
    ) -> Result<PyTally> {
        let time_unit = time_unit.map(str::parse).transpose()?;
        self.check_operation(operation, operation_column.is_some())?;
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
            wanted: Wanted::All,
        };
        let raised = Raised::default();
        let mut source = source::data(data, &columns, &raised, "data")?;
        let options = ReplayOptions {
            tally: TallyOptions {
                window: window.0,
                top: top.0,
                size_includes_key,
                operation: operation.parse()?,
            },
            threads: threads.0,
            ..ReplayOptions::default()
        };
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
    /// A file is read batch by batch and never held whole. Ctrl-C stops it.
    ///
    /// Args:
    ///     source: The log: the path of a Parquet or CSV file, or a list of paths, or anything that
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
    ///     operation: What DynamoDB requests do that do not say it in a column: "read",
    ///         "eventual-read", "transactional-read", "write" or "transactional-write".
    ///     operation_column: The name of the column of the operations of DynamoDB requests: these,
    ///         or the service's own names, such as PutItem.
    ///     limits: What each shard may take; the system's own limits, if not given.
    ///     model: How throttling is modelled: "tumbling", in which each window stands alone.
    ///     window: The length of a time window: "1s", "5m", whole seconds, or a timedelta.
    ///     top: How many hot keys to report, for the stream and for each shard; 0 for none.
    ///     progress: True for a bar of tqdm, or a callable of (done, total), which are bytes of
    ///         files and rows of anything else; the total is None if unknown.
    ///     threads: How many threads to work on; None is one a core.
    ///     strict: Whether a row that cannot be used is an error, instead of being counted by
    ///         reason.
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
        time_unit=None, size_includes_key=false, key_serializer=None, salt=None, operation="read",
        operation_column=None, limits=None, model="tumbling",
        window=Window::default(), top=Top::default(), progress=None, threads=Threads(0),
        strict=false
    ), text_signature = "($self, source, *, key=None, bytes=None, time=None, weight=None, explicit_hash_key=None, time_unit=None, size_includes_key=False, key_serializer=None, salt=None, operation='read', operation_column=None, limits=None, model='tumbling', window='1s', top=10, progress=None, threads=None, strict=False)")]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword in Python")]
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
        operation: &str,
        operation_column: Option<String>,
        limits: Option<&Bound<'_, PyLimits>>,
        model: &str,
        window: Window,
        top: Top,
        progress: Option<&Bound<'_, PyAny>>,
        threads: Threads,
        strict: bool,
    ) -> Result<PyReplay> {
        let time_unit = time_unit.map(str::parse).transpose()?;
        self.check_operation(operation, operation_column.is_some())?;
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
            wanted: Wanted::All,
        };
        let options = ReplayOptions {
            tally: TallyOptions {
                window: window.0,
                top: top.0,
                size_includes_key,
                operation: operation.parse()?,
            },
            limits: limits.map(|limits| limits.get().limits().clone()),
            model: model.parse()?,
            threads: threads.0,
            strict,
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

    fn __len__(&self) -> usize {
        self.map().len()
    }

    /// For pickle and copy: what a tally of the map keeps of it.
    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<(Bound<'py, PyAny>, (Bytes,))> {
        let options = TallyOptions { top: 0, ..TallyOptions::default() };
        let bytes = Tally::new(self.map().clone(), options)?.to_bytes();
        Ok((py.get_type::<Self>().getattr("_restore")?, (Cow::Owned(bytes),)))
    }

    #[classmethod]
    fn _restore(_class: &Bound<'_, PyType>, bytes: &[u8]) -> Result<Self> {
        Ok(Self::of(Tally::from_bytes(bytes)?.map().as_ref().clone()))
    }

    fn __repr__(&self) -> String {
        let map = self.map();
        let word = map.system().shard_word();
        let plural = if map.len() == 1 { "" } else { "s" };
        format!("ShardMap({}, {} {word}{plural})", map.system(), map.len())
    }
}
