//! Which range a hash value falls in, answered from its top 32 bits.
//!
//! A table over the topmost bits gives the first candidate; a compare against the next boundary
//! corrects it. Only a prefix that equals a boundary's own needs the other 96 bits, and for
//! hashes of distinct keys that is one in billions times the number of shards.

/// Ranges that tile all 128-bit hash values, and their lookup.
#[derive(Debug, Clone)]
pub struct RangeIndex {
    /// First hash value of each range; the first of all is 0.
    starts: Box<[u128]>,
    /// For each range, the largest prefix that may still lie in it; `u32::MAX` for the last.
    limits: Box<[u32]>,
    /// For each value of a prefix's topmost bits, the range of the smallest such prefix.
    table: Table,
    /// How far right a prefix is shifted to give its place in the table.
    shift: u32,
    /// Most range boundaries within one place of the table.
    crowding: usize,
}

/// The table, in the narrowest integer that holds every range: it shares the first-level cache
/// with the keys and the counters.
#[derive(Debug, Clone)]
enum Table {
    Narrow(Box<[u16]>),
    Wide(Box<[u32]>),
}

/// Prefixes looked up together before any of them is checked for a tie.
const STRIDE: usize = 8;

/// Above this many boundaries in one place of the table, a binary search beats walking.
const WALK: usize = 4;

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

        // Twice as many places as ranges, so that even ranges never put two boundaries in one.
        let bits = (starts.len().next_power_of_two().trailing_zeros() + 1).clamp(4, 18);
        let shift = 32 - bits;
        let first_of = |place: usize| {
            let smallest = (place as u64) << shift;
            limits[..limits.len() - 1].partition_point(|&limit| u64::from(limit) < smallest)
        };
        let firsts: Vec<usize> = (0..=1usize << bits).map(first_of).collect();
        let crowding = firsts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
        let firsts = &firsts[..1 << bits];
        let table = if starts.len() <= 1 << 16 {
            Table::Narrow(firsts.iter().map(|&first| first as u16).collect())
        } else {
            Table::Wide(firsts.iter().map(|&first| first as u32).collect())
        };
        Self { starts: starts.into(), limits, table, shift, crowding }
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
    pub fn lookup(&self, prefixes: &[u32], shards: &mut [u32], settle: impl FnMut(usize) -> u128) {
        assert_eq!(prefixes.len(), shards.len(), "one shard for each prefix");
        match (&self.table, self.crowding) {
            (Table::Narrow(table), 0..=1) => self.one_step(table, prefixes, shards, settle),
            (Table::Wide(table), 0..=1) => self.one_step(table, prefixes, shards, settle),
            (Table::Narrow(table), _) => self.many_steps(table, prefixes, shards, settle),
            (Table::Wide(table), _) => self.many_steps(table, prefixes, shards, settle),
        }
    }

    /// Lookup when no place of the table has more than one boundary: one compare decides.
    #[inline(always)]
    fn one_step<T: Copy + Into<u32>>(
        &self,
        table: &[T],
        prefixes: &[u32],
        shards: &mut [u32],
        mut settle: impl FnMut(usize) -> u128,
    ) {
        let find = |prefix: u32| {
            let first: u32 = table[(prefix >> self.shift) as usize].into();
            let limit = self.limits[first as usize];
            (first + u32::from(prefix > limit), prefix == limit)
        };
        let (groups, rest) = prefixes.as_chunks::<STRIDE>();
        let (out_groups, out_rest) = shards.as_chunks_mut::<STRIDE>();
        for (at, (group, out)) in groups.iter().zip(out_groups).enumerate() {
            let mut tied = false;
            for (prefix, shard) in group.iter().zip(out.iter_mut()) {
                let (found, tie) = find(*prefix);
                *shard = found;
                tied |= tie;
            }
            if tied {
                for (i, (prefix, shard)) in group.iter().zip(out.iter_mut()).enumerate() {
                    if find(*prefix).1 {
                        *shard = self.shard_of(settle(at * STRIDE + i));
                    }
                }
            }
        }
        for (i, (prefix, shard)) in rest.iter().zip(out_rest).enumerate() {
            let (found, tie) = find(*prefix);
            *shard = if tie { self.shard_of(settle(groups.len() * STRIDE + i)) } else { found };
        }
    }

    /// Lookup among crowded boundaries: walk on from the table's answer, or search.
    #[inline(always)]
    fn many_steps<T: Copy + Into<u32>>(
        &self,
        table: &[T],
        prefixes: &[u32],
        shards: &mut [u32],
        mut settle: impl FnMut(usize) -> u128,
    ) {
        for (i, (&prefix, shard)) in prefixes.iter().zip(shards).enumerate() {
            let place = (prefix >> self.shift) as usize;
            let mut found = table[place].into() as usize;
            if self.crowding <= WALK {
                // The last limit is the largest prefix of all, so this stops there at the latest.
                while prefix > self.limits[found] {
                    found += 1;
                }
            } else {
                let end =
                    table.get(place + 1).map_or(self.limits.len() - 1, |&end| end.into() as usize);
                found += self.limits[found..end].partition_point(|&limit| prefix > limit);
            }
            let tied = prefix == self.limits[found];
            *shard = if tied { self.shard_of(settle(i)) } else { found as u32 };
        }
    }
}
