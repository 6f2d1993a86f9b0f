//! What a shard may take: dated, sourced profiles of the services' limits, each of which can be
//! overridden.
//!
//! ```
//! use shardlane::Limits;
//! let limits = Limits::kinesis().with_text("bytes_per_second=1000000")?;
//! assert_eq!(limits.bytes_per_second().unwrap().value, 1_000_000);
//! assert_eq!(limits.records_per_second().unwrap().value, 1_000);
//! # Ok::<(), shardlane::Error>(())
//! ```

mod kinesis;
mod written;

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
    /// What the limit lets through in `seconds` seconds.
    pub(crate) fn allowance(&self, seconds: u64) -> u128 {
        u128::from(self.value) * u128::from(seconds)
    }

    /// A limit that a user gave.
    fn given(value: u64) -> Self {
        Self { value, source: Cow::Borrowed("given"), date: Cow::Borrowed("") }
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
    ///
    /// ```
    /// use shardlane::Limits;
    /// let error = Limits::kinesis().with("record_per_second", 500).unwrap_err();
    /// assert!(error.message().contains("did you mean records_per_second?"));
    /// ```
    pub fn with(mut self, name: &str, value: u64) -> Result<Self> {
        if value == 0 {
            return Err(Error::input(format!(
                "the limit {name} is 0; type a whole number of 1 or more"
            )));
        }
        *self.place(name)? = Some(Limit::given(value));
        Ok(self)
    }

    /// The same profile without a limit called `name`.
    ///
    /// # Errors
    /// `InvalidInput` if no limit has that name.
    pub fn without(mut self, name: &str) -> Result<Self> {
        *self.place(name)? = None;
        Ok(self)
    }

    /// Where the limit called `name` is.
    fn place(&mut self, name: &str) -> Result<&mut Option<Limit>> {
        match name {
            "records_per_second" => Ok(&mut self.records_per_second),
            "bytes_per_second" => Ok(&mut self.bytes_per_second),
            _ => {
                let near = NAMES
                    .into_iter()
                    .map(|known| (strsim::jaro_winkler(name, known), known))
                    .filter(|(likeness, _)| *likeness >= 0.8)
                    .max_by(|(one, _), (other, _)| one.total_cmp(other));
                let near =
                    near.map_or_else(String::new, |(_, near)| format!("did you mean {near}? "));
                Err(Error::input(format!(
                    "there is no limit \"{name}\"; {near}type one of {}",
                    NAMES.join(", ")
                )))
            }
        }
    }
}
