//! The keys that a sketch counts, and where their bytes lie.

use super::Totals;
use super::key::{HEAD, Head};
use crate::lanes::Window;
use std::ops::{Index, IndexMut};

/// A key at one shard: 64 bytes, one line of the cache.
#[derive(Debug, Clone, Copy)]
pub(in crate::tally) struct Entry {
    /// Records and bytes since it was last taken in.
    pub(in crate::tally) load: Totals,
    /// The most records that it may have had before.
    pub(in crate::tally) missed: u64,
    /// Top 32 bits of the key's hash.
    pub(in crate::tally) prefix: u32,
    pub(in crate::tally) shard: u32,
    /// Length of the key, and where it lies in the text if it is longer than its head.
    len: u32,
    at: u32,
    head: Head,
}

const _: () = assert!(size_of::<Entry>() == 64);

impl Entry {
    /// An entry whose key is yet to come.
    pub(super) fn new(prefix: u32, shard: u32, load: Totals, missed: u64) -> Self {
        Self { load, missed, prefix, shard, len: 0, at: 0, head: Head::EMPTY }
    }

    /// The most records that it may have had in all.
    pub(super) fn bound(&self) -> u64 {
        self.load.records.saturating_add(self.missed)
    }
}

/// Entries with their keys.
#[derive(Debug, Clone, Default)]
pub(super) struct Entries {
    list: Vec<Entry>,
    /// The keys that are longer than a head, whole and end to end, in the order of the list.
    text: Vec<u8>,
}

impl Entries {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.list.iter()
    }

    /// The key of one of the entries.
    pub(super) fn key<'a>(&'a self, entry: &'a Entry) -> &'a [u8] {
        let len = entry.len as usize;
        if len <= HEAD {
            &entry.head.bytes()[..len]
        } else {
            &self.text[entry.at as usize..][..len]
        }
    }

    /// Whether `key`, whose head is `head`, is the key of `entry`.
    #[inline(always)]
    pub(super) fn is_of(&self, entry: &Entry, key: Window<'_>, head: &Head) -> bool {
        let same = entry.len as usize == key.len() && entry.head.is(head);
        same && (key.len() <= HEAD || self.key(entry) == key.key())
    }

    /// Whether entry number `i`, if there is one, is probably that of a key with this hash at this
    /// shard. Takes no branch, so that calls for many keys overlap.
    #[inline(always)]
    pub(super) fn is_likely(&self, i: u32, prefix: u32, shard: u32) -> bool {
        let Some(last) = self.list.len().checked_sub(1) else {
            return false;
        };
        let entry = &self.list[(i as usize).min(last)];
        (entry.prefix == prefix) & (entry.shard == shard)
    }

    /// Entry number `i`, if it is that of `key`.
    #[inline(always)]
    pub(super) fn get_mut(
        &mut self,
        i: usize,
        key: Window<'_>,
        prefix: u32,
        shard: u32,
    ) -> Option<&mut Entry> {
        let entry = self.list.get(i)?;
        // Asked again, since the list may have changed after a guess.
        let same = entry.prefix == prefix && entry.shard == shard;
        if same && self.is_of(entry, key, &Head::of(key)) { self.list.get_mut(i) } else { None }
    }

    /// Adds an entry with its key.
    #[inline]
    pub(super) fn push(&mut self, key: Window<'_>, entry: Entry) {
        let (len, at) = (key.len() as u32, self.text.len() as u32);
        if key.len() > HEAD {
            self.text.extend_from_slice(key.key());
        }
        self.list.push(Entry { len, at, head: Head::of(key), ..entry });
    }

    /// Keeps the entries that `stays` says yes to, in their order.
    pub(super) fn retain(&mut self, stays: impl Fn(&Entry) -> bool) {
        let mut end = 0;
        let text = &mut self.text;
        self.list.retain_mut(|entry| {
            let stays = stays(entry);
            if stays && entry.len as usize > HEAD {
                let from = entry.at as usize;
                text.copy_within(from..from + entry.len as usize, end);
                entry.at = end as u32;
                end += entry.len as usize;
            }
            stays
        });
        self.text.truncate(end);
    }
}

impl Index<usize> for Entries {
    type Output = Entry;

    #[inline(always)]
    fn index(&self, entry: usize) -> &Entry {
        &self.list[entry]
    }
}

impl IndexMut<usize> for Entries {
    #[inline(always)]
    fn index_mut(&mut self, entry: usize) -> &mut Entry {
        &mut self.list[entry]
    }
}
