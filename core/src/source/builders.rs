//! The columns of a batch as they grow, row by row, from a block of text.

use super::Batch;
use super::columns::Roles;
use super::payload::Encoding;
use super::times::TextTimes;
use super::whole::parse_whole;
use crate::error::Result;
use crate::keys::KeyColumn;
use arrow::array::{ArrayRef, BinaryViewBuilder};
use arrow::buffer::Buffer;
use std::sync::Arc;

/// The text of one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Text<'a> {
    /// It lies in the block as it is, from this place on.
    Whole(&'a [u8], usize),
    /// It does not: escapes within it were taken for what they stand for.
    Unescaped(Vec<u8>),
}

impl Text<'_> {
    pub(super) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Whole(text, _) => text,
            Self::Unescaped(text) => text,
        }
    }
}

/// A row whose fields have positions.
pub(super) trait Fields {
    /// The text of a field; `None` if it is null.
    fn text(&self, column: usize) -> Option<Text<'_>>;

    /// The shard that a field tells.
    #[inline]
    fn shard(&self, column: usize) -> Option<Text<'_>> {
        self.text(column)
    }

    /// The size that a field tells; [`MISSING`](crate::tally::MISSING) if it tells none.
    #[inline]
    fn size(&self, column: usize) -> i64 {
        parse_whole(self.text(column).as_ref().map(Text::as_bytes))
    }
}

/// A column of text in the making: views into the block, or into a buffer of its own where the
/// block has escapes.
struct Texts {
    views: BinaryViewBuilder,
    /// The block, as the views name it.
    block: u32,
}

impl Texts {
    fn new(block: Buffer) -> Self {
        let mut views = BinaryViewBuilder::new();
        let block = views.append_block(block);
        Self { views, block }
    }

    #[inline]
    fn push(&mut self, text: Option<Text<'_>>) -> Result<()> {
        match text {
            // A block is far from 4 GiB.
            Some(Text::Whole(text, at)) => {
                self.views.try_append_view(self.block, at as u32, text.len() as u32)?;
            }
            Some(Text::Unescaped(text)) => self.views.append_value(text),
            None => self.views.append_null(),
        }
        Ok(())
    }

    fn finish(mut self) -> ArrayRef {
        Arc::new(self.views.finish())
    }

    fn into_keys(self) -> Result<KeyColumn> {
        KeyColumn::try_new(&*self.finish())
    }
}

/// The columns of a batch as they grow.
pub(super) struct Builders {
    keys: Texts,
    explicit_hash_keys: Texts,
    salts: Texts,
    operations: Texts,
    shards: Texts,
    payload: Texts,
    sizes: Vec<i64>,
    weights: Vec<i64>,
    times: TextTimes,
}

impl Builders {
    /// Columns of rows that lie in `block`.
    pub(super) fn new(roles: &Roles, block: &Buffer) -> Self {
        let texts = || Texts::new(block.clone());
        Self {
            keys: texts(),
            explicit_hash_keys: texts(),
            salts: texts(),
            operations: texts(),
            shards: texts(),
            payload: texts(),
            sizes: Vec::new(),
            weights: Vec::new(),
            times: TextTimes::new(roles.time_unit),
        }
    }

    #[inline]
    pub(super) fn push(&mut self, roles: &Roles, row: &impl Fields) -> Result<()> {
        self.keys.push(row.text(roles.key))?;
        for (at, column) in [
            (roles.explicit_hash_key, &mut self.explicit_hash_keys),
            (roles.salt_by, &mut self.salts),
            (roles.operation, &mut self.operations),
            (roles.payload, &mut self.payload),
        ] {
            if let Some(at) = at {
                column.push(row.text(at))?;
            }
        }
        if let Some(at) = roles.shard {
            self.shards.push(row.shard(at))?;
        }
        if let Some(at) = roles.bytes {
            self.sizes.push(row.size(at));
        }
        if let Some(at) = roles.weight {
            self.weights.push(parse_whole(row.text(at).as_ref().map(Text::as_bytes)));
        }
        if let Some(at) = roles.time {
            self.times.push(row.text(at).as_ref().map(Text::as_bytes));
        }
        Ok(())
    }

    pub(super) fn into_batch(mut self, roles: &Roles, broken_rows: u64) -> Result<Batch> {
        let time = roles.taken.time.as_deref();
        let keys = self.keys.finish();
        let labels = roles.labels(&keys)?;
        let mut keys = roles.keys(&keys)?;
        if let (Some(salt), Some(_)) = (&roles.salt, roles.salt_by) {
            keys = salt.apply(&keys, &self.salts.into_keys()?)?;
        }
        let explicit = roles.explicit_hash_key.map(|_| self.explicit_hash_keys.into_keys());
        let operations = roles.operation.map(|_| self.operations.into_keys());
        let shards = roles.shard.map(|_| self.shards.into_keys());
        let times = time.map(|name| self.times.take(name)).transpose()?;
        let (times, time_notes) = times.unzip();
        let batch = Batch {
            keys,
            explicit_hash_keys: explicit.transpose()?,
            bytes: roles.bytes.map(|_| self.sizes.into()),
            times,
            time_notes: time_notes.unwrap_or_default(),
            weights: roles.weight.map(|_| self.weights.into()),
            operations: operations.transpose()?,
            shards: shards.transpose()?,
            travels: None,
            labels,
            broken_rows,
        };
        match roles.payload {
            Some(_) => roles.with_payloads(batch, &self.payload.into_keys()?, Encoding::Base64),
            None => Ok(batch),
        }
    }
}
