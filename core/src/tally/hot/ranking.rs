//! The hottest of the keys that a sketch counts.

use super::entries::Entry;
use super::key::shown;
use super::{HotKeys, Totals};
use crate::shards::ShardMap;
use crate::tally::HotKey;
use std::cmp::Reverse;
use std::collections::HashMap;

impl HotKeys {
    /// The `top` hottest keys of the stream, hottest first.
    pub(in crate::tally) fn of_stream(&self, top: usize, map: &ShardMap) -> Vec<HotKey> {
        let mut keys: HashMap<&[u8], AtShards> = HashMap::new();
        for entry in self.entries.iter() {
            let at = keys.entry(self.entries.key(entry)).or_default();
            at.load.add(entry.load);
            at.main = at.main.max((entry.load.records, Reverse(entry.shard)));
            at.prefix = entry.prefix;
            if !self.absent.is_empty() && self.is_home(entry, map) {
                at.missed_at_home = Some(entry.missed);
            }
        }
        let ranked = keys.into_iter().map(|(key, at)| Ranked {
            key,
            shard: at.main.1.0,
            load: at.load,
            // What is missing was forgotten at home or astray.
            error: at
                .missed_at_home
                .unwrap_or_else(|| self.absent.bound(at.prefix))
                .saturating_add(self.strayed),
        });
        hottest(ranked.collect(), top)
    }

    /// The `top` hottest keys of one shard, hottest first.
    pub(in crate::tally) fn of_shard(&self, shard: u32, top: usize, map: &ShardMap) -> Vec<HotKey> {
        let entries = self.entries.iter().filter(|entry| entry.shard == shard);
        hottest(entries.map(|entry| self.ranked(entry, map)).collect(), top)
    }

    /// The `top` hottest keys of each of `shards` shards, hottest first.
    pub(in crate::tally) fn of_shards(
        &self,
        shards: usize,
        top: usize,
        map: &ShardMap,
    ) -> Vec<Vec<HotKey>> {
        let mut keys: Vec<_> = (0..shards).map(|_| Vec::new()).collect();
        for entry in self.entries.iter() {
            keys[entry.shard as usize].push(self.ranked(entry, map));
        }
        keys.into_iter().map(|keys| hottest(keys, top)).collect()
    }

    fn ranked<'a>(&'a self, entry: &'a Entry, map: &ShardMap) -> Ranked<'a> {
        let error = if entry.missed == 0 || self.is_home(entry, map) {
            entry.missed
        } else {
            entry.missed.min(self.strayed)
        };
        Ranked { key: self.entries.key(entry), shard: entry.shard, load: entry.load, error }
    }
}

/// One key at all its shards.
#[derive(Default)]
struct AtShards {
    prefix: u32,
    load: Totals,
    /// The most records at one shard, and that shard: the lowest of several.
    main: (u64, Reverse<u32>),
    /// What its entry at home may have missed, if it has one.
    missed_at_home: Option<u64>,
}

/// A key in a list of hot ones.
struct Ranked<'a> {
    key: &'a [u8],
    shard: u32,
    load: Totals,
    error: u64,
}

/// The `top` with the most records, in order; of equals, those with the lower keys.
fn hottest(mut keys: Vec<Ranked<'_>>, top: usize) -> Vec<HotKey> {
    keys.sort_unstable_by_key(|ranked| (Reverse(ranked.load.records), ranked.key));
    keys.truncate(top);
    let named = |Ranked { key, shard, load, error }: Ranked<'_>| HotKey {
        key: shown(key),
        shard,
        records: load.records,
        bytes: load.bytes,
        error,
    };
    keys.into_iter().map(named).collect()
}
