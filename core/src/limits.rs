//! What a shard may take: dated, sourced profiles of the services' limits, each of which can be
//! overridden.
//!
//! ```
//! use shardlane::Limits;
//! let limits = Limits::kinesis().with_text("bytes_per_second=1000000")?;
//! assert_eq!(limits.bytes_per_second().unwrap().value, 1_000_000);
//! assert_eq!(limits.records_per_second().unwrap().source, "https://docs.aws.amazon.com/streams/latest/dev/service-sizes-and-limits.html");
//! # Ok::<(), shardlane::Error>(())
//! ```

mod kinesis;

use crate::error::{Error, Result};
use crate::shards::System;
use std::borrow::Cow;

/// One limit of a shard: its value and where that comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// The value, in the unit that the limit's name says.
    pub value: u64,
    /// The page or code that states it, or `given` when it was overridden.
    pub source: Cow<'static, str>,
    /// The day that source was read, as YYYY-MM-DD; empty when it was overridden.
    pub date: Cow<'static, str>,
}

impl Limit {
    /// A limit that a user gave.
    fn given(value: u64) -> Self {
        Self {
            value,
            source: Cow::Borrowed("given"),
            date: Cow::Borrowed(""),
        }
    }
}

/// The write limits of each shard of one system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    system: System,
    records_per_second: Option<Limit>,
    bytes_per_second: Option<Limit>,
}

/// The names that a limit is overridden by.
const NAMES: [&str; 2] = ["records_per_second", "bytes_per_second"];

impl Limits {
    /// The default profile of `system`.
    pub fn of(system: System) -> Self {
        match system {
            System::Kinesis => Self::kinesis(),
        }
    }

    /// The system whose shards are limited.
    pub fn system(&self) -> System {
        self.system
    }

    /// Records a second that a shard takes, if that is limited.
    pub fn records_per_second(&self) -> Option<&Limit> {
        self.records_per_second.as_ref()
    }

    /// Bytes a second that a shard takes, if that is limited.
    pub fn bytes_per_second(&self) -> Option<&Limit> {
        self.bytes_per_second.as_ref()
    }

    /// The limits by name, those that are set.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Limit)> {
        NAMES
            .into_iter()
            .zip([&self.records_per_second, &self.bytes_per_second])
            .filter_map(|(name, limit)| limit.as_ref().map(|limit| (name, limit)))
    }

    /// The same profile with the limit called `name` set to `value`.
    ///
    /// # Errors
    /// `InvalidInput` if there is no such limit, or the value is 0.
    pub fn with(mut self, name: &str, value: u64) -> Result<Self> {
        let place = match name {
            "records_per_second" => &mut self.records_per_second,
            "bytes_per_second" => &mut self.bytes_per_second,
            _ => {
                return Err(Error::input(format!(
                    "there is no limit \"{name}\"; type one of {}",
                    NAMES.join(", ")
                )));
            }
        };
        if value == 0 {
            return Err(Error::input(format!(
                "the limit {name} is 0; type a whole number of 1 or more"
            )));
        }
        *place = Some(Limit::given(value));
        Ok(self)
    }

    /// The same profile with overrides written as `name=value`, separated by commas.
    ///
    /// # Errors
    /// As [`with`](Self::with), and `InvalidInput` for text of another form.
    pub fn with_text(self, text: &str) -> Result<Self> {
        text.split(',')
            .map(str::trim)
            .filter(|item| !item.is_empty())
            .try_fold(self, |limits, item| {
                let parsed = item
                    .split_once('=')
                    .and_then(|(name, value)| Some((name.trim(), parse_count(value.trim())?)));
                match parsed {
                    Some((name, value)) => limits.with(name, value),
                    None => Err(Error::input(format!(
                        "\"{item}\" is not a limit; type name=value with a whole number, for \
                         example records_per_second=1000,bytes_per_second=1048576"
                    ))),
                }
            })
    }
}

/// A whole number, with underscores allowed between digits.
fn parse_count(text: &str) -> Option<u64> {
    text.replace('_', "").parse().ok()
}
