//! Columns of sizes and weights: whole numbers, in whatever type they come.

use crate::error::Result;
use crate::keys::KeyColumn;
use crate::tally::MISSING;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::ScalarBuffer;
use arrow::compute::{CastOptions, cast, cast_with_options};
use arrow::datatypes::{DataType, Float64Type, Int64Type};

/// Whether [`whole_numbers`] can read a column of this type.
pub(super) fn holds_whole_numbers(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => holds_whole_numbers(values),
        // A whole number in many warehouses is a decimal without decimals.
        DataType::Decimal128(_, 0) | DataType::Decimal256(_, 0) | DataType::Null => true,
        kind => kind.is_integer() || kind.is_floating() || super::columns::holds_text(kind),
    }
}

/// The numbers of a column; [`MISSING`] for a null, for a fraction, for text that is not a whole
/// number, and for a number that 64 signed bits cannot hold.
pub(super) fn whole_numbers(array: &ArrayRef) -> Result<ScalarBuffer<i64>> {
    if super::columns::holds_text(array.data_type()) {
        let text = KeyColumn::try_new(array.as_ref())?;
        return Ok((0..text.len()).map(|row| parse_whole(text.get(row))).collect());
    }
    if array.data_type().is_floating() {
        // Whole numbers among which one was missing, as pandas keeps them.
        let numbers = cast(array, &DataType::Float64)?;
        let numbers = numbers.as_primitive::<Float64Type>();
        return Ok(numbers.iter().map(|number| number.map_or(MISSING, whole)).collect());
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

/// The whole number that text names, spaces around it and zeros behind its point aside;
/// [`MISSING`] if it names none.
#[inline]
pub(super) fn parse_whole(text: Option<&[u8]>) -> i64 {
    let Some(text) = text else { return MISSING };
    // Most are a few digits and nothing else.
    if (1..=18).contains(&text.len()) && text.iter().all(u8::is_ascii_digit) {
        return text.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'));
    }
    parse_any_whole(text)
}

/// The same for text of any form.
fn parse_any_whole(text: &[u8]) -> i64 {
    str::from_utf8(text.trim_ascii())
        .ok()
        .and_then(|text| match text.split_once('.') {
            Some((whole, zeros)) if zeros.bytes().all(|digit| digit == b'0') => whole.parse().ok(),
            _ => text.parse().ok(),
        })
        .map_or(MISSING, distinct_from_missing)
}

/// A number without a fraction; [`MISSING`] if it has one, or is beyond 64 signed bits.
fn whole(number: f64) -> i64 {
    const END: f64 = 9_223_372_036_854_775_808.0;
    let is_whole = number.fract() == 0.0 && (-END..END).contains(&number);
    if is_whole { distinct_from_missing(number as i64) } else { MISSING }
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
        Decimal128Array, DictionaryArray, Float32Array, Float64Array, Int8Array, Int64Array,
        StringViewArray, UInt64Array,
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
            Some("1000."),
            Some("1.5"),
            Some(".0"),
            Some(""),
            Some("99999999999999999999"),
            None,
        ]);
        let read = read(text);
        assert_eq!(read[..5], [12, 12, -4, 1, 1000]);
        assert_eq!(read[5..], [MISSING; 5]);
    }

    #[test]
    fn floats_are_read_if_they_are_whole() {
        let numbers = [12.0, -4.0, 0.5, f64::NAN, f64::INFINITY, 9.3e18, -9.3e18];
        let read = read(Float64Array::from(numbers.to_vec()));
        assert_eq!(read[..2], [12, -4]);
        assert_eq!(read[2..], [MISSING; 5]);
        assert_eq!(self::read(Float32Array::from(vec![Some(7.0), None])), [7, MISSING]);
    }

    #[test]
    fn booleans_and_decimals_are_not_whole_numbers() {
        assert!(!holds_whole_numbers(&DataType::Boolean));
        assert!(!holds_whole_numbers(&DataType::Decimal128(10, 2)));
    }
}
