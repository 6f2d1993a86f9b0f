//! MD5 of many keys.

use super::{Backend, Keys, Lengths, check_range, reference};
use std::ops::Range;

/// Writes the top 32 bits of each key's MD5, read as a big-endian number, to `out`.
///
/// # Panics
/// If `range` is not within `keys`, `out` is not as long as `range`, or this CPU lacks `backend`.
pub fn prefixes<K: Keys + ?Sized>(
    backend: Backend,
    keys: &K,
    range: Range<usize>,
    out: &mut [u32],
) -> Lengths {
    check_range(keys, &range, out.len());
    let _ = backend;
    let mut lengths = Lengths::NONE;
    for (i, out) in range.zip(out) {
        let key = keys.bytes(i);
        lengths.include(key.len());
        *out = (reference::hash(key) >> 96) as u32;
    }
    lengths
}

/// Writes each key's MD5 to `out`.
///
/// # Panics
/// As [`prefixes`].
pub fn digests<K: Keys + ?Sized>(
    backend: Backend,
    keys: &K,
    range: Range<usize>,
    out: &mut [[u8; 16]],
) -> Lengths {
    check_range(keys, &range, out.len());
    let _ = backend;
    let mut lengths = Lengths::NONE;
    for (i, out) in range.zip(out) {
        let key = keys.bytes(i);
        lengths.include(key.len());
        *out = reference::digest(key);
    }
    lengths
}
