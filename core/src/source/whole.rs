//! Columns of sizes and weights: whole numbers, in whatever type they come.

use crate::error::Result;
use crate::keys::KeyColumn;
use crate::tally::MISSING;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::ScalarBuffer;
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, Int64Type};

/// Whether [`whole_numbers`] can read a column of this type.
pub(super) fn holds_whole_numbers(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => holds_whole_numbers(values),
        // A whole number in many warehouses is a decimal without decimals.
        DataType::Decimal128(_, 0) | DataType::Decimal256(_, 0) | DataType::Null => true,
        kind => kind.is_integer() || super::columns::holds_text(kind),
    }
}

/// The numbers of a column; [`MISSING`] for a null, for text that is not a whole number, and for
/// a number that 64 signed bits cannot hold.
pub(super) fn whole_numbers(array: &ArrayRef) -> Result<ScalarBuffer<i64>> {
    if super::columns::holds_text(array.data_type()) {
        let text = KeyColumn::try_new(array.as_ref())?;
        return Ok((0..text.len()).map(|row| parse_whole(text.get(row))).collect());
    }
    let numbers = integers(array)?;
    let numbers = numbers.as_primitive::<Int64Type>();
    if numbers.null_count() == 0 && !numbers.values().contains(&MISSING) {
        return Ok(numbers.values().clone());
    }
    Ok(numbers.iter().map(|number| number.map_or(MISSING, distinct_from_missing)).collect())
}

/// A column of any integer type as 64-bit ones; null where the number does not fit.
pub(super) fn integers(array: &ArrayRef) -> Result<ArrayRef> {
    let options = CastOptions { safe: true, ..CastOptions::default() };
    Ok(cast_with_options(array, &DataType::Int64, &options)?)
}

/// The whole number that text names, spaces around it aside; [`MISSING`] if it names none.
pub(super) fn parse_whole(text: Option<&[u8]>) -> i64 {
    text.and_then(|text| str::from_utf8(text.trim_ascii()).ok())
        .and_then(|text| text.parse().ok())
        .map_or(MISSING, distinct_from_missing)
}

/// The one number that would read as missing becomes the next one, which is as wrong as a size
/// and is counted as what it is: negative.
fn distinct_from_missing(number: i64) -> i64 {
    number.max(MISSING + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{
        Decimal128Array, DictionaryArray, Int8Array, Int64Array, StringViewArray, UInt64Array,
    };
    use arrow::datatypes::Int32Type;
    use std::sync::Arc;

    fn read(array: impl Array + 'static) -> Vec<i64> {
        let array: ArrayRef = Arc::new(array);
        assert!(holds_whole_numbers(array.data_type()), "{}", array.data_type());
        whole_numbers(&array).unwrap().to_vec()
    }

    #[test]
    fn every_integer_type_is_read_and_what_does_not_fit_is_missing() {
        assert_eq!(read(Int8Array::from(vec![Some(-3), None])), [-3, MISSING]);
        assert_eq!(read(UInt64Array::from(vec![7, u64::MAX])), [7, MISSING]);
        assert_eq!(read(Int64Array::from(vec![i64::MIN, i64::MAX])), [MISSING + 1, i64::MAX]);
        let decimals = Decimal128Array::from(vec![12, i128::MAX / 4]);
        let decimals = decimals.with_precision_and_scale(38, 0).unwrap();
        assert_eq!(read(decimals), [12, MISSING]);
        let keys = arrow::array::Int32Array::from(vec![1, 0, 1]);
        let values = Arc::new(UInt64Array::from(vec![10, 20]));
        assert_eq!(read(DictionaryArray::<Int32Type>::new(keys, values)), [20, 10, 20]);
        assert_eq!(read(arrow::array::NullArray::new(2)), [MISSING, MISSING]);
    }

    #[test]
    fn text_is_read_as_a_whole_number_or_is_missing() {
        let text = StringViewArray::from(vec![
            Some("12"),
            Some(" 12\t"),
            Some("-4"),
            Some("1.0"),
            Some(""),
            Some("99999999999999999999"),
            None,
        ]);
        assert_eq!(read(text), [12, 12, -4, MISSING, MISSING, MISSING, MISSING]);
    }

    #[test]
    fn floats_and_booleans_are_not_whole_numbers() {
        assert!(!holds_whole_numbers(&DataType::Float64));
        assert!(!holds_whole_numbers(&DataType::Boolean));
        assert!(!holds_whole_numbers(&DataType::Decimal128(10, 2)));
    }
}
