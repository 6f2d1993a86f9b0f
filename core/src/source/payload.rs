//! Payloads: how long they are, and the records that a producer library put into them.
//!
//! A batch with such records becomes a longer one, with a row for each of them. What an aggregate
//! weighs in all, its own key included, is shared out: each record has its payload, and the first
//! one the rest.

use super::{Batch, Travel};
use crate::error::Result;
use crate::keys::KeyColumn;
use crate::keys::aggregate::{MAGIC, open};
use crate::tally::MISSING;
use arrow::array::LargeBinaryBuilder;
use arrow::buffer::{BooleanBuffer, ScalarBuffer};
use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use std::borrow::Cow;

/// Base64 with or without padding.
static BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// What the base64 of every aggregate begins with.
const MAGIC_BASE64: &[u8] = b"84maw";

/// How payloads are written in their column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// As they are.
    Raw,
    /// As text, in base64.
    Base64,
}

impl Encoding {
    fn length(self, text: &[u8]) -> usize {
        match self {
            Self::Raw => text.len(),
            Self::Base64 => base64_length(text),
        }
    }

    /// The payload, if it begins as an aggregate does.
    fn aggregate(self, text: &[u8]) -> Option<Cow<'_, [u8]>> {
        match self {
            Self::Raw => text.starts_with(&MAGIC).then_some(Cow::Borrowed(text)),
            Self::Base64 if text.starts_with(MAGIC_BASE64) => base64(text).map(Cow::Owned),
            Self::Base64 => None,
        }
    }
}

/// How many bytes base64 stands for, without decoding it.
pub(super) fn base64_length(text: &[u8]) -> usize {
    let padding = text.iter().rev().take(2).take_while(|sign| **sign == b'=').count();
    let digits = &text[..text.len() - padding];
    digits.len() / 4 * 3 + digits.len() % 4 * 3 / 4
}

/// The bytes that base64 stands for; `None` if it is none.
pub(super) fn base64(text: &[u8]) -> Option<Vec<u8>> {
    BASE64.decode(text).ok()
}

/// The sizes of payloads; [`MISSING`] for a null.
pub(super) fn sizes(data: &KeyColumn, encoding: Encoding) -> ScalarBuffer<i64> {
    let size = |text: &[u8]| i64::try_from(encoding.length(text)).unwrap_or(i64::MAX);
    (0..data.len()).map(|row| data.get(row).map_or(MISSING, size)).collect()
}

/// The batch with the records of each aggregate among `data` in its place.
pub(super) fn opened(batch: Batch, data: &KeyColumn, encoding: Encoding) -> Result<Batch> {
    let payload = |row| data.get(row).and_then(|text| encoding.aggregate(text));
    let Some(first) = (0..data.len()).find(|&row| payload(row).is_some()) else {
        return Ok(batch);
    };
    let mut rows = Opened::default();
    for row in 0..data.len() {
        let bytes = if row < first { None } else { payload(row) };
        let records = bytes.as_deref().and_then(open).filter(|records| !records.is_empty());
        let total = batch.bytes.as_ref().map_or(MISSING, |bytes| bytes[row]);
        let Some(records) = records else {
            rows.push(row, batch.keys.get(row), hash_key(&batch, row), total, Travel::Alone);
            continue;
        };
        let outer_key = batch.keys.get(row).map_or(0, <[u8]>::len);
        let length = |data: &[u8]| i64::try_from(data.len()).unwrap_or(i64::MAX);
        let others =
            records[1..].iter().fold(0, |sum: i64, record| sum.saturating_add(length(record.data)));
        for (at, record) in records.iter().enumerate() {
            let (size, travel) = match at {
                0 if total < 0 => (total, Travel::First),
                0 => (
                    total.saturating_add_unsigned(outer_key as u64).saturating_sub(others).max(0),
                    Travel::First,
                ),
                _ => (length(record.data), Travel::Within),
            };
            rows.push(row, Some(record.key), record.explicit_hash_key, size, travel);
        }
    }
    rows.into_batch(&batch)
}

fn hash_key(batch: &Batch, row: usize) -> Option<&[u8]> {
    batch.explicit_hash_keys.as_ref().and_then(|hash_keys| hash_keys.get(row))
}

/// The rows of a batch whose aggregates are open.
#[derive(Default)]
struct Opened {
    /// Which row each comes from.
    from: Vec<usize>,
    keys: LargeBinaryBuilder,
    hash_keys: LargeBinaryBuilder,
    has_hash_keys: bool,
    sizes: Vec<i64>,
    travels: Vec<Travel>,
}

impl Opened {
    fn push(
        &mut self,
        from: usize,
        key: Option<&[u8]>,
        hash_key: Option<&[u8]>,
        size: i64,
        travel: Travel,
    ) {
        self.from.push(from);
        self.keys.append_option(key);
        self.hash_keys.append_option(hash_key);
        self.has_hash_keys |= hash_key.is_some();
        self.sizes.push(size);
        self.travels.push(travel);
    }

    fn into_batch(mut self, batch: &Batch) -> Result<Batch> {
        let from = &self.from;
        let numbers = |of: &Option<ScalarBuffer<i64>>| {
            of.as_ref().map(|of| from.iter().map(|&row| of[row]).collect())
        };
        let texts = |of: &Option<KeyColumn>| of.as_ref().map(|of| repeated(of, from)).transpose();
        let (weights, times) = (numbers(&batch.weights), numbers(&batch.times));
        let (operations, shards) = (texts(&batch.operations)?, texts(&batch.shards)?);
        let mut keys = KeyColumn::try_new(&self.keys.finish())?;
        let unusable = from
            .iter()
            .zip(&self.travels)
            .map(|(&row, travel)| *travel == Travel::Alone && batch.keys.is_unusable(row));
        keys = keys.with_unusable(unusable.collect::<BooleanBuffer>());
        let labels = batch.labels.as_ref().map(|labels| {
            let label = |(at, &row): (usize, &usize)| match self.travels[at] {
                Travel::Alone => labels.get(row),
                _ => keys.get(at),
            };
            collected(from.iter().enumerate().map(label))
        });
        let hash_keys = self.hash_keys.finish();
        let has_hash_keys = self.has_hash_keys || batch.explicit_hash_keys.is_some();
        Ok(Batch {
            labels: labels.transpose()?,
            keys,
            explicit_hash_keys: has_hash_keys
                .then(|| KeyColumn::try_new(&hash_keys))
                .transpose()?,
            bytes: batch.bytes.as_ref().map(|_| self.sizes.into()),
            times,
            time_notes: batch.time_notes,
            weights,
            operations,
            shards,
            travels: Some(self.travels),
            broken_rows: batch.broken_rows,
        })
    }
}

/// The rows of a column that are named, as often as they are.
fn repeated(column: &KeyColumn, rows: &[usize]) -> Result<KeyColumn> {
    collected(rows.iter().map(|&row| column.get(row)))
}

fn collected<'a>(texts: impl Iterator<Item = Option<&'a [u8]>>) -> Result<KeyColumn> {
    let mut column = LargeBinaryBuilder::new();
    texts.for_each(|text| column.append_option(text));
    KeyColumn::try_new(&column.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_length_of_base64_is_that_of_what_it_stands_for(bytes: Vec<u8>) {
            let text = BASE64.encode(&bytes);
            prop_assert_eq!(base64_length(text.as_bytes()), bytes.len());
            let bare = text.trim_end_matches('=');
            prop_assert_eq!(base64_length(bare.as_bytes()), bytes.len());
            prop_assert_eq!(base64(bare.as_bytes()), Some(bytes));
        }

        #[test]
        fn the_base64_of_an_aggregate_begins_with_that_of_its_magic(rest: Vec<u8>) {
            let text = BASE64.encode([&MAGIC[..], &rest].concat());
            prop_assert!(text.as_bytes().starts_with(MAGIC_BASE64));
        }
    }
}
