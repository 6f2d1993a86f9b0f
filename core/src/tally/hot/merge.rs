//! Two sketches as one, and one taken apart and put together again.

use super::entries::Entry;
use super::key::is_kept_length;
use super::table::Found;
use super::{HOT_KEY_CAPACITY, HotKeys, Totals};
use crate::lanes::Window;
use crate::shards::ShardMap;

impl HotKeys {
    /// Adds what `other` counted, in the same way whichever of the two is added to the other.
    pub(in crate::tally) fn merge(&mut self, other: &Self, map: &ShardMap) {
        let exact = self.absent.is_empty() && other.absent.is_empty();
        if exact && self.entries.len() + other.entries.len() <= HOT_KEY_CAPACITY {
            for entry in other.entries.iter() {
                let key = whole(other.entries.key(entry));
                self.add_kept(key, entry.prefix, entry.shard, entry.load, false, map);
            }
            return;
        }

        let mut both = Self::with_errors(
            self.absent.plus(&other.absent),
            self.strayed.saturating_add(other.strayed),
        );
        if !exact {
            let mut sketch = self.sketched(map.len());
            sketch.merge(&other.sketched(map.len()));
            both.sketch = Some(sketch);
        }
        for side in self.beside(other) {
            let missed = side.missed_here.saturating_add(side.missed_there);
            let entry = side.entry;
            both.entries
                .push(whole(side.key), Entry::new(entry.prefix, entry.shard, side.load, missed));
        }
        both.forget(HOT_KEY_CAPACITY, map);
        both.index();
        *self = both;
    }

    /// All entries of both, each key and shard once, in an order that does not depend on which is
    /// which.
    fn beside<'a>(&'a self, other: &'a Self) -> Vec<Beside<'a>> {
        // What a side may have missed of a key is what its entry says, or else what it says of
        // keys without one, which is never less.
        let here = self.entries.iter().map(|entry| Beside {
            key: self.entries.key(entry),
            entry,
            load: entry.load,
            missed_here: entry.missed,
            missed_there: other.absent.bound(entry.prefix),
        });
        let there = other.entries.iter().map(|entry| Beside {
            key: other.entries.key(entry),
            entry,
            load: entry.load,
            missed_here: self.absent.bound(entry.prefix),
            missed_there: entry.missed,
        });
        let mut all: Vec<_> = here.chain(there).collect();
        all.sort_unstable_by_key(Beside::place);
        all.dedup_by(|next, kept| {
            let same = next.place() == kept.place();
            if same {
                kept.load.add(next.load);
                kept.missed_here = kept.missed_here.min(next.missed_here);
                kept.missed_there = kept.missed_there.min(next.missed_there);
            }
            same
        });
        all
    }

    /// All entries with their keys as they are kept, in order of key and then of shard.
    pub(in crate::tally) fn in_order(&self) -> Vec<(&[u8], &Entry)> {
        let entries = self.entries.iter();
        let mut entries: Vec<_> = entries.map(|entry| (self.entries.key(entry), entry)).collect();
        entries.sort_unstable_by_key(|(key, entry)| (*key, entry.shard));
        entries
    }

    /// Puts an entry back that [`in_order`](Self::in_order) gave, with its key as it was kept;
    /// `false` if there can be no such entry.
    pub(in crate::tally) fn restore(
        &mut self,
        key: &[u8],
        prefix: u32,
        shard: u32,
        load: Totals,
        missed: u64,
    ) -> bool {
        let room = self.entries.len() < HOT_KEY_CAPACITY && is_kept_length(key.len());
        if !room || load.records == 0 || missed > self.absent.bound(prefix) {
            return false;
        }
        let Found::Vacant(slot) = self.find(whole(key), prefix, shard) else {
            return false;
        };
        self.table.fill(slot, prefix, self.entries.len());
        self.entries.push(whole(key), Entry::new(prefix, shard, load, missed));
        true
    }
}

/// An entry of one of two sketches, or of both.
struct Beside<'a> {
    key: &'a [u8],
    entry: &'a Entry,
    load: Totals,
    missed_here: u64,
    missed_there: u64,
}

impl<'a> Beside<'a> {
    fn place(&self) -> (u32, u32, &'a [u8]) {
        (self.entry.prefix, self.entry.shard, self.key)
    }
}

/// A key with nothing after it.
fn whole(key: &[u8]) -> Window<'_> {
    Window::new(key, key.len())
}
