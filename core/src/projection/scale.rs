//! How many times the log's traffic is replayed.

use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// Parts of one: a scale is a whole number of them, so that nothing is rounded on the way.
pub(super) const PARTS: u64 = 1_000_000;

/// The largest scale.
const MOST: u64 = 1_000_000;

/// How many times the log's traffic is replayed: records and bytes of every window, 1 unless said.
/// Up to six digits after the point count.
///
/// ```
/// use shardlane::projection::Scale;
/// let scale: Scale = "1.5".parse()?;
/// assert_eq!(scale.value(), 1.5);
/// assert!("0".parse::<Scale>().is_err());
/// # Ok::<(), shardlane::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scale(u64);

impl Scale {
    /// The log's own traffic.
    pub const ONE: Self = Self(PARTS);

    /// A scale of this value, to six digits after the point.
    ///
    /// # Errors
    /// `InvalidInput` if that is not from 0.000001 to 1,000,000.
    pub fn new(value: f64) -> Result<Self> {
        let parts = (value * PARTS as f64).round();
        if (1.0..=(MOST * PARTS) as f64).contains(&parts) {
            Ok(Self(parts as u64))
        } else {
            Err(Error::input(format!(
                "a scale of {value} was given; type how many times the log's traffic to replay, \
                 from 0.000001 to {MOST}, for example 1.5"
            )))
        }
    }

    /// The scale as a number.
    pub fn value(self) -> f64 {
        self.0 as f64 / PARTS as f64
    }

    /// The scale in millionths.
    pub(super) fn parts(self) -> u64 {
        self.0
    }

    /// A scale of so many millionths.
    pub(super) fn of_parts(parts: u64) -> Self {
        Self(parts)
    }

    /// This many times `count`, to the nearest whole number.
    pub fn of(self, count: u64) -> u64 {
        let parts = u128::from(count) * u128::from(self.0) + u128::from(PARTS / 2);
        u64::try_from(parts / u128::from(PARTS)).unwrap_or(u64::MAX)
    }
}

impl Default for Scale {
    fn default() -> Self {
        Self::ONE
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

impl FromStr for Scale {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.trim().parse() {
            Ok(value) => Self::new(value),
            Err(_) => Err(Error::input(format!(
                "\"{text}\" is not a scale; type a number such as 1.5 or 0.25"
            ))),
        }
    }
}
