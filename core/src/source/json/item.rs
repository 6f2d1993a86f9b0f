//! Attributes as `DynamoDB` writes them in JSON: each behind the name of its type.

use super::scan::{Fault, Scan};
use super::text::unescaped;
use crate::source::payload::base64_length;

/// Where the value is that stands behind the name of its type, and whether that is `B`, which is
/// base64. `None` if the object at `start` is not that.
pub(super) fn typed(text: &[u8], start: usize) -> Option<(super::scan::Value, bool)> {
    let mut scan = Scan::new(text, start);
    let mut found = None;
    let read = scan.members(|scan, kind| {
        let is_binary = match &scan.text[kind.start..kind.end] {
            b"S" | b"N" | b"BOOL" => false,
            b"B" => true,
            _ => return scan.skip(),
        };
        found = Some((scan.value()?, is_binary));
        Ok(())
    });
    read.ok().and(found)
}

/// The size of the item at `start`, an object of attributes: names and values, by the
/// [rules of DynamoDB](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html)
/// (read 2026-12-01). Numbers are an estimate, as those rules have it: "approximately (number of
/// UTF-8 bytes of attribute name) + (1 byte per two significant digits) + (1 byte)".
pub(super) fn item_size(text: &[u8], start: usize) -> Option<u64> {
    let mut scan = Scan::new(text, start);
    let mut size = 0;
    attributes(&mut scan, &mut size).ok().map(|()| size)
}

/// Adds the sizes of the attributes of the object here.
fn attributes(scan: &mut Scan<'_>, size: &mut u64) -> Result<(), Fault> {
    scan.members(|scan, name| {
        *size += length(&scan.text[name.start..name.end], name.escaped);
        attribute(scan, size)
    })
}

/// Adds the size of a value behind the name of its type.
fn attribute(scan: &mut Scan<'_>, size: &mut u64) -> Result<(), Fault> {
    // Text and scalars of any type may be read as such: nesting is bounded by the scan that found
    // the record whole.
    if scan.next_sign()? != b'{' {
        return Err(Fault::Bad);
    }
    scan.members(|scan, kind| {
        let kind = &scan.text[kind.start..kind.end];
        match (kind, scan.next_sign()?) {
            (b"M", b'{') => {
                *size += 3;
                let mut members = 0;
                scan.members(|scan, name| {
                    members += 1;
                    *size += length(&scan.text[name.start..name.end], name.escaped);
                    attribute(scan, size)
                })?;
                *size += members;
                Ok(())
            }
            (b"L", b'[') => {
                *size += 3;
                scan.elements(|scan, _| {
                    *size += 1;
                    attribute(scan, size)
                })
            }
            (b"SS" | b"NS" | b"BS", b'[') => {
                scan.elements(|scan, _| scalar(scan, &kind[..1], size))
            }
            _ => scalar(scan, kind, size),
        }
    })
}

fn scalar(scan: &mut Scan<'_>, kind: &[u8], size: &mut u64) -> Result<(), Fault> {
    let super::scan::Value::String(raw) = scan.value()? else {
        // BOOL and NULL.
        *size += 1;
        return Ok(());
    };
    let text = &scan.text[raw.start..raw.end];
    *size += match kind {
        b"N" => number_size(text),
        b"B" => base64_length(text) as u64,
        _ => length(text, raw.escaped),
    };
    Ok(())
}

/// The bytes of text.
fn length(raw: &[u8], escaped: bool) -> u64 {
    let plain = if escaped { unescaped(raw) } else { None };
    plain.map_or(raw.len(), |plain| plain.len()) as u64
}

/// One byte for two significant digits, and one more.
fn number_size(text: &[u8]) -> u64 {
    let mantissa = text.split(|byte| matches!(byte, b'e' | b'E')).next().unwrap_or_default();
    let digits: Vec<u8> = mantissa.iter().copied().filter(u8::is_ascii_digit).collect();
    let is_whole = !mantissa.contains(&b'.');
    let from_first = digits.iter().skip_while(|digit| **digit == b'0').count();
    let trailing = digits.iter().rev().take_while(|digit| **digit == b'0').count();
    let significant =
        if is_whole || trailing < from_first { from_first.saturating_sub(trailing) } else { 0 };
    significant.div_ceil(2) as u64 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_has_the_bytes_of_its_names_and_values() {
        let size = |text: &str| item_size(text.as_bytes(), 0);
        assert_eq!(size(r#"{"pk":{"S":"user-1"}}"#), Some(2 + 6));
        assert_eq!(size(r#"{"é":{"S":"\u00e9"}}"#), Some(2 + 2));
        assert_eq!(size(r#"{"n":{"N":"-1200"}}"#), Some(1 + 1 + 1));
        assert_eq!(size(r#"{"n":{"N":"0"}}"#), Some(1 + 1));
        assert_eq!(size(r#"{"n":{"N":"123.45"}}"#), Some(1 + 3 + 1));
        assert_eq!(
            size(r#"{"b":{"B":"AAEC"},"t":{"BOOL":true},"u":{"NULL":true}}"#),
            Some(4 + 2 + 2)
        );
        assert_eq!(size(r#"{"m":{"M":{"a":{"S":"xy"},"l":{"L":[{"S":"z"},{"N":"1"}]}}}}"#), {
            Some(1 + 3 + (1 + 2) + (1 + 3 + (1 + 1) + (1 + 2)) + 2)
        });
        assert_eq!(
            size(r#"{"s":{"SS":["a","bc"]},"n":{"NS":["1","22"]}}"#),
            Some(1 + 3 + 1 + 2 + 2)
        );
        assert_eq!(size(r#"{"s":1}"#), None);
    }

    #[test]
    fn a_value_stands_behind_the_name_of_its_type() {
        let text = br#"{"S":"x"}"#;
        let (value, is_binary) = typed(text, 0).unwrap();
        assert_eq!((value, is_binary), (Scan::new(text, 5).value().unwrap(), false));
        assert!(typed(br#"{"B":"eA=="}"#, 0).unwrap().1);
        assert_eq!(typed(br#"{"M":{}}"#, 0), None);
    }
}
