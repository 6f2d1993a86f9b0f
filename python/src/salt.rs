//! `Salt`: what is put behind a key, and the other way to change what is hashed, the serializer.

use crate::arguments::whole;
use crate::column::Column;
use crate::errors::{Failure, Result};
use crate::outputs;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use shardlane::KeyColumn;
use shardlane::keys::{KeySerializer, Salt};

/// A salt: `key#bucket`, so that a hot key spreads over several shards.
///
/// The bucket is made from another column of the record, so that the same record always has the
/// same one. Order then holds within a bucket only.
///
/// Args:
///     by: The name of the column that the bucket is made from.
///     buckets: How many buckets.
///     rule: How a value becomes a bucket. "java": Math.floorMod(value.hashCode(), buckets).
///         "aws-suffix": AWS's calculated suffix, the product of the value's code points modulo
///         buckets, plus 1. "md5": the top bits of the value's MD5, scaled, even for any values.
///     separator: What stands between the key and the bucket.
///
/// Raises:
///     InvalidInput: For 0 buckets, or an unknown rule.
///
/// Examples:
///     >>> import shardlane as sl
///     >>> salt = sl.Salt("order_id", 8)
///     >>> salt.apply(["cust-big"], ["order-1001"]).to_pylist()
///     [b'cust-big#7']
#[pyclass(name = "Salt", module = "shardlane", frozen)]
pub(crate) struct PySalt {
    salt: Salt,
    by: String,
}

impl PySalt {
    /// The salt and the column that it is made from, for the core.
    pub(crate) fn column(&self) -> (Salt, String) {
        (self.salt.clone(), self.by.clone())
    }
}

#[pymethods]
impl PySalt {
    #[new]
    #[pyo3(signature = (by, buckets, *, rule="java", separator="#"))]
    fn new(by: String, buckets: &Bound<'_, PyAny>, rule: &str, separator: &str) -> Result<Self> {
        let buckets = whole(buckets, "buckets", 1..=i128::from(u32::MAX), "buckets=8")?;
        let salt = Salt { rule: rule.parse()?, buckets, separator: separator.to_owned() };
        Ok(Self { salt, by })
    }

    /// The column that the bucket is made from.
    #[getter]
    fn by(&self) -> &str {
        &self.by
    }

    /// How many buckets there are.
    #[getter]
    fn buckets(&self) -> u32 {
        self.salt.buckets
    }

    /// The rule's name.
    #[getter]
    fn rule(&self) -> &'static str {
        self.salt.rule.name()
    }

    /// The salted keys of a column, for `route`.
    ///
    /// Args:
    ///     keys: The keys, as in `route`.
    ///     values: The column that the buckets are made from: text, bytes or whole numbers, one for
    ///         each key.
    ///
    /// Returns:
    ///     An arro3 Array of binary, null for null keys.
    ///
    /// Raises:
    ///     InvalidInput: If the columns differ in length, or a value is null where its key is not.
    ///     UnsupportedType: If they are no such columns.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> salted = sl.Salt("id", 4, rule="md5").apply(["k", None], ["a", "b"])
    ///     >>> sl.ShardMap.kafka(12).route(salted).to_pylist()
    ///     [10, None]
    fn apply<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
        values: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyAny>> {
        let mut keys = Column::open(keys, None, "keys", None)?;
        let mut values = Column::open(values, None, "values", Some(KeySerializer::Text))?;
        let mut salted: Vec<Option<Vec<u8>>> = Vec::new();
        while let Some(rows) = keys.ready()? {
            let rows = match values.ready()? {
                Some(ready) => rows.min(ready),
                None => return Err(unequal()),
            };
            let made = self.salt.apply(&keys.take(rows)?, &values.take(rows)?)?;
            collect(&made, &mut salted)?;
        }
        if values.count_rest()? > 0 {
            return Err(unequal());
        }
        outputs::binary(py, &salted)
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> Result<((String, u32), Bound<'py, PyDict>)> {
        let options = PyDict::new(py);
        options.set_item("rule", self.salt.rule.name())?;
        options.set_item("separator", &self.salt.separator)?;
        Ok(((self.by.clone(), self.salt.buckets), options))
    }

    fn __repr__(&self) -> String {
        let Salt { rule, buckets, separator } = &self.salt;
        format!("Salt({:?}, {buckets}, rule=\"{rule}\", separator={separator:?})", self.by)
    }
}

fn collect(made: &KeyColumn, salted: &mut Vec<Option<Vec<u8>>>) -> Result<()> {
    for row in 0..made.len() {
        if made.is_unusable(row) {
            return Err(Failure::input(format!(
                "the value of row {} is null, so its key cannot be salted; fill it in",
                salted.len()
            )));
        }
        salted.push(made.get(row).map(<[u8]>::to_vec));
    }
    Ok(())
}

fn unequal() -> Failure {
    Failure::input("keys and values differ in length; give one value for each key")
}

/// A key serializer by its name.
pub(crate) fn serializer(name: Option<&str>) -> Result<Option<KeySerializer>> {
    Ok(name.map(str::parse).transpose()?)
}
