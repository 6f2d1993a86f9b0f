//! Distinct keys in bounded memory: all of them while they are few, and a sample by hash once they
//! are many (Gibbons, "Distinct sampling for highly-accurate answers", 2001).

use hashbrown::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Keys that are kept.
const KEPT: usize = 1 << 20;

/// 2^64 divided by the golden ratio.
const K: u64 = 0x9e37_79b9_7f4a_7c15;

/// Keys that are kept, by a 64-bit hash of each, with where they went.
#[derive(Debug, Default)]
pub(super) struct Distinct {
    kept: HashMap<u64, (u32, u32), BuildHasherDefault<ByNumber>>,
    /// Only hashes whose lowest bits, so many of them, are zeros are kept.
    bits: u32,
}

impl Distinct {
    /// Takes note of a key that went to `from` and now goes to `to`. `prefix` is a hash of it.
    #[inline]
    pub(super) fn see(&mut self, key: &[u8], prefix: u32, from: u32, to: u32) {
        let hash = hash(key, prefix);
        if hash & ((1 << self.bits) - 1) == 0 {
            self.kept.insert(hash, (from, to));
            if self.kept.len() > KEPT {
                self.bits += 1;
                let mask = (1 << self.bits) - 1;
                self.kept.retain(|hash, _| hash & mask == 0);
            }
        }
    }

    /// The keys that are kept: from where to where.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        self.kept.values().copied()
    }

    /// For how many keys each that is kept stands.
    pub(super) fn weight(&self) -> u64 {
        1 << self.bits
    }
}

/// A hash of the whole key, in whose lowest bits all of it has a part.
pub(in crate::engine) fn hash(key: &[u8], prefix: u32) -> u64 {
    let mut state = (u64::from(prefix) ^ ((key.len() as u64) << 32)).wrapping_mul(K);
    let (words, tail) = key.as_chunks::<8>();
    for word in words {
        state = (state.rotate_left(29) ^ u64::from_le_bytes(*word)).wrapping_mul(K);
    }
    let mut last = [0; 8];
    last[..tail.len()].copy_from_slice(tail);
    state = (state.rotate_left(29) ^ u64::from_le_bytes(last)).wrapping_mul(K);
    // The finish of splitmix64.
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

/// Hashes a number by one multiplication, whose high bits all of it has a part in.
#[derive(Debug, Default)]
pub(in crate::engine) struct ByNumber(u64);

impl Hasher for ByNumber {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(K).rotate_left(26);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_keys_are_counted_and_many_estimated() {
        let mut distinct = Distinct::default();
        for i in 0..3 * KEPT as u64 {
            let key = format!("key-{i}");
            distinct.see(key.as_bytes(), 0, 0, 1);
            distinct.see(key.as_bytes(), 0, 0, 1);
            if i == 99_999 {
                assert_eq!((distinct.iter().count(), distinct.weight()), (100_000, 1));
            }
        }
        let estimate = distinct.iter().count() as f64 * distinct.weight() as f64;
        let truth = 3.0 * KEPT as f64;
        assert!((estimate / truth - 1.0).abs() < 0.01, "{estimate} of {truth}");
    }
}
