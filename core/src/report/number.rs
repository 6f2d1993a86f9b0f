//! Numbers as people read them: grouped, or cut to three digits and a unit, so that a table of
//! them keeps its width whatever the log holds.

use std::time::Duration;

/// `1,234,567`: every digit.
pub(crate) fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A length of time in seconds: `1`, `0.1`, `3,600`.
pub(crate) fn seconds(length: Duration) -> String {
    let fraction = length.subsec_millis();
    let whole = grouped(length.as_secs());
    if fraction == 0 {
        whole
    } else {
        format!("{whole}.{}", format!("{fraction:03}").trim_end_matches('0'))
    }
}

/// A count in at most seven columns: `999,999`, then `1.00 M`.
pub(crate) fn count(value: u64) -> String {
    if value < 1_000_000 { grouped(value) } else { scaled(value as f64, &UNITS) }
}

/// Bytes in at most seven columns, in powers of 1,000: `999 B`, `1.00 kB`, `12.3 MB`.
pub(crate) fn bytes(value: u64) -> String {
    if value < 1_000 { format!("{value} B") } else { scaled(value as f64, &BYTE_UNITS) }
}

/// A rate or a number of seconds in at most seven columns: `3`, `0.25`, `12.3`, `4,912`, `1.23 M`.
pub(crate) fn rate(value: f64) -> String {
    if value < 100.0 && value.fract() == 0.0 {
        format!("{value:.0}")
    } else if value < 0.005 {
        "<0.01".to_owned()
    } else if value < 99.95 {
        three_digits(value)
    } else if value < 999_999.5 {
        grouped(value.round() as u64)
    } else {
        scaled(value, &UNITS)
    }
}

/// A part of a whole: `12.3%`.
pub(crate) fn percent(part: f64) -> String {
    format!("{:.1}%", part * 100.0)
}

/// How full something is, in at most eight columns: `<0.1%`, `97.5%`, and from tenfold on `12.3x`.
pub(crate) fn filled(part: f64) -> String {
    if part > 0.0 && part < 0.0005 {
        "<0.1%".to_owned()
    } else if part < 9.9995 {
        percent(part)
    } else {
        times(part)
    }
}

/// How many times something fits: `1.31x`.
pub(crate) fn times(value: f64) -> String {
    if value < 99.95 { format!("{value:.2}x") } else { format!("{}x", rate(value)) }
}

/// The plural of `word` unless there is one of it.
pub(crate) fn plural(number: u64, word: &str) -> String {
    format!("{} {word}{}", grouped(number), if number == 1 { "" } else { "s" })
}

const UNITS: [&str; 6] = [" k", " M", " G", " T", " P", " E"];
const BYTE_UNITS: [&str; 6] = [" kB", " MB", " GB", " TB", " PB", " EB"];

/// Three digits and a unit, each unit 1,000 of the one before.
fn scaled(value: f64, units: &[&str]) -> String {
    let mut scaled = value / 1e3;
    let mut units = units.iter();
    let mut unit = units.next().copied().unwrap_or_default();
    while scaled >= 999.5 {
        let Some(next) = units.next() else { break };
        scaled /= 1e3;
        unit = next;
    }
    format!("{}{unit}", three_digits(scaled))
}

/// Three digits, fewer of them behind the point the more are before it.
fn three_digits(value: f64) -> String {
    // Rounding must not carry 9.996 to 10.00.
    if value < 9.995 {
        format!("{value:.2}")
    } else if value < 99.95 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let texts = [0, 999, 1_000, 1_234_567, u64::MAX].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "1,234,567", "18,446,744,073,709,551,615"]);
    }

    #[test]
    fn lengths_of_time_are_in_seconds() {
        let texts = [100, 250, 1_000, 1_500, 3_600_000].map(Duration::from_millis).map(seconds);
        assert_eq!(texts, ["0.1", "0.25", "1", "1.5", "3,600"]);
    }

    #[test]
    fn no_number_is_wider_than_its_column() {
        let mut value = 1u64;
        loop {
            for near in [value - 1, value, value.saturating_add(value / 3)] {
                assert!(count(near).len() <= 7, "{near}: {}", count(near));
                assert!(bytes(near).len() <= 7, "{near}: {}", bytes(near));
                assert!(rate(near as f64).len() <= 7, "{near}: {}", rate(near as f64));
                assert!(filled(near as f64).len() <= 8, "{near}: {}", filled(near as f64));
                assert!(times(near as f64).len() <= 8, "{near}: {}", times(near as f64));
            }
            let Some(next) = value.checked_mul(2) else { break };
            value = next;
        }
    }

    #[test]
    fn a_small_part_is_not_nothing() {
        let texts = [0.0, 1e-9, 0.000_6, 1.0, 9.999, 12.34].map(filled);
        assert_eq!(texts, ["0.0%", "<0.1%", "0.1%", "100.0%", "999.9%", "12.34x"]);
    }

    #[test]
    fn rounding_never_adds_a_digit() {
        assert_eq!([9.994, 9.996, 99.96].map(rate), ["9.99", "10.0", "100"]);
        assert_eq!([999_499, 999_500_000].map(bytes), ["999 kB", "1.00 GB"]);
        assert_eq!(rate(999_999.4), "999,999");
        assert_eq!(rate(999_999.6), "1.00 M");
        assert_eq!([0.0, 0.004, 3.0, 3.5].map(rate), ["0", "<0.01", "3", "3.50"]);
    }
}
