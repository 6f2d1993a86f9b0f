//! Cells in order, each in a few bytes.
//!
//! A day of 64 shards has five million cells of a second, which as they are would take 32 bytes
//! each. Numbers here are LEB128 varints: how far the shard is from the one before, with a bit that
//! says whether a new window begins, how far that is from the one before, records, bytes. They
//! lie in chunks, since one growing buffer would for a moment be there twice.

use super::place;
use crate::tally::Cell;

/// Bytes of a chunk.
const CHUNK: usize = 64 << 10;

/// Bytes that a cell may take: three varints of 64 bits and one of 33.
const LONGEST: usize = 35;

/// Cells in order of window and then of shard, each once.
#[derive(Debug, Clone, Default)]
pub(super) struct Packed {
    chunks: Vec<Vec<u8>>,
    len: usize,
    last: Option<(i64, u32)>,
}

impl Packed {
    /// Number of cells.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Whether `cell` comes after all that are here.
    #[inline]
    pub(super) fn is_next(&self, cell: &Cell) -> bool {
        self.last.is_none_or(|last| last < place(cell))
    }

    /// Takes a cell that comes after all that are here.
    #[inline]
    pub(super) fn push(&mut self, cell: &Cell) {
        debug_assert!(self.is_next(cell), "cells are pushed in order");
        if self.chunks.last().is_none_or(|chunk| chunk.len() + LONGEST > CHUNK) {
            self.grow();
        }
        let (window, shard) = self.last.unwrap_or((0, 0));
        let Some(chunk) = self.chunks.last_mut() else { return };
        if self.last.is_some() && window == cell.window {
            write(chunk, u64::from(cell.shard - shard) << 1);
        } else {
            write(chunk, u64::from(cell.shard) << 1 | 1);
            write(chunk, cell.window.wrapping_sub(window) as u64);
        }
        write(chunk, cell.records);
        write(chunk, cell.bytes);
        self.last = Some(place(cell));
        self.len += 1;
    }

    /// Begins a chunk. The first is small, since most tallies have few cells.
    #[cold]
    fn grow(&mut self) {
        if let Some(full) = self.chunks.last_mut() {
            full.shrink_to_fit();
        }
        self.chunks.push(Vec::new());
    }

    pub(super) fn iter(&self) -> Cells<'_> {
        Cells { chunks: &self.chunks, at: 0, window: 0, shard: 0 }
    }
}

impl FromIterator<Cell> for Packed {
    /// Cells that come in order.
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Self {
        let mut packed = Self::default();
        cells.into_iter().for_each(|cell| packed.push(&cell));
        packed
    }
}

/// The cells of a [`Packed`].
#[derive(Debug, Clone)]
pub(super) struct Cells<'a> {
    chunks: &'a [Vec<u8>],
    /// Where the next cell is in the first chunk.
    at: usize,
    window: i64,
    shard: u32,
}

impl Cells<'_> {
    #[inline]
    fn read(&mut self, chunk: &[u8]) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = chunk.get(self.at).copied().unwrap_or(0);
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return number;
            }
        }
    }
}

impl Iterator for Cells<'_> {
    type Item = Cell;

    fn next(&mut self) -> Option<Cell> {
        let mut chunk = self.chunks.first()?;
        if self.at == chunk.len() {
            self.chunks = &self.chunks[1..];
            self.at = 0;
            chunk = self.chunks.first()?;
        }
        let step = self.read(chunk);
        let shard = (step >> 1) as u32;
        if step & 1 == 1 {
            self.window = self.window.wrapping_add(self.read(chunk) as i64);
            self.shard = shard;
        } else {
            self.shard += shard;
        }
        let (records, bytes) = (self.read(chunk), self.read(chunk));
        Some(Cell { window: self.window, shard: self.shard, records, bytes })
    }
}

/// Appends a varint.
#[inline]
fn write(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn cells_come_back_as_they_went_in(
            cells in prop::collection::btree_map(
                (prop_oneof![-9i64..9, any::<i64>()], prop_oneof![0u32..9, any::<u32>()]),
                (1u64.., any::<u64>()),
                0..99,
            ),
        ) {
            let cells: BTreeMap<(i64, u32), (u64, u64)> = cells;
            let cell = |(&(window, shard), &(records, bytes))| Cell { window, shard, records, bytes };
            let packed: Packed = cells.iter().map(cell).collect();
            prop_assert_eq!(packed.len(), cells.len());
            prop_assert!(packed.iter().eq(cells.iter().map(cell)));
        }
    }

    #[test]
    fn a_day_of_cells_takes_a_fifth_of_what_they_would_as_they_are() {
        let cells = (0..2_000_i64).flat_map(|window| {
            (0..64).map(move |shard| Cell { window, shard, records: 300, bytes: 300_000 })
        });
        let packed: Packed = cells.collect();
        let bytes: usize = packed.chunks.iter().map(Vec::len).sum();
        assert!(packed.chunks.len() > 1);
        assert!(bytes < packed.len() * size_of::<Cell>() / 5, "{bytes}");
        assert!(packed.iter().all(|cell| cell.records == 300 && cell.bytes == 300_000));
        assert_eq!(packed.iter().count(), packed.len());
    }
}
