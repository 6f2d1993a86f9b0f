//! How many distinct keys there are once they are too many to be counted one by one.
//!
//! This is the sketch of Flajolet, Fusy, Gandouet and Meunier ("`HyperLogLog`: the analysis of a
//! near-optimal cardinality estimation algorithm", 2007), read by the estimator of Ertl ("New
//! cardinality estimation algorithms for `HyperLogLog` sketches", 2017), which needs no table of
//! corrections. Each shard has a row of registers, and the rows together are those of the stream.
//!
//! What is hashed is the 32 bits of a key's hash that are there already. Of hundreds of millions of
//! keys many share them: `n` keys have about `2^32 (1 - exp(-n / 2^32))` values, from which `n`
//! follows. Keys at home spread over the values of their shard as those of the stream over all, so
//! that one factor is right for every shard.

use super::HotKeys;
use crate::tally::DistinctKeys;
use std::collections::HashSet;

/// Binary digits of the number of registers of a shard, if there are few shards: an estimate is off
/// by 1.04 / sqrt(4096), or 1.6 %, on average.
const MOST_BITS: u32 = 12;

/// The fewest binary digits: with 16 registers an estimate is off by 26 %.
const LEAST_BITS: u32 = 4;

/// Registers in all, in bytes: with 10,000 shards each has 1,024, and is off by 3.3 %.
const MEMORY: usize = 12 << 20;

/// Values that 32 bits have.
const VALUES: f64 = 4_294_967_296.0;

/// Registers of each shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tally) struct Sketch {
    registers: Vec<u8>,
    bits: u32,
}

impl Sketch {
    /// A sketch of no keys of `shards` shards.
    pub(in crate::tally) fn new(shards: usize) -> Self {
        let bits = bits_for(shards);
        Self { registers: vec![0; shards << bits], bits }
    }

    /// Takes note of rows, unless they stand for no record.
    #[inline]
    pub(super) fn see_rows(&mut self, prefixes: &[u32], shards: &[u32], weights: Option<&[i64]>) {
        let Some(weights) = weights else { return self.see(prefixes, shards) };
        for (i, weight) in weights.iter().enumerate() {
            if *weight > 0 {
                self.see(&prefixes[i..=i], &shards[i..=i]);
            }
        }
    }

    /// Takes note of keys with these hashes at these shards; one without a shard is passed over.
    #[inline]
    pub(super) fn see(&mut self, prefixes: &[u32], shards: &[u32]) {
        for (prefix, shard) in prefixes.iter().zip(shards) {
            let (place, rank) = self.place(*prefix, *shard);
            // Rows without a shard lie beyond the last register.
            if let Some(register) = self.registers.get_mut(place)
                && *register < rank
            {
                *register = rank;
            }
        }
    }

    /// Adds what `other`, which is of as many shards, has seen.
    pub(super) fn merge(&mut self, other: &Self) {
        for (register, other) in self.registers.iter_mut().zip(&other.registers) {
            *register = (*register).max(*other);
        }
    }

    /// Sketch keys of the stream and of each shard.
    pub(super) fn estimates(&self) -> (u64, Vec<u64>) {
        let mut all = vec![0; self.row_len()];
        for row in self.rows() {
            for (register, other) in all.iter_mut().zip(row) {
                *register = (*register).max(*other);
            }
        }
        let values = estimate(&all, self.bits);
        let keys = keys_of(values);
        let factor = if values > 0.0 { keys / values } else { 1.0 };
        let of_shard = |row| (estimate(row, self.bits) * factor).round() as u64;
        (keys.round() as u64, self.rows().map(of_shard).collect())
    }

    /// The registers of each shard.
    pub(in crate::tally) fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.registers.chunks_exact(self.row_len())
    }

    /// Registers of a shard.
    pub(in crate::tally) fn row_len(&self) -> usize {
        1 << self.bits
    }

    /// Puts back the registers of a shard that [`rows`](Self::rows) gave; `false` if there can be
    /// no such.
    pub(in crate::tally) fn restore(&mut self, shard: usize, registers: &[u8]) -> bool {
        let highest = (u64::BITS - self.bits + 1) as u8;
        let fits = registers.iter().all(|register| *register <= highest);
        let from = shard * self.row_len();
        let row = self.registers.get_mut(from..from + registers.len());
        match row.filter(|_| fits && registers.iter().any(|register| *register > 0)) {
            Some(row) => row.copy_from_slice(registers),
            None => return false,
        }
        true
    }

    /// Whether a key with this hash at this shard has come.
    fn has(&self, prefix: u32, shard: u32) -> bool {
        let (place, rank) = self.place(prefix, shard);
        self.registers.get(place).is_some_and(|register| *register >= rank)
    }

    /// Which register is a key's, and how high it raises that.
    #[inline(always)]
    fn place(&self, prefix: u32, shard: u32) -> (usize, u8) {
        let bits = self.bits;
        let hash = mixed(prefix);
        let place = (shard as usize) << bits | (hash >> (u64::BITS - bits)) as usize;
        // The last bit that counts ends the search in vain.
        let rank = (hash << bits | 1 << (bits - 1)).leading_zeros() as u8 + 1;
        (place, rank)
    }
}

impl HotKeys {
    pub(in crate::tally) fn sketch(&self) -> Option<&Sketch> {
        self.sketch.as_ref()
    }

    /// Puts back the sketch of keys that have come; `false` if it lacks one with an entry.
    pub(in crate::tally) fn restore_sketch(&mut self, sketch: Sketch) -> bool {
        let has_all = self.entries.iter().all(|entry| sketch.has(entry.prefix, entry.shard));
        self.sketch = Some(sketch);
        has_all
    }

    /// The sketch of all keys that have come.
    pub(super) fn sketched(&self, shards: usize) -> Sketch {
        if let Some(sketch) = &self.sketch {
            return sketch.clone();
        }
        let mut sketch = Sketch::new(shards);
        for entry in self.entries.iter() {
            sketch.see(&[entry.prefix], &[entry.shard]);
        }
        sketch
    }

    /// Distinct keys of the stream and of each of `shards` shards.
    pub(in crate::tally) fn distinct(&self, shards: usize) -> DistinctKeys {
        if let Some(sketch) = &self.sketch {
            let (all, by_shard) = sketch.estimates();
            return DistinctKeys { all, by_shard, is_exact: false };
        }
        let mut by_shard = vec![0; shards];
        let mut keys = HashSet::new();
        for entry in self.entries.iter() {
            by_shard[entry.shard as usize] += 1;
            keys.insert(self.entries.key(entry));
        }
        DistinctKeys { all: keys.len() as u64, by_shard, is_exact: true }
    }
}

/// Binary digits of the number of registers of each of `shards` shards.
fn bits_for(shards: usize) -> u32 {
    let each = MEMORY / shards.max(1);
    each.checked_ilog2().unwrap_or(0).clamp(LEAST_BITS, MOST_BITS)
}

/// How many keys have so many hashes of 32 bits between them.
fn keys_of(values: f64) -> f64 {
    // All values would be those of keys without end.
    let share = (values / VALUES).min(0.99);
    -VALUES * (-share).ln_1p()
}

/// A hash of a hash: those of the keys of one shard begin or end alike.
#[inline(always)]
fn mixed(prefix: u32) -> u64 {
    let x = u64::from(prefix).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (x ^ (x >> 32)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// How many values left these registers (Ertl, algorithm 6).
fn estimate(registers: &[u8], bits: u32) -> f64 {
    let highest = (u64::BITS - bits) as usize;
    let mut counts = [0u32; u64::BITS as usize + 2];
    for register in registers {
        counts[*register as usize] += 1;
    }
    let all = registers.len() as f64;
    let mut sum = all * tau(1.0 - f64::from(counts[highest + 1]) / all);
    for rank in (1..=highest).rev() {
        sum = 0.5 * (sum + f64::from(counts[rank]));
    }
    sum += all * sigma(f64::from(counts[0]) / all);
    all / (2.0 * std::f64::consts::LN_2) * all / sum
}

/// What registers that are still 0 stand for.
fn sigma(mut x: f64) -> f64 {
    if x == 1.0 {
        return f64::INFINITY;
    }
    let (mut y, mut z) = (1.0, x);
    loop {
        x *= x;
        let before = z;
        z += x * y;
        y += y;
        if z == before {
            return z;
        }
    }
}

/// What registers that can rise no more stand for.
fn tau(mut x: f64) -> f64 {
    if x == 0.0 || x == 1.0 {
        return 0.0;
    }
    let (mut y, mut z) = (1.0, 1.0 - x);
    loop {
        x = x.sqrt();
        let before = z;
        y *= 0.5;
        z -= (1.0 - x).powi(2) * y;
        if z == before {
            return z / 3.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hash of 32 bits of key number `i`.
    fn prefix(i: u32) -> u32 {
        let x = (i ^ (i >> 16)).wrapping_mul(0x7feb_352d);
        let x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
        x ^ (x >> 16)
    }

    #[test]
    fn estimates_are_within_a_few_percent_whatever_the_number_of_keys() {
        for keys in [100_u32, 1_000, 10_000, 100_000, 2_000_000] {
            let mut sketch = Sketch::new(4);
            for i in 0..keys {
                let prefix = prefix(i);
                sketch.see(&[prefix, prefix], &[prefix >> 30, prefix >> 30]);
            }
            let (all, shards) = sketch.estimates();
            let off = |estimate: u64, truth: f64| (estimate as f64 / truth - 1.0).abs();
            assert!(off(all, keys.into()) < 0.05, "{all} of {keys}");
            let truth = |shard| (0..keys).filter(|i| prefix(*i) >> 30 == shard).count() as f64;
            for (shard, estimate) in (0..).zip(&shards) {
                assert!(off(*estimate, truth(shard)) < 0.07, "{estimate} of {}", truth(shard));
            }
        }
    }

    #[test]
    fn keys_that_share_their_hashes_are_made_up_for() {
        for keys in [1e3, 1e6, 1e8, 1e9] {
            let values = VALUES * (1.0 - (-keys / VALUES).exp());
            assert!((keys_of(values) / keys - 1.0).abs() < 1e-6, "{keys}");
        }
        assert!(keys_of(2.0 * VALUES).is_finite());
    }

    #[test]
    fn memory_is_bounded_however_many_shards_there_are() {
        assert_eq!(Sketch::new(1).registers.len(), 4_096);
        assert!(Sketch::new(10_000).registers.len() < 16 << 20);
        assert!(Sketch::new(1 << 20).registers.len() <= 16 << 20);
    }

    #[test]
    fn a_row_without_a_shard_is_no_key_of_one() {
        let mut sketch = Sketch::new(2);
        sketch.see(&[1, 2], &[crate::shards::NO_SHARD, 2]);
        assert_eq!(sketch.estimates(), (0, vec![0, 0]));
    }

    #[test]
    fn parts_merge_to_the_whole_in_any_order() {
        let of = |keys: std::ops::Range<u32>| {
            let mut sketch = Sketch::new(2);
            keys.for_each(|i| sketch.see(&[prefix(i)], &[prefix(i) >> 31]));
            sketch
        };
        let (mut one, mut other) = (of(0..6_000), of(4_000..10_000));
        let whole = of(0..10_000);
        other.merge(&one);
        one.merge(&of(4_000..10_000));
        assert_eq!((&one, &other), (&whole, &whole));
        let mut again = Sketch::new(2);
        for (shard, row) in one.rows().enumerate() {
            assert!(again.restore(shard, row));
        }
        assert_eq!(again, whole);
        assert!(!again.restore(2, &[1; 4_096]), "there is no such shard");
        assert!(!again.restore(0, &[60; 4_096]), "no rank is as high");
        assert!(!again.restore(0, &[0; 4_096]), "no keys are not written");
    }
}
