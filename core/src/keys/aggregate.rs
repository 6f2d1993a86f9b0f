//! Records that the Kinesis Producer Library put into one, and their keys.
//!
//! The producer writes many user records as one Kinesis record whose own key is a placeholder, `a`;
//! their keys are within. Its bytes are a magic number, a protobuf message (a table of keys, a
//! table of explicit hash keys, and records that point into both), and the MD5 of the message.
//!
//! What is read, and what is taken for a plain record, is as in `AggregatorUtil` of
//! [Amazon's consumer library](https://github.com/awslabs/amazon-kinesis-client) (read 2026-12-01):
//! a record that is too short, has another magic number or another digest, or whose message cannot
//! be read, is one plain record. The format is described in
//! [aggregation-format.md](https://github.com/awslabs/amazon-kinesis-producer/blob/master/aggregation-format.md).
//!
//! ```
//! use shardlane::keys::aggregate::{UserRecord, open, write};
//!
//! let record = |key, hash, data| UserRecord { key, explicit_hash_key: hash, data };
//! let records = [record(&b"user-1"[..], None, &b"hello"[..]), record(b"JP", Some(b"0"), b"")];
//! let bytes = write(&records);
//! assert_eq!(open(&bytes), Some(records.to_vec()));
//! assert_eq!(open(b"a plain record"), None);
//! ```

mod protobuf;

use crate::lanes::reference;
use protobuf::{Field, fields, put_bytes, put_number};
use std::ops::RangeInclusive;

/// What an aggregate begins with.
pub const MAGIC: [u8; 4] = [0xf3, 0x89, 0x9a, 0xc2];

/// Bytes of the digest that it ends with.
const DIGEST: usize = 16;

/// One of the records within an aggregate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserRecord<'a> {
    /// Its partition key.
    pub key: &'a [u8],
    /// Its explicit hash key, as decimal text, if it has one.
    pub explicit_hash_key: Option<&'a [u8]>,
    /// What it carries.
    pub data: &'a [u8],
}

impl UserRecord<'_> {
    /// The hash value that its shard follows from: its explicit hash key, or the MD5 of its key.
    /// `None` if its explicit hash key is no number of 128 bits.
    ///
    /// ```
    /// use shardlane::keys::aggregate::UserRecord;
    /// let record = UserRecord { key: b"a", explicit_hash_key: None, data: b"" };
    /// assert_eq!(record.hash(), Some(0x0cc175b9c0f1b6a831c399e269772661));
    /// let record = UserRecord { explicit_hash_key: Some(b"42"), ..record };
    /// assert_eq!(record.hash(), Some(42));
    /// ```
    pub fn hash(&self) -> Option<u128> {
        match self.explicit_hash_key {
            Some(text) => str::from_utf8(text).ok()?.parse().ok(),
            None => Some(reference::hash(self.key)),
        }
    }
}

/// Whether bytes begin as an aggregate does.
pub fn is_aggregate(data: &[u8]) -> bool {
    data.starts_with(&MAGIC)
}

/// The records within an aggregate; `None` if `data` is a plain record.
pub fn open(data: &[u8]) -> Option<Vec<UserRecord<'_>>> {
    let rest = data.strip_prefix(&MAGIC)?;
    // The consumer library asks for one byte of a message at least.
    let (message, digest) = rest.split_at_checked(rest.len().checked_sub(DIGEST)?)?;
    if message.is_empty() || reference::digest(message) != digest {
        return None;
    }
    let (mut keys, mut hash_keys, mut records) = (Vec::new(), Vec::new(), Vec::new());
    for field in fields(message) {
        match field? {
            (1, Field::Bytes(key)) => keys.push(key),
            (2, Field::Bytes(hash_key)) => hash_keys.push(hash_key),
            (3, Field::Bytes(record)) => records.push(record),
            _ => {}
        }
    }
    records.into_iter().map(|record| user_record(record, &keys, &hash_keys)).collect()
}

/// One record of a message with its tables; `None` if it lacks what it needs, or points outside
/// them.
fn user_record<'a>(
    message: &'a [u8],
    keys: &[&'a [u8]],
    hash_keys: &[&'a [u8]],
) -> Option<UserRecord<'a>> {
    let (mut key, mut hash_key, mut data) = (None, None, None);
    for field in fields(message) {
        match field? {
            (1, Field::Number(index)) => key = Some(index),
            (2, Field::Number(index)) => hash_key = Some(index),
            (3, Field::Bytes(bytes)) => data = Some(bytes),
            _ => {}
        }
    }
    // The key's index and the data are required; a hash key's index is not, and where there is none
    // there is no hash key, whatever the table has first.
    let explicit_hash_key = match hash_key {
        Some(index) => Some(at(hash_keys, index)?),
        None => None,
    };
    Some(UserRecord { key: at(keys, key?)?, explicit_hash_key, data: data? })
}

fn at<'a>(table: &[&'a [u8]], index: u64) -> Option<&'a [u8]> {
    table.get(usize::try_from(index).ok()?).copied()
}

/// What a consumer of a shard whose hash values are `range` is given of an aggregate: all of its
/// records, or none of them if any lies outside. The consumer library stops at the first such
/// record and removes those before it, so that a producer with an old shard map loses them all.
///
/// ```
/// use shardlane::keys::aggregate::{UserRecord, delivered};
/// let record = |hash| UserRecord { key: b"a", explicit_hash_key: Some(hash), data: b"" };
/// let records = vec![record(&b"1"[..]), record(b"2"), record(b"30")];
/// assert_eq!(delivered(records.clone(), 0..=20), []);
/// assert_eq!(delivered(records.clone(), 0..=30), records);
/// ```
pub fn delivered(records: Vec<UserRecord<'_>>, range: RangeInclusive<u128>) -> Vec<UserRecord<'_>> {
    let is_within =
        |record: &UserRecord<'_>| record.hash().is_some_and(|hash| range.contains(&hash));
    if records.iter().all(is_within) { records } else { Vec::new() }
}

/// The aggregate of some records, as the producer library writes it.
pub fn write(records: &[UserRecord<'_>]) -> Vec<u8> {
    let (mut keys, mut hash_keys) = (Vec::new(), Vec::new());
    let mut message = Vec::new();
    let mut within = Vec::new();
    for record in records {
        let mut one = Vec::new();
        put_number(&mut one, 1, place(&mut keys, record.key));
        if let Some(hash_key) = record.explicit_hash_key {
            put_number(&mut one, 2, place(&mut hash_keys, hash_key));
        }
        put_bytes(&mut one, 3, record.data);
        put_bytes(&mut within, 3, &one);
    }
    for (number, table) in [(1, keys), (2, hash_keys)] {
        for text in table {
            put_bytes(&mut message, number, text);
        }
    }
    message.extend_from_slice(&within);
    let digest = reference::digest(&message);
    [&MAGIC[..], &message, &digest].concat()
}

/// Where `text` is in a table, to which it is added if it is not there.
fn place<'a>(table: &mut Vec<&'a [u8]>, text: &'a [u8]) -> u64 {
    let at = table.iter().position(|known| *known == text);
    at.unwrap_or_else(|| {
        table.push(text);
        table.len() - 1
    }) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sealed(message: &[u8]) -> Vec<u8> {
        [&MAGIC[..], message, &reference::digest(message)].concat()
    }

    #[test]
    fn what_the_consumer_library_cannot_read_is_a_plain_record() {
        let good = write(&[UserRecord { key: b"k", explicit_hash_key: None, data: b"d" }]);
        assert!(open(&good).is_some());
        for at in 0..good.len() {
            assert_eq!(open(&good[..at]), None, "cut at {at}");
            let mut changed = good.clone();
            changed[at] ^= 1;
            assert_eq!(open(&changed), None, "changed at {at}");
        }
        for message in [
            &b""[..],
            // A record without data, one without a key, one whose key is not in the table.
            b"\x0a\x01k\x1a\x02\x08\x00",
            b"\x0a\x01k\x1a\x03\x1a\x01d",
            b"\x0a\x01k\x1a\x05\x08\x01\x1a\x01d",
            // A hash key that is not in the table, a field of no kind.
            b"\x0a\x01k\x1a\x07\x08\x00\x10\x00\x1a\x01d",
            b"\x0f",
        ] {
            assert_eq!(open(&sealed(message)), None, "{message:?}");
        }
    }

    #[test]
    fn fields_of_later_versions_are_passed_over() {
        let message = b"\x22\x01x\x29\x00\x00\x00\x00\x00\x00\x00\x00\x35\x00\x00\x00\x00\x38\x01\
                        \x0a\x01k\x1a\x09\x08\x00\x22\x02\x0a\x00\x1a\x01d";
        let record = UserRecord { key: b"k", explicit_hash_key: None, data: b"d" };
        assert_eq!(open(&sealed(message)), Some(vec![record]));
    }

    #[test]
    fn an_aggregate_without_records_gives_none() {
        assert_eq!(open(&sealed(b"\x0a\x01k")), Some(vec![]));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            records in prop::collection::vec(
                ("[a-c]{0,3}", prop::option::of("[0-9]{1,3}"), "[x-z]{0,200}"),
                1..20,
            ),
        ) {
            let records: Vec<_> = records
                .iter()
                .map(|(key, hash_key, data)| UserRecord {
                    key: key.as_bytes(),
                    explicit_hash_key: hash_key.as_deref().map(str::as_bytes),
                    data: data.as_bytes(),
                })
                .collect();
            let bytes = write(&records);
            prop_assert_eq!(open(&bytes), Some(records));
        }

        #[test]
        fn any_message_is_read_or_refused(message: Vec<u8>) {
            let bytes = sealed(&message);
            if let Some(records) = open(&bytes) {
                prop_assert!(records.iter().map(|record| record.data.len()).sum::<usize>() <= message.len());
            }
        }
    }
}
