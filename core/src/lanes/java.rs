//! `String.hashCode` of Java, which Spring Cloud Stream partitions by and salts are made from.
//!
//! ```
//! use shardlane::lanes::java;
//! assert_eq!(java::hash(b"order-1001"), 708180863);
//! ```

use super::{Keys, Lengths, check_range, one_by_one};
use std::ops::Range;

/// The hash code of a key, read as UTF-8. What is not UTF-8 counts as its replacement would.
pub fn hash(key: &[u8]) -> u32 {
    let of = |text: &str| {
        let units = text.encode_utf16();
        units.fold(0u32, |state, unit| state.wrapping_mul(31).wrapping_add(unit.into()))
    };
    match str::from_utf8(key) {
        Ok(text) => of(text),
        Err(_) => of(&String::from_utf8_lossy(key)),
    }
}

/// Writes the hash code of each key to `out`, and says how long the shortest and the longest key
/// are in bytes.
///
/// # Panics
/// If `range` is not within `keys`, or `out` is not as long as `range`.
pub fn hashes<K: Keys + ?Sized>(keys: &K, range: Range<usize>, out: &mut [u32]) -> Lengths {
    check_range(keys, &range, out.len());
    one_by_one(keys, range, out, hash)
}
