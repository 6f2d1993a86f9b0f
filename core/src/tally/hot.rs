//! The hottest keys, in bounded memory and with a stated error.
//!
//! A log has more distinct keys than memory has room for, but only those with many records are
//! asked for. Up to [`HOT_KEY_CAPACITY`] keys are each counted from their first record on, and
//! exactly. When one more comes, the half with the fewest records are forgotten, and the sketch
//! takes note of the most that a forgotten key may have had: its *floor*. A key that comes anew
//! may have been forgotten before, so its count may be short by the floor of that moment, and by
//! no more. A key that was there from the start stays exact however many others come and go.
//!
//! This is the frequent-items sketch of Misra and Gries ("Finding repeated elements", 1982), with
//! the purge by a median of Anderson et al. ("A high-performance algorithm for identifying
//! frequent items in data streams", 2017), which bounds the floor by 2/capacity of all records,
//! and with the bookkeeping of Manku and Motwani ("Approximate frequency counts over data
//! streams", 2002), which gives each key an error of its own.
//!
//! Keys are counted for each shard apart, since an explicit hash key may send one key to several
//! shards. An entry at the shard that its key's own hash names is at *home*; [`HotKeys::strayed`]
//! counts the forgotten records of those that were not, so that a stream that uses no explicit
//! hash keys pays nothing for them.

mod table;

use super::{HotKey, Totals};
use crate::lanes::reference;
use crate::shards::ShardMap;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;
use table::{Found, Table};

/// How many keys are counted at once to find the hottest ones; a key that goes to several shards
/// counts as one for each. While a tally sees no more distinct keys than this, every count is exact.
pub const HOT_KEY_CAPACITY: usize = table::ENTRIES;

/// The longest key that is kept whole, in bytes: as long as the longest Kinesis partition key. Of
/// a longer key only so many bytes are kept and reported; it is told from others by its MD5.
pub const HOT_KEY_BYTES: usize = 1024;

/// Bytes of the MD5 that follows a key which is cut.
const DIGEST: usize = 16;

/// A key at one shard.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Records and bytes since it was last taken in.
    pub(super) load: Totals,
    /// The most records that it may have had before.
    pub(super) missed: u64,
    /// Top 32 bits of the key's hash.
    pub(super) prefix: u32,
    pub(super) shard: u32,
    /// Where the key lies in the text.
    at: u32,
    len: u32,
}

impl Entry {
    /// The most records that it may have had in all.
    fn bound(&self) -> u64 {
        self.load.records.saturating_add(self.missed)
    }
}

/// The keys that are counted.
#[derive(Debug, Clone)]
pub(super) struct HotKeys {
    entries: Vec<Entry>,
    /// The entries' keys end to end, in their order, each as [`kept`] gives it.
    text: Vec<u8>,
    table: Table,
    /// No key has had more records than this at a shard where it has no entry.
    floor: u64,
    /// Records of forgotten entries that were not at home.
    strayed: u64,
}

impl HotKeys {
    pub(super) fn new() -> Self {
        Self { entries: Vec::new(), text: Vec::new(), table: Table::new(), floor: 0, strayed: 0 }
    }

    /// No keys yet, but with what was forgotten before.
    pub(super) fn with_errors(floor: u64, strayed: u64) -> Self {
        Self { floor, strayed, ..Self::new() }
    }

    pub(super) fn floor(&self) -> u64 {
        self.floor
    }

    pub(super) fn strayed(&self) -> u64 {
        self.strayed
    }

    /// All entries with their keys as they are kept, in order of key and then of shard.
    pub(super) fn in_order(&self) -> Vec<(&[u8], &Entry)> {
        let mut entries: Vec<_> = self.entries.iter().map(|e| (self.key(e), e)).collect();
        entries.sort_unstable_by_key(|(key, entry)| (*key, entry.shard));
        entries
    }

    /// Puts an entry back that [`in_order`](Self::in_order) gave, with its key as it was kept;
    /// `false` if there can be no such entry.
    pub(super) fn restore(
        &mut self,
        key: &[u8],
        prefix: u32,
        shard: u32,
        load: Totals,
        missed: u64,
    ) -> bool {
        let whole = key.len() <= HOT_KEY_BYTES || key.len() == HOT_KEY_BYTES + DIGEST;
        let room = self.entries.len() < HOT_KEY_CAPACITY;
        let Found::Vacant(slot) = self.find(key, prefix, shard) else {
            return false;
        };
        if !whole || !room || load.records == 0 || missed > self.floor {
            return false;
        }
        self.table.fill(slot, prefix, self.entries.len());
        self.append(key, Entry { load, missed, prefix, shard, at: 0, len: 0 });
        true
    }

    /// Counts a row. `map` knows which shard is a key's home.
    #[inline]
    pub(super) fn add(
        &mut self,
        key: &[u8],
        prefix: u32,
        shard: u32,
        load: Totals,
        map: &ShardMap,
    ) {
        let key = kept(key);
        match self.find(&key, prefix, shard) {
            Found::Entry(entry) => self.entries[entry].load.add(load),
            Found::Vacant(slot) => {
                let new = Entry { load, missed: 0, prefix, shard, at: 0, len: 0 };
                self.take_in(slot, &key, new, map);
            }
        }
    }

    #[inline(always)]
    fn find(&self, key: &[u8], prefix: u32, shard: u32) -> Found {
        self.table.find(prefix, key, |entry| {
            let entry = &self.entries[entry];
            entry.prefix == prefix && entry.shard == shard && self.key(entry) == key
        })
    }

    /// The key of an entry, as it is kept.
    fn key(&self, entry: &Entry) -> &[u8] {
        &self.text[entry.at as usize..][..entry.len as usize]
    }

    /// Makes an entry of a key that has none.
    fn take_in(&mut self, mut slot: usize, key: &[u8], new: Entry, map: &ShardMap) {
        if new.load.records == 0 {
            return;
        }
        if self.entries.len() == HOT_KEY_CAPACITY {
            self.forget(HOT_KEY_CAPACITY / 2, map);
            self.index();
            slot = self.table.vacant(new.prefix, key);
        }
        self.table.fill(slot, new.prefix, self.entries.len());
        self.append(key, Entry { missed: self.floor, ..new });
    }

    /// Adds an entry that the table does not know yet.
    fn append(&mut self, key: &[u8], new: Entry) {
        let (at, len) = (self.text.len() as u32, key.len() as u32);
        self.text.extend_from_slice(key);
        self.entries.push(Entry { at, len, ..new });
    }

    /// Forgets the entries with the fewest records, until no more than `keep` are left. The table
    /// is out of date then.
    #[cold]
    fn forget(&mut self, keep: usize, map: &ShardMap) {
        let Some(last_to_go) = self.entries.len().checked_sub(keep + 1) else {
            return;
        };
        let mut bounds: Vec<_> = self.entries.iter().map(Entry::bound).collect();
        // All that are no higher go, not just enough of them: which of several equals came first
        // must not matter.
        self.floor = *bounds.select_nth_unstable(last_to_go).1;
        self.strayed = self.strayed.saturating_add(self.strays(map));

        let (mut entries, mut text) = (0, 0);
        for i in 0..self.entries.len() {
            let entry = self.entries[i];
            if entry.bound() > self.floor {
                let from = entry.at as usize;
                self.text.copy_within(from..from + entry.len as usize, text);
                self.entries[entries] = Entry { at: text as u32, ..entry };
                entries += 1;
                text += entry.len as usize;
            }
        }
        self.entries.truncate(entries);
        self.text.truncate(text);
    }

    /// Records of the entries at or below the floor that are not at home.
    fn strays(&self, map: &ShardMap) -> u64 {
        let gone: Vec<_> = self.entries.iter().filter(|e| e.bound() <= self.floor).collect();
        let prefixes: Vec<_> = gone.iter().map(|entry| entry.prefix).collect();
        let mut homes = vec![0; gone.len()];
        map.ranges().lookup(&prefixes, &mut homes, |i| hash(self.key(gone[i])));
        let strays = gone.iter().zip(homes).filter(|(entry, home)| entry.shard != *home);
        strays.fold(0, |sum, (entry, _)| sum.saturating_add(entry.load.records))
    }

    /// Makes the table anew.
    fn index(&mut self) {
        self.table.clear();
        for (i, entry) in self.entries.iter().enumerate() {
            let slot = self.table.vacant(entry.prefix, self.key(entry));
            self.table.fill(slot, entry.prefix, i);
        }
    }

    /// Adds what `other` counted, in the same way whichever of the two is added to the other.
    pub(super) fn merge(&mut self, other: &Self, map: &ShardMap) {
        let exact = self.floor == 0 && other.floor == 0;
        if exact && self.entries.len() + other.entries.len() <= HOT_KEY_CAPACITY {
            for entry in &other.entries {
                self.add(other.key(entry), entry.prefix, entry.shard, entry.load, map);
            }
            return;
        }

        // What each side may have missed of a key is what its entry says, or else its floor,
        // which is never less.
        let mine = self.entries.iter().map(|e| (*e, self.key(e), e.missed, other.floor));
        let theirs = other.entries.iter().map(|e| (*e, other.key(e), self.floor, e.missed));
        let mut all: Vec<_> = mine.chain(theirs).collect();
        all.sort_unstable_by_key(|(entry, key, ..)| (entry.prefix, entry.shard, *key));
        all.dedup_by(|next, kept| {
            let same =
                next.0.prefix == kept.0.prefix && next.0.shard == kept.0.shard && next.1 == kept.1;
            if same {
                kept.0.load.add(next.0.load);
                kept.2 = kept.2.min(next.2);
                kept.3 = kept.3.min(next.3);
            }
            same
        });

        let mut both = Self::with_errors(
            self.floor.saturating_add(other.floor),
            self.strayed.saturating_add(other.strayed),
        );
        for (entry, key, missed, also_missed) in all {
            both.append(key, Entry { missed: missed.saturating_add(also_missed), ..entry });
        }
        both.forget(HOT_KEY_CAPACITY, map);
        both.index();
        *self = both;
    }

    /// No key that is left out of the lists has had more records than this.
    pub(super) fn error(&self) -> u64 {
        self.floor.saturating_add(self.strayed)
    }

    /// The `top` hottest keys of the stream, hottest first.
    pub(super) fn of_stream(&self, top: usize, map: &ShardMap) -> Vec<HotKey> {
        let mut keys: HashMap<&[u8], AtShards> = HashMap::new();
        for entry in &self.entries {
            let at = keys.entry(self.key(entry)).or_default();
            at.load.add(entry.load);
            at.main = at.main.max((entry.load.records, Reverse(entry.shard)));
            if self.floor > 0 && self.is_home(entry, map) {
                at.missed_at_home = Some(entry.missed);
            }
        }
        let ranked = keys.into_iter().map(|(key, at)| {
            // Away from home it may be short by what has strayed; an entry there that was never
            // forgotten is exact.
            let missed = at.missed_at_home.unwrap_or(self.floor).saturating_add(self.strayed);
            (key, at.main.1.0, at.load, missed)
        });
        hottest(ranked.collect(), top)
    }

    /// The `top` hottest keys of one shard, hottest first.
    pub(super) fn of_shard(&self, shard: u32, top: usize, map: &ShardMap) -> Vec<HotKey> {
        let entries = self.entries.iter().filter(|entry| entry.shard == shard);
        hottest(entries.map(|entry| self.ranked(entry, map)).collect(), top)
    }

    /// The `top` hottest keys of each of `shards` shards, hottest first.
    pub(super) fn of_shards(&self, shards: usize, top: usize, map: &ShardMap) -> Vec<Vec<HotKey>> {
        let mut keys = vec![Vec::new(); shards];
        for entry in &self.entries {
            if let Some(keys) = keys.get_mut(entry.shard as usize) {
                keys.push(self.ranked(entry, map));
            }
        }
        keys.into_iter().map(|keys| hottest(keys, top)).collect()
    }

    fn ranked(&self, entry: &Entry, map: &ShardMap) -> Ranked<'_> {
        let exact = self.floor == 0 || entry.missed == 0;
        let missed = match exact || self.is_home(entry, map) {
            true => entry.missed,
            false => entry.missed.min(self.strayed),
        };
        (self.key(entry), entry.shard, entry.load, missed)
    }

    /// Whether an entry's shard is the one that its key's own hash names.
    fn is_home(&self, entry: &Entry, map: &ShardMap) -> bool {
        let mut home = [0];
        map.ranges().lookup(&[entry.prefix], &mut home, |_| hash(self.key(entry)));
        home[0] == entry.shard
    }
}

/// One key at all its shards.
#[derive(Default)]
struct AtShards {
    load: Totals,
    /// The most records at one shard, and that shard, the lowest of several.
    main: (u64, Reverse<u32>),
    /// What its entry at home says, if it has one.
    missed_at_home: Option<u64>,
}

/// A key with its shard, its load and its error.
type Ranked<'a> = (&'a [u8], u32, Totals, u64);

/// The `top` with the most records, in order; of equals, those with the lower keys.
fn hottest(mut keys: Vec<Ranked<'_>>, top: usize) -> Vec<HotKey> {
    keys.sort_unstable_by_key(|(key, _, load, _)| (Reverse(load.records), *key));
    keys.truncate(top);
    let named = |(key, shard, load, error): Ranked<'_>| HotKey {
        key: key[..key.len().min(HOT_KEY_BYTES)].to_vec(),
        shard,
        records: load.records,
        bytes: load.bytes,
        error,
    };
    keys.into_iter().map(named).collect()
}

/// A key as it is kept: whole, or cut and followed by its MD5.
#[inline(always)]
fn kept(key: &[u8]) -> Cow<'_, [u8]> {
    if key.len() <= HOT_KEY_BYTES { Cow::Borrowed(key) } else { Cow::Owned(cut(key)) }
}

#[cold]
fn cut(key: &[u8]) -> Vec<u8> {
    [&key[..HOT_KEY_BYTES], &reference::digest(key)].concat()
}

/// The hash of a key, from what is kept of it.
fn hash(kept: &[u8]) -> u128 {
    let digest = kept.get(HOT_KEY_BYTES..).and_then(|digest| digest.try_into().ok());
    digest.map_or_else(|| reference::hash(kept), u128::from_be_bytes)
}
