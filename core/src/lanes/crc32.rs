//! The CRC-32 that librdkafka partitions by, with the polynomial of zlib. The work is the crate
//! `crc32fast`'s; what is here gives it the shape of the other hashes.
//!
//! ```
//! use shardlane::lanes::crc32;
//!
//! let keys = ["23456", ""];
//! let mut hashes = [0; 2];
//! crc32::hashes(&keys[..], 0..2, &mut hashes);
//! assert_eq!(hashes, [0xb1b451d7, 0]);
//! ```

use super::{Keys, Lengths, check_range, one_by_one};
use std::ops::Range;

/// The hash of one key.
#[inline]
pub fn hash(key: &[u8]) -> u32 {
    crc32fast::hash(key)
}

/// Writes the hash of each key to `out`, and says how long the shortest and the longest key are.
///
/// # Panics
/// If `range` is not within `keys`, or `out` is not as long as `range`.
pub fn hashes<K: Keys + ?Sized>(keys: &K, range: Range<usize>, out: &mut [u32]) -> Lengths {
    check_range(keys, &range, out.len());
    one_by_one(keys, range, out, hash)
}
