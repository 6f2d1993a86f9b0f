//! What keys without an entry may have had: one bound for all keys whose hashes begin alike.
//!
//! A key that comes for the first time after others were forgotten is not taken in at once. Its
//! records go to a bound that it shares with others, until that passes what a key without an entry
//! may have anyway. So the many keys of a log that come once or twice cost one addition each, and
//! push nothing out.

/// Bounds: one for each value of a hash's upper half.
const BOUNDS: usize = 1 << 16;

/// Records that are let pass before the limit rises by one: half as many as there are bounds, so
/// that bounds rise half as fast as the limit while keys come evenly, and few ever reach it.
const PASSING: u64 = BOUNDS as u64 / 2;

/// Bounds on the records of keys that have no entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::tally) struct Absent {
    /// No key with a hash of this upper half has had more records at a shard where it has no
    /// entry; `u32::MAX` for `highest`. Empty while no key has been forgotten or let pass.
    bounds: Vec<u32>,
    /// The highest bound of all.
    highest: u64,
    /// The highest bound of a forgotten entry.
    forgotten: u64,
    /// Records that were let pass.
    passed: u64,
}

impl Absent {
    /// Whether every key that has come has an entry.
    #[inline(always)]
    pub(in crate::tally) fn is_empty(&self) -> bool {
        self.bounds.is_empty()
    }

    /// The most records that a key with this hash may have had at a shard where it has no entry.
    #[inline(always)]
    pub(super) fn bound(&self, prefix: u32) -> u64 {
        self.bounds.get(place(prefix)).map_or(0, |&bound| self.whole(bound))
    }

    #[inline(always)]
    fn whole(&self, bound: u32) -> u64 {
        if bound == u32::MAX { self.highest } else { bound.into() }
    }

    /// The most that any key may have had.
    pub(super) fn highest(&self) -> u64 {
        self.highest
    }

    /// Lets records of a key without an entry pass, if it is not yet time to take the key in.
    #[inline(always)]
    pub(super) fn pass(&mut self, prefix: u32, records: u64) -> bool {
        let limit = self.forgotten.max(1 + self.passed / PASSING);
        let Some(bound) = self.bounds.get_mut(place(prefix)) else {
            return false;
        };
        let raised = u64::from(*bound).saturating_add(records);
        if raised > limit || raised >= u32::MAX.into() {
            return false;
        }
        *bound = raised as u32;
        self.highest = self.highest.max(raised);
        self.passed = self.passed.saturating_add(records);
        true
    }

    /// Takes note that an entry is forgotten that has had at most `records`.
    pub(super) fn forget(&mut self, prefix: u32, records: u64) {
        self.forgotten = self.forgotten.max(records);
        self.raise(place(prefix), records);
    }

    fn raise(&mut self, place: usize, records: u64) {
        if self.bounds.is_empty() {
            self.bounds = vec![0; BOUNDS];
        }
        self.highest = self.highest.max(records);
        let records = u32::try_from(records).unwrap_or(u32::MAX);
        self.bounds[place] = self.bounds[place].max(records);
    }

    /// What holds for two logs together, of which `self` and `other` hold.
    pub(super) fn plus(&self, other: &Self) -> Self {
        let mut both = Self {
            bounds: Vec::new(),
            highest: 0,
            forgotten: self.forgotten.saturating_add(other.forgotten),
            passed: self.passed.saturating_add(other.passed),
        };
        if !self.is_empty() || !other.is_empty() {
            for place in 0..BOUNDS {
                let of = |side: &Self| side.bounds.get(place).map_or(0, |&bound| side.whole(bound));
                both.raise(place, of(self).saturating_add(of(other)));
            }
        }
        both
    }

    /// All that it consists of: the three numbers, and the bounds.
    pub(in crate::tally) fn parts(&self) -> ([u64; 3], &[u32]) {
        ([self.highest, self.forgotten, self.passed], &self.bounds)
    }

    /// Put together of its parts; `None` if there can be no such.
    pub(in crate::tally) fn of_parts(numbers: [u64; 3], bounds: Vec<u32>) -> Option<Self> {
        let [highest, forgotten, passed] = numbers;
        let whole = bounds.is_empty() || bounds.len() == BOUNDS;
        let known = !bounds.is_empty() || numbers == [0; 3];
        // A bound that 32 bits hold is not written in another way.
        let fits = match bounds.iter().max() {
            Some(&u32::MAX) => highest >= u32::MAX.into(),
            max => highest == u64::from(max.copied().unwrap_or(0)),
        };
        (whole && known && fits).then_some(Self { bounds, highest, forgotten, passed })
    }
}

/// Which bound is a key's.
#[inline(always)]
fn place(prefix: u32) -> usize {
    (prefix >> 16) as usize
}
