//! Times as people and programs read them. A log may claim any time that 64 bits of microseconds
//! hold, so one beyond the calendar is printed as a count instead of failing.

use chrono::{DateTime, Datelike, SecondsFormat, Utc};

/// `2013-01-01T10:00:00Z`, with as much of the fraction as there is; beyond the years -262143 to
/// 262142 `@` and the seconds since 1970-01-01T00:00:00Z.
pub(crate) fn rfc3339(micros: i64) -> String {
    DateTime::<Utc>::from_timestamp_micros(micros)
        .map_or_else(|| beyond(micros), |time| time.to_rfc3339_opts(SecondsFormat::AutoSi, true))
}

/// The year; `None` beyond the calendar.
pub(crate) fn year(micros: i64) -> Option<i32> {
    DateTime::<Utc>::from_timestamp_micros(micros).map(|time| time.year())
}

/// `2013-01-01 10:00:00`, for a table whose head says UTC.
pub(crate) fn clock(micros: i64) -> String {
    DateTime::<Utc>::from_timestamp_micros(micros)
        .map_or_else(|| beyond(micros), |time| time.format("%Y-%m-%d %H:%M:%S").to_string())
}

/// `2013-01-01 10:00`, for a table whose head says UTC.
pub(crate) fn minute(micros: i64) -> String {
    DateTime::<Utc>::from_timestamp_micros(micros)
        .map_or_else(|| beyond(micros), |time| time.format("%Y-%m-%d %H:%M").to_string())
}

fn beyond(micros: i64) -> String {
    let sign = if micros < 0 { "-" } else { "" };
    let magnitude = micros.unsigned_abs();
    format!("@{sign}{}.{:06}", magnitude / 1_000_000, magnitude % 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_prints() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(-1), "1969-12-31T23:59:59.999999Z");
        assert_eq!(rfc3339(1_357_034_400_250_000), "2013-01-01T10:00:00.250Z");
        assert_eq!(rfc3339(i64::MAX), "@9223372036854.775807");
        assert_eq!(clock(i64::MIN), "@-9223372036854.775808");
        assert_eq!(clock(1_357_034_400_250_000), "2013-01-01 10:00:00");
    }
}
