//! What a producer may have hashed in the place of the key that its log shows.

use super::KeySerializer;
use std::borrow::Cow;

/// How the key that a log shows became the key that was hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum KeyForm {
    /// Not at all.
    #[default]
    AsItIs,
    /// A serializer wrote what the text spells.
    Serialized(KeySerializer),
    /// The log shows the 8 or 4 bytes of a number whose digits were the key.
    Digits,
    /// JSON text, in quotes.
    Json,
    /// In lower case.
    LowerCase,
    /// In upper case.
    UpperCase,
    /// The log shows the bytes in hexadecimal digits.
    Hex,
    /// The log shows the bytes in Base64.
    Base64,
}

impl KeyForm {
    /// Every form.
    pub const ALL: [Self; 13] = [
        Self::AsItIs,
        Self::Serialized(KeySerializer::Long),
        Self::Serialized(KeySerializer::Integer),
        Self::Serialized(KeySerializer::Short),
        Self::Serialized(KeySerializer::Double),
        Self::Serialized(KeySerializer::Float),
        Self::Serialized(KeySerializer::Uuid),
        Self::Digits,
        Self::Json,
        Self::LowerCase,
        Self::UpperCase,
        Self::Hex,
        Self::Base64,
    ];

    /// The form in words.
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::AsItIs => "as it is",
            Self::Serialized(KeySerializer::Long) => "a whole number in 8 bytes",
            Self::Serialized(KeySerializer::Integer) => "a whole number in 4 bytes",
            Self::Serialized(KeySerializer::Short) => "a whole number in 2 bytes",
            Self::Serialized(KeySerializer::Double) => "a number in 8 bytes of IEEE 754",
            Self::Serialized(KeySerializer::Float) => "a number in 4 bytes of IEEE 754",
            Self::Serialized(KeySerializer::Uuid) => "a UUID in lower case",
            Self::Serialized(KeySerializer::Bytes | KeySerializer::Text) => "text",
            Self::Digits => "the digits of the number that its bytes are",
            Self::Json => "JSON text, in quotes",
            Self::LowerCase => "in lower case",
            Self::UpperCase => "in upper case",
            Self::Hex => "the bytes that its hexadecimal digits spell",
            Self::Base64 => "the bytes that its Base64 spells",
        }
    }

    /// The serializer to name, where that makes keys of this form.
    pub const fn serializer(self) -> Option<KeySerializer> {
        match self {
            Self::Serialized(serializer) => Some(serializer),
            _ => None,
        }
    }

    /// What was hashed if the log shows `key`; `None` if no such key has this form.
    ///
    /// ```
    /// use shardlane::keys::{KeyForm, KeySerializer};
    /// let long = KeyForm::Serialized(KeySerializer::Long);
    /// assert_eq!(long.hashed(b"1001").unwrap()[..], [0, 0, 0, 0, 0, 0, 3, 0xe9]);
    /// assert_eq!(KeyForm::Json.hashed(b"JP").unwrap()[..], *b"\"JP\"");
    /// assert_eq!(long.hashed(b"JP"), None);
    /// ```
    pub fn hashed(self, key: &[u8]) -> Option<Cow<'_, [u8]>> {
        let text = || str::from_utf8(key).ok();
        let made = match self {
            Self::AsItIs => return Some(Cow::Borrowed(key)),
            Self::Serialized(serializer) => serializer.bytes_of(text()?)?,
            Self::Digits => match *key {
                [a, b, c, d, e, f, g, h] => i64::from_be_bytes([a, b, c, d, e, f, g, h]),
                [a, b, c, d] => i32::from_be_bytes([a, b, c, d]).into(),
                _ => return None,
            }
            .to_string()
            .into_bytes(),
            Self::Json => serde_json::to_vec(text()?).ok()?,
            Self::LowerCase => text()?.to_lowercase().into_bytes(),
            Self::UpperCase => text()?.to_uppercase().into_bytes(),
            Self::Hex => unhex(key)?,
            Self::Base64 => unbase64(key)?,
        };
        Some(Cow::Owned(made))
    }
}

/// The bytes that hexadecimal digits spell.
fn unhex(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let (pairs, rest) = text.as_chunks::<2>();
    let byte = |[high, low]: &[u8; 2]| Some((digit(*high)? * 16 + digit(*low)?) as u8);
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}

/// The bytes that Base64 spells, of either alphabet, with or without its padding.
fn unbase64(text: &[u8]) -> Option<Vec<u8>> {
    let text = text.trim_ascii_end();
    let padding = text.iter().rev().take_while(|sign| **sign == b'=').count();
    let signs = &text[..text.len() - padding];
    if padding > 2 || signs.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(signs.len() * 3 / 4);
    let (mut bits, mut held) = (0u32, 0);
    for sign in signs {
        let six = match sign {
            b'A'..=b'Z' => sign - b'A',
            b'a'..=b'z' => sign - b'a' + 26,
            b'0'..=b'9' => sign - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashed(form: KeyForm, key: &[u8]) -> Option<Vec<u8>> {
        form.hashed(key).map(Cow::into_owned)
    }

    #[test]
    fn bytes_are_read_from_the_digits_that_spell_them() {
        assert_eq!(hashed(KeyForm::Hex, b"00fF"), Some(vec![0, 255]));
        assert_eq!((hashed(KeyForm::Hex, b"0"), hashed(KeyForm::Hex, b"0g")), (None, None));
        for (text, bytes) in [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zg", "f")]
        {
            assert_eq!(hashed(KeyForm::Base64, text.as_bytes()), Some(bytes.into()), "{text}");
        }
        assert_eq!(hashed(KeyForm::Base64, b"-_8"), Some(vec![0xfb, 0xff]));
        assert_eq!(hashed(KeyForm::Base64, b"a b="), None);
        assert_eq!(hashed(KeyForm::Base64, b"Zg==="), None);
    }

    #[test]
    fn numbers_and_text_take_each_other_s_place() {
        let long = KeyForm::Serialized(KeySerializer::Long);
        let bytes = hashed(long, b"-7").unwrap();
        assert_eq!(hashed(KeyForm::Digits, &bytes), Some(b"-7".to_vec()));
        assert_eq!(hashed(KeyForm::Digits, &[0, 0, 3, 0xe9]), Some(b"1001".to_vec()));
        assert_eq!(hashed(KeyForm::Digits, b"abc"), None);
        let uuid = KeyForm::Serialized(KeySerializer::Uuid);
        let text = b"FD7AF248-CE5C-46A5-93D7-1C0C9005B99D";
        assert_eq!(hashed(uuid, text), Some(text.to_ascii_lowercase()));
        let short = KeyForm::Serialized(KeySerializer::Short);
        assert_eq!((hashed(short, b"40000"), hashed(short, b"x")), (None, None));
    }
}
