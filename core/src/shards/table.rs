//! The lookup for most maps: a small table and a compare, without a branch that matters.

use super::range::first_ranges;

/// A table for up to 65,536 ranges.
#[derive(Debug, Clone)]
pub(super) struct SmallTable {
    /// For each value of a prefix's topmost bits, the range of the smallest such prefix. As narrow
    /// as can be: it shares the first-level cache with the keys and the counters.
    places: Box<[u16]>,
    limits: Box<Limits>,
    ranges: usize,
}

/// For each range, the largest prefix that may still lie in it; `u32::MAX` for the last. There is a
/// limit for every index that can come up, so that none needs a check; those past the last range
/// are never touched and so take no memory.
type Limits = [u32; RANGES + 1];

/// The most ranges that a place can number.
const RANGES: usize = 1 << 16;

/// The fewest and the most bits that a table takes from a prefix.
const LEAST_BITS: u32 = 6;
const MOST_BITS: u32 = 17;

impl SmallTable {
    /// The table of the ranges with `limits`; `None` if there are too many.
    pub(super) fn new(limits: &[u32]) -> Option<Self> {
        if limits.len() > RANGES {
            return None;
        }
        // At least a place for each range, and more of them while too many hold several
        // boundaries, but no more than the cache can spare.
        let least = limits.len().next_power_of_two().trailing_zeros().max(LEAST_BITS);
        let mut places: Box<[u16]> = Box::default();
        for bits in least..=(least + 2).min(MOST_BITS) {
            places = first_ranges(limits, bits).map(|first| first as u16).collect();
            let crowded = places.windows(2).filter(|pair| pair[1] - pair[0] > 1).count();
            if crowded <= places.len() / 32 {
                break;
            }
        }
        let mut all: Box<Limits> = vec![0; RANGES + 1].try_into().ok()?;
        all[..limits.len()].copy_from_slice(limits);
        Some(Self { places, limits: all, ranges: limits.len() })
    }

    /// As [`RangeIndex`](super::RangeIndex)'s.
    pub(super) fn find(&self, prefixes: &[u32], shards: &mut [u32]) -> bool {
        // With a size that the compiler knows, no place needs a check either.
        macro_rules! of_size {
            ($($bits:literal)*) => {
                match self.places.len().trailing_zeros() {
                    $($bits => self.find_in::<$bits>(prefixes, shards),)*
                    _ => self.find_in::<MOST_BITS>(prefixes, shards),
                }
            };
        }
        of_size!(6 7 8 9 10 11 12 13 14 15 16)
    }

    fn find_in<const BITS: u32>(&self, prefixes: &[u32], shards: &mut [u32]) -> bool {
        let places = &self.places[..1 << BITS];
        let mut tied = false;
        for (&prefix, shard) in prefixes.iter().zip(shards) {
            let place = (prefix >> (32 - BITS)) as usize;
            let first = usize::from(places[place]);
            let mut found = first + usize::from(prefix > self.limits[first]);
            // Rare: a tie, or a place with several boundaries.
            if prefix >= self.limits[found] {
                found = self.search(place, prefix);
                tied |= prefix == self.limits[found];
            }
            *shard = found as u32;
        }
        tied
    }

    #[cold]
    #[inline(never)]
    fn search(&self, place: usize, prefix: u32) -> usize {
        let first = usize::from(self.places[place]);
        let last = self.places.get(place + 1).map_or(self.ranges - 1, |&next| next.into());
        first + self.limits[first..last].partition_point(|&limit| prefix > limit)
    }
}
