//! Limits as people write them: `name=value` on a command line, JSON in a file.

use super::{Limits, READS};
use crate::error::{Error, Result};
use crate::shards::System;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use std::fmt;

/// What to type, for messages.
const TEXT_EXAMPLE: &str = "records_per_second=1000,bytes_per_second=1048576";
const JSON_EXAMPLE: &str = r#"{"records_per_second": 1000, "bytes_per_second": 1048576}"#;

impl Limits {
    /// The same profile with overrides written as `name=value`, separated by commas. Digits may be
    /// grouped by underscores.
    ///
    /// # Errors
    /// As [`with`](Self::with), and `InvalidInput` for text of another form or a name given twice.
    ///
    /// ```
    /// use shardlane::Limits;
    /// let limits = Limits::kinesis().with_text("records_per_second=500, bytes_per_second=1_000_000")?;
    /// assert_eq!(limits.records_per_second().unwrap().value, 500);
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn with_text(self, text: &str) -> Result<Self> {
        let mut seen = Vec::new();
        let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
        items.into_iter().try_fold(self, |limits, item| {
            let parsed = item
                .split_once('=')
                .and_then(|(name, value)| Some((name.trim(), parse_count(value.trim())?)));
            let Some((name, value)) = parsed else {
                return Err(Error::input(format!(
                    "\"{item}\" is not a limit; type name=value with a whole number, for example \
                     {TEXT_EXAMPLE}"
                )));
            };
            check_new(&mut seen, name)?;
            limits.with(name, value)
        })
    }

    /// The default profile of `system` with the overrides of a limits file: see
    /// [`with_json`](Self::with_json).
    ///
    /// # Errors
    /// As [`with_json`](Self::with_json).
    ///
    /// ```
    /// use shardlane::{Limits, System};
    /// let limits = Limits::from_json(System::Kinesis, r#"{"bytes_per_second": 1000000}"#)?;
    /// assert_eq!(limits.bytes_per_second().unwrap().value, 1_000_000);
    /// assert_eq!(limits.records_per_second().unwrap().value, 1_000);
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn from_json(system: System, json: &str) -> Result<Self> {
        Self::of(system).with_json(json)
    }

    /// The same profile with the overrides of a limits file: one JSON object from names to whole
    /// numbers, in which `null` lifts a limit.
    ///
    /// # Errors
    /// As [`with`](Self::with), and `InvalidInput` for text that is not such an object or has a
    /// name twice.
    pub fn with_json(self, json: &str) -> Result<Self> {
        let Object(items) = serde_json::from_str(json).map_err(|error| {
            Error::input(format!("these limits are not JSON of the form {JSON_EXAMPLE}: {error}"))
        })?;
        let mut seen = Vec::new();
        items.iter().try_fold(self, |limits, (name, value)| {
            check_new(&mut seen, name)?;
            match value {
                Value::Null => limits.without(name),
                value => match value.as_u64() {
                    Some(value) => limits.with(name, value),
                    // A wrong name is told first.
                    None => limits.without(name).and(Err(Error::input(format!(
                        "the limit {name} is {value}; write a whole number of 1 or more without \
                         quotation marks, or null for no limit, for example {JSON_EXAMPLE}"
                    )))),
                },
            }
        })
    }

    /// The limits as a limits file, which [`with_json`](Self::with_json) reads.
    ///
    /// ```
    /// let json = shardlane::Limits::kinesis().to_json();
    /// assert_eq!(json, r#"{"records_per_second":1000,"bytes_per_second":1048576}"#);
    /// ```
    pub fn to_json(&self) -> String {
        // Limits of a whole stream or table are named only where there are any, and those of
        // readers where they are not the profile's.
        let profile = Self::of(self.system);
        let told = |name: &&&str| {
            let is_whole = name.starts_with("stream_") || name.starts_with("table_");
            let is_usual = if is_whole { None } else { profile.get(name) };
            let is_optional = is_whole || READS.contains(name);
            !is_optional || self.get(name) != is_usual
        };
        let items = self.names().iter().filter(told).map(|name| {
            let value = self.get(name).map_or("null".to_owned(), |limit| limit.value.to_string());
            format!(r#""{name}":{value}"#)
        });
        format!("{{{}}}", items.collect::<Vec<_>>().join(","))
    }
}

/// Checks that a name comes for the first time.
fn check_new<'a>(seen: &mut Vec<&'a str>, name: &'a str) -> Result<()> {
    if seen.contains(&name) {
        return Err(Error::input(format!("the limit {name} is given twice; give it once")));
    }
    seen.push(name);
    Ok(())
}

/// A whole number, with underscores allowed between digits.
fn parse_count(text: &str) -> Option<u64> {
    let digits = text.starts_with(|c: char| c.is_ascii_digit()) && !text.ends_with('_');
    if digits { text.replace('_', "").parse().ok() } else { None }
}

/// A JSON object as it was written: in order, and with a name that comes twice still there twice.
struct Object(Vec<(String, Value)>);

impl<'de> serde::Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Items;

        impl<'de> Visitor<'de> for Items {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object from the names of limits to whole numbers")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Object, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = map.next_entry()? {
                    items.push(item);
                }
                Ok(Object(items))
            }
        }

        deserializer.deserialize_map(Items)
    }
}
