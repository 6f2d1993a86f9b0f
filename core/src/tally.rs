//! What arrived where and when: records and bytes for each shard and window, and the hottest keys.
//!
//! A [`Tally`] is what a log comes down to, and all that [`crate::projection`] needs. Two tallies
//! of parts of a log merge into the tally of the whole, so a log can be counted by many threads or
//! machines.
//!
//! Counts do not overflow: one that would pass `u64::MAX` stays there.
//!
//! ```
//! use shardlane::tally::Rows;
//! use shardlane::{EvenRule, ShardMap, Tally, TallyOptions};
//!
//! let mut tally = Tally::new(ShardMap::kinesis(4, EvenRule::FixedStep)?, TallyOptions::default())?;
//! tally.add(&Rows {
//!     keys: ["order-1001", "JP"].as_slice(),
//!     range: 0..2,
//!     prefixes: &[0x9292_11f1, 0x24d2_2e03],
//!     shards: &[2, 0],
//!     sizes: Some(&[90, 8]),
//!     times: None,
//!     weights: None,
//!     operations: None,
//!     keyless: None,
//!     carried: None,
//!     sizes_include_keys: false,
//! });
//! assert_eq!(tally.totals()[2].bytes, 100);
//! assert_eq!(tally.hot_keys(1)[0].records, 1);
//! # Ok::<(), shardlane::Error>(())
//! ```

mod agreement;
mod bytes;
mod carried;
mod cells;
mod counters;
mod distinct;
mod hot;
mod merge;
mod units;
mod windows;

pub use agreement::Agreement;
pub use distinct::DistinctKeys;
pub use hot::{HOT_KEY_BYTES, HOT_KEY_CAPACITY};

mod window_text;

use window_text::SHORTEST;
pub use window_text::parse_window;

use crate::error::{Error, Result};
use crate::lanes::Keys;
use crate::shards::{NO_SHARD, Operation, Refusal, ShardMap, System};
use cells::Cells;
use counters::{Counters, STEP, Step};
use hot::HotKeys;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use units::Units;
use windows::Windows;

/// A missing value in a column of sizes, times or weights.
pub const MISSING: i64 = i64::MIN;

/// What to count, besides records and bytes for each shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TallyOptions {
    /// Length of a time window; whole milliseconds, at least 100. Windows begin at multiples of it
    /// since 1970-01-01T00:00:00Z.
    pub window: Duration,
    /// How many of the hottest keys to report, for the stream and for each shard; 0 for none, and
    /// then distinct keys are not counted either.
    pub top: usize,
    /// Whether the sizes already include the key's own bytes; without sizes, those are counted.
    pub size_includes_key: bool,
    /// What requests do that do not say it themselves, for the capacity units of `DynamoDB`.
    pub operation: Operation,
}

impl Default for TallyOptions {
    fn default() -> Self {
        Self {
            window: Duration::from_secs(1),
            top: 10,
            size_includes_key: false,
            operation: Operation::Read,
        }
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
    /// counted by [`Tally::reject`]. The number of shards itself stands for no shard of its own,
    /// in a system that [`spreads`](ShardMap::spreads) such records.
    pub shards: &'a [u32],
    /// Each row's payload bytes, 0 or more; without them only the key's own bytes count.
    pub sizes: Option<&'a [i64]>,
    /// Each row's time in microseconds since 1970-01-01T00:00:00Z.
    pub times: Option<&'a [i64]>,
    /// How many records each row stands for, 0 or more; 1 if there are no weights.
    pub weights: Option<&'a [i64]>,
    /// What each row does, for the capacity units of `DynamoDB`; if not said, all do what
    /// [`TallyOptions::operation`] says.
    pub operations: Option<&'a [Operation]>,
    /// Which rows have a shard but no key, as a write of Simple Log Service that names a hash
    /// value: they are no hot key's.
    pub keyless: Option<&'a [bool]>,
    /// Which rows travel within the record of a row above, so that the service does not count them.
    pub carried: Option<&'a [bool]>,
    /// Whether these sizes already include the keys, whatever
    /// [`TallyOptions::size_includes_key`] says of others.
    pub sizes_include_keys: bool,
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

impl Totals {
    /// Adds `more`; a sum above `u64::MAX` stays there.
    #[inline(always)]
    fn add(&mut self, more: Self) {
        *self = self.plus(more);
    }

    /// What the one whose turn is number `turn` gets if the records are dealt out to `places` in
    /// turn, all of them of the mean size.
    fn part(self, turn: u64, places: usize) -> Self {
        let places = places as u64;
        let records = self.records / places + u64::from(turn < self.records % places);
        let bytes = u128::from(self.bytes) * u128::from(records);
        let bytes = bytes.checked_div(self.records.into()).unwrap_or(0);
        // No more than all bytes, so no more than 64 bits.
        Self { records, bytes: bytes as u64 }
    }

    /// The sum of both; one above `u64::MAX` stays there.
    #[inline(always)]
    pub(crate) fn plus(self, more: Self) -> Self {
        Self {
            records: self.records.saturating_add(more.records),
            bytes: self.bytes.saturating_add(more.bytes),
        }
    }
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
    counters: Counters,
    cells: Cells,
    windows: Windows,
    /// None if no hot keys were asked for.
    hot: Option<HotKeys>,
    /// Only of a system that has capacity units.
    units: Option<Box<Units>>,
    /// Of records that travel within others; none until there is one.
    carried: Option<Box<Tally>>,
    rejected: BTreeMap<Refusal, u64>,
    agreement: Agreement,
}

impl Tally {
    /// An empty tally of the shards of `map`.
    ///
    /// # Errors
    /// `InvalidInput` if the window is not a whole number of milliseconds, at least 100.
    pub fn new(map: impl Into<Arc<ShardMap>>, options: TallyOptions) -> Result<Self> {
        let map = map.into();
        let mut tally = Self::plain(map, options)?;
        if tally.map.system() == System::DynamoDb {
            tally.units = Some(Box::new(Units::new(&tally.map, &tally.options)?));
        }
        Ok(tally)
    }

    /// The same without capacity units.
    fn plain(map: Arc<ShardMap>, options: TallyOptions) -> Result<Self> {
        let micros = i64::try_from(options.window.as_micros()).ok();
        let whole =
            options.window >= SHORTEST && options.window.subsec_nanos().is_multiple_of(1_000_000);
        let Some(micros) = micros.filter(|_| whole) else {
            return Err(Error::input(format!(
                "a window of {:?} was asked for; type whole milliseconds, at least 100, for \
                 example 1s or 250ms",
                options.window
            )));
        };
        Ok(Self {
            // Where the system spreads records, those without a shard have a place behind the last.
            counters: Counters::new(map.len() + usize::from(map.spreads())),
            cells: Cells::default(),
            windows: Windows::new(micros),
            hot: (options.top > 0).then(HotKeys::new),
            units: None,
            carried: None,
            rejected: BTreeMap::new(),
            agreement: Agreement::default(),
            map,
            options,
        })
    }

    /// Counts some rows. A row of weight 0 stands for no record.
    ///
    /// # Panics
    /// If a column has fewer rows than the range, or a shard is none of those that
    /// [`Rows::shards`] allows.
    pub fn add<K: Keys + ?Sized>(&mut self, rows: &Rows<'_, K>) {
        if let Some(units) = &mut self.units {
            units.add(rows, self.options.operation);
        }
        if let Some(carried) = rows.carried {
            self.add_carried(rows, carried);
        }
        let mut lengths = [0; STEP];
        for from in (0..rows.range.len()).step_by(STEP) {
            let to = rows.range.len().min(from + STEP);
            let first = rows.range.start + from;
            let lengths = &mut lengths[..to - from];
            let includes_key = self.options.size_includes_key
                || rows.sizes_include_keys
                || !self.map.system().counts_keys();
            if !includes_key || rows.sizes.is_none() {
                rows.keys.key_lens(first, lengths);
            }
            let part = |values| part(values, from..to);
            let step = Step {
                shards: &rows.shards[from..to],
                lengths,
                sizes: part(rows.sizes),
                weights: part(rows.weights),
            };
            let length = |i: usize| rows.keys.bytes(first + i).len() as u64;
            match part(rows.times) {
                None => {
                    self.counters.enter(None, &mut self.cells);
                    self.counters.add(&step, length, &mut self.cells);
                }
                Some(times) => self.add_timed(&step, times, length),
            }
            if let Some(hot) = &mut self.hot {
                let with_keys: [_; STEP];
                let shards = match rows.keyless.map(|keyless| &keyless[from..to]) {
                    None => step.shards,
                    Some(keyless) => {
                        with_keys = std::array::from_fn(|i| match keyless.get(i) {
                            Some(false) => step.shards[i],
                            _ => NO_SHARD,
                        });
                        &with_keys[..to - from]
                    }
                };
                let step = Step { shards, ..step };
                hot.add(rows.keys, first, &rows.prefixes[from..to], &step, &self.map);
            }
        }
    }

    /// Counts rows window by window.
    fn add_timed(&mut self, step: &Step<'_>, times: &[i64], length: impl Fn(usize) -> u64) {
        let mut from = 0;
        while let Some((window, rows)) = self.windows.run(&times[from..], &step.shards[from..]) {
            self.counters.enter(Some(window), &mut self.cells);
            let run = step.part(from, from + rows);
            self.counters.add(&run, |i| length(from + i), &mut self.cells);
            from += rows;
        }
    }

    /// Counts rows that cannot be used.
    pub fn reject(&mut self, reason: Refusal, rows: u64) {
        if rows > 0 {
            let count = self.rejected.entry(reason).or_default();
            *count = count.saturating_add(rows);
        }
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
        window.saturating_mul(self.windows.length())
    }

    /// What each shard took in all, in order of index.
    pub fn totals(&self) -> &[Totals] {
        &self.counters.totals()[..self.map.len()]
    }

    /// The same, with the records without a shard of their own behind the last one.
    fn places(&self) -> &[Totals] {
        self.counters.totals()
    }

    /// Records that went to a shard of their own.
    pub fn records(&self) -> u64 {
        self.sum().records
    }

    /// Their bytes.
    pub fn bytes(&self) -> u64 {
        self.sum().bytes
    }

    fn sum(&self) -> Totals {
        self.totals().iter().fold(Totals::default(), |sum, totals| sum.plus(*totals))
    }

    /// Records without a shard of their own, because the system spreads them, and their bytes.
    pub fn unassigned(&self) -> Totals {
        self.places().get(self.map.len()).copied().unwrap_or_default()
    }

    /// What shard `index` would get of the records without a shard of their own, if they were
    /// spread evenly: an estimate.
    pub fn spread_to(&self, index: u32) -> Totals {
        self.unassigned().part(index.into(), self.map.len())
    }

    /// Rows that could not be used, by reason.
    pub fn rejected(&self) -> impl Iterator<Item = (Refusal, u64)> {
        self.rejected.iter().map(|(reason, rows)| (*reason, *rows))
    }

    /// The earliest time, in microseconds since 1970-01-01T00:00:00Z; `None` without times.
    pub fn first_time(&self) -> Option<i64> {
        self.windows.seen().map(|(first, _)| first)
    }

    /// The latest time.
    pub fn last_time(&self) -> Option<i64> {
        self.windows.seen().map(|(_, last)| last)
    }

    /// What each shard took in each window, in order of time and then of shard; empty cells are
    /// left out.
    pub fn cells(&self) -> impl Iterator<Item = Cell> {
        let shards = self.map.len() as u32;
        self.place_cells().filter(move |cell| cell.shard < shards)
    }

    /// The same, with those of the records without a shard of their own behind the last shard.
    fn place_cells(&self) -> impl Iterator<Item = Cell> {
        self.cells.iter(self.counters.open_cells())
    }

    /// What each shard took in each window, and what it would get of the records without a shard of
    /// their own if they were spread evenly within each window: an estimate wherever there are any,
    /// and else the same as [`cells`](Self::cells). Records are those that the service counts:
    /// without those that travel within another one.
    pub fn estimated_cells(&self) -> impl Iterator<Item = Cell> {
        let shards = self.map.len();
        let mut cells = self.without_carried(self.place_cells()).peekable();
        let mut window: VecDeque<Cell> = VecDeque::new();
        // Records are dealt out in turn, and the next window goes on where the last one ended.
        let mut dealt = 0;
        std::iter::from_fn(move || {
            if window.is_empty() {
                let first = *cells.peek()?;
                while let Some(cell) = cells.next_if(|cell| cell.window == first.window) {
                    window.push_back(cell);
                }
                if let Some(spread) = window.back().copied()
                    && spread.shard as usize == shards
                {
                    window.pop_back();
                    spread_out(&mut window, spread, shards, dealt);
                    dealt = (dealt + spread.records % shards as u64) % shards as u64;
                }
            }
            window.pop_front()
        })
    }

    /// The `top` hottest keys of the stream, hottest first.
    pub fn hot_keys(&self, top: usize) -> Vec<HotKey> {
        self.hot.as_ref().map_or_else(Vec::new, |hot| hot.of_stream(top, &self.map))
    }

    /// The `top` hottest keys of one shard, hottest first.
    pub fn hot_keys_of(&self, shard: u32, top: usize) -> Vec<HotKey> {
        self.hot.as_ref().map_or_else(Vec::new, |hot| hot.of_shard(shard, top, &self.map))
    }

    /// The `top` hottest keys of each shard, hottest first, in order of shard: all that
    /// [`hot_keys_of`](Self::hot_keys_of) would give, in one pass.
    pub fn hot_keys_by_shard(&self, top: usize) -> Vec<Vec<HotKey>> {
        let shards = self.map.len();
        match &self.hot {
            Some(hot) => hot.of_shards(shards, top, &self.map),
            None => vec![Vec::new(); shards],
        }
    }

    /// A number of records that no key missing from [`hot_keys`](Self::hot_keys) has passed,
    /// however many are asked for: 0 while all distinct keys are counted.
    pub fn hot_key_error(&self) -> u64 {
        self.hot.as_ref().map_or(0, HotKeys::error)
    }
}

/// Deals the records of the cell `spread` out to `shards` shards in turn, the one with index `first`
/// first.
fn spread_out(window: &mut VecDeque<Cell>, spread: Cell, shards: usize, first: u64) {
    let all = Totals { records: spread.records, bytes: spread.bytes };
    let mut own = std::mem::take(window).into_iter().peekable();
    for shard in 0..shards as u32 {
        let of = own.next_if(|cell| cell.shard == shard);
        let of = of.map_or(Totals::default(), |of| Totals { records: of.records, bytes: of.bytes });
        let turn = (u64::from(shard) + shards as u64 - first) % shards as u64;
        let Totals { records, bytes } = of.plus(all.part(turn, shards));
        if records > 0 {
            window.push_back(Cell { window: spread.window, shard, records, bytes });
        }
    }
}

/// The values of some rows.
fn part(values: Option<&[i64]>, rows: Range<usize>) -> Option<&[i64]> {
    values.map(|values| &values[rows])
}
