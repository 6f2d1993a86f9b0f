//! The length of a time window, as people write it.

use crate::error::{Error, Result};
use std::time::Duration;

/// The longest window in days; the windows of a much longer one could not be numbered.
const MOST_DAYS: u64 = 366;

/// The shortest window. Clocks of producers and services differ by more than a shorter one.
pub(super) const SHORTEST: Duration = Duration::from_millis(100);

/// Reads the length of a time window: whole milliseconds, seconds, minutes, hours or days, such as
/// `100ms`, `1s`, `5m`, `2h` or `1d`.
///
/// # Errors
/// `InvalidInput` for anything else, for less than 100 milliseconds, and for more than 366 days.
///
/// ```
/// use shardlane::tally::parse_window;
/// assert_eq!(parse_window("5m")?.as_secs(), 300);
/// assert_eq!(parse_window("250ms")?.as_millis(), 250);
/// assert!(parse_window("1.5s").is_err());
/// # Ok::<(), shardlane::Error>(())
/// ```
pub fn parse_window(text: &str) -> Result<Duration> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let milliseconds: Option<u64> = match unit {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        "d" => Some(86_400_000),
        _ => None,
    };
    let window = milliseconds
        .and_then(|unit| number.parse::<u64>().ok()?.checked_mul(unit))
        .map(Duration::from_millis)
        .filter(|window| (SHORTEST..=Duration::from_secs(MOST_DAYS * 86_400)).contains(window));
    window.ok_or_else(|| {
        Error::input(format!(
            "a window of \"{text}\" was given; expected whole milliseconds, seconds, minutes, \
             hours or days, at least 100ms and at most {MOST_DAYS}d, for example 100ms, 1s, 5m or \
             1h"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::parse_window;

    #[test]
    fn windows_are_whole_milliseconds_from_a_hundred_up() {
        let milliseconds = |text| parse_window(text).map(|window| window.as_millis());
        assert_eq!(milliseconds("100ms"), Ok(100));
        assert_eq!(milliseconds("1500ms"), Ok(1_500));
        assert_eq!(milliseconds("1s"), Ok(1_000));
        assert_eq!(milliseconds("5m"), Ok(300_000));
        assert_eq!(milliseconds("366d"), Ok(31_622_400_000));
        for wrong in [
            "",
            "s",
            "ms",
            "1",
            "0s",
            "-1s",
            "+1s",
            "1.5s",
            "99ms",
            "0ms",
            "100us",
            "1 s",
            "9999999999999d",
            "99999999999999999999ms",
            "367d",
            "1日",
        ] {
            assert!(parse_window(wrong).is_err(), "{wrong}");
        }
    }
}
