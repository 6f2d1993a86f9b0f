//! From staged keys to MD5's message words, one vector a word.
//!
//! MD5 hashes a key, the byte 0x80, zeros, and the key's length in bits. Loading from where a key
//! begins gives the key and whatever follows it. Keys of one length are transposed as they lie, and
//! the words that the last key bytes are in are cut to length for all lanes at once. Keys of
//! various lengths are first copied to where their padding can be written behind them; that is
//! done for one group while the group before it is hashed, in places of the CPU that the hashing
//! leaves idle.

use super::meanwhile::Meanwhile;
use super::stage::{ONE_BLOCK, Stage, copy_short};
use super::vector::Vector;
use std::borrow::Borrow;
use std::sync::atomic::{Ordering, compiler_fence};

/// The message words of a group: `words[w][p]` is word `w` of the keys from `p * LANES` on.
pub(super) type Words<V, const P: usize> = [[V; P]; 16];

/// A group of `ROOM - 1` keys with their padding: a block of 64 bytes each, without the length in
/// bits, and one block more.
#[repr(align(64))]
pub(super) struct Padded<const ROOM: usize>([[u8; 64]; ROOM]);

impl<const ROOM: usize> Padded<ROOM> {
    pub(super) fn new() -> Self {
        Self([[0; 64]; ROOM])
    }

    /// Writes the first `WORDS` words of key number `i` with its padding. Keys go in order: this may
    /// also write to the block of key `i + 1`.
    #[inline(always)]
    fn put<const WORDS: usize>(&mut self, i: usize, key: &[u8; 64], len: u32) {
        const END: [u8; 64] = {
            let mut end = [0; 64];
            end[0] = 0x80;
            end
        };
        let bytes = 16 * WORDS.div_ceil(4);
        let block = &mut self.0.as_flattened_mut()[64 * i..64 * i + 128];
        block[..bytes].copy_from_slice(&key[..bytes]);
        // A staged key is shorter than 64 bytes; said this way, the compiler knows it too.
        let len = len as usize % 64;
        block[len..len + bytes].copy_from_slice(&END[..bytes]);
    }

    /// Writes all keys of a group.
    #[inline(always)]
    pub(super) fn put_all<const N: usize, const WORDS: usize>(
        &mut self,
        stage: &Stage<'_>,
        at: usize,
    ) {
        let (blocks, lens) = stage.group::<N>(at);
        for i in 0..N {
            self.put::<WORDS>(i, blocks[i], lens[i]);
        }
    }
}

/// Pads the keys of one group while another is hashed, a few after each step.
pub(super) struct PutNext<'a, const N: usize, const ROOM: usize, const WORDS: usize> {
    blocks: &'a [&'a [u8; 64]; N],
    lens: &'a [u32; N],
    padded: &'a mut Padded<ROOM>,
}

impl<'a, const N: usize, const ROOM: usize, const WORDS: usize> PutNext<'a, N, ROOM, WORDS> {
    /// For group number `at` of `stage`.
    #[inline(always)]
    pub(super) fn new(stage: &'a Stage<'a>, at: usize, padded: &'a mut Padded<ROOM>) -> Self {
        let (blocks, lens) = stage.group(at);
        Self { blocks, lens, padded }
    }
}

impl<const N: usize, const ROOM: usize, const WORDS: usize> Meanwhile
    for PutNext<'_, N, ROOM, WORDS>
{
    #[inline(always)]
    fn after<const STEP: usize>(&mut self) {
        const FIRST: usize = 4;
        const STEPS: usize = 48;
        if STEP < FIRST || STEP >= FIRST + STEPS {
            return;
        }
        let (from, to) = ((STEP - FIRST) * N / STEPS, (STEP - FIRST + 1) * N / STEPS);
        if from < to {
            // Without the fences the compiler moves all copies to one place.
            compiler_fence(Ordering::SeqCst);
            for i in from..to {
                self.padded.put::<WORDS>(i, self.blocks[i], self.lens[i]);
            }
            compiler_fence(Ordering::SeqCst);
        }
    }
}

/// The message words of keys of various lengths, padded.
#[inline(always)]
pub(super) fn pack_padded<V: Vector, const P: usize, const ROOM: usize, const WORDS: usize>(
    padded: &Padded<ROOM>,
    lens: &[u32],
) -> Words<V, P> {
    let mut words = [[V::splat(0); P]; 16];
    transpose(&padded.0, WORDS.div_ceil(4), &mut words);
    for p in 0..P {
        words[14][p] = bits(V::load(&lens[p * V::LANES..]));
    }
    words
}

/// The message words of keys that are all `len` bytes long, so that the padding begins in the last
/// four of `WORDS` words.
#[inline(always)]
#[expect(
    clippy::needless_range_loop,
    reason = "loops by index are unrolled; iterators leave the words in memory (bench `hash`)"
)]
pub(super) fn pack_uniform<V: Vector, const P: usize, const WORDS: usize>(
    blocks: &[&[u8; 64]],
    len: u32,
) -> Words<V, P> {
    let mut words = [[V::splat(0); P]; 16];
    let pieces = WORDS.div_ceil(4);
    if len.is_multiple_of(16) {
        transpose(blocks, pieces - 1, &mut words);
        words[4 * pieces - 4] = [V::splat(0x80); P];
    } else {
        transpose(blocks, pieces, &mut words);
        for word in 4 * pieces - 4..WORDS {
            let (keep, end) = cut(word as u32, len);
            let (keep, end) = (V::splat(keep), V::splat(end));
            for p in 0..P {
                words[word][p] = words[word][p].and(keep).add(end);
            }
        }
    }
    words[14] = [bits(V::splat(len)); P];
    words
}

/// What of word number `word` belongs to a key of `len` bytes, and its padding.
fn cut(word: u32, len: u32) -> (u32, u32) {
    match len.checked_sub(4 * word) {
        None => (0, 0),
        Some(bytes @ 0..=3) => ((1 << (8 * bytes)) - 1, 0x80 << (8 * bytes)),
        Some(_) => (u32::MAX, 0),
    }
}

/// Lengths in bits.
#[inline(always)]
fn bits<V: Vector>(lens: V) -> V {
    // Adding thrice avoids a shift that nothing else needs.
    let twice = lens.add(lens);
    let four = twice.add(twice);
    four.add(four)
}

/// The message words of whole blocks.
#[inline(always)]
pub(super) fn pack_blocks<V: Vector, const P: usize>(blocks: &[&[u8; 64]]) -> Words<V, P> {
    transposed(blocks, 4)
}

/// The first `4 * pieces` words of each block.
#[inline(always)]
pub(super) fn transposed<V: Vector, const P: usize, B: Borrow<[u8; 64]>>(
    blocks: &[B],
    pieces: usize,
) -> Words<V, P> {
    let mut words = [[V::splat(0); P]; 16];
    transpose(blocks, pieces, &mut words);
    words
}

/// Writes the first `4 * pieces` words of each block.
#[inline(always)]
fn transpose<V: Vector, const P: usize, B: Borrow<[u8; 64]>>(
    blocks: &[B],
    pieces: usize,
    words: &mut Words<V, P>,
) {
    // Unrolled by hand, so that the words need not be memory first and no place is cleared twice.
    macro_rules! unrolled {
        ($($p:literal: $($piece:literal)*;)*) => {
            $(if $p < P {
                $(if $piece < pieces {
                    transpose_piece::<V, P, B, $p, $piece>(blocks, words);
                })*
            })*
        };
    }
    const { assert!(P <= 6, "as many vectors as are written out below") };
    unrolled! {
        0: 0 1 2 3; 1: 0 1 2 3; 2: 0 1 2 3; 3: 0 1 2 3; 4: 0 1 2 3; 5: 0 1 2 3;
    }
}

/// Words `4 * PIECE` to `4 * PIECE + 3` of vector `AT`.
#[inline(always)]
fn transpose_piece<
    V: Vector,
    const P: usize,
    B: Borrow<[u8; 64]>,
    const AT: usize,
    const PIECE: usize,
>(
    blocks: &[B],
    words: &mut Words<V, P>,
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
