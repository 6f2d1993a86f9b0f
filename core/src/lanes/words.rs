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

/// Hashes a stage of keys of less than `16 * PIECES` bytes each, or of as many.
#[inline(always)]
#[expect(
    clippy::needless_range_loop,
    reason = "loops by index are unrolled; iterators leave the words in memory (bench `kafka`)"
)]
fn short<V: Vector, H: WordHash, const P: usize, const N: usize, const PIECES: usize>(
    stage: &Stage<'_>,
    out: &mut [u32],
) {
    for (at, out) in out.chunks_mut(N).enumerate() {
        let (blocks, lens) = stage.group::<N>(at);
        let words = transposed::<V, P, _>(blocks, PIECES);
        let none = V::splat(0);
        let (mut state, mut whole, mut tail) = ([none; P], [none; P], [none; P]);
        // All bits of the lanes that had a word before this one, too.
        let mut had = [V::splat(u32::MAX); P];
        for p in 0..P {
            let lens = V::load(&lens[p * V::LANES..]);
            state[p] = H::begin(lens);
            whole[p] = lens.shift_right(2);
        }
        for w in 0..4 * PIECES {
            for p in 0..P {
                let has = whole[p].is_above(V::splat(w as u32));
                tail[p] = tail[p].add(words[w][p].and(has.and_not(had[p])));
                state[p] = select(has, H::word(state[p], words[w][p]), state[p]);
                had[p] = has;
            }
        }
        let mut hashes = [0; N];
        for p in 0..P {
            let count = V::load(&lens[p * V::LANES..]).and(V::splat(3));
            // The bytes of the tail that are the key's: 0, 1, 2 or 3 from the lowest.
            let mut kept = none;
            for (before, byte) in [(0, 0xff), (1, 0xff00), (2, 0x00ff_0000)] {
                kept = kept.add(count.is_above(V::splat(before)).and(V::splat(byte)));
            }
            let state = H::tail(state[p], tail[p].and(kept), count);
            H::end(state).store(&mut hashes[p * V::LANES..]);
        }
        let keys = out.len();
        out.copy_from_slice(&hashes[..keys]);
    }
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
            fn run<const PIECES: usize>(stage: &Stage<'_>, out: &mut [u32]) {
                short::<$vector, H, $groups, { $groups * $lanes }, PIECES>(stage, out);
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
                    match stage.lengths.max {
                        0..=16 => Self::run::<1>(stage, out),
                        17..=32 => Self::run::<2>(stage, out),
                        33..=48 => Self::run::<3>(stage, out),
                        _ => Self::run::<4>(stage, out),
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
word_hasher!(Sse2Words, Sse2, 3, 4, "sse2");
#[cfg(target_arch = "x86_64")]
word_hasher!(Avx2Words, Avx2, 3, 8, "avx2");
#[cfg(target_arch = "x86_64")]
word_hasher!(Avx512Words, Avx512, 3, 16, "avx512f,avx512bw");
#[cfg(target_arch = "aarch64")]
word_hasher!(NeonWords, Neon, 4, 4, "neon");
