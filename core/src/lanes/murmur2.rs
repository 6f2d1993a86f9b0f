//! The murmur2 of Kafka's Java client, of many keys.
//!
//! Austin Appleby's `MurmurHash2` with 32 bits and Kafka's seed (`Utils.murmur2` of kafka-clients).
//!
//! ```
//! use shardlane::lanes::{Backend, murmur2};
//!
//! let keys = ["foobar", "abc"];
//! let mut hashes = [0; 2];
//! murmur2::hashes(Backend::detect(), &keys[..], 0..2, &mut hashes);
//! assert_eq!(hashes.map(u32::cast_signed), [-790332482, 479470107]);
//! ```

use super::vector::Vector;
use super::words::{WordHash, hash_all, select};
use super::{Backend, Keys, Lengths};
use std::ops::Range;

const SEED: u32 = 0x9747_b28c;
const M: u32 = 0x5bd1_e995;

/// The hash of one key.
///
/// ```
/// assert_eq!(shardlane::lanes::murmur2::hash(b"21").cast_signed(), -973932308);
/// ```
pub fn hash(key: &[u8]) -> u32 {
    let (words, tail) = key.as_chunks::<4>();
    let mut state = SEED ^ key.len() as u32;
    for word in words {
        let mut k = u32::from_le_bytes(*word).wrapping_mul(M);
        k = (k ^ (k >> 24)).wrapping_mul(M);
        state = state.wrapping_mul(M) ^ k;
    }
    if !tail.is_empty() {
        for (i, byte) in tail.iter().enumerate() {
            state ^= u32::from(*byte) << (8 * i);
        }
        state = state.wrapping_mul(M);
    }
    state = (state ^ (state >> 13)).wrapping_mul(M);
    state ^ (state >> 15)
}

/// Writes the hash of each key to `out`, and says how long the shortest and the longest key are.
///
/// # Panics
/// If `range` is not within `keys`, `out` is not as long as `range`, or this CPU lacks `backend`.
pub fn hashes<K: Keys + ?Sized>(
    backend: Backend,
    keys: &K,
    range: Range<usize>,
    out: &mut [u32],
) -> Lengths {
    hash_all::<Murmur2, K>(backend, keys, range, out)
}

struct Murmur2;

impl WordHash for Murmur2 {
    fn hash(key: &[u8]) -> u32 {
        hash(key)
    }

    #[inline(always)]
    fn begin<V: Vector>(lengths: V) -> V {
        V::splat(SEED).xor(lengths)
    }

    #[inline(always)]
    fn word<V: Vector>(state: V, word: V) -> V {
        let m = V::splat(M);
        let k = word.mul(m);
        let k = k.xor(k.shift_right(24)).mul(m);
        state.mul(m).xor(k)
    }

    #[inline(always)]
    fn tail<V: Vector>(state: V, tail: V, count: V) -> V {
        select(count.is_above(V::splat(0)), state.xor(tail).mul(V::splat(M)), state)
    }

    #[inline(always)]
    fn end<V: Vector>(state: V) -> V {
        let state = state.xor(state.shift_right(13)).mul(V::splat(M));
        state.xor(state.shift_right(15))
    }
}
