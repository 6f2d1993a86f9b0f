//! A Python list of keys as an Arrow array.

use crate::errors::{Failure, Result};
use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use shardlane::arrow::array::{ArrayRef, LargeBinaryBuilder};
use std::sync::Arc;

/// The elements of the argument called `argument`: `str` as its UTF-8 bytes, `bytes` as they are,
/// `None` as null.
pub(crate) fn binary_array(elements: &[Bound<'_, PyAny>], argument: &str) -> Result<ArrayRef> {
    let mut keys = LargeBinaryBuilder::with_capacity(elements.len(), elements.len() * 16);
    for (row, element) in elements.iter().enumerate() {
        if element.is_none() {
            keys.append_null();
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
         example str(key)",
        place()
    )))
}
