//! `--limits`: pairs on the command line, or a file of them.

use super::Failure;
use crate::error::{Error, Result};
use crate::limits::Limits;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

/// Limits as they were given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GivenLimits {
    /// `name=value` pairs.
    Pairs(String),
    /// A file of them.
    File(PathBuf),
}

impl FromStr for GivenLimits {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_pairs = text.contains('=') && !PathBuf::from(text).exists();
        Ok(if is_pairs { Self::Pairs(text.to_owned()) } else { Self::File(text.into()) })
    }
}

/// The JSON form: a number for each limit, or what the JSON of a report says of it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Value {
    Number(u64),
    Limit { value: u64 },
}

impl GivenLimits {
    /// `defaults` with these instead.
    pub(super) fn over(&self, defaults: Limits) -> Result<Limits, Failure> {
        match self {
            Self::Pairs(text) => defaults.with_text(text).map_err(Failure::Usage),
            Self::File(path) => {
                let text = std::fs::read_to_string(path).map_err(|error| {
                    Error::io(format!(
                        "the limits in {} cannot be read: {error}; type a file's name, or pairs \
                         such as records_per_second=1000",
                        path.display()
                    ))
                })?;
                Ok(parse(&text, defaults).map_err(|error| error.with("file", path.display()))?)
            }
        }
    }
}

/// A file: a JSON object, or lines of `name=value`, in which `#` begins a comment.
fn parse(text: &str, defaults: Limits) -> Result<Limits> {
    if !text.trim_start().starts_with('{') {
        let pairs: Vec<&str> = text.lines().filter_map(|line| line.split('#').next()).collect();
        return defaults.with_text(&pairs.join(","));
    }
    let values: BTreeMap<String, Value> = serde_json::from_str(text).map_err(|error| {
        Error::new(
            crate::error::ErrorKind::InvalidInput,
            format!(
                "these limits are not usable JSON: {error}; expected for example \
                 {{\"records_per_second\": 1000, \"bytes_per_second\": 1048576}}"
            ),
        )
    })?;
    values.into_iter().try_fold(defaults, |limits, (name, value)| {
        let (Value::Number(value) | Value::Limit { value }) = value;
        limits.with(&name, value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Result<Vec<u64>> {
        Ok(parse(text, Limits::kinesis())?.iter().map(|(_, limit)| limit.value).collect())
    }

    #[test]
    fn a_file_of_limits_is_json_or_lines() {
        assert_eq!(values("records_per_second=5 # ours\n\n# all\nbytes_per_second = 7\n").unwrap(), [5, 7]);
        assert_eq!(values(r#"{"bytes_per_second": 9}"#).unwrap(), [1_000, 9]);
        let of_a_report = r#"{"records_per_second": {"value": 3, "source": "given", "date": null}}"#;
        assert_eq!(values(of_a_report).unwrap(), [3, 1_048_576]);
    }

    #[test]
    fn a_limit_that_is_none_is_refused() {
        for text in ["{\"records_per_second\": -1}", "{\"size\": 1}", "{", "records_per_second", "x=1"] {
            assert!(values(text).is_err(), "{text}");
        }
    }
}
