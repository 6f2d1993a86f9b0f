//! The counters that every row goes through.
//!
//! Records and bytes of a shard share one 64-bit word, so that a row costs one addition to memory
//! and the counters of 1,024 shards fill 8 KiB of the first-level cache. They are emptied into the
//! whole [`Totals`] before either half can overflow. Rows with weights, and rows so large that a
//! half might soon overflow, go the wide way instead: slower, and saturating.
//!
//! While a window is open the counters hold that window alone, and closing it gives its cells.

use super::cells::Cells;
use super::{Cell, Totals};
use crate::shards::NO_SHARD;
use std::mem::take;
use std::sync::OnceLock;

/// Bits of a packed counter that hold bytes; the others hold records.
const BYTE_BITS: u32 = 40;

/// One record in a packed counter.
const RECORD: u64 = 1 << BYTE_BITS;

/// The most bytes, and the most records, that a packed counter holds.
const MOST_BYTES: u64 = RECORD - 1;
const MOST_RECORDS: u64 = u64::MAX >> BYTE_BITS;

/// The most rows that are counted at once.
pub(super) const STEP: usize = 1024;

/// Rows of more bytes than this go the wide way, so that a step of the others always fits.
const LARGE: u64 = 1 << 29;
const _: () = assert!(LARGE * STEP as u64 <= MOST_BYTES && STEP as u64 <= MOST_RECORDS);

/// Up to [`STEP`] rows; all slices have one length.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub(super) shards: &'a [u32],
    /// How many bytes each row's key adds; `u32::MAX` for that many or more.
    pub(super) lengths: &'a [u32],
    pub(super) sizes: Option<&'a [i64]>,
    pub(super) weights: Option<&'a [i64]>,
}

impl Step<'_> {
    /// Some of the rows.
    pub(super) fn part(&self, from: usize, to: usize) -> Self {
        Self {
            shards: &self.shards[from..to],
            lengths: &self.lengths[from..to],
            sizes: self.sizes.map(|sizes| &sizes[from..to]),
            weights: self.weights.map(|weights| &weights[from..to]),
        }
    }

    /// The records and bytes of row `i`. `length` tells the row's true key length where that is
    /// too long for `lengths`.
    #[inline]
    pub(super) fn load(&self, i: usize, length: impl Fn(usize) -> u64) -> Totals {
        let whole = |value: i64| u64::try_from(value).unwrap_or(0);
        let key = match self.lengths[i] {
            u32::MAX => length(i),
            bytes => bytes.into(),
        };
        let each = self.sizes.map_or(0, |sizes| whole(sizes[i])).saturating_add(key);
        let records = self.weights.map_or(1, |weights| whole(weights[i]));
        Totals { records, bytes: records.saturating_mul(each) }
    }

    /// A number of bytes that no row exceeds; `None` if some row's size is not known.
    #[inline(always)]
    fn bound(&self) -> Option<u64> {
        // The bitwise or of numbers is at least the largest of them and less than twice it, and
        // finding it is vectorised. Only a row without a shard may have a negative size.
        let lengths = self.lengths.iter().fold(0, |or, &length| or | length);
        let sizes = self.sizes.map_or(0, |sizes| sizes.iter().fold(0, |or, &size| or | size));
        let sizes = u64::try_from(sizes).ok()?;
        if lengths == u32::MAX { None } else { sizes.checked_add(lengths.into()) }
    }
}

/// Records and bytes of each shard.
#[derive(Debug, Clone)]
pub(super) struct Counters {
    /// What each shard took, except for what is in the fields below.
    closed: Vec<Totals>,
    /// The rows since. Place 0 takes the rows without a shard, since [`NO_SHARD`] plus one wraps
    /// to it: no branch is spent on them.
    packed: Vec<u64>,
    /// No packed counter holds more records, nor more bytes, than these.
    records_bound: u64,
    bytes_bound: u64,
    /// The window that the counters hold, unless the rows have no times.
    window: Option<i64>,
    /// What went the wide way in this window; empty until something does.
    wide: Vec<Totals>,
    /// The places in use in this window, in order of first use; a place may be here once for each
    /// way. Empty until there is a window.
    touched: Vec<u32>,
    /// How many entries of `touched` are set.
    touches: usize,
    /// All of the above added up, from when someone asks until more is counted.
    totals: OnceLock<Box<[Totals]>>,
}

impl Counters {
    /// Counters of `shards` shards, at 0.
    pub(super) fn new(shards: usize) -> Self {
        Self::from_totals(vec![Totals::default(); shards])
    }

    /// Counters at `totals`.
    pub(super) fn from_totals(totals: Vec<Totals>) -> Self {
        Self {
            packed: vec![0; totals.len() + 1],
            closed: totals,
            records_bound: 0,
            bytes_bound: 0,
            window: None,
            wide: Vec::new(),
            touched: Vec::new(),
            touches: 0,
            totals: OnceLock::new(),
        }
    }

    /// Makes `window` the one that rows are counted in; none if they have no times.
    #[inline]
    pub(super) fn enter(&mut self, window: Option<i64>, cells: &mut Cells) {
        if self.window == window {
            return;
        }
        self.close(cells);
        self.window = window;
        if self.touched.is_empty() {
            // Twice each place, and one more that is written to in vain.
            self.touched = vec![0; 2 * self.packed.len() + 1];
        }
    }

    /// Counts rows in the window entered. `length` is as for [`Step::load`].
    ///
    /// # Panics
    /// If a shard is not one of those counted.
    #[inline]
    pub(super) fn add(
        &mut self,
        rows: &Step<'_>,
        length: impl Fn(usize) -> u64,
        cells: &mut Cells,
    ) {
        self.totals.take();
        let bound = rows.bound().filter(|&bound| bound <= LARGE && rows.weights.is_none());
        let Some(bound) = bound else {
            return self.add_wide(rows, length);
        };
        let records = rows.shards.len() as u64;
        let bytes = bound * records;
        if self.records_bound + records > MOST_RECORDS || self.bytes_bound + bytes > MOST_BYTES {
            self.empty(cells);
        }
        self.records_bound += records;
        self.bytes_bound += bytes;
        let lengths = rows.lengths.iter().map(|&length| u64::from(length));
        match rows.sizes {
            None => self.add_packed(rows.shards, lengths),
            Some(sizes) => self.add_packed(
                rows.shards,
                lengths.zip(sizes).map(|(length, &size)| length + size as u64),
            ),
        }
    }

    #[inline(always)]
    fn add_packed(&mut self, shards: &[u32], bytes: impl Iterator<Item = u64>) {
        let packed = self.packed.as_mut_slice();
        if self.window.is_none() {
            for (shard, bytes) in shards.iter().zip(bytes) {
                packed[shard.wrapping_add(1) as usize] += RECORD + bytes;
            }
            return;
        }
        let touched = self.touched.as_mut_slice();
        let mut touches = self.touches;
        for (shard, bytes) in shards.iter().zip(bytes) {
            let place = shard.wrapping_add(1);
            let counter = &mut packed[place as usize];
            // Always written and kept only the first time: a branch would often guess wrong.
            touched[touches] = place;
            touches += usize::from(*counter == 0);
            *counter += RECORD + bytes;
        }
        self.touches = touches;
    }

    #[inline(never)]
    fn add_wide(&mut self, rows: &Step<'_>, length: impl Fn(usize) -> u64) {
        let timed = self.window.is_some();
        if timed && self.wide.is_empty() {
            self.wide = vec![Totals::default(); self.closed.len()];
        }
        for (i, &shard) in rows.shards.iter().enumerate() {
            if shard == NO_SHARD {
                continue;
            }
            let load = rows.load(i, &length);
            if !timed {
                self.closed[shard as usize].add(load);
                continue;
            }
            let wide = &mut self.wide[shard as usize];
            if wide.records == 0 && load.records > 0 {
                self.touched[self.touches] = shard + 1;
                self.touches += 1;
            }
            wide.add(load);
        }
    }

    /// Closes the window, if one is open, and gives its cells.
    pub(super) fn close(&mut self, cells: &mut Cells) {
        self.empty(cells);
        self.window = None;
    }

    /// Empties the counters into the totals, and into cells if a window is open.
    fn empty(&mut self, cells: &mut Cells) {
        if let Some(window) = self.window {
            let touched = &mut self.touched[..self.touches];
            // Cells in order of shard need no sorting later. Sorting the few places used or
            // passing over all of them, whichever is less.
            if touched.len() > self.packed.len() / 16 {
                for place in 1..self.packed.len() {
                    self.empty_place(window, place, cells);
                }
            } else {
                touched.sort_unstable();
                for i in 0..self.touches {
                    let place = self.touched[i] as usize;
                    if place > 0 {
                        self.empty_place(window, place, cells);
                    }
                }
            }
        } else {
            for (totals, packed) in self.closed.iter_mut().zip(&mut self.packed[1..]) {
                totals.add(unpacked(take(packed)));
            }
        }
        self.packed[0] = 0;
        (self.records_bound, self.bytes_bound, self.touches) = (0, 0, 0);
    }

    #[inline(always)]
    fn empty_place(&mut self, window: i64, place: usize, cells: &mut Cells) {
        let mut load = unpacked(take(&mut self.packed[place]));
        if let Some(wide) = self.wide.get_mut(place - 1) {
            load.add(take(wide));
        }
        if load.records > 0 {
            self.closed[place - 1].add(load);
            let Totals { records, bytes } = load;
            cells.push(Cell { window, shard: place as u32 - 1, records, bytes });
        }
    }

    /// Adds what was counted elsewhere to the shards, without cells.
    pub(super) fn add_totals(&mut self, totals: &[Totals]) {
        self.totals.take();
        for (closed, totals) in self.closed.iter_mut().zip(totals) {
            closed.add(*totals);
        }
    }

    /// What each shard took in all.
    pub(super) fn totals(&self) -> &[Totals] {
        self.totals.get_or_init(|| {
            let shards = self.closed.iter().enumerate();
            shards.map(|(shard, closed)| closed.plus(self.open(shard))).collect()
        })
    }

    /// The cells of the open window, in order of shard.
    pub(super) fn open_cells(&self) -> impl Iterator<Item = Cell> {
        let shards = if self.window.is_some() { self.closed.len() } else { 0 };
        let window = self.window.unwrap_or_default();
        (0..shards)
            .map(move |shard| {
                let Totals { records, bytes } = self.open(shard);
                Cell { window, shard: shard as u32, records, bytes }
            })
            .filter(|cell| cell.records > 0)
    }

    /// What is not yet in `closed`.
    fn open(&self, shard: usize) -> Totals {
        let mut open = unpacked(self.packed[shard + 1]);
        open.add(self.wide.get(shard).copied().unwrap_or_default());
        open
    }
}

#[inline(always)]
fn unpacked(counter: u64) -> Totals {
    Totals { records: counter >> BYTE_BITS, bytes: counter & MOST_BYTES }
}
