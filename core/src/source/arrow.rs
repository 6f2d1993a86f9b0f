//! Record batches that are in memory already: from Python, from C, from a test.

use super::columns::{Roles, Unnamed, assign, holds_text};
use super::payload::Encoding;
use super::times::times;
use super::whole::whole_numbers;
use super::{Batch, Columns, ROWS, Source, Taken, Wanted, payload};
use crate::error::{Error, Result};
use crate::keys::{KeyColumn, KeySerializer};
use crate::tally::MISSING;
use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, StringArray, new_null_array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Schema};
use arrow::error::ArrowError;

impl From<ArrowError> for Error {
    /// A fault in Arrow data is a fault of the input.
    fn from(error: ArrowError) -> Self {
        Self::input(format!("the Arrow data cannot be read: {error}"))
    }
}

/// A [`Source`] over Arrow record batches. Nothing is copied but sizes, times and weights that are
/// not 64-bit integers already; a long batch is handed on in slices, so that threads can share it.
///
/// ```
/// use shardlane::arrow::array::{RecordBatch, StringArray};
/// use shardlane::arrow::datatypes::{DataType, Field, Schema};
/// use shardlane::source::{Batches, Columns, Source};
/// use std::sync::Arc;
///
/// let schema = Arc::new(Schema::new(vec![Field::new("pk", DataType::Utf8, true)]));
/// let keys = Arc::new(StringArray::from(vec![Some("user-1"), None]));
/// let batch = RecordBatch::try_new(schema.clone(), vec![keys])?;
/// let mut source = Batches::new(&schema, [Ok::<_, shardlane::Error>(batch)], &Columns::default())?;
/// assert_eq!(source.taken().guessed, ["pk"]);
/// assert_eq!(source.next().unwrap()?.keys.get(0), Some(&b"user-1"[..]));
/// # Ok::<(), shardlane::Error>(())
/// ```
#[derive(Debug)]
pub struct Batches<I> {
    input: I,
    roles: Roles,
    /// What is left of the batch that is being handed on.
    rest: Option<RecordBatch>,
}

impl<I> Batches<I> {
    /// A source over `batches`, all of which have the columns of `schema`.
    ///
    /// # Errors
    /// `InvalidInput` if a column that is named is not in the schema, if there is none for the key,
    /// or if a time column of whole numbers has no unit; `UnsupportedType` if a column's type
    /// cannot hold what it is to hold.
    pub fn new<B>(schema: &Schema, batches: B, columns: &Columns) -> Result<Self>
    where
        B: IntoIterator<IntoIter = I>,
    {
        let roles = assign(schema, columns, Unnamed::Guess, "the data")?;
        Ok(Self { input: batches.into_iter(), roles, rest: None })
    }
}

impl Batches<std::vec::IntoIter<Result<RecordBatch>>> {
    /// A source over arrays of keys alone, all of one type.
    ///
    /// # Errors
    /// `UnsupportedType` if the arrays hold neither text nor bytes; `InvalidInput` if they are not
    /// all of one type.
    ///
    /// ```
    /// use shardlane::arrow::array::{ArrayRef, StringArray};
    /// use shardlane::source::Batches;
    /// use std::sync::Arc;
    ///
    /// let keys: ArrayRef = Arc::new(StringArray::from(vec!["user-1", "JP"]));
    /// let mut source = Batches::of_keys(vec![keys])?;
    /// assert_eq!(source.next().unwrap()?.keys.len(), 2);
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn of_keys(arrays: Vec<ArrayRef>) -> Result<Self> {
        let kind = arrays.first().map_or(DataType::Utf8, |array| array.data_type().clone());
        let schema = std::sync::Arc::new(Schema::new(vec![Field::new("key", kind, true)]));
        let batches = arrays
            .into_iter()
            .map(|array| Ok(RecordBatch::try_new(schema.clone(), vec![array])?))
            .collect::<Vec<_>>();
        let columns = Columns { key: Some("key".to_owned()), ..Columns::default() };
        Self::new(&schema, batches, &columns)
    }
}

impl<I, E> Iterator for Batches<I>
where
    I: Iterator<Item = Result<RecordBatch, E>>,
    E: Into<Error>,
{
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = match self.rest.take() {
            Some(batch) => batch,
            None => match self.input.next()? {
                Ok(batch) => batch,
                Err(error) => return Some(Err(error.into())),
            },
        };
        let rows = self.roles.rows_at_once(&batch).min(batch.num_rows());
        if rows < batch.num_rows() {
            self.rest = Some(batch.slice(rows, batch.num_rows() - rows));
        }
        Some(self.roles.take(&batch.slice(0, rows)))
    }
}

impl<I, E> Source for Batches<I>
where
    I: Iterator<Item = Result<RecordBatch, E>> + Send,
    E: Into<Error>,
{
    fn taken(&self) -> &Taken {
        &self.roles.taken
    }
}

impl Roles {
    /// The batch's columns, each in its part.
    pub(super) fn take(&self, batch: &RecordBatch) -> Result<Batch> {
        let column = |index: usize, name: &str| {
            batch.columns().get(index).ok_or_else(|| {
                Error::input(format!(
                    "a batch has {} columns and so lacks \"{name}\", which the schema promised",
                    batch.num_columns()
                ))
            })
        };
        let optional = |index: Option<usize>, name: &Option<String>| {
            index.map(|index| column(index, name.as_deref().unwrap_or_default())).transpose()
        };
        let taken = &self.taken;
        let keys = self.keys(column(self.key, &taken.key)?)?;
        let salt_by = optional(self.salt_by, &taken.salt)?;
        let keys = match (&self.salt, salt_by) {
            (Some(salt), Some(by)) => salt.apply(&keys, &KeySerializer::Text.serialize(by)?)?,
            _ => keys,
        };
        let operations = optional(self.operation, &taken.operation)?;
        let shards = optional(self.shard, &taken.shard)?;
        let labels = self.labels(column(self.key, &taken.key)?)?;
        let explicit = optional(self.explicit_hash_key, &taken.explicit_hash_key)?;
        let bytes = optional(self.bytes, &taken.bytes)?;
        let time = optional(self.time, &taken.time)?;
        let weight = optional(self.weight, &taken.weight)?;
        let time_name = taken.time.as_deref().unwrap_or_default();
        let data = optional(self.payload, &taken.payload)?;
        let times = time.map(|array| times(array, self.time_unit, time_name)).transpose()?;
        let (times, time_notes) = times.unzip();
        let batch = Batch {
            keys,
            explicit_hash_keys: explicit.map(text).transpose()?,
            bytes: bytes.map(whole_numbers).transpose()?,
            times,
            time_notes: time_notes.unwrap_or_default(),
            weights: weight.map(whole_numbers).transpose()?,
            operations: operations.map(text).transpose()?,
            shards: shards.map(ids).transpose()?,
            travels: None,
            labels,
            broken_rows: 0,
        };
        match data {
            Some(data) => self.with_payloads(batch, &text(data)?, encoding(data.data_type())),
            None => Ok(batch),
        }
    }

    /// The batch with the sizes of its payloads, if it has no others, and with the records that are
    /// within them.
    pub(super) fn with_payloads(
        &self,
        mut batch: Batch,
        data: &KeyColumn,
        encoding: Encoding,
    ) -> Result<Batch> {
        if batch.bytes.is_none() && matches!(self.wanted, Wanted::All | Wanted::Loads) {
            batch.bytes = Some(payload::sizes(data, encoding));
        }
        payload::opened(batch, data, encoding)
    }

    /// The keys of a column, as the producer writes them.
    pub(super) fn keys(&self, array: &ArrayRef) -> Result<KeyColumn> {
        match self.key_serializer {
            Some(serializer) => serializer.serialize(array),
            None => text(array),
        }
    }

    /// What keys were made from, where a serializer made them and they are to be shown.
    pub(super) fn labels(&self, array: &ArrayRef) -> Result<Option<KeyColumn>> {
        let is_shown =
            matches!(self.wanted, Wanted::Keys | Wanted::Shards) && self.key_serializer.is_some();
        if !is_shown || self.key_serializer == Some(KeySerializer::Bytes) {
            return Ok(None);
        }
        let label = match self.key_serializer {
            Some(KeySerializer::Uuid) => self.keys(array)?,
            _ if holds_text(array.data_type()) => text(array)?,
            _ => KeyColumn::try_new(&cast(array, &DataType::Utf8)?)?,
        };
        Ok(Some(label))
    }

    /// How many rows of `batch` to hand on at once. The distinct values of a dictionary are hashed
    /// again for each slice, so there are to be many more rows than values.
    pub(super) fn rows_at_once(&self, batch: &RecordBatch) -> usize {
        let values = batch
            .columns()
            .get(self.key)
            .and_then(|keys| keys.as_any_dictionary_opt())
            .map_or(0, |keys| keys.values().len());
        values.saturating_mul(16).max(2 * ROWS)
    }
}

/// How payloads are written in a column: text can hold them in base64 only.
fn encoding(kind: &DataType) -> Encoding {
    match kind {
        DataType::Dictionary(_, values) => encoding(values),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Encoding::Base64,
        _ => Encoding::Raw,
    }
}

/// A column of shard ids: text, or whole numbers as text.
fn ids(array: &ArrayRef) -> Result<KeyColumn> {
    if *array.data_type() == DataType::Null || holds_text(array.data_type()) {
        return text(array);
    }
    let numbers = whole_numbers(array)?;
    let texts = numbers.iter().map(|&id| (id != MISSING).then(|| id.to_string()));
    KeyColumn::try_new(&texts.collect::<StringArray>())
}

/// A column of text or bytes; one of nulls alone, which Arrow gives a type of its own, too.
fn text(array: &ArrayRef) -> Result<KeyColumn> {
    match array.data_type() {
        DataType::Null => KeyColumn::try_new(&new_null_array(&DataType::Utf8, array.len())),
        _ => KeyColumn::try_new(array.as_ref()),
    }
}
