//! Columns of times: Arrow timestamps and dates, whole numbers of a stated unit, and text.

mod written;

use super::columns::holds_text;
use super::whole::integers;
use super::{TimeNotes, TimeUnit};
use crate::error::{Error, Result};
use crate::keys::KeyColumn;
use crate::tally::MISSING;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::ScalarBuffer;
use arrow::compute::cast;
use arrow::compute::kernels::cast_utils::string_to_datetime;
use arrow::datatypes::{DataType, Float64Type, Int64Type, TimeUnit as ArrowUnit};
use chrono::Utc;

/// A day in microseconds.
const DAY: i64 = 86_400_000_000;

/// Whether [`times`] can read a column of this type, given a unit if it holds whole numbers.
pub(super) fn holds_times(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => holds_times(values),
        DataType::Timestamp(..) | DataType::Date32 | DataType::Date64 | DataType::Null => true,
        kind => kind.is_integer() || kind.is_floating() || holds_text(kind),
    }
}

/// The times of the column called `name`, in microseconds since 1970-01-01T00:00:00Z. A timestamp
/// without a zone is read as UTC. [`MISSING`] for a null, for text that is not a time, and for a
/// time that 64 bits of microseconds cannot hold. The unit of numbers follows from the first one if
/// it is not told.
pub(super) fn times(
    array: &ArrayRef,
    unit: Option<TimeUnit>,
    name: &str,
) -> Result<(ScalarBuffer<i64>, TimeNotes)> {
    let plain = match array.data_type() {
        DataType::Dictionary(_, values) if !holds_text(values) => &cast(array, values)?,
        _ => array,
    };
    let kind = plain.data_type();
    if holds_text(kind) {
        let text = KeyColumn::try_new(plain.as_ref())?;
        let mut times = TextTimes::new(unit);
        (0..text.len()).for_each(|row| times.push(text.get(row)));
        return times.take(name);
    }
    if kind.is_floating() {
        let numbers = cast(plain, &DataType::Float64)?;
        let numbers = numbers.as_primitive::<Float64Type>();
        let first = numbers.iter().flatten().next();
        let first = first.filter(|first| first.abs() < 9e18).map(|first| first as i64);
        let notes = noted(unit, first, name, || format!("numbers ({kind})"))?;
        let Some(unit) = notes.unit else { return Ok((missing(numbers.len()), notes)) };
        let micros = |time: f64| fraction_micros(time, unit);
        let times = numbers.iter().map(|time| time.and_then(micros).unwrap_or(MISSING));
        return Ok((times.collect(), notes));
    }
    let numbers = integers(plain)?;
    let numbers = numbers.as_primitive::<Int64Type>();
    let mut notes = TimeNotes::default();
    let to_micros: fn(i64) -> Option<i64> = match kind {
        DataType::Timestamp(ArrowUnit::Second, _) => |time| micros(time, TimeUnit::Seconds),
        DataType::Timestamp(ArrowUnit::Millisecond, _) | DataType::Date64 => {
            |time| micros(time, TimeUnit::Milliseconds)
        }
        DataType::Timestamp(ArrowUnit::Microsecond, _) | DataType::Null => Some,
        DataType::Timestamp(ArrowUnit::Nanosecond, _) => |time| micros(time, TimeUnit::Nanoseconds),
        DataType::Date32 => |days| days.checked_mul(DAY),
        _ => {
            let first = numbers.iter().flatten().next();
            notes = noted(unit, first, name, || format!("whole numbers ({kind})"))?;
            match notes.unit {
                None => |_| None,
                Some(TimeUnit::Seconds) => |time| micros(time, TimeUnit::Seconds),
                Some(TimeUnit::Milliseconds) => |time| micros(time, TimeUnit::Milliseconds),
                Some(TimeUnit::Microseconds) => Some,
                Some(TimeUnit::Nanoseconds) => |time| micros(time, TimeUnit::Nanoseconds),
            }
        }
    };
    if numbers.null_count() == 0 && matches!(kind, DataType::Timestamp(ArrowUnit::Microsecond, _)) {
        return Ok((numbers.values().clone(), notes));
    }
    let times = numbers.iter().map(|time| time.and_then(to_micros).unwrap_or(MISSING));
    Ok((times.collect(), notes))
}

/// The unit of numbers, of which `first` is the first: as told, or else by its size. Where there is
/// no number, there is none.
fn noted(
    unit: Option<TimeUnit>,
    first: Option<i64>,
    name: &str,
    holds: impl Fn() -> String,
) -> Result<TimeNotes> {
    let Some(number) = first else { return Ok(TimeNotes::default()) };
    match unit.or_else(|| TimeUnit::likely(number)) {
        Some(of) => Ok(TimeNotes::of_numbers(of, unit.is_none(), first)),
        None => Err(untold_unit(name, &format!("{}, such as {number}", holds()))),
    }
}

/// No times.
fn missing(rows: usize) -> ScalarBuffer<i64> {
    std::iter::repeat_n(MISSING, rows).collect()
}

/// A time of `unit` in microseconds, rounded down.
fn micros(time: i64, unit: TimeUnit) -> Option<i64> {
    match unit {
        TimeUnit::Seconds => time.checked_mul(1_000_000),
        TimeUnit::Milliseconds => time.checked_mul(1_000),
        TimeUnit::Microseconds => Some(time),
        TimeUnit::Nanoseconds => Some(time.div_euclid(1_000)),
    }
}

/// A time of `unit` with a fraction, such as Python's `time.time()`, in microseconds, to the
/// nearest one.
fn fraction_micros(time: f64, unit: TimeUnit) -> Option<i64> {
    let micros = match unit {
        TimeUnit::Seconds => time * 1e6,
        TimeUnit::Milliseconds => time * 1e3,
        TimeUnit::Microseconds => time,
        TimeUnit::Nanoseconds => time / 1e3,
    };
    // Within what 64 bits hold, far from their ends.
    (micros.abs() < 9e18).then(|| micros.round() as i64)
}

/// Why numbers alone are not times.
pub(super) fn untold_unit(name: &str, holds: &str) -> Error {
    Error::input(format!(
        "the time column \"{name}\" holds {holds}; say their unit since 1970-01-01T00:00:00Z with \
         --time-unit s, ms, us or ns (in Python: time_unit=\"ms\")"
    ))
}

/// Times that come as text, some at a time.
#[derive(Debug)]
pub(super) struct TextTimes {
    unit: Option<TimeUnit>,
    times: Vec<i64>,
    any: bool,
    first_number: Option<i64>,
    /// Whether the unit that numbers have was told.
    is_told: bool,
    zoned: u64,
    zoneless: u64,
}

impl TextTimes {
    /// Text in RFC 3339 or the usual SQL forms, or numbers of `unit`; if that is not told, it
    /// follows from the first of them.
    pub(super) fn new(unit: Option<TimeUnit>) -> Self {
        let is_told = unit.is_some();
        let (times, first_number) = (Vec::new(), None);
        Self { unit, times, any: false, first_number, is_told, zoned: 0, zoneless: 0 }
    }

    /// Reads one time.
    pub(super) fn push(&mut self, text: Option<&[u8]>) {
        let time = text.and_then(|text| self.parse(text.trim_ascii()));
        self.any |= time.is_some();
        self.times.push(time.unwrap_or(MISSING));
    }

    fn parse(&mut self, text: &[u8]) -> Option<i64> {
        if let Some(time) = written::usual(text) {
            self.see_zone(text);
            return Some(time);
        }
        // The parser slices at byte positions, so it gets no text with wider characters.
        let text = str::from_utf8(text).ok().filter(|text| text.is_ascii())?;
        if let Ok(number) = text.parse::<i64>() {
            return micros(number, self.unit_of(number)?);
        }
        if !text.contains('T')
            && let Ok(number) = text.parse::<f64>()
        {
            let unit = self.unit_of(number as i64)?;
            return fraction_micros(number, unit);
        }
        let time = string_to_datetime(&Utc, text).ok()?;
        self.see_zone(text.as_bytes());
        Some(time.timestamp_micros())
    }

    /// Takes note of whether a time says its zone: by `Z`, or by an offset or a name behind the date.
    #[inline]
    fn see_zone(&mut self, text: &[u8]) {
        let is_zone = |byte: &u8| matches!(byte, b'+' | b'-') || byte.is_ascii_alphabetic();
        let of_day = text.get(11..).unwrap_or_default();
        let is_zoned = text.last() == Some(&b'Z') || of_day.iter().any(is_zone);
        self.zoned += u64::from(is_zoned);
        self.zoneless += u64::from(!is_zoned);
    }

    /// The unit of a number: as told, or by the size of the first. Among times in words, a number
    /// is none.
    fn unit_of(&mut self, number: i64) -> Option<TimeUnit> {
        if self.unit.is_none() && !self.any {
            self.unit = TimeUnit::likely(number);
        }
        if self.unit.is_some() || !self.any {
            self.first_number.get_or_insert(number);
        }
        self.unit
    }

    /// Gives the times read since the last call; `name` is the column's.
    ///
    /// # Errors
    /// `InvalidInput` if none of them was a time and the first is a number: then the unit
    /// was forgotten, and to count every row as bad would hide that.
    pub(super) fn take(&mut self, name: &str) -> Result<(ScalarBuffer<i64>, TimeNotes)> {
        let told = self.unit.filter(|_| self.is_told);
        let taken = std::mem::replace(self, Self::new(told));
        let numbers = match (taken.first_number, taken.unit) {
            (Some(number), None) if !taken.any => {
                return Err(untold_unit(name, &format!("numbers, such as {number}")));
            }
            (first @ Some(_), Some(unit)) => TimeNotes::of_numbers(unit, told.is_none(), first),
            _ => TimeNotes::default(),
        };
        let notes = TimeNotes { zoned: taken.zoned, zoneless: taken.zoneless, ..numbers };
        Ok((taken.times.into(), notes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{
        Date32Array, Date64Array, Float64Array, Int64Array, StringArray, TimestampMillisecondArray,
        TimestampNanosecondArray, TimestampSecondArray, UInt32Array,
    };
    use std::sync::Arc;

    /// 2013-01-01T05:15:00Z.
    const TIME: i64 = 1_357_017_300_000_000;

    fn read(array: impl Array + 'static, unit: Option<TimeUnit>) -> Result<Vec<i64>> {
        let array: ArrayRef = Arc::new(array);
        assert!(holds_times(array.data_type()), "{}", array.data_type());
        Ok(times(&array, unit, "ts")?.0.to_vec())
    }

    fn notes(array: impl Array + 'static, unit: Option<TimeUnit>) -> TimeNotes {
        let array: ArrayRef = Arc::new(array);
        times(&array, unit, "ts").unwrap().1
    }

    #[test]
    fn timestamps_of_every_unit_and_dates_become_microseconds() {
        let seconds =
            TimestampSecondArray::from(vec![Some(TIME / 1_000_000), None, Some(i64::MAX)]);
        assert_eq!(read(seconds, None).unwrap(), [TIME, MISSING, MISSING]);
        let zoned =
            TimestampMillisecondArray::from(vec![TIME / 1_000]).with_timezone("America/New_York");
        assert_eq!(read(zoned, None).unwrap(), [TIME], "a zone is for printing only");
        let nanos = TimestampNanosecondArray::from(vec![TIME * 1_000 + 999, -1]);
        assert_eq!(read(nanos, None).unwrap(), [TIME, -1], "rounded down, not towards zero");
        assert_eq!(read(Date32Array::from(vec![1, -1]), None).unwrap(), [DAY, -DAY]);
        assert_eq!(read(Date64Array::from(vec![86_400_000]), None).unwrap(), [DAY]);
    }

    #[test]
    fn whole_numbers_of_no_likely_size_need_a_unit_and_the_error_says_how_to_tell_it() {
        let error = read(Int64Array::from(vec![1]), None).unwrap_err();
        assert_eq!(
            error.message(),
            "the time column \"ts\" holds whole numbers (Int64), such as 1; say their unit since \
             1970-01-01T00:00:00Z with --time-unit s, ms, us or ns (in Python: time_unit=\"ms\")"
        );
        let number = UInt32Array::from(vec![1_357_017_300]);
        assert_eq!(read(number, Some(TimeUnit::Seconds)).unwrap(), [TIME]);
        let number = Int64Array::from(vec![TIME * 1_000, i64::MIN]);
        let read = read(number, Some(TimeUnit::Nanoseconds)).unwrap();
        assert_eq!(read, [TIME, i64::MIN.div_euclid(1_000)]);
    }

    #[test]
    fn text_is_read_in_rfc_3339_and_the_usual_sql_forms() {
        let text = StringArray::from(vec![
            Some("2013-01-01T05:15:00Z"),
            Some("2013-01-01 05:15:00"),
            Some("2013-01-01T00:15:00-05:00"),
            Some("2013-01-01 00:15:00.000000-05"),
            Some(" 2013-01-01 05:15:00.000 "),
            Some("2013-01-01"),
        ]);
        let midnight = TIME - (5 * 60 + 15) * 60_000_000;
        assert_eq!(read(text, None).unwrap(), [TIME, TIME, TIME, TIME, TIME, midnight]);
        let bad = StringArray::from(vec![
            Some("2013-01-01"),
            Some("2013-13-01 00:00:00"),
            Some("2013-01-01T05:15:00é"),
            Some("2013-01-01T05:15:00 Mars"),
            Some("yesterday"),
            Some(""),
            Some("1357017300"),
            None,
        ]);
        let read = read(bad, None).unwrap();
        assert_eq!(read[0], midnight);
        assert!(read[1..].iter().all(|&time| time == MISSING), "{read:?}");
    }

    #[test]
    fn the_size_of_numbers_tells_their_unit_and_that_is_said() {
        for (unit, parts) in TimeUnit::ALL.into_iter().zip([1, 1_000, 1_000_000, 1_000_000_000]) {
            let number = TIME / 1_000_000 * parts;
            let texts =
                || StringArray::from(vec![None, Some(number.to_string()), Some("x".into())]);
            let numbers = || Int64Array::from(vec![None, Some(number), Some(number)]);
            assert_eq!(read(texts(), None).unwrap(), [MISSING, TIME, MISSING]);
            assert_eq!(read(numbers(), None).unwrap(), [MISSING, TIME, TIME]);
            for notes in [notes(texts(), None), notes(numbers(), None)] {
                assert_eq!((notes.unit, notes.is_guess, notes.unlike), (Some(unit), true, None));
            }
            let told = notes(numbers(), Some(unit));
            assert_eq!((told.unit, told.is_guess, told.unlike), (Some(unit), false, None));
        }
        let floats = Float64Array::from(vec![1_357_017_300.25]);
        assert_eq!(read(floats, None).unwrap(), [TIME + 250_000]);
    }

    #[test]
    fn a_number_that_looks_like_another_unit_is_told() {
        let number = TIME / 1_000;
        let noted = notes(Int64Array::from(vec![number]), Some(TimeUnit::Seconds));
        assert_eq!(noted.unlike, Some((number, TimeUnit::Milliseconds)));
        let mut first = notes(Int64Array::from(vec![number]), None);
        first.follow(notes(Int64Array::from(vec![TIME]), None));
        assert_eq!(first.unit, Some(TimeUnit::Milliseconds));
        assert_eq!(first.unlike, Some((TIME, TimeUnit::Microseconds)));
    }

    #[test]
    fn text_of_unlikely_numbers_needs_a_unit() {
        let numbers = || StringArray::from(vec![None, Some("20130101"), Some("x")]);
        let message = read(numbers(), None).unwrap_err().message().to_owned();
        assert!(message.contains("holds numbers, such as 20130101; say"), "{message}");
        let read = read(numbers(), Some(TimeUnit::Seconds)).unwrap();
        assert_eq!(read, [MISSING, 20_130_101_000_000, MISSING]);
    }

    #[test]
    fn times_with_a_zone_are_told_from_those_without() {
        let text = StringArray::from(vec![
            "2013-01-01T05:15:00Z",
            "2013-01-01 00:15:00.000000-05",
            "2013-01-01T05:15:00+00:00",
            "2013-01-01 05:15:00",
            "2013-01-01T05:15:00.25",
            "2013-01-01",
            "yesterday",
        ]);
        let noted = notes(text, None);
        assert_eq!((noted.zoned, noted.zoneless, noted.unit), (3, 3, None));
    }
}
