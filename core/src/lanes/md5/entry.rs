//! The entry functions: the same hashing, compiled for each back end's instructions.

#![allow(unsafe_code, reason = "calls into functions that need instructions; see each SAFETY")]

use super::long::long_state;
use super::rounds::{State, initial, rounds};
use super::{Backend, Hasher, Keys, Lengths, drive};
#[cfg(target_arch = "aarch64")]
use crate::lanes::aarch64::Neon;
use crate::lanes::meanwhile::{Idle, Meanwhile};
use crate::lanes::pack::{Padded, PutNext, Words, pack_padded, pack_uniform};
use crate::lanes::portable::Portable;
use crate::lanes::reference::INITIAL;
use crate::lanes::stage::Stage;
use crate::lanes::vector::Vector;
#[cfg(target_arch = "x86_64")]
use crate::lanes::x86::{Avx2, Avx512, Sse2};
use std::marker::PhantomData;
use std::mem::swap;
use std::ops::Range;

/// What of a hash is kept.
trait Kept {
    type Hash: Copy + Default;

    /// Whether only the first word of the state is needed.
    const FIRST_ONLY: bool;

    /// Writes the hashes of the final states.
    fn store<V: Vector, const P: usize, const N: usize>(
        state: State<V, P>,
        out: &mut [Self::Hash; N],
    );
}

/// Their top 32 bits.
struct Prefixes;

impl Kept for Prefixes {
    type Hash = u32;
    const FIRST_ONLY: bool = true;

    #[inline(always)]
    fn store<V: Vector, const P: usize, const N: usize>(state: State<V, P>, out: &mut [u32; N]) {
        for p in 0..P {
            state[0][p].swap_bytes().store(&mut out[p * V::LANES..]);
        }
    }
}

/// The whole hashes.
struct Digests;

impl Kept for Digests {
    type Hash = [u8; 16];
    const FIRST_ONLY: bool = false;

    #[inline(always)]
    fn store<V: Vector, const P: usize, const N: usize>(
        state: State<V, P>,
        out: &mut [[u8; 16]; N],
    ) {
        for (word, lanes) in state.into_iter().enumerate() {
            let mut values = [0; N];
            for p in 0..P {
                lanes[p].store(&mut values[p * V::LANES..]);
            }
            for (digest, value) in out.iter_mut().zip(values) {
                digest[4 * word..4 * word + 4].copy_from_slice(&value.to_le_bytes());
            }
        }
    }
}

/// Hashes a stage of keys of one block each and of various lengths, all less than
/// `4 * WORDS` bytes.
#[inline(always)]
fn mixed<
    V: Vector,
    T: Kept,
    const P: usize,
    const N: usize,
    const ROOM: usize,
    const WORDS: usize,
>(
    stage: &Stage<'_>,
    out: &mut [T::Hash],
) {
    let (mut padded, mut next) = (&mut Padded::<ROOM>::new(), &mut Padded::new());
    padded.put_all::<N, WORDS>(stage, 0);
    let groups = out.len().div_ceil(N);
    for at in 0..groups {
        let (_, lens) = stage.group::<N>(at);
        let words = pack_padded::<V, P, ROOM, WORDS>(padded, lens);
        // After the last group there is none to pad; padding it once more does no harm.
        let mut put = PutNext::<N, ROOM, WORDS>::new(stage, (at + 1).min(groups - 1), next);
        finish::<V, T, _, P, N, WORDS>(&words, &mut put, &mut out[at * N..]);
        swap(&mut padded, &mut next);
    }
}

/// Hashes a stage of keys that are all `len` bytes long, with their padding's 0x80 among the last
/// four of `WORDS` words.
#[inline(always)]
fn uniform<V: Vector, T: Kept, const P: usize, const N: usize, const WORDS: usize>(
    stage: &Stage<'_>,
    len: u32,
    out: &mut [T::Hash],
) {
    for (at, out) in out.chunks_mut(N).enumerate() {
        let (blocks, _) = stage.group::<N>(at);
        let words = pack_uniform::<V, P, WORDS>(blocks, len);
        finish::<V, T, _, P, N, WORDS>(&words, &mut Idle, out);
    }
}

/// Hashes a group; writes no more hashes than `out` has room for.
#[inline(always)]
fn finish<V: Vector, T: Kept, M: Meanwhile, const P: usize, const N: usize, const WORDS: usize>(
    words: &Words<V, P>,
    meanwhile: &mut M,
    out: &mut [T::Hash],
) {
    let state = if T::FIRST_ONLY {
        rounds::<V, M, P, WORDS, true>(words, initial(), meanwhile)
    } else {
        rounds::<V, M, P, WORDS, false>(words, initial(), meanwhile)
    };
    let state = add_initial(state);
    if let Some(places) = out.first_chunk_mut() {
        T::store::<V, P, N>(state, places);
    } else {
        let mut hashes = [T::Hash::default(); N];
        T::store::<V, P, N>(state, &mut hashes);
        out.copy_from_slice(&hashes[..out.len()]);
    }
}

#[inline(always)]
fn add_initial<V: Vector, const P: usize>(mut state: State<V, P>) -> State<V, P> {
    for (lanes, initial) in state.iter_mut().zip(INITIAL) {
        for lanes in lanes {
            *lanes = lanes.add(V::splat(initial));
        }
    }
    state
}

/// Makes a back end's hasher: `$groups` vectors of `$lanes` keys each, compiled with `$feature`.
///
/// The hasher is only made by its own `drive`, which [`Backend`]'s methods below call after they
/// have asked the CPU.
macro_rules! hasher {
    ($name:ident, $vector:ty, $groups:literal, $lanes:literal $(, $feature:literal)?) => {
        struct $name<T>(PhantomData<T>);

        impl<T: Kept> $name<T> {
            $(#[target_feature(enable = $feature)])?
            #[inline(never)]
            fn drive<K: Keys + ?Sized>(
                keys: &K,
                range: Range<usize>,
                out: &mut [T::Hash],
            ) -> Lengths {
                drive(&Self(PhantomData), keys, range, out)
            }

            $(#[target_feature(enable = $feature)])?
            #[inline(never)]
            fn mixed<const WORDS: usize>(stage: &Stage<'_>, out: &mut [T::Hash]) {
                mixed::<$vector, T, $groups, { $groups * $lanes }, { $groups * $lanes + 1 }, WORDS>(
                    stage, out,
                );
            }

            $(#[target_feature(enable = $feature)])?
            #[inline(never)]
            fn uniform<const WORDS: usize>(stage: &Stage<'_>, len: u32, out: &mut [T::Hash]) {
                uniform::<$vector, T, $groups, { $groups * $lanes }, WORDS>(stage, len, out);
            }

            $(#[target_feature(enable = $feature)])?
            #[inline(never)]
            fn long(keys: &[&[u8]; $groups * $lanes], out: &mut [T::Hash; $groups * $lanes]) {
                T::store(long_state::<$vector, $groups, { $groups * $lanes }>(keys), out);
            }
        }

        impl<T: Kept> Hasher<{ $groups * $lanes }> for $name<T> {
            type Hash = T::Hash;

            #[inline(always)]
            fn short(&self, stage: &Stage<'_>, out: &mut [T::Hash]) {
                #[allow(unused_unsafe, reason = "the portable back end needs no feature")]
                // SAFETY: a hasher exists only inside its own `drive`, which runs only after
                // `Backend::is_available` said that the CPU has the feature. Benefit: one call a
                // stage instead of one a key; bench `hash`.
                unsafe {
                    if !T::FIRST_ONLY {
                        return Self::mixed::<15>(stage, out);
                    }
                    match (stage.uniform_len(), stage.lengths.max) {
                        (Some(len), 0..=15) => Self::uniform::<4>(stage, len, out),
                        (Some(len), 16..=31) => Self::uniform::<8>(stage, len, out),
                        (Some(len), 32..=47) => Self::uniform::<12>(stage, len, out),
                        (Some(len), _) => Self::uniform::<15>(stage, len, out),
                        (None, 0..=15) => Self::mixed::<4>(stage, out),
                        (None, 16..=31) => Self::mixed::<8>(stage, out),
                        (None, 32..=47) => Self::mixed::<12>(stage, out),
                        (None, _) => Self::mixed::<15>(stage, out),
                    }
                }
            }

            fn long(
                &self,
                keys: &[&[u8]; $groups * $lanes],
                out: &mut [T::Hash; $groups * $lanes],
            ) {
                #[allow(unused_unsafe, reason = "the portable back end needs no feature")]
                // SAFETY: as above.
                unsafe {
                    Self::long(keys, out);
                }
            }
        }
    };
}

// Three groups keep the four vector ports of current CPUs busy and still fit sixteen registers;
// 32 registers allow a fourth where the vectors are narrow.
hasher!(PortableHasher, Portable, 1, 8);
#[cfg(target_arch = "x86_64")]
hasher!(Sse2Hasher, Sse2, 3, 4, "sse2");
#[cfg(target_arch = "x86_64")]
hasher!(Avx2Hasher, Avx2, 3, 8, "avx2");
#[cfg(target_arch = "x86_64")]
hasher!(Avx512Hasher, Avx512, 3, 16, "avx512f,avx512bw");
#[cfg(target_arch = "aarch64")]
hasher!(NeonHasher, Neon, 4, 4, "neon");

impl Backend {
    pub(super) fn prefixes<K: Keys + ?Sized>(
        self,
        keys: &K,
        range: Range<usize>,
        out: &mut [u32],
    ) -> Lengths {
        self.hash::<Prefixes, K>(keys, range, out)
    }

    pub(super) fn digests<K: Keys + ?Sized>(
        self,
        keys: &K,
        range: Range<usize>,
        out: &mut [[u8; 16]],
    ) -> Lengths {
        self.hash::<Digests, K>(keys, range, out)
    }

    /// Hashes with the back end's own hasher, once the CPU is known to have it.
    #[inline(always)]
    fn hash<T: Kept, K: Keys + ?Sized>(
        self,
        keys: &K,
        range: Range<usize>,
        out: &mut [T::Hash],
    ) -> Lengths {
        assert!(self.is_available(), "this CPU lacks the back end {self}");
        // SAFETY: the CPU has the back end's instructions. Benefit: all loops over keys use them;
        // bench `hash`.
        unsafe {
            match self {
                Self::Portable => PortableHasher::<T>::drive(keys, range, out),
                #[cfg(target_arch = "x86_64")]
                Self::Sse2 => Sse2Hasher::<T>::drive(keys, range, out),
                #[cfg(target_arch = "x86_64")]
                Self::Avx2 => Avx2Hasher::<T>::drive(keys, range, out),
                #[cfg(target_arch = "x86_64")]
                Self::Avx512 => Avx512Hasher::<T>::drive(keys, range, out),
                #[cfg(target_arch = "aarch64")]
                Self::Neon => NeonHasher::<T>::drive(keys, range, out),
            }
        }
    }
}
