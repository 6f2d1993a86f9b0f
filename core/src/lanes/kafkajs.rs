//! What version 1 of kafkajs took for murmur2, and its `LegacyPartitioner` still does: the same
//! steps in JavaScript's numbers, whose products lose their low bits, and with a loop that goes on
//! into the last, partial word (`src/producer/partitioners/legacy/murmur2.js` of kafkajs, commit
//! 55b0b416 of 2024-05-16).
//!
//! ```
//! use shardlane::lanes::kafkajs;
//! assert_eq!(kafkajs::hash(b"1"), 1311020360);
//! ```

use super::{Keys, Lengths, check_range, one_by_one};
use std::ops::Range;

const SEED: u32 = 0x9747_b28c;
const M: f64 = 0x5bd1_e995_u32 as f64;

/// The hash of one key.
pub fn hash(key: &[u8]) -> u32 {
    let mut state = signed(SEED ^ key.len() as u32);
    for word in key.chunks(4) {
        // Bytes past the end are `undefined`, which counts as 0.
        let word = word.iter().rev().fold(0u32, |word, byte| word << 8 | u32::from(*byte));
        let k = wrapped(signed(word) * M);
        let k = signed(k ^ (k >> 24)) * M;
        state = signed(wrapped(state * M) ^ wrapped(k));
    }
    let tail = key.as_chunks::<4>().1;
    if !tail.is_empty() {
        let bytes = tail.iter().rev().fold(0u32, |word, byte| word << 8 | u32::from(*byte));
        state = signed(wrapped(state) ^ bytes) * M;
    }
    let last = wrapped(state);
    let last = wrapped(signed(last ^ (last >> 13)) * M);
    last ^ (last >> 15)
}

/// Writes the hash of each key to `out`, and says how long the shortest and the longest key are.
///
/// # Panics
/// If `range` is not within `keys`, or `out` is not as long as `range`.
pub fn hashes<K: Keys + ?Sized>(keys: &K, range: Range<usize>, out: &mut [u32]) -> Lengths {
    check_range(keys, &range, out.len());
    one_by_one(keys, range, out, hash)
}

/// A number of 32 bits as JavaScript's operators on bits give it.
fn signed(bits: u32) -> f64 {
    bits.cast_signed().into()
}

/// `ToInt32` of ECMA-262: a whole number modulo 2^32.
fn wrapped(number: f64) -> u32 {
    // Products of two numbers of 32 bits are below 2^63, so that this loses nothing.
    (number as i64) as u32
}
