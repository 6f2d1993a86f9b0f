//! Keys that are no text: the bytes that a Kafka producer's key serializer makes of a value.
//!
//! A hash is of bytes, so the long 1001 and the text "1001" are different keys. The serializers are
//! those of the Java client (`org.apache.kafka.common.serialization`).

use super::KeyColumn;
use crate::error::{Error, Result};
use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, FixedSizeBinaryBuilder, LargeBinaryBuilder,
    StringArray,
};
use arrow::buffer::BooleanBuffer;
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, Float32Type, Float64Type, Int64Type};
use std::fmt;
use std::str::FromStr;

/// How a producer turns a key into bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeySerializer {
    /// Text in UTF-8; of whole numbers, their digits.
    Text,
    /// Bytes as they are.
    Bytes,
    /// A whole number in 8 bytes, big-endian.
    Long,
    /// A whole number in 4 bytes, big-endian.
    Integer,
    /// A whole number in 2 bytes, big-endian.
    Short,
    /// A number of 64 bits by IEEE 754, big-endian.
    Double,
    /// A number of 32 bits by IEEE 754, big-endian.
    Float,
    /// The text of a UUID in lower case.
    Uuid,
}

impl KeySerializer {
    /// Every serializer.
    pub const ALL: [Self; 8] = [
        Self::Text,
        Self::Bytes,
        Self::Long,
        Self::Integer,
        Self::Short,
        Self::Double,
        Self::Float,
        Self::Uuid,
    ];

    /// The serializer's name, such as `long`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Bytes => "bytes",
            Self::Long => "long",
            Self::Integer => "integer",
            Self::Short => "short",
            Self::Double => "double",
            Self::Float => "float",
            Self::Uuid => "uuid",
        }
    }

    /// Whether it takes values of an Arrow type. Text is read as the value that it spells.
    pub(crate) fn takes(self, kind: &DataType) -> bool {
        let is_text = |kind: &DataType| {
            matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
        };
        // The fields of a CSV file are bytes.
        let is_bytes = |kind: &DataType| {
            matches!(kind, DataType::Binary | DataType::LargeBinary | DataType::BinaryView)
        };
        match kind {
            DataType::Null => true,
            DataType::Dictionary(_, values) => self.takes(values),
            DataType::FixedSizeBinary(16) if self == Self::Uuid => true,
            DataType::FixedSizeBinary(_) => matches!(self, Self::Bytes | Self::Text),
            kind if is_text(kind) || is_bytes(kind) => true,
            kind if kind.is_integer() => self != Self::Bytes && self != Self::Uuid,
            kind if kind.is_floating() => matches!(self, Self::Double | Self::Float),
            _ => false,
        }
    }

    /// The keys that it makes of a column's values. Rows whose value it cannot write, such as a word
    /// as a long, are [unusable](KeyColumn::is_unusable).
    ///
    /// # Errors
    /// `UnsupportedType` if the column holds values of another kind.
    ///
    /// ```
    /// use shardlane::arrow::array::Int64Array;
    /// use shardlane::keys::KeySerializer;
    /// let keys = KeySerializer::Long.serialize(&Int64Array::from(vec![Some(1001), None]))?;
    /// assert_eq!(keys.get(0), Some(&1001_i64.to_be_bytes()[..]));
    /// assert!(keys.is_null(1));
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn serialize(self, array: &dyn Array) -> Result<KeyColumn> {
        let kind = array.data_type();
        if !self.takes(kind) {
            return Err(Error::unsupported(format!(
                "the key serializer {self} was given a column of {kind}; {}",
                self.wants()
            )));
        }
        let text = match kind {
            DataType::Null => return KeyColumn::try_new(&*nulls(array.len())),
            DataType::FixedSizeBinary(16) if self == Self::Uuid => {
                return Self::uuids(array);
            }
            DataType::Dictionary(_, values) if values.is_integer() || values.is_floating() => {
                let plain = cast_with_options(array, values, &CastOptions::default())?;
                return self.serialize(&plain);
            }
            kind if kind.is_integer() || kind.is_floating() => None,
            _ => Some(KeyColumn::try_new(array)?),
        };
        match (self, text) {
            (Self::Text | Self::Bytes, Some(keys)) => Ok(keys),
            (Self::Text | Self::Bytes, None) => digits(array),
            (Self::Uuid, Some(keys)) => {
                made(&keys, |text| parse_uuid(text).map(|bytes| hyphenated(bytes).into_bytes()))
            }
            (Self::Uuid, None) => Ok(KeyColumn::try_new(&*nulls(array.len()))?),
            (Self::Long, keys) => whole(array, keys, |number| Some(number.to_be_bytes())),
            (Self::Integer, keys) => {
                whole(array, keys, |number| Some(i32::try_from(number).ok()?.to_be_bytes()))
            }
            (Self::Short, keys) => {
                whole(array, keys, |number| Some(i16::try_from(number).ok()?.to_be_bytes()))
            }
            // Java writes one NaN for all of them as a double, and each as it is as a float.
            (Self::Double, keys) => numbers::<Float64Type, 8>(array, keys, |number| {
                if number.is_nan() { f64::NAN.to_be_bytes() } else { number.to_be_bytes() }
            }),
            (Self::Float, keys) => numbers::<Float32Type, 4>(array, keys, f32::to_be_bytes),
        }
    }

    /// The key that it makes of the value that `text` spells, if it can write that.
    pub(super) fn bytes_of(self, text: &str) -> Option<Vec<u8>> {
        let keys = self.serialize(&StringArray::from(vec![text])).ok()?;
        keys.get(0).filter(|_| !keys.is_unusable(0)).map(<[u8]>::to_vec)
    }

    const fn wants(self) -> &'static str {
        match self {
            Self::Text => "give text, or whole numbers for their digits",
            Self::Bytes => "give bytes or text",
            Self::Long | Self::Integer | Self::Short => {
                "give whole numbers, or text of their digits"
            }
            Self::Double | Self::Float => "give numbers, or text that spells them",
            Self::Uuid => "give text, or 16 bytes each",
        }
    }

    fn uuids(array: &dyn Array) -> Result<KeyColumn> {
        let bytes = array.as_fixed_size_binary();
        let mut keys = LargeBinaryBuilder::new();
        for value in bytes {
            match value.and_then(|value| value.first_chunk()) {
                Some(value) => keys.append_value(hyphenated(*value)),
                None => keys.append_null(),
            }
        }
        KeyColumn::try_new(&keys.finish())
    }
}

impl fmt::Display for KeySerializer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reads a serializer by its name.
///
/// ```
/// use shardlane::keys::KeySerializer;
/// assert_eq!("uuid".parse(), Ok(KeySerializer::Uuid));
/// assert!("int".parse::<KeySerializer>().is_err());
/// ```
impl FromStr for KeySerializer {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|serializer| serializer.name() == name).ok_or_else(|| {
            Error::input(format!(
                "there is no key serializer \"{name}\"; type one of {}",
                Self::ALL.map(Self::name).join(", ")
            ))
        })
    }
}

fn nulls(len: usize) -> ArrayRef {
    arrow::array::new_null_array(&DataType::Utf8, len)
}

/// The digits of whole numbers.
fn digits(array: &dyn Array) -> Result<KeyColumn> {
    let text = cast_with_options(array, &DataType::Utf8, &CastOptions::default())?;
    KeyColumn::try_new(&text)
}

/// Keys made of text, where they can be.
fn made(texts: &KeyColumn, make: impl Fn(&str) -> Option<Vec<u8>>) -> Result<KeyColumn> {
    let mut keys = LargeBinaryBuilder::new();
    let mut unusable = Vec::with_capacity(texts.len());
    for row in 0..texts.len() {
        let text = texts.get(row);
        let key = text.and_then(|text| make(str::from_utf8(text.trim_ascii()).ok()?));
        unusable.push(text.is_some() && key.is_none());
        match (text, key) {
            (None, _) => keys.append_null(),
            (Some(_), key) => keys.append_value(key.unwrap_or_default()),
        }
    }
    Ok(KeyColumn::try_new(&keys.finish())?.with_unusable(unusable.into()))
}

/// Keys of a fixed width made of whole numbers, or of text that spells them.
fn whole<const N: usize>(
    array: &dyn Array,
    texts: Option<KeyColumn>,
    make: impl Fn(i64) -> Option<[u8; N]>,
) -> Result<KeyColumn> {
    if let Some(texts) = texts {
        return made(&texts, |text| Some(make(text.parse().ok()?)?.to_vec()));
    }
    let options = CastOptions { safe: true, ..CastOptions::default() };
    let numbers = cast_with_options(array, &DataType::Int64, &options)?;
    let numbers = numbers.as_primitive::<Int64Type>();
    fixed(array, numbers.iter().map(|number| number.and_then(&make)))
}

/// Keys of a fixed width made of numbers, or of text that spells them.
fn numbers<T: ArrowPrimitiveType, const N: usize>(
    array: &dyn Array,
    texts: Option<KeyColumn>,
    make: impl Fn(T::Native) -> [u8; N],
) -> Result<KeyColumn>
where
    T::Native: FromStr,
{
    if let Some(texts) = texts {
        return made(&texts, |text| Some(make(text.parse().ok()?).to_vec()));
    }
    let options = CastOptions { safe: true, ..CastOptions::default() };
    let numbers = cast_with_options(array, &T::DATA_TYPE, &options)?;
    fixed(array, numbers.as_primitive::<T>().iter().map(|number| number.map(&make)))
}

/// The keys of a column whose values are `keys`, of which those without one are null where the
/// column is, and unusable elsewhere.
fn fixed<const N: usize>(
    array: &dyn Array,
    keys: impl Iterator<Item = Option<[u8; N]>>,
) -> Result<KeyColumn> {
    let mut bytes = FixedSizeBinaryBuilder::with_capacity(array.len(), N as i32);
    let mut unusable = Vec::with_capacity(array.len());
    for (row, key) in keys.enumerate() {
        let is_null = array.is_null(row);
        unusable.push(!is_null && key.is_none());
        if is_null {
            bytes.append_null();
        } else {
            bytes.append_value(key.unwrap_or([0; N]))?;
        }
    }
    let unusable: BooleanBuffer = unusable.into();
    Ok(KeyColumn::try_new(&bytes.finish())?.with_unusable(unusable))
}

/// The bytes of a UUID's text, with or without hyphens.
fn parse_uuid(text: &str) -> Option<[u8; 16]> {
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    let shape = [8, 13, 18, 23];
    let hyphens: Vec<usize> = text.match_indices('-').map(|(at, _)| at).collect();
    let well_formed = digits.len() == 32
        && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        && (hyphens.is_empty() || hyphens == shape);
    if !well_formed {
        return None;
    }
    Some(u128::from_str_radix(&digits, 16).ok()?.to_be_bytes())
}

fn hyphenated(bytes: [u8; 16]) -> String {
    let hex = format!("{:032x}", u128::from_be_bytes(bytes));
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{Float64Array, Int32Array, UInt64Array};

    fn keys(serializer: KeySerializer, array: &dyn Array) -> Vec<Option<Vec<u8>>> {
        let keys = serializer.serialize(array).unwrap();
        (0..keys.len())
            .map(|row| keys.get(row).filter(|_| !keys.is_unusable(row)).map(<[u8]>::to_vec))
            .collect()
    }

    #[test]
    fn whole_numbers_become_big_endian_bytes_of_their_width() {
        let array = Int32Array::from(vec![Some(1001), Some(-1), Some(40_000), None]);
        assert_eq!(
            keys(KeySerializer::Long, &array)[..2],
            [Some(vec![0, 0, 0, 0, 0, 0, 3, 0xe9]), Some(vec![0xff; 8])]
        );
        assert_eq!(keys(KeySerializer::Integer, &array)[0], Some(vec![0, 0, 3, 0xe9]));
        let short = keys(KeySerializer::Short, &array);
        assert_eq!(short, [Some(vec![3, 0xe9]), Some(vec![0xff; 2]), None, None]);
        let column = KeySerializer::Short.serialize(&array).unwrap();
        assert!(column.is_unusable(2) && !column.is_unusable(3) && column.is_null(3));
        let huge = UInt64Array::from(vec![u64::MAX]);
        assert!(KeySerializer::Long.serialize(&huge).unwrap().is_unusable(0));
    }

    #[test]
    fn text_is_read_as_what_it_spells() {
        let array = StringArray::from(vec![Some("1001"), Some("x"), None]);
        let column = KeySerializer::Long.serialize(&array).unwrap();
        assert_eq!(column.get(0), Some(&1001_i64.to_be_bytes()[..]));
        assert!(column.is_unusable(1) && column.is_null(2) && !column.is_unusable(2));
        let doubles = StringArray::from(vec!["1.5", "NaN"]);
        assert_eq!(
            keys(KeySerializer::Double, &doubles),
            [Some(1.5_f64.to_be_bytes().to_vec()), Some(vec![0x7f, 0xf8, 0, 0, 0, 0, 0, 0])]
        );
        assert_eq!(keys(KeySerializer::Text, &array)[0], Some(b"1001".to_vec()));
        assert_eq!(keys(KeySerializer::Text, &Int32Array::from(vec![7]))[0], Some(b"7".to_vec()));
    }

    #[test]
    fn uuids_are_their_text_in_lower_case() {
        let text = "FD7AF248-CE5C-46A5-93D7-1C0C9005B99D";
        let array = StringArray::from(vec![text, "fd7af248", "fd7af248ce5c46a593d71c0c9005b99d"]);
        let lower = Some(text.to_lowercase().into_bytes());
        assert_eq!(keys(KeySerializer::Uuid, &array), [lower.clone(), None, lower]);
    }

    #[test]
    fn columns_of_another_kind_are_refused() {
        let error = KeySerializer::Long.serialize(&Float64Array::from(vec![1.0])).unwrap_err();
        assert!(error.message().contains("give whole numbers"), "{error}");
        let error = KeySerializer::Uuid.serialize(&Int32Array::from(vec![1])).unwrap_err();
        assert!(error.message().contains("16 bytes each"), "{error}");
    }
}
