//! Strings with escapes as the text they stand for.

use memchr::memchr;

/// What a string with escapes stands for, in UTF-8; `None` if an escape is none. Half of a pair of
/// surrogates, which UTF-8 cannot write, becomes U+FFFD.
pub(super) fn unescaped(raw: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr(b'\\', rest) {
        text.extend_from_slice(&rest[..at]);
        let sign = *rest.get(at + 1)?;
        rest = &rest[at + 2..];
        text.push(match sign {
            b'"' | b'\\' | b'/' => sign,
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let unit;
                (unit, rest) = hex(rest)?;
                let mut code = u32::from(unit);
                if (0xd800..0xdc00).contains(&unit)
                    && let Some((low, after)) = rest.strip_prefix(b"\\u").and_then(hex)
                    && (0xdc00..0xe000).contains(&low)
                {
                    code = 0x1_0000 + ((code - 0xd800) << 10) + u32::from(low - 0xdc00);
                    rest = after;
                }
                let sign = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                text.extend_from_slice(sign.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
            _ => return None,
        });
    }
    text.extend_from_slice(rest);
    Some(text)
}

/// Four hexadecimal digits, and what follows them.
fn hex(text: &[u8]) -> Option<(u16, &[u8])> {
    let (digits, rest) = text.split_at_checked(4)?;
    let digits = str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    Some((u16::from_str_radix(digits, 16).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_are_what_serde_says_and_others_are_none() {
        for raw in [r#"\"\\\/\b\f\n\r\t"#, r"a\u00e9b", r"\ud83d\ude00", r"\u65e5\u672c", "plain"] {
            let expected: String = serde_json::from_str(&format!("\"{raw}\"")).unwrap();
            assert_eq!(unescaped(raw.as_bytes()), Some(expected.into_bytes()), "{raw}");
        }
        for raw in [r"\x", r"\u12", r"\u12g4", r"\u+123", "\\"] {
            assert_eq!(unescaped(raw.as_bytes()), None, "{raw}");
        }
        for raw in [r"\ud83d", r"\ude00", r"\ud83dx"] {
            let text = unescaped(raw.as_bytes()).unwrap();
            assert!(text.starts_with("\u{fffd}".as_bytes()), "{raw}");
        }
    }

    proptest! {
        #[test]
        fn every_string_that_serde_writes_is_read_back(text in ".{0,40}") {
            let raw = serde_json::to_string(&text).unwrap();
            let raw = &raw.as_bytes()[1..raw.len() - 1];
            prop_assert_eq!(unescaped(raw), Some(text.into_bytes()));
        }
    }
}
