//! Salts: a bucket behind the key, so that a hot key's records spread over several shards.
//!
//! The bucket comes from another column of the record, so that the same record always has the same
//! one. Order then holds within a bucket only.

use super::KeyColumn;
use crate::error::{Error, Result};
use crate::lanes::{java, reference};
use arrow::array::LargeBinaryBuilder;
use std::fmt;
use std::io::Write;
use std::str::FromStr;

/// How a value becomes a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SaltRule {
    /// `Math.floorMod(value.hashCode(), buckets)` of Java: 0 to `buckets - 1`.
    #[default]
    Java,
    /// AWS's calculated suffix: the product of the value's code points modulo `buckets`, plus 1. It
    /// degenerates on most ids, since few factors make any product divisible by 200
    /// (<https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-sharding.html>,
    /// read 2026-11-30).
    AwsSuffix,
    /// The top bits of the value's MD5, scaled: 0 to `buckets - 1`, and even for any values.
    Md5,
}

impl SaltRule {
    const ALL: [Self; 3] = [Self::Java, Self::AwsSuffix, Self::Md5];

    /// The rule's name: `java`, `aws-suffix` or `md5`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Java => "java",
            Self::AwsSuffix => "aws-suffix",
            Self::Md5 => "md5",
        }
    }

    /// The bucket of a value; what is not UTF-8 counts as its replacement would.
    ///
    /// ```
    /// use shardlane::keys::SaltRule;
    /// assert_eq!(SaltRule::Java.bucket(b"order-1001", 8), 7);
    /// assert_eq!(SaltRule::AwsSuffix.bucket(b"A1B2", 200), 101);
    /// ```
    ///
    /// # Panics
    /// If `buckets` is 0.
    pub fn bucket(self, value: &[u8], buckets: u32) -> u32 {
        match self {
            Self::Java => {
                let hash = i64::from(java::hash(value).cast_signed());
                hash.rem_euclid(i64::from(buckets)) as u32
            }
            Self::AwsSuffix => {
                let buckets = u64::from(buckets);
                let text = String::from_utf8_lossy(value);
                let product =
                    text.chars().fold(1, |product, c| product * u64::from(u32::from(c)) % buckets);
                // The product of nothing is 1, which one bucket has no room for.
                (product % buckets) as u32 + 1
            }
            Self::Md5 => {
                let prefix = reference::hash(value) >> 96;
                ((prefix * u128::from(buckets)) >> 32) as u32
            }
        }
    }
}

impl fmt::Display for SaltRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SaltRule {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|rule| rule.name() == name).ok_or_else(|| {
            Error::input(format!("there is no salt rule \"{name}\"; type java, aws-suffix or md5"))
        })
    }
}

/// A salt: what is put behind each key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Salt {
    /// How the bucket is made.
    pub rule: SaltRule,
    /// How many buckets there are, 1 or more.
    pub buckets: u32,
    /// What stands between the key and the bucket.
    pub separator: String,
}

impl Salt {
    /// A salt of `buckets` buckets, by Java's rule, behind a `#`.
    ///
    /// # Errors
    /// `InvalidInput` if `buckets` is 0.
    pub fn new(buckets: u32) -> Result<Self> {
        if buckets == 0 {
            return Err(Error::input("a salt of 0 buckets was asked for; type 1 or more"));
        }
        Ok(Self { rule: SaltRule::default(), buckets, separator: "#".to_owned() })
    }

    /// `key#bucket` for each row, the bucket from the same row of `by`. A null key stays null; one
    /// whose value is null is [unusable](KeyColumn::is_unusable).
    ///
    /// # Errors
    /// `InvalidInput` if the columns differ in length.
    ///
    /// ```
    /// use shardlane::KeyColumn;
    /// use shardlane::arrow::array::StringArray;
    /// use shardlane::keys::Salt;
    /// let column = |text| KeyColumn::try_new(&StringArray::from(vec![text])).unwrap();
    /// let salted = Salt::new(8)?.apply(&column("cust-big"), &column("order-1001"))?;
    /// assert_eq!(salted.get(0), Some(&b"cust-big#7"[..]));
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn apply(&self, keys: &KeyColumn, by: &KeyColumn) -> Result<KeyColumn> {
        if keys.len() != by.len() {
            return Err(Error::input(format!(
                "the salt's column has {} rows, but the key column has {}",
                by.len(),
                keys.len()
            )));
        }
        let mut salted = LargeBinaryBuilder::with_capacity(keys.len(), 24 * keys.len());
        let mut unusable = Vec::with_capacity(keys.len());
        let mut text = Vec::new();
        for row in 0..keys.len() {
            let (key, value) = (keys.get(row), by.get(row));
            unusable.push(key.is_some() && (value.is_none() || keys.is_unusable(row)));
            match (key, value) {
                (None, _) => salted.append_null(),
                (Some(key), value) => {
                    text.clear();
                    text.extend_from_slice(key);
                    text.extend_from_slice(self.separator.as_bytes());
                    if let Some(value) = value {
                        // Writing to memory cannot fail.
                        let _ = write!(text, "{}", self.rule.bucket(value, self.buckets));
                    }
                    salted.append_value(&text);
                }
            }
        }
        Ok(KeyColumn::try_new(&salted.finish())?.with_unusable(unusable.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calculated_suffix_degenerates_as_published() {
        for (value, suffix) in
            [("order-1001", 1), ("548-0123", 1), ("A1B2", 101), ("13579", 146), ("日本", 21)]
        {
            assert_eq!(SaltRule::AwsSuffix.bucket(value.as_bytes(), 200), suffix, "{value}");
        }
        assert_eq!(SaltRule::AwsSuffix.bucket(b"", 1), 1);
    }

    #[test]
    fn buckets_of_negative_hash_codes_are_positive() {
        let negative = (0..100).map(|i| format!("key-{i}"));
        let negative = negative.filter(|key| java::hash(key.as_bytes()).cast_signed() < 0);
        let buckets: Vec<_> =
            negative.map(|key| SaltRule::Java.bucket(key.as_bytes(), 8)).collect();
        assert!(!buckets.is_empty() && buckets.iter().all(|bucket| *bucket < 8), "{buckets:?}");
    }
}
