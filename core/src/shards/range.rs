//! Which range a hash value falls in, answered from its top 32 bits.
//!
//! A table over the topmost bits gives the first candidate; a compare with the next boundary
//! corrects it. Only a prefix that equals a boundary's own needs the other 96 bits, and for hashes
//! of distinct keys that is one in billions times the number of shards.

use super::table::SmallTable;

/// Ranges that tile all 128-bit hash values, and their lookup.
#[derive(Debug, Clone)]
pub struct RangeIndex {
    /// First hash value of each range; the first of all is 0.
    starts: Box<[u128]>,
    /// For each range, the largest prefix that may still lie in it; `u32::MAX` for the last.
    limits: Box<[u32]>,
    table: Table,
}

/// For each value of a prefix's topmost bits, the range of the smallest such prefix.
#[derive(Debug, Clone)]
enum Table {
    /// Of ranges that 16 bits can number.
    Small(SmallTable),
    /// Of more, with a binary search from there on.
    Searched(Box<[u32]>),
}

/// The most bits that a searched table takes from a prefix.
const SEARCHED_BITS: u32 = 18;

impl RangeIndex {
    /// The index of ranges that begin at `starts`, each ending where the next begins.
    ///
    /// # Panics
    /// If `starts` is empty, does not begin with 0 or is not rising.
    pub fn new(starts: &[u128]) -> Self {
        assert_eq!(starts.first(), Some(&0), "the first range starts at 0");
        assert!(starts.windows(2).all(|pair| pair[0] < pair[1]), "ranges must rise");
        let limits: Box<[u32]> =
            starts[1..].iter().map(|start| ((start - 1) >> 96) as u32).chain([u32::MAX]).collect();
        let table = SmallTable::new(&limits).map_or_else(
            || {
                let bits = limits.len().next_power_of_two().trailing_zeros() + 1;
                Table::Searched(first_ranges(&limits, bits.min(SEARCHED_BITS)).collect())
            },
            Table::Small,
        );
        Self { starts: starts.into(), limits, table }
    }

    /// Number of ranges.
    #[expect(clippy::len_without_is_empty, reason = "there is always at least one range")]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// The range that `hash` falls in, by binary search over all 128 bits.
    #[inline]
    pub fn shard_of(&self, hash: u128) -> u32 {
        (self.starts.partition_point(|&start| start <= hash) - 1) as u32
    }

    /// Writes the range of each prefix to `shards`. `settle(i)` gives the whole hash of number `i`;
    /// it is asked only where the prefix does not decide.
    ///
    /// # Panics
    /// If the slices differ in length.
    #[inline]
    pub fn lookup(
        &self,
        prefixes: &[u32],
        shards: &mut [u32],
        mut settle: impl FnMut(usize) -> u128,
    ) {
        if self.find(prefixes, shards) {
            for (i, (prefix, shard)) in prefixes.iter().zip(shards).enumerate() {
                if *prefix == self.limits[*shard as usize] {
                    *shard = self.shard_of(settle(i));
                }
            }
        }
    }

    /// Writes the range of each prefix, or the first of those that it may lie in; says whether
    /// there may be several for any of them.
    fn find(&self, prefixes: &[u32], shards: &mut [u32]) -> bool {
        assert_eq!(prefixes.len(), shards.len(), "one shard for each prefix");
        match &self.table {
            Table::Small(table) => table.find(prefixes, shards),
            Table::Searched(table) => self.search(table, prefixes, shards),
        }
    }

    fn search(&self, table: &[u32], prefixes: &[u32], shards: &mut [u32]) -> bool {
        let shift = 32 - table.len().trailing_zeros();
        let mut tied = false;
        for (&prefix, shard) in prefixes.iter().zip(shards) {
            let place = (prefix >> shift) as usize;
            let first = table[place] as usize;
            let end = table.get(place + 1).map_or(self.limits.len() - 1, |&end| end as usize);
            let found = first + self.limits[first..end].partition_point(|&limit| prefix > limit);
            tied |= prefix == self.limits[found];
            *shard = found as u32;
        }
        tied
    }
}

/// For each value of a prefix's topmost `bits` bits, the range of the smallest such prefix.
pub(super) fn first_ranges(limits: &[u32], bits: u32) -> impl Iterator<Item = u32> {
    let mut range = 0;
    (0..1u64 << bits).map(move |place| {
        // The last limit is the largest prefix of all, so this stops there at the latest.
        while u64::from(limits[range]) < place << (32 - bits) {
            range += 1;
        }
        range as u32
    })
}
