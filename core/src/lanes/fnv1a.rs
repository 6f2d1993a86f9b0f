//! The 32-bit FNV-1a of Sarama, kafka-go and librdkafka, of many keys.
//!
//! Fowler, Noll and Vo's hash (RFC 9923), before any client takes its absolute value.
//!
//! ```
//! use shardlane::lanes::{Backend, fnv1a};
//!
//! let keys = ["kafka", "1468509572224"];
//! let mut hashes = [0; 2];
//! fnv1a::hashes(Backend::detect(), &keys[..], 0..2, &mut hashes);
//! assert_eq!(hashes[0].cast_signed().unsigned_abs(), 0xd33c4e1);
//! assert_eq!(hashes[1], 0x8000_0000);
//! ```

use super::vector::Vector;
use super::words::{WordHash, hash_all, select};
use super::{Backend, Keys, Lengths};
use std::ops::Range;

const OFFSET: u32 = 0x811c_9dc5;
const PRIME: u32 = 0x0100_0193;

/// The hash of one key.
///
/// ```
/// let hash = shardlane::lanes::fnv1a::hash(b"hejsan");
/// assert_eq!(hash.cast_signed().unsigned_abs(), 0x17b1e27a);
/// ```
pub fn hash(key: &[u8]) -> u32 {
    key.iter().fold(OFFSET, |state, byte| (state ^ u32::from(*byte)).wrapping_mul(PRIME))
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
    hash_all::<Fnv1a, K>(backend, keys, range, out)
}

struct Fnv1a;

impl WordHash for Fnv1a {
    fn hash(key: &[u8]) -> u32 {
        hash(key)
    }

    #[inline(always)]
    fn begin<V: Vector>(_lengths: V) -> V {
        V::splat(OFFSET)
    }

    #[inline(always)]
    fn word<V: Vector>(state: V, word: V) -> V {
        let (prime, low) = (V::splat(PRIME), V::splat(0xff));
        let state = state.xor(word.and(low)).mul(prime);
        let state = state.xor(word.shift_right(8).and(low)).mul(prime);
        let state = state.xor(word.shift_right(16).and(low)).mul(prime);
        state.xor(word.shift_right(24)).mul(prime)
    }

    #[inline(always)]
    fn tail<V: Vector>(state: V, tail: V, count: V) -> V {
        let (prime, low) = (V::splat(PRIME), V::splat(0xff));
        let mut state = state;
        for i in 0..3 {
            let next = state.xor(tail.shift_right(8 * i).and(low)).mul(prime);
            state = select(count.is_above(V::splat(i)), next, state);
        }
        state
    }

    #[inline(always)]
    fn end<V: Vector>(state: V) -> V {
        state
    }
}
