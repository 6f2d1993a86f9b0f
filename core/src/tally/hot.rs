//! The hottest keys.

use super::{HotKey, Totals};
use std::collections::HashMap;

#[derive(Debug, Clone, Default)]
pub(super) struct HotKeys {
    keys: HashMap<(Vec<u8>, u32), Totals>,
}

impl HotKeys {
    pub(super) fn add(&mut self, key: &[u8], _prefix: u32, shard: u32, load: Totals) {
        self.keys
            .entry((key.to_vec(), shard))
            .or_default()
            .add(load);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for ((key, shard), load) in &other.keys {
            self.add(key, 0, *shard, *load);
        }
    }

    pub(super) fn hottest(&self, top: usize, of: impl Fn(u32) -> bool) -> Vec<HotKey> {
        let mut keys: Vec<_> = self
            .keys
            .iter()
            .filter(|((_, shard), _)| of(*shard))
            .map(|((key, shard), totals)| HotKey {
                key: key.clone(),
                shard: *shard,
                records: totals.records,
                bytes: totals.bytes,
                error: 0,
            })
            .collect();
        keys.sort_by(|a, b| b.records.cmp(&a.records).then_with(|| a.key.cmp(&b.key)));
        keys.truncate(top);
        keys
    }
}
