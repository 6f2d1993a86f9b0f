//! From keys of any length to MD5's message words, one vector a word.
//!
//! MD5 hashes a key, the byte 0x80, zeros, and the key's length in bits. Loading from where a key
//! begins gives the key and whatever follows it. Sixteen bytes of four keys are transposed into
//! four words, and each word then has what follows its keys cleared and the 0x80 set, for all lanes
//! at once.

use super::vector::Vector;
use super::{Keys, Lengths};

/// The longest key that fits one block with its padding.
pub(super) const ONE_BLOCK: usize = 55;

/// As many keys as the lanes take at once, each with 64 readable bytes.
pub(super) struct Group<'a, const N: usize> {
    /// Each key's bytes, and after them anything.
    blocks: [&'a [u8; 64]; N],
    /// Each key's length in bytes, at most [`ONE_BLOCK`].
    lens: [u32; N],
    /// The same in each of four bytes.
    spread: [u32; N],
    /// The shortest and the longest, before long ones were replaced.
    pub(super) lengths: Lengths,
}

impl<'a, const N: usize> Group<'a, N> {
    /// Takes `count` keys of `keys` from `first` on; where that is fewer than N, the last of them
    /// for the rest. A key near the end of its buffer is copied to `spare`; one longer than a block
    /// is replaced by the empty key and told to `long`.
    #[inline(always)]
    pub(super) fn gather<K: Keys + ?Sized>(
        keys: &'a K,
        first: usize,
        count: usize,
        spare: &'a mut [[u8; 64]; N],
        long: impl FnMut(usize),
    ) -> Self {
        let mut group =
            Self { blocks: [&[0; 64]; N], lens: [0; N], spread: [0; N], lengths: Lengths::NONE };
        keys.key_lens(first, &mut group.lens[..count]);
        let last = group.lens[count - 1];
        group.lens[count..].fill(last);

        let (mut min, mut max) = (u32::MAX, 0);
        for len in group.lens {
            min = min.min(len);
            max = max.max(len);
        }
        group.lengths = Lengths { min: min as usize, max: max as usize };

        for (i, spare) in spare.iter_mut().enumerate() {
            let tail = keys.tail(first + i.min(count - 1));
            group.blocks[i] = match tail.first_chunk() {
                Some(block) => block,
                None => copy_short(&tail[..group.lens[i] as usize], spare),
            };
        }
        if group.lengths.max > ONE_BLOCK {
            group.set_aside_long(count, long);
        }
        for (spread, len) in group.spread.iter_mut().zip(group.lens) {
            let twice = len | len << 8;
            *spread = twice | twice << 16;
        }
        group
    }

    #[cold]
    fn set_aside_long(&mut self, count: usize, mut long: impl FnMut(usize)) {
        for (i, len) in self.lens.iter_mut().enumerate() {
            if *len as usize > ONE_BLOCK {
                *len = 0;
                if i < count {
                    long(i);
                }
            }
        }
    }
}

/// Copies fewer than 64 bytes, by two overlapping moves of a fixed size where it can, and leaves
/// the rest of the block as it is.
#[inline]
fn copy_short<'a>(bytes: &[u8], block: &'a mut [u8; 64]) -> &'a [u8; 64] {
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

/// The message words of a group of keys of one block each: `words[w][p]` is word `w` of the keys
/// from `p * LANES` on. Words from `WORDS` on, but for word 14, are zero.
#[inline(always)]
pub(super) fn pack_short<V: Vector, const P: usize, const N: usize, const WORDS: usize>(
    group: &Group<'_, N>,
) -> [[V; P]; 16] {
    let mut words = [[V::splat(0); P]; 16];
    // Unrolled by hand, so that the words need not be memory first and no place is cleared twice.
    macro_rules! pack {
        ($($p:literal: $($piece:literal)*;)*) => {
            $(if $p < P {
                $(if $piece < WORDS.div_ceil(4) {
                    pack_piece::<V, P, N, WORDS, $p, $piece>(group, &mut words);
                })*
            })*
        };
    }
    pack! { 0: 0 1 2 3; 1: 0 1 2 3; 2: 0 1 2 3; 3: 0 1 2 3; }
    for (p, bits) in words[14].iter_mut().enumerate() {
        // Eight bits a byte; adding thrice avoids a shift that nothing else needs.
        let lens = V::load(&group.lens[p * V::LANES..]);
        let twice = lens.add(lens);
        let four = twice.add(twice);
        *bits = four.add(four);
    }
    words
}

/// Words `4 * PIECE` to `4 * PIECE + 3` of vector `AT`.
#[inline(always)]
fn pack_piece<
    V: Vector,
    const P: usize,
    const N: usize,
    const WORDS: usize,
    const AT: usize,
    const PIECE: usize,
>(
    group: &Group<'_, N>,
    words: &mut [[V; P]; 16],
) {
    transpose_piece::<V, P, AT, PIECE>(&group.blocks, words);
    if 16 * PIECE + 16 > group.lengths.min {
        let lens = V::load(&group.spread[AT * V::LANES..]);
        // By index, which is unrolled; an iterator over the array keeps it in memory and halves
        // the speed (bench `hash/avx2/mix`).
        for at in 0..4 {
            let word = 4 * PIECE + at;
            if word < WORDS {
                words[word][AT] = words[word][AT].end_keys(lens, word as u32);
            }
        }
    }
}

/// The message words of whole blocks.
#[inline(always)]
pub(super) fn pack_blocks<V: Vector, const P: usize>(blocks: &[&[u8; 64]]) -> [[V; P]; 16] {
    let mut words = [[V::splat(0); P]; 16];
    macro_rules! pack {
        ($($p:literal)*) => {
            $(if $p < P {
                transpose_piece::<V, P, $p, 0>(blocks, &mut words);
                transpose_piece::<V, P, $p, 1>(blocks, &mut words);
                transpose_piece::<V, P, $p, 2>(blocks, &mut words);
                transpose_piece::<V, P, $p, 3>(blocks, &mut words);
            })*
        };
    }
    pack! { 0 1 2 3 }
    words
}

/// Words `4 * PIECE` to `4 * PIECE + 3` of vector `AT`, as they lie in the blocks.
#[inline(always)]
fn transpose_piece<V: Vector, const P: usize, const AT: usize, const PIECE: usize>(
    blocks: &[&[u8; 64]],
    words: &mut [[V; P]; 16],
) {
    let mut rows = [V::splat(0); 4];
    for (row, bytes) in rows.iter_mut().enumerate() {
        *bytes = V::load_pieces(blocks, AT * V::LANES + row, 16 * PIECE);
    }
    let lanes = V::transpose(rows);
    for word in 0..4 {
        words[4 * PIECE + word][AT] = lanes[word];
    }
}

/// Writes block number `block` of the padded message of `key`, one that the key does not fill, to
/// `bytes`. Past the message's last block, writes anything.
pub(super) fn tail_block<'a>(key: &[u8], block: usize, bytes: &'a mut [u8; 64]) -> &'a [u8; 64] {
    *bytes = [0; 64];
    // A key that ends with a block has its 0x80 first in the next; the block after the 0x80's
    // holds only the length.
    if let Some(rest) = key.get(64 * block..).filter(|rest| rest.len() < 64) {
        copy_short(rest, bytes);
        bytes[rest.len()] = 0x80;
    }
    if block + 1 == block_count(key.len()) {
        bytes[56..].copy_from_slice(&(key.len() as u64).wrapping_mul(8).to_le_bytes());
    }
    bytes
}

/// Number of blocks of the padded message of a key of `len` bytes.
pub(super) fn block_count(len: usize) -> usize {
    // The key, the 0x80 and eight bytes of length.
    len / 64 + 1 + usize::from(len % 64 > ONE_BLOCK)
}
