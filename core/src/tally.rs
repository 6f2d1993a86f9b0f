//! What arrived where and when: records and bytes for each shard and window, and the hottest keys.
//!
//! A [`Tally`] is what a log comes down to, and all that [`crate::projection`] needs. Two tallies
//! of parts of a log merge into the tally of the whole, so a log can be counted by many threads or
//! machines; the same content always gives the same [bytes](Tally::to_bytes).

mod window_text;

pub use window_text::parse_window;

use crate::error::{Error, Result};
use crate::lanes::Keys;
use crate::shards::{NO_SHARD, Refusal, ShardMap};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// A missing value in a column of sizes, times or weights.
pub const MISSING: i64 = i64::MIN;

/// What to count, besides records and bytes for each shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TallyOptions {
    /// Length of a time window; whole seconds, at least one. Windows begin at multiples of it
    /// since 1970-01-01T00:00:00Z.
    pub window: Duration,
    /// How many of the hottest keys to report, for the stream and for each shard; 0 for none.
    pub top: usize,
    /// Whether the sizes already include the key's own bytes.
    pub size_includes_key: bool,
}

impl Default for TallyOptions {
    fn default() -> Self {
        Self { window: Duration::from_secs(1), top: 10, size_includes_key: false }
    }
}

/// Some rows of a column with the shards they were routed to.
#[derive(Debug)]
pub struct Rows<'a, K: ?Sized> {
    /// The column that the rows are part of.
    pub keys: &'a K,
    /// Which rows of it.
    pub range: Range<usize>,
    /// Top 32 bits of each row's key hash.
    pub prefixes: &'a [u32],
    /// Each row's shard, or [`NO_SHARD`](crate::NO_SHARD): such a row is passed over here and
    /// counted by [`Tally::reject`].
    pub shards: &'a [u32],
    /// Each row's payload bytes, 0 or more; without them only the key's own bytes count.
    pub sizes: Option<&'a [i64]>,
    /// Each row's time in microseconds since 1970-01-01T00:00:00Z.
    pub times: Option<&'a [i64]>,
    /// How many records each row stands for, 0 or more; 1 if there are no weights.
    pub weights: Option<&'a [i64]>,
}

/// What one shard took in one window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Number of the window: its start divided by the window's length.
    pub window: i64,
    /// Index of the shard.
    pub shard: u32,
    /// Records in it.
    pub records: u64,
    /// Bytes in it, keys included where the service counts them.
    pub bytes: u64,
}

/// What one shard took in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Records.
    pub records: u64,
    /// Bytes, keys included where the service counts them.
    pub bytes: u64,
}

/// One of the hottest keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HotKey {
    /// The key.
    pub key: Vec<u8>,
    /// Index of its shard.
    pub shard: u32,
    /// Its records: never more than the truth, and short of it by at most `error`.
    pub records: u64,
    /// Its bytes, with the same reservation.
    pub bytes: u64,
    /// How many records may be missing from `records`; 0 when the count is exact.
    pub error: u64,
}

/// What arrived where and when.
#[derive(Debug, Clone)]
pub struct Tally {
    map: Arc<ShardMap>,
    options: TallyOptions,
    totals: Vec<Totals>,
    cells: BTreeMap<(i64, u32), Totals>,
    hot: HashMap<Vec<u8>, (u32, Totals)>,
    rejected: BTreeMap<Refusal, u64>,
    times: Option<(i64, i64)>,
}

impl Tally {
    /// An empty tally of the shards of `map`.
    ///
    /// # Errors
    /// `InvalidInput` if the window is not a whole number of seconds, at least one.
    pub fn new(map: impl Into<Arc<ShardMap>>, options: TallyOptions) -> Result<Self> {
        let map = map.into();
        if options.window.as_secs() == 0 || options.window.subsec_nanos() != 0 {
            return Err(Error::input(format!(
                "a window of {:?} was asked for; type whole seconds, at least 1, for example 1s",
                options.window
            )));
        }
        Ok(Self {
            totals: vec![Totals::default(); map.len()],
            map,
            options,
            cells: BTreeMap::new(),
            hot: HashMap::new(),
            rejected: BTreeMap::new(),
            times: None,
        })
    }

    /// Counts some rows.
    pub fn add<K: Keys + ?Sized>(&mut self, rows: &Rows<'_, K>) {
        let window = self.window_micros();
        for (i, row) in rows.range.clone().enumerate() {
            let shard = rows.shards[i];
            if shard == NO_SHARD {
                continue;
            }
            let key = rows.keys.bytes(row);
            let records = rows.weights.map_or(1, |weights| weights[i] as u64);
            let size = rows.sizes.map_or(0, |sizes| sizes[i] as u64)
                + if self.options.size_includes_key { 0 } else { key.len() as u64 };
            let add = |totals: &mut Totals| {
                totals.records += records;
                totals.bytes += records * size;
            };
            add(&mut self.totals[shard as usize]);
            if let Some(times) = rows.times {
                let time = times[i];
                add(self.cells.entry((time.div_euclid(window), shard)).or_default());
                let (first, last) = self.times.unwrap_or((time, time));
                self.times = Some((first.min(time), last.max(time)));
            }
            if self.options.top > 0 {
                let (_, totals) =
                    self.hot.entry(key.to_vec()).or_insert((shard, Totals::default()));
                add(totals);
            }
        }
    }

    /// Counts rows that cannot be used.
    pub fn reject(&mut self, reason: Refusal, rows: u64) {
        *self.rejected.entry(reason).or_default() += rows;
    }

    /// Adds what `other` counted.
    ///
    /// # Errors
    /// `InvalidInput` if it is of another map, or was made with other options.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.map != other.map || self.options != other.options {
            return Err(Error::input("tallies of two maps, or with two sets of options"));
        }
        for (totals, add) in self.totals.iter_mut().zip(&other.totals) {
            totals.records += add.records;
            totals.bytes += add.bytes;
        }
        for (at, add) in &other.cells {
            let totals = self.cells.entry(*at).or_default();
            totals.records += add.records;
            totals.bytes += add.bytes;
        }
        for (key, (shard, add)) in &other.hot {
            let (_, totals) =
                self.hot.entry(key.clone()).or_insert((*shard, Totals::default()));
            totals.records += add.records;
            totals.bytes += add.bytes;
        }
        for (reason, rows) in &other.rejected {
            self.reject(*reason, *rows);
        }
        for (first, last) in other.times {
            let (f, l) = self.times.unwrap_or((first, last));
            self.times = Some((f.min(first), l.max(last)));
        }
        Ok(())
    }

    /// The shards that are counted.
    pub fn map(&self) -> &Arc<ShardMap> {
        &self.map
    }

    /// What is counted.
    pub fn options(&self) -> &TallyOptions {
        &self.options
    }

    /// Length of a window.
    pub fn window(&self) -> Duration {
        self.options.window
    }

    /// Start of a window, in microseconds since 1970-01-01T00:00:00Z.
    pub fn start_of(&self, window: i64) -> i64 {
        window.saturating_mul(self.window_micros())
    }

    /// What each shard took in all, in order of index.
    pub fn totals(&self) -> &[Totals] {
        &self.totals
    }

    /// Records that went to a shard.
    pub fn records(&self) -> u64 {
        self.totals.iter().map(|totals| totals.records).sum()
    }

    /// Their bytes.
    pub fn bytes(&self) -> u64 {
        self.totals.iter().map(|totals| totals.bytes).sum()
    }

    /// Records without a shard of their own.
    pub fn unassigned(&self) -> u64 {
        0
    }

    /// Rows that could not be used, by reason.
    pub fn rejected(&self) -> impl Iterator<Item = (Refusal, u64)> {
        self.rejected.iter().map(|(reason, rows)| (*reason, *rows))
    }

    /// The earliest time, in microseconds since 1970-01-01T00:00:00Z; `None` without times.
    pub fn first_time(&self) -> Option<i64> {
        self.times.map(|times| times.0)
    }

    /// The latest time.
    pub fn last_time(&self) -> Option<i64> {
        self.times.map(|times| times.1)
    }

    /// What each shard took in each window, in order of time and then of shard; empty cells are
    /// left out.
    pub fn cells(&self) -> impl Iterator<Item = Cell> {
        self.cells.iter().map(|(&(window, shard), totals)| Cell {
            window,
            shard,
            records: totals.records,
            bytes: totals.bytes,
        })
    }

    /// The `top` hottest keys of the stream, hottest first.
    pub fn hot_keys(&self, top: usize) -> Vec<HotKey> {
        self.hottest(top, |_| true)
    }

    /// The `top` hottest keys of one shard, hottest first.
    pub fn hot_keys_of(&self, shard: u32, top: usize) -> Vec<HotKey> {
        self.hottest(top, |of| of == shard)
    }

    fn hottest(&self, top: usize, of: impl Fn(u32) -> bool) -> Vec<HotKey> {
        let mut keys: Vec<_> = self
            .hot
            .iter()
            .filter(|(_, (shard, _))| of(*shard))
            .map(|(key, (shard, totals))| HotKey {
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

    fn window_micros(&self) -> i64 {
        i64::try_from(self.options.window.as_micros()).unwrap_or(i64::MAX)
    }
}
