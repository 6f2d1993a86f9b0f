//! What a report says of times that may not be what they seem.

use super::Input;
use super::instant::year;
use super::number::plural;

/// The years that a log of records is likely to be of.
const LIKELY: std::ops::RangeInclusive<i32> = 1990..=2099;

/// Notes on the unit of the log's times, their zones and their years.
pub(super) fn of_times(input: &Input) -> Vec<String> {
    let times = &input.time_notes;
    let mut notes = Vec::new();
    if let Some((number, likely)) = times.unlike {
        let unit = times.unit.map_or("another unit", |unit| unit.name());
        notes.push(format!(
            "the time {number} was read as {unit}, but looks like {likely}: is it? Type --time-unit \
             {likely} (time_unit=\"{likely}\" in Python)"
        ));
    } else if let (Some(first), Some(last)) = (input.first_time, input.last_time) {
        let (first, last) = (year(first), year(last));
        let is_likely = |year: Option<i32>| year.is_some_and(|year| LIKELY.contains(&year));
        if !is_likely(first) || !is_likely(last) {
            let told =
                |year: Option<i32>| year.map_or("unknown".to_owned(), |year| year.to_string());
            notes.push(format!(
                "the times are of the years {} to {}: are they what the time column means, and in \
                 its unit? (--time-unit; time_unit= in Python)",
                told(first),
                told(last)
            ));
        }
    }
    if let (Some(unit), true, None) = (times.unit, times.is_guess, times.unlike) {
        notes.push(format!(
            "the unit of the times was not told, and is taken to be {unit} by their size \
             (--time-unit {unit}; time_unit=\"{unit}\" in Python)"
        ));
    }
    if times.zoned > 0 && times.zoneless > 0 {
        notes.push(format!(
            "{} with a zone and {} without one in one log: those without are read as UTC",
            plural(times.zoned, "time"),
            plural(times.zoneless, "time")
        ));
    }
    notes
}
