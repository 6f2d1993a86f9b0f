//! The hottest keys, in bounded memory and with a stated error.
//!
//! A log has more distinct keys than memory has room for, but only those with many records are
//! asked for. Up to [`HOT_KEY_CAPACITY`] keys are each counted from their first record on, and
//! exactly. When one more comes, the half with the fewest records are forgotten, and the sketch
//! takes note of the most that a forgotten key may have had, in a bound shared by keys whose
//! hashes begin alike. A key that comes anew adds to its bound and is taken in when that passes
//! what is let pass, so its count may be short by the bound of that moment, and by no more. A key
//! that was there from the start stays exact however many others come and go.
//!
//! This is the frequent-items sketch of Misra and Gries ("Finding repeated elements", 1982), with
//! the purge by a median of Anderson et al. ("A high-performance algorithm for identifying
//! frequent items in data streams", 2017), the shared bounds of Homem and Carvalho ("Finding top-k
//! elements in data streams", 2010), which keep keys that come once from pushing others out, and
//! the bookkeeping of Manku and Motwani ("Approximate frequency counts over data
//! streams", 2002), which gives each key an error of its own.
//!
//! Keys are counted for each shard apart, since an explicit hash key may send one key to several
//! shards. An entry at the shard that its key's own hash names is at *home*; the sketch
//! counts the forgotten records of those that were not, so that a stream that uses no explicit
//! hash keys pays nothing for them.

mod absent;
mod entries;
mod key;
mod merge;
mod ranking;
mod sketch;
mod table;

pub(super) use absent::Absent;
pub use key::HOT_KEY_BYTES;
pub(super) use sketch::Sketch;

use super::Totals;
use super::counters::Step;
use crate::lanes::{Keys, Window, reference};
use crate::shards::{NO_SHARD, ShardMap};
use entries::{Entries, Entry};
use key::Head;
use table::{Found, Table};

/// How many keys are counted at once to find the hottest ones; a key that goes to several shards
/// counts as one for each. While a tally sees no more distinct keys than this, every count is exact.
pub const HOT_KEY_CAPACITY: usize = table::ENTRIES;

/// Rows whose entries are looked for at once. Their entries fill a quarter of the first-level
/// cache.
const AHEAD: usize = 128;

/// The keys that are counted.
#[derive(Debug, Clone)]
pub(super) struct HotKeys {
    entries: Entries,
    table: Table,
    /// What keys may have had at a shard where they have no entry.
    absent: Absent,
    /// Records of forgotten entries that were not at home.
    strayed: u64,
    /// All keys that have come; none while each of them has an entry.
    sketch: Option<Sketch>,
}

impl HotKeys {
    pub(super) fn new() -> Self {
        Self::with_errors(Absent::default(), 0)
    }

    /// No keys yet, but what is known of those that were forgotten before.
    pub(super) fn with_errors(absent: Absent, strayed: u64) -> Self {
        Self { entries: Entries::default(), table: Table::new(), absent, strayed, sketch: None }
    }

    pub(super) fn absent(&self) -> &Absent {
        &self.absent
    }

    pub(super) fn strayed(&self) -> u64 {
        self.strayed
    }

    /// No key that is left out of the lists has had more records than this.
    pub(super) fn error(&self) -> u64 {
        self.absent.highest().saturating_add(self.strayed)
    }

    /// Counts the rows of a step, of which `first` is the number of the first in its column. `map`
    /// knows which shard is a key's home.
    #[inline]
    pub(super) fn add<K: Keys + ?Sized>(
        &mut self,
        keys: &K,
        first: usize,
        prefixes: &[u32],
        rows: &Step<'_>,
        map: &ShardMap,
    ) {
        let length = |i: usize| keys.window(first + i).len() as u64;
        let (mut likely, mut homes) = ([0; AHEAD], [NO_SHARD; AHEAD]);
        for from in (0..prefixes.len()).step_by(AHEAD) {
            let to = prefixes.len().min(from + AHEAD);
            self.look_ahead(&prefixes[from..to], &rows.shards[from..to], &mut likely);
            if !self.absent.is_empty() {
                let hash = |i| reference::hash(keys.bytes(first + from + i));
                map.look_up(&prefixes[from..to], &mut homes[..to - from], hash);
            }
            for i in from..to {
                let (prefix, shard, key) = (prefixes[i], rows.shards[i], keys.window(first + i));
                // A record without a shard of its own has no place among those of one.
                if shard as usize >= map.len() {
                    continue;
                }
                let load = rows.load(i, length);
                // A foreign shard's records are never let pass, so that what strays is known.
                let at_home = homes[i - from] == shard;
                if key.len() > HOT_KEY_BYTES {
                    let kept = key::cut(key.key());
                    let kept = Window::new(&kept, kept.len());
                    self.add_kept(kept, prefix, shard, load, at_home, map);
                } else if let Some(entry) =
                    self.entries.get_mut(likely[i - from] as usize, key, prefix, shard)
                {
                    entry.load.add(load);
                } else if !(at_home
                    && self.table.has_none(prefix)
                    && self.absent.pass(prefix, load.records))
                {
                    self.add_kept(key, prefix, shard, load, at_home, map);
                }
            }
            // Last, since a key among these may have been the one too many.
            if let Some(sketch) = &mut self.sketch {
                let weights = rows.weights.map(|weights| &weights[from..to]);
                sketch.see_rows(&prefixes[from..to], &rows.shards[from..to], weights);
            }
        }
    }

    /// Guesses the entry of each row, so that the memory of many is fetched side by side and not
    /// one after the other.
    #[inline(always)]
    fn look_ahead(&self, prefixes: &[u32], shards: &[u32], likely: &mut [u32; AHEAD]) {
        for (likely, prefix) in likely.iter_mut().zip(prefixes) {
            *likely = self.table.first(*prefix);
        }
        for ((likely, prefix), shard) in likely.iter_mut().zip(prefixes).zip(shards) {
            let is_likely = self.entries.is_likely(*likely, *prefix, *shard);
            *likely = if is_likely { *likely } else { u32::MAX };
        }
    }

    /// Counts a row whose key is as it is kept; lets it pass only if it `may_pass`.
    fn add_kept(
        &mut self,
        key: Window<'_>,
        prefix: u32,
        shard: u32,
        load: Totals,
        may_pass: bool,
        map: &ShardMap,
    ) {
        match self.find(key, prefix, shard) {
            Found::Entry(entry) => self.entries[entry].load.add(load),
            Found::Vacant(_) if may_pass && self.absent.pass(prefix, load.records) => {}
            Found::Vacant(slot) => self.take_in(slot, key, prefix, shard, load, map),
        }
    }

    #[inline(always)]
    fn find(&self, key: Window<'_>, prefix: u32, shard: u32) -> Found {
        let head = Head::of(key);
        self.table.find(prefix, key.key(), |entry| {
            let entry = &self.entries[entry];
            let same = entry.prefix == prefix && entry.shard == shard;
            same && self.entries.is_of(entry, key, &head)
        })
    }

    /// Makes an entry of a key that has none.
    #[inline(never)]
    fn take_in(
        &mut self,
        mut slot: usize,
        key: Window<'_>,
        prefix: u32,
        shard: u32,
        load: Totals,
        map: &ShardMap,
    ) {
        if load.records == 0 {
            return;
        }
        if self.entries.len() == HOT_KEY_CAPACITY {
            self.forget(HOT_KEY_CAPACITY / 2, map);
            self.index();
            slot = self.table.vacant(prefix, key.key());
        }
        self.table.fill(slot, prefix, self.entries.len());
        let missed = self.absent.bound(prefix);
        self.entries.push(key, Entry::new(prefix, shard, load, missed));
    }

    /// Forgets the entries with the fewest records, until no more than `keep` are left. The table
    /// is out of date then.
    #[cold]
    fn forget(&mut self, keep: usize, map: &ShardMap) {
        let Some(last_to_go) = self.entries.len().checked_sub(keep + 1) else {
            return;
        };
        if self.sketch.is_none() {
            self.sketch = Some(self.sketched(map.len()));
        }
        let mut bounds: Vec<_> = self.entries.iter().map(Entry::bound).collect();
        // All that are no higher than the last to go are forgotten, not just enough of them: which
        // of several equals came first must not matter.
        let highest = lowest(&mut bounds, last_to_go);
        self.strayed = self.strayed.saturating_add(self.strays(highest, map));
        for entry in self.entries.iter().filter(|entry| entry.bound() <= highest) {
            self.absent.forget(entry.prefix, entry.bound());
        }
        self.entries.retain(|entry| entry.bound() > highest);
    }

    /// Records of the entries that have had at most `highest` and are not at home.
    fn strays(&self, highest: u64, map: &ShardMap) -> u64 {
        let prefixes: Vec<_> = self.entries.iter().map(|entry| entry.prefix).collect();
        let mut homes = vec![0; prefixes.len()];
        map.look_up(&prefixes, &mut homes, |i| self.hash(&self.entries[i]));
        let strays = self
            .entries
            .iter()
            .zip(homes)
            .filter(|(entry, home)| entry.shard != *home && entry.bound() <= highest);
        strays.fold(0, |sum, (entry, _)| sum.saturating_add(entry.load.records))
    }

    /// Whether an entry's shard is the one that its key's own hash names.
    fn is_home(&self, entry: &Entry, map: &ShardMap) -> bool {
        let mut home = [0];
        map.look_up(&[entry.prefix], &mut home, |_| self.hash(entry));
        home[0] == entry.shard
    }

    fn hash(&self, entry: &Entry) -> u128 {
        key::hash(self.entries.key(entry))
    }

    /// Makes the table anew.
    fn index(&mut self) {
        self.table.clear();
        for (i, entry) in self.entries.iter().enumerate() {
            let slot = self.table.vacant(entry.prefix, self.entries.key(entry));
            self.table.fill(slot, entry.prefix, i);
        }
    }
}

/// Number `n` of `values` in order of size, from 0.
fn lowest(values: &mut [u64], n: usize) -> u64 {
    // Most keys of most logs come once, so that the lowest value of all is often the answer.
    let least = values.iter().fold(u64::MAX, |least, &value| least.min(value));
    let alike = values.iter().filter(|&&value| value == least).count();
    if alike > n { least } else { *values.select_nth_unstable(n).1 }
}
