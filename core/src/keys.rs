//! A column of keys: one view over every Arrow layout that can hold text or bytes.
//!
//! Nothing is copied or flattened. A [`KeyColumn`] keeps the array's buffers alive and reads each
//! key where it lies. Offsets, views and dictionary indices are checked once, when the column is
//! made, since they may come from foreign memory.
//!
//! ```
//! use shardlane::arrow::array::StringArray;
//! use shardlane::keys::KeyColumn;
//!
//! let column = KeyColumn::try_new(&StringArray::from(vec![Some("user-1"), None]))?;
//! assert_eq!(column.get(0), Some(&b"user-1"[..]));
//! assert_eq!(column.get(1), None);
//! # Ok::<(), shardlane::Error>(())
//! ```

pub mod aggregate;
mod dictionary;
mod fixed;
mod form;
mod offsets;
mod salt;
mod serializer;
mod views;

pub use dictionary::{Dictionary, Indices};
pub use fixed::Fixed;
pub use form::KeyForm;
pub use offsets::Offsets;
pub use salt::{Salt, SaltRule};
pub use serializer::KeySerializer;
pub use views::Views;

use crate::error::{Error, Result};
use crate::lanes::Keys;
use arrow::array::{Array, AsArray, LargeBinaryArray};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::datatypes::{DataType, Field};
use std::borrow::Cow;

/// A column of keys with its nulls.
#[derive(Debug, Clone)]
pub struct KeyColumn {
    layout: Layout,
    nulls: Option<NullBuffer>,
    /// The rows whose key could not be made of the value that was there.
    unusable: Option<BooleanBuffer>,
    len: usize,
}

/// How the keys of a column lie in memory.
#[derive(Debug, Clone)]
enum Layout {
    /// Utf8 and Binary.
    Offsets32(Offsets<i32>),
    /// LargeUtf8 and LargeBinary.
    Offsets64(Offsets<i64>),
    /// Utf8View and BinaryView.
    Views(Views),
    /// FixedSizeBinary.
    Fixed(Fixed),
    /// Dictionary of any integer index over any of the above.
    Dictionary(Box<Dictionary>),
}

/// Work to do on a column's keys whatever their layout: the generic closure that Rust lacks.
pub trait Visitor {
    /// What the work gives.
    type Output;

    /// Called once, with the keys of the column's own layout. Null rows are some key or other.
    fn visit<K: Keys>(self, keys: &K) -> Self::Output;
}

impl KeyColumn {
    /// Checks that what a field holds is keys, where its type alone does not tell.
    ///
    /// # Errors
    /// `UnsupportedType` if its bytes stand for something else: UUIDs, which producers send as
    /// text.
    ///
    /// ```
    /// use shardlane::KeyColumn;
    /// use shardlane::arrow::datatypes::{DataType, Field};
    ///
    /// let sixteen_bytes = Field::new("id", DataType::FixedSizeBinary(16), false);
    /// assert!(KeyColumn::check_field(&sixteen_bytes).is_ok());
    /// let extension = [("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned())];
    /// let uuids = sixteen_bytes.with_metadata(extension.into());
    /// assert!(KeyColumn::check_field(&uuids).unwrap_err().message().contains("UUIDs"));
    /// ```
    pub fn check_field(field: &Field) -> Result<()> {
        let Some(extension) = field.extension_type_name() else { return Ok(()) };
        let name = field.name();
        if extension == "arrow.uuid" {
            return Err(Error::unsupported(format!(
                "the column \"{name}\" holds UUIDs as 16 bytes each, but a producer's key is their \
                 text; write it as text, in SQL: CAST(\"{name}\" AS VARCHAR)"
            )));
        }
        Ok(())
    }

    /// Views an Arrow array as keys.
    ///
    /// # Errors
    /// `UnsupportedType` if the array holds neither text nor bytes; `InvalidInput` if its offsets,
    /// views or indices point outside its own buffers.
    pub fn try_new(array: &dyn Array) -> Result<Self> {
        let layout = match array.data_type() {
            DataType::Utf8 => Layout::Offsets32(Offsets::try_new(array.as_string())?),
            DataType::Binary => Layout::Offsets32(Offsets::try_new(array.as_binary())?),
            DataType::LargeUtf8 => Layout::Offsets64(Offsets::try_new(array.as_string())?),
            DataType::LargeBinary => Layout::Offsets64(Offsets::try_new(array.as_binary())?),
            DataType::Utf8View => Layout::Views(Views::try_new(array.as_string_view())?),
            DataType::BinaryView => Layout::Views(Views::try_new(array.as_binary_view())?),
            DataType::FixedSizeBinary(_) => {
                Layout::Fixed(Fixed::try_new(array.as_fixed_size_binary())?)
            }
            DataType::Dictionary(..) => {
                Layout::Dictionary(Box::new(Dictionary::try_new(array.as_any_dictionary())?))
            }
            other => {
                return Err(Error::unsupported(format!(
                    "a key column holds text or bytes (Utf8, LargeUtf8, Utf8View, Binary, \
                     LargeBinary, BinaryView, FixedSizeBinary, or a Dictionary of these), but this \
                     one is {other}; cast it to text the way the producer writes its keys"
                )));
            }
        };
        let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        Ok(Self { layout, nulls, unusable: None, len: array.len() })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the column has no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of null rows.
    pub fn null_count(&self) -> usize {
        self.nulls.as_ref().map_or(0, NullBuffer::null_count)
    }

    /// Whether row `i` is null.
    ///
    /// # Panics
    /// If `i` is not below [`len`](Self::len) and the column has nulls.
    #[inline]
    pub fn is_null(&self, i: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(i))
    }

    /// The same column, with rows marked whose key could not be made of the value that was there.
    ///
    /// # Panics
    /// If there are not as many marks as rows.
    #[must_use]
    pub(crate) fn with_unusable(mut self, unusable: BooleanBuffer) -> Self {
        assert_eq!(unusable.len(), self.len, "one mark for each row");
        self.unusable = (unusable.count_set_bits() > 0).then_some(unusable);
        self
    }

    /// Whether some rows have a value that no key could be made of.
    pub fn has_unusable(&self) -> bool {
        self.unusable.is_some()
    }

    /// Whether no key could be made of the value of row `i`.
    ///
    /// # Panics
    /// If `i` is not below [`len`](Self::len) and there are such rows.
    #[inline]
    pub fn is_unusable(&self, i: usize) -> bool {
        self.unusable.as_ref().is_some_and(|unusable| unusable.value(i))
    }

    /// The same keys, with nothing in the place of null ones: a copy, where there is something now.
    pub(crate) fn with_empty_nulls(&self) -> Cow<'_, Self> {
        let Some(nulls) = &self.nulls else { return Cow::Borrowed(self) };
        let is_dictionary = self.as_dictionary().is_some();
        let filled = |i: usize| nulls.is_null(i) && self.key_len(i) > 0;
        if !is_dictionary && !(0..self.len).any(filled) {
            return Cow::Borrowed(self);
        }
        let keys: LargeBinaryArray = (0..self.len).map(|i| self.get(i)).collect();
        let layout = Offsets::try_new(&keys).map(Layout::Offsets64);
        layout.map_or(Cow::Borrowed(self), |layout| Cow::Owned(Self { layout, ..self.clone() }))
    }

    /// The key of row `i`, or `None` if it is null.
    ///
    /// # Panics
    /// If `i` is not below [`len`](Self::len).
    pub fn get(&self, i: usize) -> Option<&[u8]> {
        if self.is_null(i) {
            return None;
        }
        Some(&self.tail(i)[..self.key_len(i)])
    }

    /// The key of row `i` and what follows it; any key if the row is null.
    fn tail(&self, i: usize) -> &[u8] {
        match &self.layout {
            Layout::Offsets32(keys) => keys.tail(i),
            Layout::Offsets64(keys) => keys.tail(i),
            Layout::Views(keys) => keys.tail(i),
            Layout::Fixed(keys) => keys.tail(i),
            Layout::Dictionary(keys) => keys.tail(i),
        }
    }

    /// The length of the key of row `i`.
    fn key_len(&self, i: usize) -> usize {
        match &self.layout {
            Layout::Offsets32(keys) => keys.key_len(i),
            Layout::Offsets64(keys) => keys.key_len(i),
            Layout::Views(keys) => keys.key_len(i),
            Layout::Fixed(keys) => keys.key_len(i),
            Layout::Dictionary(keys) => keys.key_len(i),
        }
    }

    /// The column as a dictionary, if it is one: its distinct values need hashing only once.
    pub fn as_dictionary(&self) -> Option<&Dictionary> {
        match &self.layout {
            Layout::Dictionary(dictionary) => Some(dictionary),
            _ => None,
        }
    }

    /// Does `visitor`'s work on the keys, with code made for their layout.
    pub fn visit<V: Visitor>(&self, visitor: V) -> V::Output {
        match &self.layout {
            Layout::Offsets32(keys) => visitor.visit(keys),
            Layout::Offsets64(keys) => visitor.visit(keys),
            Layout::Views(keys) => visitor.visit(keys),
            Layout::Fixed(keys) => visitor.visit(keys),
            Layout::Dictionary(keys) => visitor.visit(keys.as_ref()),
        }
    }
}
