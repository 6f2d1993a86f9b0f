//! `ShardMap`: which shard owns which key.

mod compare;
mod count;
mod make;
mod reshape;
mod verify;

use crate::arguments::Threads;
use crate::column::Column;
use crate::errors::{Failure, Result};
use crate::salt::serializer;
use crate::{list, outputs, route};
use pyo3::prelude::*;
use pyo3::types::PyType;
use shardlane::report::arrow::map_shards;
use shardlane::{HashFunction, Router, RouterOptions, ShardMap, Tally, TallyOptions};
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
