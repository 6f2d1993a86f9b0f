//! Shardlane's side of each measurement.

use arrow::array::Array;
use shardlane::keys::Visitor;
use shardlane::lanes::{Backend, Keys, md5};
use shardlane::source::{Batch, TimeNotes};
use shardlane::{KeyColumn, Router, RouterOptions, ShardMap, Tally, TallyOptions};

/// An array as keys.
///
/// # Panics
/// If it holds neither text nor bytes.
pub fn keys(array: &dyn Array) -> KeyColumn {
    KeyColumn::try_new(array).expect("a column of keys")
}

/// Keys alone, as a batch.
///
/// # Panics
/// If the array holds neither text nor bytes.
pub fn batch(array: &dyn Array) -> Batch {
    Batch {
        keys: keys(array),
        explicit_hash_keys: None,
        bytes: None,
        times: None,
        time_notes: TimeNotes::default(),
        weights: None,
        operations: None,
        shards: None,
        travels: None,
        labels: None,
        broken_rows: 0,
    }
}

/// A router on `threads` threads.
///
/// # Panics
/// Never: the back end is one that this CPU has.
pub fn router(map: ShardMap, threads: usize) -> Router {
    let options = RouterOptions { threads, ..RouterOptions::default() };
    Router::with_options(map, &options).expect("a router")
}

/// An empty tally of the router's map that reports the `top` hottest keys.
///
/// # Panics
/// Never: the window is a second.
pub fn tally(router: &Router, top: usize) -> Tally {
    let options = TallyOptions { top, ..TallyOptions::default() };
    Tally::new(router.map().clone(), options).expect("a tally")
}

/// Routes a column.
///
/// # Panics
/// If `shards` is not as long as the column.
pub fn route(router: &Router, keys: &KeyColumn, shards: &mut [u32]) {
    router.route_into(keys, None, shards).expect("one place for each key");
}

/// Counts a batch into a tally.
///
/// # Panics
/// If the batch's columns differ in length.
pub fn count(router: &Router, batch: &Batch, tally: &mut Tally) {
    router.tally_into(batch, 0, tally).expect("columns of one length");
}

/// Hashes every key of a column to its top 32 bits.
#[derive(Debug)]
pub struct Prefixes<'a> {
    /// The instructions to hash with.
    pub backend: Backend,
    /// Where the prefixes go, one for each key.
    pub out: &'a mut [u32],
}

impl Visitor for Prefixes<'_> {
    type Output = ();

    fn visit<K: Keys>(self, keys: &K) {
        md5::prefixes(self.backend, keys, 0..keys.len(), self.out);
    }
}
