//! MD5 of many keys.
//!
//! Keys of up to 55 bytes, nearly all there are, take one block: they are staged a few hundred at a
//! time, packed a group at a time, as many as the back end has lanes, and hashed. Longer keys are
//! set aside and hashed together, those of alike length side by side.
//!
//! ```
//! use shardlane::lanes::{Backend, md5};
//!
//! let keys = ["a", "b", "JP"];
//! let mut prefixes = [0; 3];
//! md5::prefixes(Backend::detect(), &keys[..], 0..3, &mut prefixes);
//! assert_eq!(prefixes, [0x0cc175b9, 0x92eb5ffe, 0x24d22e03]);
//! ```

mod entry;
mod long;
mod rounds;

use super::stage::{ONE_BLOCK, Spare, Stage};
use super::{Backend, Keys, Lengths, check_range, reference};
use long::{LongKeys, PIECE};
use std::ops::Range;

/// Writes the top 32 bits of each key's MD5, read as a big-endian number, to `out`, and says how
/// long the shortest and the longest key are.
///
/// # Panics
/// If `range` is not within `keys`, `out` is not as long as `range`, or this CPU lacks `backend`.
pub fn prefixes<K: Keys + ?Sized>(
    backend: Backend,
    keys: &K,
    range: Range<usize>,
    out: &mut [u32],
) -> Lengths {
    check_range(keys, &range, out.len());
    if let [out] = out {
        // One key leaves every lane but one idle.
        let key = keys.bytes(range.start);
        *out = first_word(reference::digest(key));
        return Lengths { min: key.len(), max: key.len() };
    }
    backend.prefixes(keys, range, out)
}

/// Writes each key's MD5 to `out`, and says how long the shortest and the longest key are.
///
/// # Panics
/// As [`prefixes`].
pub fn digests<K: Keys + ?Sized>(
    backend: Backend,
    keys: &K,
    range: Range<usize>,
    out: &mut [[u8; 16]],
) -> Lengths {
    check_range(keys, &range, out.len());
    backend.digests(keys, range, out)
}

/// The top 32 bits of a digest.
fn first_word(digest: [u8; 16]) -> u32 {
    (u128::from_be_bytes(digest) >> 96) as u32
}

/// Hashes of many keys, as one back end computes them, `N` at once.
pub(super) trait Hasher<const N: usize> {
    /// What a key's hash is kept as.
    type Hash: Copy + Default;

    /// Hashes keys of one block each.
    fn short(&self, stage: &Stage<'_>, out: &mut [Self::Hash]);

    /// Hashes keys of any length.
    fn long(&self, keys: &[&[u8]; N], out: &mut [Self::Hash; N]);
}

/// Sends the keys of `range` through `hasher`, a stage at a time. Inlined into a function that has
/// the hasher's instructions, so that staging uses them too.
#[inline(always)]
pub(super) fn drive<K: Keys + ?Sized, H: Hasher<N>, const N: usize>(
    hasher: &H,
    keys: &K,
    range: Range<usize>,
    out: &mut [H::Hash],
) -> Lengths {
    let mut lengths = Lengths::NONE;
    let mut spare = Spare::default();
    for (piece, out) in out.chunks_mut(PIECE).enumerate() {
        let first = range.start + piece * PIECE;
        let mut long = LongKeys::default();
        let mut start = 0;
        while start < out.len() {
            let rows = first + start..first + out.len();
            let mut stage = Stage::new();
            stage.fill::<K, N>(keys, rows, &mut spare, |i| long.push(start + i));
            lengths = lengths.with(stage.lengths);
            if stage.lengths.min <= ONE_BLOCK {
                hasher.short(&stage, &mut out[start..start + stage.len()]);
            }
            start += stage.len();
        }
        long.hash_all(hasher, keys, first, out);
    }
    lengths
}
