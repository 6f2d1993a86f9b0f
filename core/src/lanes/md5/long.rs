//! Keys of more than one block.

use super::rounds::{State, initial, rounds};
use super::{Hasher, Keys};
use crate::lanes::meanwhile::Idle;
use crate::lanes::pack::{block_count, pack_blocks, tail_block};
use crate::lanes::stage::STAGE;
use crate::lanes::vector::Vector;

/// The most keys that are hashed before the long ones among them: two stages.
pub(super) const PIECE: usize = 2 * STAGE;

/// Long keys set aside, by their place among [`PIECE`] keys.
#[derive(Default)]
pub(super) struct LongKeys {
    /// Made when there is one.
    places: Option<[u16; PIECE]>,
    len: usize,
}

impl LongKeys {
    /// Sets aside the key of place `place`.
    #[inline]
    pub(super) fn push(&mut self, place: usize) {
        self.places.get_or_insert([0; PIECE])[self.len] = place as u16;
        self.len += 1;
    }

    /// Hashes the keys set aside, those of alike length together. Place 0 is key number `first`.
    pub(super) fn hash_all<K: Keys + ?Sized, H: Hasher<N>, const N: usize>(
        &mut self,
        hasher: &H,
        keys: &K,
        first: usize,
        out: &mut [H::Hash],
    ) {
        let Some(places) = &mut self.places else { return };
        let places = &mut places[..self.len];
        places.sort_unstable_by_key(|place| keys.key_len(first + usize::from(*place)));
        for places in places.chunks(N) {
            let mut group: [&[u8]; N] = [&[]; N];
            for (key, place) in group.iter_mut().zip(places) {
                *key = keys.bytes(first + usize::from(*place));
            }
            let mut hashes = [H::Hash::default(); N];
            hasher.long(&group, &mut hashes);
            for (place, hash) in places.iter().zip(hashes) {
                out[usize::from(*place)] = hash;
            }
        }
    }
}

/// The final state of keys of any length.
#[inline(always)]
pub(super) fn long_state<V: Vector, const P: usize, const N: usize>(
    keys: &[&[u8]; N],
) -> State<V, P> {
    let mut state = initial();
    let (mut shortest, mut longest) = (usize::MAX, 0);
    for key in keys {
        shortest = shortest.min(key.len());
        longest = longest.max(key.len());
    }

    // Blocks that every key fills are read where they are.
    let mut blocks: [&[u8; 64]; N] = [&[0; 64]; N];
    let whole = shortest / 64;
    for block in 0..whole {
        for (place, key) in blocks.iter_mut().zip(keys) {
            if let Some(bytes) = key[64 * block..].first_chunk() {
                *place = bytes;
            }
        }
        let after = rounds::<V, Idle, P, 16, false>(&pack_blocks(&blocks), state, &mut Idle);
        for p in 0..P {
            for word in 0..4 {
                state[word][p] = state[word][p].add(after[word][p]);
            }
        }
    }

    // Among the rest each key has its last block, or last two, and may have none.
    let mut tails = [[0; 64]; N];
    for block in whole..block_count(longest) {
        let mut blocks: [&[u8; 64]; N] = [&[0; 64]; N];
        let mut active = [0; N];
        for (i, tail) in tails.iter_mut().enumerate() {
            active[i] = if block < block_count(keys[i].len()) { u32::MAX } else { 0 };
            blocks[i] = match keys[i].get(64 * block..).and_then(<[u8]>::first_chunk) {
                Some(bytes) => bytes,
                None => tail_block(keys[i], block, tail),
            };
        }
        let after = rounds::<V, Idle, P, 16, false>(&pack_blocks(&blocks), state, &mut Idle);
        for p in 0..P {
            // Keys whose blocks are used up keep their state.
            let active = V::load(&active[p * V::LANES..]);
            for word in 0..4 {
                state[word][p] = state[word][p].add(after[word][p].and(active));
            }
        }
    }
    state
}
