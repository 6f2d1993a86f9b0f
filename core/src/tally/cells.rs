//! What each shard took in each window, in memory in proportion to the cells that are not empty.
//!
//! Cells come in the order of the log. Those that come in order of time are put where they belong
//! at once; late ones wait, and are sorted in when they are many.

mod packed;

use super::{Cell, Totals};
use packed::Packed;
use std::iter::Peekable;

/// Fewer waiting cells than this are not worth sorting in.
const FEW: usize = 4096;

/// One cell may wait for so many that are in order: they take a fifth of its memory.
const IN_ORDER: usize = 8;

/// The cells of a tally.
#[derive(Debug, Clone, Default)]
pub(super) struct Cells {
    /// Each cell once, in order of window and then of shard.
    sorted: Packed,
    /// Cells that came late, in any order and as often as they came.
    late: Vec<Cell>,
}

impl Cells {
    /// Takes a cell that is not empty. The same one may come again.
    #[inline]
    pub(super) fn push(&mut self, cell: Cell) {
        if self.sorted.is_next(&cell) {
            self.sorted.push(&cell);
        } else {
            self.late.push(cell);
            if self.late.len() >= FEW.max(self.sorted.len() / IN_ORDER) {
                self.absorb(std::iter::empty());
            }
        }
    }

    /// Takes cells that come in order, each once.
    pub(super) fn absorb(&mut self, cells: impl Iterator<Item = Cell>) {
        let mut late = std::mem::take(&mut self.late);
        settle(&mut late);
        let ours = Merged::of(self.sorted.iter(), late.into_iter());
        self.sorted = Merged::of(ours, cells).collect();
    }

    /// All cells, with `open` among them, in order of window and then of shard.
    pub(super) fn iter(&self, open: impl Iterator<Item = Cell>) -> impl Iterator<Item = Cell> {
        let mut late = self.late.clone();
        late.extend(open);
        settle(&mut late);
        Merged::of(self.sorted.iter(), late.into_iter())
    }
}

/// Where a cell belongs.
#[inline(always)]
fn place(cell: &Cell) -> (i64, u32) {
    (cell.window, cell.shard)
}

/// Sorts cells and joins those that are the same. The sort makes use of runs in order, of which
/// there are two and a bit.
fn settle(cells: &mut Vec<Cell>) {
    cells.sort_by_key(place);
    cells.dedup_by(|next, kept| {
        let same = place(next) == place(kept);
        if same {
            *kept = joined(*kept, *next);
        }
        same
    });
}

/// Two counts of one cell as one.
fn joined(one: Cell, other: Cell) -> Cell {
    let mut totals = Totals { records: one.records, bytes: one.bytes };
    totals.add(Totals { records: other.records, bytes: other.bytes });
    Cell { records: totals.records, bytes: totals.bytes, ..one }
}

/// Two sorted rows of cells as one.
struct Merged<L: Iterator<Item = Cell>, R: Iterator<Item = Cell>> {
    left: Peekable<L>,
    right: Peekable<R>,
}

impl<L: Iterator<Item = Cell>, R: Iterator<Item = Cell>> Merged<L, R> {
    fn of(left: L, right: R) -> Self {
        Self { left: left.peekable(), right: right.peekable() }
    }
}

impl<L: Iterator<Item = Cell>, R: Iterator<Item = Cell>> Iterator for Merged<L, R> {
    type Item = Cell;

    fn next(&mut self) -> Option<Cell> {
        let (Some(left), Some(right)) = (self.left.peek(), self.right.peek()) else {
            return self.left.next().or_else(|| self.right.next());
        };
        match place(left).cmp(&place(right)) {
            std::cmp::Ordering::Less => self.left.next(),
            std::cmp::Ordering::Greater => self.right.next(),
            std::cmp::Ordering::Equal => Some(joined(self.left.next()?, self.right.next()?)),
        }
    }
}
