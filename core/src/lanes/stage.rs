//! Keys on their way into the lanes: where each lies and how long it is.

#![allow(unsafe_code, reason = "one check for many keys instead of one each; see SAFETY")]

use super::{Keys, Lengths};
use std::mem::MaybeUninit;
use std::ops::Range;

/// The longest key that fits one block with its padding.
pub(super) const ONE_BLOCK: usize = 55;

/// Keys that are staged at once: a whole number of groups for every back end, few enough to stay
/// in the first-level cache together with what is made of them.
pub(super) const STAGE: usize = 480;

/// Keys near the end of their buffer that are copied at once.
const SPARE: usize = 64;

/// Room for copies of keys that have fewer than 64 readable bytes, made when there is one.
#[derive(Default)]
pub(super) struct Spare(Option<[[u8; 64]; SPARE]>);

/// Up to [`STAGE`] keys, each with 64 readable bytes.
pub(super) struct Stage<'a> {
    /// Each key's bytes, and after them anything. Set for the first `len` keys and those that fill
    /// up their group, and for no others: to set all would cost more than to find them.
    blocks: [MaybeUninit<&'a [u8; 64]>; STAGE],
    /// Each key's length in bytes, at most [`ONE_BLOCK`].
    lens: [u32; STAGE],
    /// How many keys there are.
    len: usize,
    /// The same, up to the next whole group.
    filled: usize,
    /// The shortest and the longest, before long ones were replaced.
    pub(super) lengths: Lengths,
}

impl<'a> Stage<'a> {
    /// Without keys.
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self {
            blocks: [const { MaybeUninit::uninit() }; STAGE],
            lens: [0; STAGE],
            len: 0,
            filled: 0,
            lengths: Lengths::NONE,
        }
    }

    /// Takes keys from the first of `rows` on, as many as there is room for. A key near the end of
    /// its buffer is copied to `spare`; one longer than a block is replaced by the empty key and
    /// told to `long`. The places up to the next multiple of `N` repeat the last key.
    #[inline(always)]
    pub(super) fn fill<K: Keys + ?Sized, const N: usize>(
        &mut self,
        keys: &'a K,
        rows: Range<usize>,
        spare: &'a mut Spare,
        mut long: impl FnMut(usize),
    ) {
        const { assert!(STAGE.is_multiple_of(N), "a stage is a whole number of groups") };
        let (first, count) = (rows.start, rows.len().min(STAGE));
        self.filled = 0;
        let found = self.find_in_one_buffer(keys, first, count);
        keys.key_lens(first, &mut self.lens[..count]);
        self.len =
            if found == count { count } else { self.find_each(keys, first, found..count, spare) };

        let lens = &mut self.lens[..self.len];
        let (mut min, mut max) = (u32::MAX, 0);
        for len in lens.iter() {
            min = min.min(*len);
            max = max.max(*len);
        }
        self.lengths = Lengths { min: min as usize, max: max as usize };
        if self.lengths.max > ONE_BLOCK {
            for (i, len) in lens.iter_mut().enumerate() {
                if *len as usize > ONE_BLOCK {
                    *len = 0;
                    long(i);
                }
            }
        }
        self.filled = self.len.next_multiple_of(N);
        if let Some(last) = self.len.checked_sub(1) {
            for i in self.len..self.filled {
                self.blocks[i] = self.blocks[last];
                self.lens[i] = self.lens[last];
            }
        }
    }

    /// Finds the 64 bytes of keys with a single check, if the column keeps its keys in one buffer;
    /// says for how many, which may be none. Uses `lens` for something else.
    #[inline(always)]
    fn find_in_one_buffer<K: Keys + ?Sized>(
        &mut self,
        keys: &'a K,
        first: usize,
        count: usize,
    ) -> usize {
        let starts = &mut self.lens[..count];
        let Some(buffer) = keys.starts(first, starts) else { return 0 };
        let Some(last) = buffer.len().checked_sub(64) else { return 0 };
        let near_end = starts.iter().rev().take_while(|start| **start as usize > last).count();
        let starts = &starts[..count - near_end];
        if starts.iter().fold(0, |max, &start| max.max(start)) as usize > last {
            return 0;
        }
        for (block, start) in self.blocks.iter_mut().zip(starts) {
            // SAFETY: no start is past `last`, so the 64 bytes from it on lie in the buffer.
            // Benefit: the loop is vectorised, four keys an instruction; bench `hash`.
            block.write(unsafe { &*buffer.as_ptr().add(*start as usize).cast() });
        }
        starts.len()
    }

    /// Finds the 64 bytes of the keys of `places` one by one; says up to which, all but where
    /// `spare` is full.
    #[inline(always)]
    fn find_each<K: Keys + ?Sized>(
        &mut self,
        keys: &'a K,
        first: usize,
        places: Range<usize>,
        spare: &'a mut Spare,
    ) -> usize {
        let end = places.end;
        let mut spare = spare.0.get_or_insert([[0; 64]; SPARE]).iter_mut();
        for i in places {
            let tail = keys.tail(first + i);
            let block = match (tail.first_chunk(), self.lens[i] as usize) {
                (Some(block), _) => block,
                (None, len) => match spare.next() {
                    Some(spare) => copy_short(&tail[..len], spare),
                    None => return i,
                },
            };
            self.blocks[i].write(block);
        }
        end
    }

    /// The length of all keys, if it is the same for all and not above [`ONE_BLOCK`].
    pub(super) fn uniform_len(&self) -> Option<u32> {
        let Lengths { min, max } = self.lengths;
        (min == max && max <= ONE_BLOCK).then_some(max as u32)
    }

    /// How many keys there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Group number `at`: the keys as they lie, and their lengths.
    ///
    /// # Panics
    /// If there is no such group.
    #[inline(always)]
    pub(super) fn group<const N: usize>(&self, at: usize) -> (&[&'a [u8; 64]; N], &[u32; N]) {
        assert!((at + 1) * N <= self.filled, "no such group");
        let (blocks, _) = self.blocks.as_chunks::<N>();
        let (lens, _) = self.lens.as_chunks();
        let blocks: *const [MaybeUninit<&'a [u8; 64]>; N] = &raw const blocks[at];
        // SAFETY: the type is the same but for `MaybeUninit`, and all places before `filled` are
        // set. Benefit: as said of the field; bench `hash`.
        (unsafe { &*blocks.cast() }, &lens[at])
    }
}

/// Copies fewer than 64 bytes, by two overlapping moves of a fixed size where it can, and leaves
/// the rest of the block as it is.
#[inline]
pub(super) fn copy_short<'a>(bytes: &[u8], block: &'a mut [u8; 64]) -> &'a [u8; 64] {
    #[inline(always)]
    fn both_ends<const W: usize>(bytes: &[u8], block: &mut [u8; 64]) -> bool {
        let (Some(head), Some(tail)) = (bytes.first_chunk::<W>(), bytes.last_chunk::<W>()) else {
            return false;
        };
        block[..W].copy_from_slice(head);
        block[bytes.len() - W..bytes.len()].copy_from_slice(tail);
        true
    }
    let copied = both_ends::<32>(bytes, block)
        || both_ends::<16>(bytes, block)
        || both_ends::<8>(bytes, block)
        || both_ends::<4>(bytes, block)
        || both_ends::<2>(bytes, block);
    if !copied && let [byte] = bytes {
        block[0] = *byte;
    }
    block
}
