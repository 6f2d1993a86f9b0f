//! The length of a time window, as people write it.

use crate::error::{Error, Result};
use std::time::Duration;

/// The longest window in days; the windows of a much longer one could not be numbered.
const MOST_DAYS: u64 = 366;

/// Reads the length of a time window: whole seconds, minutes, hours or days, such as `1s`, `5m`,
/// `2h` or `1d`.
///
/// # Errors
/// `InvalidInput` for anything else, and for more than 366 days.
///
/// ```
/// use shardlane::tally::parse_window;
/// assert_eq!(parse_window("5m")?.as_secs(), 300);
/// assert!(parse_window("1.5s").is_err());
/// # Ok::<(), shardlane::Error>(())
/// ```
pub fn parse_window(text: &str) -> Result<Duration> {
    let seconds = text
        .split_at_checked(text.len().saturating_sub(1))
        .filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()))
        .and_then(|(number, unit)| {
            let seconds: u64 = match unit {
                "s" => 1,
                "m" => 60,
                "h" => 3_600,
                "d" => 86_400,
                _ => return None,
            };
            number.parse::<u64>().ok()?.checked_mul(seconds)
        });
    match seconds {
        Some(seconds @ 1..) if seconds <= MOST_DAYS * 86_400 => Ok(Duration::from_secs(seconds)),
        _ => Err(Error::input(format!(
            "a window of \"{text}\" was given; expected whole seconds, minutes, hours or days, at \
             least 1s and at most {MOST_DAYS}d, for example 1s, 5m or 1h"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_window;

    #[test]
    fn windows_are_whole_seconds_and_up() {
        let seconds = |text| parse_window(text).map(|window| window.as_secs());
        assert_eq!(seconds("1s"), Ok(1));
        assert_eq!(seconds("5m"), Ok(300));
        assert_eq!(seconds("366d"), Ok(31_622_400));
        for wrong in [
            "",
            "s",
            "1",
            "0s",
            "-1s",
            "+1s",
            "1.5s",
            "500ms",
            "1 s",
            "9999999999999d",
            "367d",
            "1日",
        ] {
            assert!(parse_window(wrong).is_err(), "{wrong}");
        }
    }
}
