//! Dictionary: an index a row into a column of distinct values.

use super::KeyColumn;
use crate::error::{Error, Result};
use crate::lanes::Keys;
use arrow::array::{AnyDictionaryArray, AsArray};
use arrow::buffer::{NullBuffer, ScalarBuffer};
use arrow::datatypes::{
    ArrowNativeType, DataType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};

/// Keys by index into distinct values.
#[derive(Debug, Clone)]
pub struct Dictionary {
    indices: Indices,
    values: KeyColumn,
}

/// The index of each row, in the integer type that the array uses. Rows that are null may hold
/// any number.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each variant is the Arrow integer type of its name")]
pub enum Indices {
    Int8(ScalarBuffer<i8>),
    Int16(ScalarBuffer<i16>),
    Int32(ScalarBuffer<i32>),
    Int64(ScalarBuffer<i64>),
    UInt8(ScalarBuffer<u8>),
    UInt16(ScalarBuffer<u16>),
    UInt32(ScalarBuffer<u32>),
    UInt64(ScalarBuffer<u64>),
}

/// Runs `$body` with `$slice` bound to the indices as a slice of their own type.
macro_rules! with_indices {
    ($indices:expr, $slice:ident => $body:expr) => {
        match $indices {
            Indices::Int8($slice) => $body,
            Indices::Int16($slice) => $body,
            Indices::Int32($slice) => $body,
            Indices::Int64($slice) => $body,
            Indices::UInt8($slice) => $body,
            Indices::UInt16($slice) => $body,
            Indices::UInt32($slice) => $body,
            Indices::UInt64($slice) => $body,
        }
    };
}

impl Dictionary {
    /// Takes the array's indices and values, after checking that every index that is not null has
    /// a value.
    ///
    /// # Errors
    /// As [`KeyColumn::try_new`] for the values; `InvalidInput` for an index without a value.
    pub fn try_new(array: &dyn AnyDictionaryArray) -> Result<Self> {
        let values = KeyColumn::try_new(array.values().as_ref())?;
        if values.as_dictionary().is_some() {
            return Err(Error::unsupported(
                "the key column is a dictionary of dictionaries; unpack its values first",
            ));
        }
        let keys = array.keys();
        let indices = match keys.data_type() {
            DataType::Int8 => Indices::Int8(keys.as_primitive::<Int8Type>().values().clone()),
            DataType::Int16 => Indices::Int16(keys.as_primitive::<Int16Type>().values().clone()),
            DataType::Int32 => Indices::Int32(keys.as_primitive::<Int32Type>().values().clone()),
            DataType::Int64 => Indices::Int64(keys.as_primitive::<Int64Type>().values().clone()),
            DataType::UInt8 => Indices::UInt8(keys.as_primitive::<UInt8Type>().values().clone()),
            DataType::UInt16 => Indices::UInt16(keys.as_primitive::<UInt16Type>().values().clone()),
            DataType::UInt32 => Indices::UInt32(keys.as_primitive::<UInt32Type>().values().clone()),
            DataType::UInt64 => Indices::UInt64(keys.as_primitive::<UInt64Type>().values().clone()),
            other => {
                return Err(Error::unsupported(format!(
                    "a dictionary's indices are integers, but this key column's are {other}"
                )));
            }
        };
        let outside =
            with_indices!(&indices, slice => first_outside(slice, values.len(), keys.nulls()));
        match outside {
            None => Ok(Self { indices, values }),
            Some(row) => Err(Error::input(format!(
                "an index of the key column's dictionary has no value: the dictionary has {}; the \
                 producer of this Arrow array is at fault",
                values.len()
            ))
            .with("row", row)),
        }
    }

    /// The distinct values.
    pub fn values(&self) -> &KeyColumn {
        &self.values
    }

    /// Writes `per_value[index]` for each row of `start..start + out.len()`. Null rows get any
    /// value, or the default when there is none.
    ///
    /// # Panics
    /// If the rows lie outside the column, or `per_value` is shorter than the values.
    pub fn take_into<T: Copy + Default>(&self, per_value: &[T], start: usize, out: &mut [T]) {
        assert!(per_value.len() >= self.values.len(), "one entry for each value");
        with_indices!(&self.indices, slice => {
            let rows = &slice[start..start + out.len()];
            for (out, index) in out.iter_mut().zip(rows) {
                *out = per_value.get(index.as_usize()).copied().unwrap_or_default();
            }
        });
    }
}

impl Dictionary {
    /// The index of row `i`; none for a null row that holds no index of a value.
    #[inline]
    fn index(&self, i: usize) -> Option<usize> {
        let index = with_indices!(&self.indices, slice => slice[i].as_usize());
        (index < self.values.len()).then_some(index)
    }
}

/// The first row that is not null and whose index is not below `len`.
fn first_outside<I: ArrowNativeType>(
    indices: &[I],
    len: usize,
    nulls: Option<&NullBuffer>,
) -> Option<usize> {
    // Negative indices become huge and fail the comparison too.
    let all_inside = indices.iter().fold(true, |inside, index| inside & (index.as_usize() < len));
    if all_inside {
        return None;
    }
    (0..indices.len()).find(|&row| {
        indices[row].as_usize() >= len && !nulls.is_some_and(|nulls| nulls.is_null(row))
    })
}

impl Keys for Dictionary {
    fn len(&self) -> usize {
        with_indices!(&self.indices, slice => slice.len())
    }

    #[inline]
    fn key_len(&self, i: usize) -> usize {
        self.index(i).map_or(0, |index| self.values.key_len(index))
    }

    #[inline]
    fn tail(&self, i: usize) -> &[u8] {
        self.index(i).map_or(&[], |index| self.values.tail(index))
    }
}
