//! From a hash to a shard: by ranges of 128-bit hash values, or by a remainder of 32-bit ones.

use super::modulo::Modulo;
use super::range::RangeIndex;

/// How hash values fall to shards.
#[derive(Debug, Clone)]
pub(super) enum Placement {
    /// Each shard owns a range of hash values, which are first turned into others.
    Ranges(RangeIndex, Turn),
    /// The remainder of a 32-bit hash is the shard.
    Modulo(Modulo),
}

/// What is done to a hash value before its range is looked for. It may only look at the top 32
/// bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Nothing.
    None,
    /// The top 32 bits are shuffled, differently for each seed: another placement of the same keys.
    Shuffled(u32),
    /// Only the top bits are kept, as Simple Log Service's producers do.
    Kept(u32),
}

impl Turn {
    #[inline(always)]
    fn turn(self, prefix: u32) -> u32 {
        match self {
            Self::None => prefix,
            Self::Shuffled(seed) => shuffled(prefix, seed),
            Self::Kept(mask) => prefix & mask,
        }
    }

    fn turn_whole(self, hash: u128) -> u128 {
        const REST: u128 = u128::MAX >> 32;
        let prefix = u128::from(self.turn((hash >> 96) as u32)) << 96;
        match self {
            Self::Kept(_) => prefix,
            Self::None | Self::Shuffled(_) => prefix | (hash & REST),
        }
    }
}

/// A bijection of 32-bit numbers for each seed: rounds of "lowbias32" (Chris Wellons, "Prospecting
/// for Hash Functions", 2018), with the seed between them. Seed 0 changes nothing.
#[inline(always)]
pub(crate) fn shuffled(prefix: u32, seed: u32) -> u32 {
    if seed == 0 {
        return prefix;
    }
    mixed(mixed(prefix ^ seed).wrapping_add(seed))
}

#[inline(always)]
fn mixed(mut x: u32) -> u32 {
    x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
    x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

impl Placement {
    /// The shard of a whole hash value; of a 32-bit one if that is what the system has.
    #[inline]
    pub(super) fn shard_of(&self, hash: u128) -> u32 {
        match self {
            Self::Ranges(index, turn) => index.shard_of(turn.turn_whole(hash)),
            Self::Modulo(modulo) => modulo.place(hash as u32),
        }
    }

    /// Writes the shard of each hash, of which the top 32 bits are given, to `shards`. `settle(i)`
    /// gives the whole hash of number `i`; it is asked only where the top bits do not decide.
    #[inline]
    pub(super) fn look_up(
        &self,
        prefixes: &[u32],
        shards: &mut [u32],
        mut settle: impl FnMut(usize) -> u128,
    ) {
        match self {
            Self::Ranges(index, Turn::None) => index.lookup(prefixes, shards, settle),
            Self::Ranges(index, turn) => {
                let mut turned = [0; 256];
                for (at, shards) in shards.chunks_mut(turned.len()).enumerate() {
                    let first = at * turned.len();
                    let turned = &mut turned[..shards.len()];
                    for (turned, prefix) in turned.iter_mut().zip(&prefixes[first..]) {
                        *turned = turn.turn(*prefix);
                    }
                    index.lookup(turned, shards, |i| turn.turn_whole(settle(first + i)));
                }
            }
            Self::Modulo(modulo) => modulo.place_all(prefixes, shards),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_shuffles_without_loss() {
        // A bijection of 2^32 numbers is one of every coset of what it does to the low 16 bits
        // only if no two of a sample meet; all distinct here.
        for seed in [1, 2, 0xffff_ffff] {
            let mut found: Vec<u32> = (0..1 << 20).map(|i| shuffled(i, seed)).collect();
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len(), 1 << 20);
        }
        assert_eq!(shuffled(77, 0), 77);
        assert_ne!(shuffled(77, 1), shuffled(77, 2));
    }
}
