//! Some of a log's keys with where each went, in bounded memory: all while they are few, and those
//! whose hashes end in zeros once they are many, so that every key has the same chance however often
//! it comes (Gibbons, "Distinct sampling for highly-accurate answers", 2001).

use crate::engine::compare::distinct::{ByNumber, hash};
use hashbrown::HashMap;
use std::hash::BuildHasherDefault;

/// Keys that are kept, a key once for each shard that it went to.
const KEPT: usize = 1 << 13;

/// Longer keys are left out, in bytes.
const LONGEST: usize = 1 << 10;

/// A key, and where it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::engine) struct Sampled {
    pub(in crate::engine) key: Vec<u8>,
    /// The hash value that the record named in the place of its key's.
    pub(in crate::engine) explicit: Option<u128>,
    /// The number of the name of the shard that it went to.
    pub(in crate::engine) name: u32,
    /// The index of the shard that it was predicted to go to, or
    /// [`NO_SHARD`](crate::NO_SHARD).
    pub(in crate::engine) predicted: u32,
}

/// Keys that are kept.
#[derive(Debug, Default)]
pub(in crate::engine) struct Sample {
    /// By a hash of the key, and the name's number.
    kept: HashMap<(u64, u32), Sampled, BuildHasherDefault<ByNumber>>,
    /// Only hashes whose lowest bits, so many of them, are zeros are kept.
    bits: u32,
}

impl Sample {
    /// Takes note of a key. `prefix` is a hash of it.
    #[inline]
    pub(in crate::engine) fn see(
        &mut self,
        key: &[u8],
        prefix: u32,
        explicit: Option<u128>,
        name: u32,
        predicted: u32,
    ) {
        let hash = hash(key, prefix);
        if hash & self.mask() != 0 || key.len() > LONGEST {
            return;
        }
        self.kept.entry((hash, name)).or_insert_with(|| Sampled {
            key: key.to_vec(),
            explicit,
            name,
            predicted,
        });
        while self.kept.len() > KEPT && self.bits < u64::BITS - 1 {
            self.bits += 1;
            let mask = self.mask();
            self.kept.retain(|(hash, _), _| hash & mask == 0);
        }
    }

    fn mask(&self) -> u64 {
        (1 << self.bits) - 1
    }

    /// The keys that were kept, in an order that says nothing of them but is always the same.
    pub(in crate::engine) fn into_rows(self) -> Vec<Sampled> {
        let mut rows: Vec<_> = self.kept.into_iter().collect();
        rows.sort_unstable_by_key(|((hash, name), _)| (hash.rotate_left(32), *name));
        rows.into_iter().map(|(_, row)| row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_keys_are_all_kept_and_of_many_a_part_that_is_the_same_in_any_order() {
        let keys: Vec<String> = (0..40_000).map(|i| format!("key-{i}")).collect();
        let see = |sample: &mut Sample, key: &String| sample.see(key.as_bytes(), 0, None, 1, 1);
        let mut few = Sample::default();
        keys[..1_000].iter().chain(&keys[..500]).for_each(|key| see(&mut few, key));
        assert_eq!(few.into_rows().len(), 1_000);
        let (mut one, mut other) = (Sample::default(), Sample::default());
        for key in &keys {
            see(&mut one, key);
        }
        for key in keys.iter().rev() {
            see(&mut other, key);
        }
        let rows = one.into_rows();
        assert!((KEPT / 3..=KEPT).contains(&rows.len()), "{}", rows.len());
        assert_eq!(rows, other.into_rows());
    }

    #[test]
    fn a_key_is_kept_once_for_each_shard_and_never_in_too_many() {
        let mut sample = Sample::default();
        for name in 0..3 {
            sample.see(b"a", 0, None, name, 0);
            sample.see(b"a", 0, None, name, 0);
        }
        assert_eq!(sample.into_rows().len(), 3);
        let mut sample = Sample::default();
        (0..2 * KEPT as u32).for_each(|name| sample.see(b"a", 0, None, name, 0));
        assert!(sample.into_rows().len() <= KEPT);
    }
}
