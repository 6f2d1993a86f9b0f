//! Results as `arro3.core` objects, built on the core's own memory.

use crate::errors::Result;
use pyo3::prelude::*;
use pyo3_arrow::{PyArray, PyTable};
use shardlane::NO_SHARD;
use shardlane::arrow::array::{FixedSizeBinaryArray, LargeBinaryArray, UInt32Array};
use shardlane::arrow::buffer::{BooleanBuffer, Buffer, NullBuffer};
use shardlane::arrow::record_batch::RecordBatch;
use std::sync::Arc;

/// Shard indices as an `arro3.core.Array` of uint32, null where there is no shard.
pub(crate) fn shards(py: Python<'_>, shards: Vec<u32>, complete: bool) -> Result<Bound<'_, PyAny>> {
    let nulls = (!complete).then(|| {
        let valid = BooleanBuffer::collect_bool(shards.len(), |i| shards[i] != NO_SHARD);
        NullBuffer::new(valid)
    });
    let array = UInt32Array::new(shards.into(), nulls);
    Ok(PyArray::from_array_ref(Arc::new(array)).into_arro3(py)?)
}

/// Digests as an `arro3.core.Array` of fixed-size binary.
pub(crate) fn digests(
    py: Python<'_>,
    digests: Vec<[u8; 16]>,
    nulls: Option<NullBuffer>,
) -> Result<Bound<'_, PyAny>> {
    let bytes = Buffer::from_vec(digests.into_flattened());
    let array = FixedSizeBinaryArray::try_new(16, bytes, nulls)?;
    Ok(PyArray::from_array_ref(Arc::new(array)).into_arro3(py)?)
}

/// 32-bit hashes as an `arro3.core.Array` of uint32.
pub(crate) fn hashes(
    py: Python<'_>,
    hashes: Vec<u32>,
    nulls: Option<NullBuffer>,
) -> Result<Bound<'_, PyAny>> {
    let array = UInt32Array::try_new(hashes.into(), nulls)?;
    Ok(PyArray::from_array_ref(Arc::new(array)).into_arro3(py)?)
}

/// Bytes as an `arro3.core.Array` of binary.
pub(crate) fn binary<'py>(
    py: Python<'py>,
    values: &[Option<Vec<u8>>],
) -> Result<Bound<'py, PyAny>> {
    let array: LargeBinaryArray = values.iter().map(Option::as_deref).collect();
    Ok(PyArray::from_array_ref(Arc::new(array)).into_arro3(py)?)
}

/// One batch as an `arro3.core.Table`.
pub(crate) fn table(py: Python<'_>, batch: RecordBatch) -> Result<Bound<'_, PyAny>> {
    let schema = batch.schema();
    Ok(PyTable::try_new(vec![batch], schema)?.into_arro3(py)?)
}
