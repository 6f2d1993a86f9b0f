//! A Python list of keys as an Arrow array.

use crate::errors::{Failure, Result};
use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PyString, PyTuple};
use shardlane::System;
use shardlane::arrow::array::{ArrayRef, LargeBinaryBuilder};
use std::sync::Arc;

/// The elements of the argument called `argument`, which does not speak Arrow.
pub(crate) fn of_keys<'py>(
    value: &Bound<'py, PyAny>,
    argument: &str,
) -> Result<Vec<Bound<'py, PyAny>>> {
    if let Ok(list) = value.cast::<PyList>() {
        return Ok(list.iter().collect());
    }
    if let Ok(tuple) = value.cast::<PyTuple>() {
        return Ok(tuple.iter().collect());
    }
    let kind = value.get_type().fully_qualified_name()?.to_string();
    if kind == "numpy.ndarray" {
        let listed = value.call_method0("tolist")?;
        if let Ok(list) = listed.cast::<PyList>() {
            return Ok(list.iter().collect());
        }
    }
    let advice = if value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>() {
        "one key is not a column: type [key], or map.shard_of(key)".to_owned()
    } else if kind.ends_with("LazyFrame") {
        format!("a LazyFrame has no rows yet: type {argument}.collect()")
    } else if kind.ends_with("DuckDBPyConnection") {
        "the result of con.execute() does not stream: type con.sql(\"...\")".to_owned()
    } else if kind.starts_with("pandas.") {
        format!("type pandas.Series({argument})")
    } else {
        format!("if it is a collection of keys, type list({argument})")
    };
    Err(Failure::unsupported(format!(
        "{argument} is a {kind}; expected an Arrow column (pyarrow, polars, pandas 3, a DuckDB \
         relation, arro3, nanoarrow) or a list of str, bytes and None; {advice}"
    )))
}

/// The elements as one array: `str` as its UTF-8 bytes, `bytes` as they are,
/// `None` as null; anything else as its text, if a serializer is to read it from there.
pub(crate) fn binary_array(
    elements: &[Bound<'_, PyAny>],
    argument: &str,
    as_text: bool,
) -> Result<ArrayRef> {
    let mut keys = LargeBinaryBuilder::with_capacity(elements.len(), elements.len() * 16);
    for (row, element) in elements.iter().enumerate() {
        if element.is_none() {
            keys.append_null();
        } else if as_text && !element.is_instance_of::<PyBytes>() {
            let text = element.str()?.into_any();
            with_key(&text, || format!("{argument}[{row}]"), |key| keys.append_value(key))?;
        } else {
            with_key(element, || format!("{argument}[{row}]"), |key| keys.append_value(key))?;
        }
    }
    Ok(Arc::new(keys.finish()))
}

/// Calls `work` with the bytes of one key, which `place` names in errors.
pub(crate) fn with_key<T>(
    element: &Bound<'_, PyAny>,
    place: impl Fn() -> String,
    work: impl FnOnce(&[u8]) -> T,
) -> Result<T> {
    if let Ok(text) = element.cast::<PyString>() {
        let text = text.to_cow().map_err(|raised| {
            if !raised.is_instance_of::<PyUnicodeEncodeError>(element.py()) {
                return Failure::Python(raised);
            }
            Failure::input(format!(
                "{} has a lone surrogate, which UTF-8 cannot hold and no producer can send; clean \
                 it with key.encode(\"utf-8\", \"replace\")",
                place()
            ))
        })?;
        return Ok(work(text.as_bytes()));
    }
    if let Ok(bytes) = element.cast::<PyBytes>() {
        return Ok(work(bytes.as_bytes()));
    }
    let kind = element.get_type().fully_qualified_name()?;
    Err(Failure::unsupported(format!(
        "{} is a {kind}; a key is str, bytes or None: write it the way the producer does, for \
         example str(key), or name the serializer that does, for example key_serializer=\"long\"",
        place()
    )))
}

/// An explicit hash key as text in the system's digits, if it came as an int.
pub(crate) fn decimal<'py>(value: &Bound<'py, PyAny>, system: System) -> Result<Bound<'py, PyAny>> {
    if value.is_instance_of::<PyInt>() {
        if system == System::Sls
            && let Ok(number) = value.extract::<u128>()
        {
            return Ok(PyString::new(value.py(), &format!("{number:032x}")).into_any());
        }
        return Ok(value.str()?.into_any());
    }
    Ok(value.clone())
}
