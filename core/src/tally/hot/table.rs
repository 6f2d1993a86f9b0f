//! Where in the list of entries a key is: open addressing by the hash that the key already has.

use std::hash::{BuildHasher, RandomState};

/// Number of slots, a power of two that 16 bits count.
const SLOTS: usize = 1 << 16;

/// The most entries: half the slots, so that a search is short.
pub(super) const ENTRIES: usize = SLOTS / 2;

/// Slots that are searched next to the one a hash names, before giving up on the hash. Only hashes
/// that were chosen to collide get that far more than once in a while.
const NEAR: usize = 16;

/// Slots that are looked at together to see that there is no entry.
const GLANCE: usize = 8;

/// An index of entries by hash.
///
/// A slot is 0 if it is empty. Otherwise its upper half is the upper half of a hash, and its lower
/// half an entry's number plus one; the lower half of the hash is where the slot is, or near it.
#[derive(Debug, Clone)]
pub(super) struct Table {
    slots: Box<[u32]>,
    /// Hashes a key afresh when its own hash leads to a crowd. Where entries lie does not affect
    /// what is counted, so the seed may differ from run to run, and nobody can prepare for it.
    afresh: RandomState,
}

/// What a search found.
pub(super) enum Found {
    /// The number of the entry.
    Entry(usize),
    /// The slot where the entry belongs.
    Vacant(usize),
}

impl Table {
    pub(super) fn new() -> Self {
        Self { slots: vec![0; SLOTS].into_boxed_slice(), afresh: RandomState::new() }
    }

    /// The number of the entry that a search of `hash` would look at first, if that may be the one;
    /// any number that no entry has if not.
    #[inline(always)]
    pub(super) fn first(&self, hash: u32) -> u32 {
        let slot = self.slots[hash as usize % SLOTS];
        if (slot ^ hash) >> 16 == 0 { (slot & 0xffff).wrapping_sub(1) } else { u32::MAX }
    }

    /// Whether there is surely no entry of this hash, as a glance at its slots tells without a
    /// branch for each.
    #[inline(always)]
    pub(super) fn has_none(&self, hash: u32) -> bool {
        let Some(slots) = self.slots[hash as usize % SLOTS..].first_chunk::<GLANCE>() else {
            return false;
        };
        let (mut alike, mut empty) = (false, false);
        for slot in slots {
            alike |= (slot ^ hash) >> 16 == 0;
            empty |= *slot == 0;
        }
        empty & !alike
    }

    /// Looks for the entry of `key`, among those of its hash that `is_it` accepts.
    #[inline(always)]
    pub(super) fn find(&self, hash: u32, key: &[u8], is_it: impl Fn(usize) -> bool) -> Found {
        for place in (hash as usize..).take(NEAR) {
            let slot = self.slots[place % SLOTS];
            if slot == 0 {
                return Found::Vacant(place % SLOTS);
            }
            if slot >> 16 == hash >> 16 && is_it(entry(slot)) {
                return Found::Entry(entry(slot));
            }
        }
        self.find_far(hash, key, is_it)
    }

    #[cold]
    #[inline(never)]
    fn find_far(&self, hash: u32, key: &[u8], is_it: impl Fn(usize) -> bool) -> Found {
        let mut place = self.afresh.hash_one(key) as usize % SLOTS;
        // Half the slots are empty, so this ends.
        loop {
            let slot = self.slots[place % SLOTS];
            if slot == 0 {
                return Found::Vacant(place % SLOTS);
            }
            if slot >> 16 == hash >> 16 && is_it(entry(slot)) {
                return Found::Entry(entry(slot));
            }
            place += 1;
        }
    }

    /// The slot where a key belongs that has no entry.
    pub(super) fn vacant(&self, hash: u32, key: &[u8]) -> usize {
        match self.find(hash, key, |_| false) {
            Found::Vacant(slot) | Found::Entry(slot) => slot,
        }
    }

    /// Fills a vacant slot.
    #[inline(always)]
    pub(super) fn fill(&mut self, slot: usize, hash: u32, entry: usize) {
        debug_assert!(entry < ENTRIES, "half the slots stay empty");
        self.slots[slot % SLOTS] = hash & 0xffff_0000 | (entry as u32 + 1);
    }

    /// Empties all slots.
    pub(super) fn clear(&mut self) {
        self.slots.fill(0);
    }
}

/// The entry that a filled slot names.
#[inline(always)]
fn entry(slot: u32) -> usize {
    (slot & 0xffff) as usize - 1
}
