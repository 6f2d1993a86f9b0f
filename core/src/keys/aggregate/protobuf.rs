//! As much of protobuf's wire format as aggregates need: fields by number, in any order.

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// Eight bytes or four, which no field of an aggregate is.
    Fixed,
}

/// The fields of a message with their numbers; `None` once it cannot be read any further.
pub(super) fn fields(mut rest: &[u8]) -> impl Iterator<Item = Option<(u64, Field<'_>)>> {
    let mut failed = false;
    std::iter::from_fn(move || {
        if rest.is_empty() || failed {
            return None;
        }
        let field = field(&mut rest);
        failed = field.is_none();
        Some(field)
    })
}

fn field<'a>(rest: &mut &'a [u8]) -> Option<(u64, Field<'a>)> {
    let tag = number(rest)?;
    let field = match tag & 7 {
        0 => Field::Number(number(rest)?),
        1 => take(rest, 8).map(|_| Field::Fixed)?,
        2 => {
            let length = number(rest)?;
            Field::Bytes(take(rest, usize::try_from(length).ok()?)?)
        }
        5 => take(rest, 4).map(|_| Field::Fixed)?,
        // Groups went out of use before aggregates came into it.
        _ => return None,
    };
    // Numbers begin at 1 and have 29 bits.
    let number = tag >> 3;
    (1..1 << 29).contains(&number).then_some((number, field))
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, more) = rest.split_at_checked(length)?;
    *rest = more;
    Some(taken)
}

/// A varint: seven bits a byte, the lowest first, ten bytes at most.
fn number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(rest, 1)?[0];
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Writes a field that is a number.
pub(super) fn put_number(out: &mut Vec<u8>, field: u64, number: u64) {
    put(out, field << 3);
    put(out, number);
}

/// Writes a field of bytes.
pub(super) fn put_bytes(out: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    put(out, field << 3 | 2);
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
