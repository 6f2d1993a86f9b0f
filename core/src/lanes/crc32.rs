//! The CRC-32 that librdkafka partitions by, with the polynomial of zlib.
//!
//! Long keys are the crate `crc32fast`'s, which works those under 64 bytes off byte by byte; here
//! they go eight bytes at a time ("slicing-by-8", Kounavis and Berry, 2005). Zeros before a message
//! do not change its remainder, so that a key is padded in front to whole words and has no tail.
//!
//! ```
//! use shardlane::lanes::crc32;
//!
//! let keys = ["23456", ""];
//! let mut hashes = [0; 2];
//! crc32::hashes(&keys[..], 0..2, &mut hashes);
//! assert_eq!(hashes, [0xb1b451d7, 0]);
//! ```

use super::{Keys, Lengths, Window, check_range};
use std::ops::Range;

/// Keys of at least so many bytes are left to the crate.
const LONG: usize = 64;

/// For a byte at each of eight places, what it adds to the remainder.
const TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut place = 1;
    while place < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before: u32 = tables[place - 1][byte];
            tables[place][byte] = before >> 8 ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        place += 1;
    }
    tables
}

/// The hash of one key.
#[inline]
pub fn hash(key: &[u8]) -> u32 {
    of_window(Window::new(key, key.len()))
}

/// Writes the hash of each key to `out`, and says how long the shortest and the longest key are.
///
/// # Panics
/// If `range` is not within `keys`, or `out` is not as long as `range`.
pub fn hashes<K: Keys + ?Sized>(keys: &K, range: Range<usize>, out: &mut [u32]) -> Lengths {
    check_range(keys, &range, out.len());
    let mut lengths = Lengths::NONE;
    for (out, i) in out.iter_mut().zip(range) {
        let key = keys.window(i);
        lengths = lengths.with(Lengths { min: key.len(), max: key.len() });
        *out = of_window(key);
    }
    lengths
}

/// The hash of a key of which what follows it can be read, too.
#[inline(always)]
fn of_window(key: Window<'_>) -> u32 {
    let len = key.len();
    if len < 4 {
        return !key
            .key()
            .iter()
            .fold(u32::MAX, |crc, byte| crc >> 8 ^ TABLES[0][(crc as u8 ^ byte) as usize]);
    }
    if len >= LONG {
        return crc32fast::hash(key.key());
    }
    // The remainder begins as ones, which is to flip the first four bytes. They and the zeros before
    // them are the first word, and maybe reach into the second.
    let first = (len - 1) % 8 + 1;
    let padding = 64 - 8 * first as u32;
    let head = match key.buffer().first_chunk() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => key.key().iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    let flipped = u128::from(u32::MAX) << padding;
    let mut crc = step((head << padding) ^ flipped as u64);
    let mut flip = (flipped >> 64) as u64;
    for word in key.key()[first..].as_chunks::<8>().0 {
        crc = step(u64::from_le_bytes(*word) ^ flip ^ u64::from(crc));
        flip = 0;
    }
    !crc
}

/// The remainder of eight bytes, into which the one before is worked already.
#[inline(always)]
fn step(word: u64) -> u32 {
    let bytes = word.to_le_bytes();
    let mut crc = 0;
    for (place, byte) in bytes.into_iter().enumerate() {
        crc ^= TABLES[7 - place][byte as usize];
    }
    crc
}
