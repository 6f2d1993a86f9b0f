//! Hashes that take a key four bytes at a time, of many keys at once.
//!
//! Keys of up to 55 bytes are staged and transposed as they are for MD5, so that a vector holds the
//! same word of as many keys as there are lanes. Keys differ in length: a lane that has no such word
//! keeps its hash as it is. Longer keys are hashed one by one.

#![allow(unsafe_code, reason = "calls into functions that need instructions; see each SAFETY")]

#[cfg(target_arch = "aarch64")]
use super::aarch64::Neon;
use super::md5::{Hasher, drive};
use super::pack::transposed;
use super::portable::Portable;
use super::stage::Stage;
use super::vector::Vector;
#[cfg(target_arch = "x86_64")]
use super::x86::{Avx2, Avx512, Sse2};
use super::{Backend, Keys, Lengths, check_range};
use std::marker::PhantomData;
use std::ops::Range;

/// A hash of words.
pub(super) trait WordHash: Sized {
    /// The hash of one key.
    fn hash(key: &[u8]) -> u32;

    /// The state before the first word, of keys of these lengths.
    fn begin<V: Vector>(lengths: V) -> V;

    /// The state after a whole word.
    fn word<V: Vector>(state: V, word: V) -> V;

    /// The state after the last 0 to 3 bytes, `count`, of which `tail` holds those and zeros.
    fn tail<V: Vector>(state: V, tail: V, count: V) -> V;

    /// The hash.
    fn end<V: Vector>(state: V) -> V;
}

/// `then` where `mask` is set, `otherwise` elsewhere.
#[inline(always)]
pub(super) fn select<V: Vector>(mask: V, then: V, otherwise: V) -> V {
    V::f(mask, then, otherwise)
}

/// Writes the hash of each key of `range` to `out`.
pub(super) fn hash_all<H: WordHash, K: Keys + ?Sized>(
    backend: Backend,
    keys: &K,
    range: Range<usize>,
    out: &mut [u32],
) -> Lengths {
    check_range(keys, &range, out.len());
    if let [out] = out {
        // One key leaves every lane but one idle.
        let key = keys.bytes(range.start);
        *out = H::hash(key);
        return Lengths { min: key.len(), max: key.len() };
    }
    assert!(backend.is_available(), "this CPU lacks the back end {backend}");
    // SAFETY: the CPU has the back end's instructions. Benefit: all loops over keys use them;
    // bench `kafka`.
    unsafe {
        match backend {
            Backend::Portable => PortableWords::<H>::drive(keys, range, out),
            #[cfg(target_arch = "x86_64")]
            Backend::Sse2 => Sse2Words::<H>::drive(keys, range, out),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2 => Avx2Words::<H>::drive(keys, range, out),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 => Avx512Words::<H>::drive(keys, range, out),
            #[cfg(target_arch = "aarch64")]
            Backend::Neon => NeonWords::<H>::drive(keys, range, out),
        }
    }
}

/// Hashes a stage of keys of up to `16 * PIECES` bytes each, all of one length if `UNIFORM`.
#[inline(always)]
#[expect(
    clippy::needless_range_loop,
    reason = "loops by index are unrolled; iterators leave the words in memory (bench `kafka`)"
)]
fn short<
    V: Vector,
    H: WordHash,
    const P: usize,
    const N: usize,
    const PIECES: usize,
    const UNIFORM: bool,
>(
    stage: &Stage<'_>,
    out: &mut [u32],
) {
    for (at, out) in out.chunks_mut(N).enumerate() {
        let (blocks, lens) = stage.group::<N>(at);
        let tails = tails(blocks, lens);
        let words = transposed::<V, P, _>(blocks, PIECES);
        let mut state = [V::splat(0); P];
        for p in 0..P {
            state[p] = H::begin(V::load(&lens[p * V::LANES..]));
        }
        if UNIFORM {
            for w in 0..(lens[0] as usize / 4).min(4 * PIECES) {
                for p in 0..P {
                    state[p] = H::word(state[p], words[w][p]);
                }
            }
        } else {
            for w in 0..4 * PIECES {
                for p in 0..P {
                    // So many lanes have that word whose length is above its last byte's place.
                    let lens = V::load(&lens[p * V::LANES..]);
                    let has = lens.is_above(V::splat(4 * w as u32 + 3));
                    state[p] = select(has, H::word(state[p], words[w][p]), state[p]);
                }
            }
        }
        let mut hashes = [0; N];
        for p in 0..P {
            let count = V::load(&lens[p * V::LANES..]).and(V::splat(3));
            let state = H::tail(state[p], V::load(&tails[p * V::LANES..]), count);
            H::end(state).store(&mut hashes[p * V::LANES..]);
        }
        let keys = out.len();
        out.copy_from_slice(&hashes[..keys]);
    }
}

/// The last 0 to 3 bytes of each key, and zeros.
#[inline(always)]
fn tails<const N: usize>(blocks: &[&[u8; 64]; N], lens: &[u32; N]) -> [u32; N] {
    const KEPT: [u32; 4] = [0, 0xff, 0xffff, 0x00ff_ffff];
    let mut tails = [0; N];
    for ((tail, block), len) in tails.iter_mut().zip(blocks).zip(lens) {
        // A staged key is shorter than 64 bytes; said this way, the compiler knows it too.
        let word = block.as_chunks::<4>().0[*len as usize / 4 % 16];
        *tail = u32::from_le_bytes(word) & KEPT[*len as usize % 4];
    }
    tails
}

/// Makes a back end's hasher: `$groups` vectors of `$lanes` keys each, compiled with `$feature`.
macro_rules! word_hasher {
    ($name:ident, $vector:ty, $groups:literal, $lanes:literal $(, $feature:literal)?) => {
        struct $name<H>(PhantomData<H>);

        impl<H: WordHash> $name<H> {
            $(#[target_feature(enable = $feature)])?
            #[inline(never)]
            fn drive<K: Keys + ?Sized>(
                keys: &K,
                range: Range<usize>,
                out: &mut [u32],
            ) -> Lengths {
                drive(&Self(PhantomData), keys, range, out)
            }

            $(#[target_feature(enable = $feature)])?
            #[inline(never)]
            fn run<const PIECES: usize, const UNIFORM: bool>(stage: &Stage<'_>, out: &mut [u32]) {
                short::<$vector, H, $groups, { $groups * $lanes }, PIECES, UNIFORM>(stage, out);
            }
        }

        impl<H: WordHash> Hasher<{ $groups * $lanes }> for $name<H> {
            type Hash = u32;

            #[inline(always)]
            fn short(&self, stage: &Stage<'_>, out: &mut [u32]) {
                #[allow(unused_unsafe, reason = "the portable back end needs no feature")]
                // SAFETY: a hasher exists only inside its own `drive`, which runs only after
                // `Backend::is_available` said that the CPU has the feature. Benefit: one call a
                // stage instead of one a key; bench `kafka`.
                unsafe {
                    match (stage.lengths.max, stage.uniform_len().is_some()) {
                        (0..=16, true) => Self::run::<1, true>(stage, out),
                        (17..=32, true) => Self::run::<2, true>(stage, out),
                        (33..=48, true) => Self::run::<3, true>(stage, out),
                        (_, true) => Self::run::<4, true>(stage, out),
                        (0..=16, false) => Self::run::<1, false>(stage, out),
                        (17..=32, false) => Self::run::<2, false>(stage, out),
                        (33..=48, false) => Self::run::<3, false>(stage, out),
                        (_, false) => Self::run::<4, false>(stage, out),
                    }
                }
            }

            fn long(&self, keys: &[&[u8]; $groups * $lanes], out: &mut [u32; $groups * $lanes]) {
                for (out, key) in out.iter_mut().zip(keys) {
                    *out = H::hash(key);
                }
            }
        }
    };
}

// A multiplication takes ten cycles, in which several groups find room.
word_hasher!(PortableWords, Portable, 1, 8);
#[cfg(target_arch = "x86_64")]
word_hasher!(Sse2Words, Sse2, 6, 4, "sse2");
#[cfg(target_arch = "x86_64")]
word_hasher!(Avx2Words, Avx2, 6, 8, "avx2");
#[cfg(target_arch = "x86_64")]
word_hasher!(Avx512Words, Avx512, 5, 16, "avx512f,avx512bw");
#[cfg(target_arch = "aarch64")]
word_hasher!(NeonWords, Neon, 4, 4, "neon");
