//! Times as most logs write them, `2013-01-01T05:15:00.123Z`, at a tenth of what a parser for all
//! forms takes; it reads the others.

/// Reads a time of RFC 3339 or SQL, in microseconds since 1970-01-01T00:00:00Z, rounded down;
/// without a zone, of UTC. `None` for any other form, and for what is no time at all.
pub(super) fn usual(text: &[u8]) -> Option<i64> {
    let (date, time, rest) = parts(text)?;
    let year = i64::from(two(date[0], date[1])? * 100 + two(date[2], date[3])?);
    let month = two(date[5], date[6])?;
    let day = two(date[8], date[9])?;
    let (hour, minute, second) =
        (two(time[0], time[1])?, two(time[3], time[4])?, two(time[6], time[7])?);
    let is_valid = (1..=12).contains(&month)
        && (1..=days_of(year, month)).contains(&day)
        && (hour < 24 && minute < 60 && second < 60);
    if !is_valid {
        return None;
    }
    let (micros, zone) = fraction(rest)?;
    let seconds = i64::from(hour * 3_600 + minute * 60 + second) - offset(zone)?;
    Some((days_since_1970(year, month, day) * 86_400 + seconds) * 1_000_000 + micros)
}

/// `2013-01-01`, `05:15:00` and what follows, if the signs between the digits are there.
fn parts(text: &[u8]) -> Option<(&[u8; 10], &[u8; 8], &[u8])> {
    let (date, rest) = text.split_first_chunk::<10>()?;
    let (between, rest) = rest.split_first()?;
    let (time, rest) = rest.split_first_chunk::<8>()?;
    let is_usual = (date[4], date[7]) == (b'-', b'-')
        && matches!(between, b'T' | b' ')
        && (time[2], time[5]) == (b':', b':');
    is_usual.then_some((date, time, rest))
}

/// The number that two digits write.
#[inline]
fn two(tens: u8, ones: u8) -> Option<u32> {
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    (tens < 10 && ones < 10).then(|| u32::from(tens * 10 + ones))
}

/// The microseconds of a fraction of up to 9 digits, if there is one, and what follows it.
fn fraction(text: &[u8]) -> Option<(i64, &[u8])> {
    let Some((b'.', digits)) = text.split_first() else { return Some((0, text)) };
    let len = digits.iter().take_while(|digit| digit.is_ascii_digit()).count();
    let (digits, rest) = digits.split_at(len);
    let number = |digits: &[u8]| {
        digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))
    };
    match len {
        1..=6 => Some((number(digits) * 10_i64.pow(6 - len as u32), rest)),
        7..=9 => Some((number(&digits[..6]), rest)),
        _ => None,
    }
}

/// The seconds that a zone is ahead of UTC.
fn offset(zone: &[u8]) -> Option<i64> {
    let (sign, hours, minutes) = match *zone {
        [] | [b'Z'] => return Some(0),
        [sign, h0, h1, b':', m0, m1] => (sign, two(h0, h1)?, two(m0, m1)?),
        _ => return None,
    };
    let seconds = i64::from(hours * 3_600 + minutes * 60);
    match sign {
        _ if hours > 23 || minutes > 59 => None,
        b'+' => Some(seconds),
        b'-' => Some(-seconds),
        _ => None,
    }
}

/// Days of a month.
fn days_of(year: i64, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a day of the Gregorian calendar, after Hinnant's `days_from_civil`: the
/// year begins in March, so that the leap day is its last.
fn days_since_1970(year: i64, month: u32, day: u32) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = i64::from((153 * ((month + 9) % 12) + 2) / 5 + day - 1);
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::usual;
    use arrow::compute::kernels::cast_utils::string_to_datetime;
    use chrono::Utc;
    use proptest::prelude::*;

    fn slowly(text: &str) -> Option<i64> {
        string_to_datetime(&Utc, text).ok().map(|time| time.timestamp_micros())
    }

    #[test]
    fn what_is_no_time_is_left_to_the_other_parser() {
        for text in [
            "2013-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2013-01-01T24:00:00Z",
            "2013-01-01T05:15:60Z",
            "2013-01-01T05:15:00.Z",
            "2013-01-01T05:15:00.1234567890Z",
            "2013-01-01T05:15:00 Mars",
            "2013-01-01T05:15:00+24:00",
            "2013-01-01",
            "-013-01-01T05:15:00Z",
        ] {
            assert_eq!(usual(text.as_bytes()), None, "{text}");
        }
        assert_eq!(usual(b"2000-02-29T00:00:00Z"), slowly("2000-02-29T00:00:00Z"));
    }

    proptest! {
        #[test]
        fn usual_times_are_read_as_the_other_parser_reads_them(
            (year, month, day) in (0u32..10_000, 0u32..14, 0u32..33),
            (hour, minute, second) in (0u32..25, 0u32..61, 0u32..61),
            between in "[T ]",
            fraction in "(|\\.[0-9]{1,9})",
            zone in "(|Z|[+-][0-2][0-9]:[0-5][0-9])",
        ) {
            let text = format!(
                "{year:04}-{month:02}-{day:02}{between}{hour:02}:{minute:02}:{second:02}{fraction}{zone}"
            );
            let found = usual(text.as_bytes());
            if found.is_some() {
                prop_assert_eq!(found, slowly(&text));
            } else {
                let is_odd = hour > 23 || minute > 59 || second > 59 || zone.len() > 1;
                prop_assert!(slowly(&text).is_none() || is_odd, "{}", text);
            }
        }
    }
}
