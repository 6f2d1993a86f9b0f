//! The entry functions: the same hashing, compiled for each back end's instructions.

#![allow(unsafe_code, reason = "calls into functions that need instructions; see each SAFETY")]

use super::long::long_state;
use super::rounds::{State, initial, rounds};
use super::{Backend, Hasher, Keys, Lengths, drive};
#[cfg(target_arch = "aarch64")]
use crate::lanes::aarch64::Neon;
use crate::lanes::pack::{Group, pack_short};
use crate::lanes::portable::Portable;
use crate::lanes::reference::INITIAL;
use crate::lanes::vector::Vector;
#[cfg(target_arch = "x86_64")]
use crate::lanes::x86::{Avx2, Avx512, Sse2};
use std::ops::Range;

/// Hashes kept as their top 32 bits.
struct Prefixes<B>(B);

/// Hashes kept whole.
struct Digests<B>(B);

/// The top 32 bits of keys of one block each, of which the words from `WORDS` on are zero.
#[inline(always)]
fn short_prefixes<V: Vector, const P: usize, const N: usize, const WORDS: usize>(
    group: &Group<'_, N>,
    out: &mut [u32; N],
) {
    let words = pack_short::<V, P, N, WORDS>(group);
    let [first, ..] = rounds::<V, P, WORDS, true>(&words, initial());
    for p in 0..P {
        first[p].add(V::splat(INITIAL[0])).swap_bytes().store(&mut out[p * V::LANES..]);
    }
}

/// The digests of keys of one block each.
#[inline(always)]
fn short_digests<V: Vector, const P: usize, const N: usize>(
    group: &Group<'_, N>,
    out: &mut [[u8; 16]; N],
) {
    let words = pack_short::<V, P, N, 15>(group);
    let state = rounds::<V, P, 15, false>(&words, initial());
    store_digests(add_initial(state), out);
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

#[inline(always)]
fn store_digests<V: Vector, const P: usize, const N: usize>(
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

/// The top 32 bits of keys of any length.
#[inline(always)]
fn long_prefixes<V: Vector, const P: usize, const N: usize>(keys: &[&[u8]; N], out: &mut [u32; N]) {
    let [first, ..] = long_state::<V, P, N>(keys);
    for p in 0..P {
        first[p].swap_bytes().store(&mut out[p * V::LANES..]);
    }
}

/// Makes a back end's hasher: `$groups` vectors of `$lanes` keys each, compiled with `$feature`.
///
/// The hasher can only be made by [`Backend`]'s methods below, after they have asked the CPU.
macro_rules! hasher {
    ($name:ident, $vector:ty, $groups:literal, $lanes:literal $(, $feature:literal)?) => {
        #[derive(Clone, Copy)]
        struct $name;

        impl $name {
            const KEYS: usize = $groups * $lanes;

            $(#[target_feature(enable = $feature)])?
            #[inline(never)]
            fn short<const WORDS: usize>(
                group: &Group<'_, { Self::KEYS }>,
                out: &mut [u32; Self::KEYS],
            ) {
                short_prefixes::<$vector, $groups, { Self::KEYS }, WORDS>(group, out);
            }

            $(#[target_feature(enable = $feature)])?
            #[inline(never)]
            fn short_whole(
                group: &Group<'_, { Self::KEYS }>,
                out: &mut [[u8; 16]; Self::KEYS],
            ) {
                short_digests::<$vector, $groups, { Self::KEYS }>(group, out);
            }

            $(#[target_feature(enable = $feature)])?
            #[inline(never)]
            fn long(keys: &[&[u8]; Self::KEYS], out: &mut [u32; Self::KEYS]) {
                long_prefixes::<$vector, $groups, { Self::KEYS }>(keys, out);
            }

            $(#[target_feature(enable = $feature)])?
            #[inline(never)]
            fn long_whole(keys: &[&[u8]; Self::KEYS], out: &mut [[u8; 16]; Self::KEYS]) {
                store_digests(long_state::<$vector, $groups, { Self::KEYS }>(keys), out);
            }
        }

        impl Hasher<{ $name::KEYS }> for Prefixes<$name> {
            type Hash = u32;

            #[inline(always)]
            fn short(
                &self,
                group: &Group<'_, { $name::KEYS }>,
                out: &mut [u32; $name::KEYS],
            ) {
                #[allow(unused_unsafe, reason = "the portable back end needs no feature")]
                // SAFETY: a hasher exists only after `Backend::is_available` said that the CPU has
                // the feature. Benefit: one call a group instead of one a key; bench `hash`.
                unsafe {
                    match group.lengths.max {
                        0..=19 => $name::short::<5>(group, out),
                        20..=27 => $name::short::<7>(group, out),
                        28..=35 => $name::short::<9>(group, out),
                        36..=43 => $name::short::<11>(group, out),
                        _ => $name::short::<15>(group, out),
                    }
                }
            }

            fn long(&self, keys: &[&[u8]; $name::KEYS], out: &mut [u32; $name::KEYS]) {
                #[allow(unused_unsafe, reason = "the portable back end needs no feature")]
                // SAFETY: as above.
                unsafe {
                    $name::long(keys, out);
                }
            }
        }

        impl Hasher<{ $name::KEYS }> for Digests<$name> {
            type Hash = [u8; 16];

            #[inline(always)]
            fn short(
                &self,
                group: &Group<'_, { $name::KEYS }>,
                out: &mut [[u8; 16]; $name::KEYS],
            ) {
                #[allow(unused_unsafe, reason = "the portable back end needs no feature")]
                // SAFETY: as above.
                unsafe {
                    $name::short_whole(group, out);
                }
            }

            fn long(&self, keys: &[&[u8]; $name::KEYS], out: &mut [[u8; 16]; $name::KEYS]) {
                #[allow(unused_unsafe, reason = "the portable back end needs no feature")]
                // SAFETY: as above.
                unsafe {
                    $name::long_whole(keys, out);
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

/// Runs `$drive` with `$hasher` bound to the back end's own, once the CPU is known to have it.
macro_rules! with_hasher {
    ($backend:expr, $hasher:ident => $drive:expr) => {{
        assert!($backend.is_available(), "this CPU lacks the back end {}", $backend);
        match $backend {
            Backend::Portable => {
                let $hasher = PortableHasher;
                $drive
            }
            #[cfg(target_arch = "x86_64")]
            Backend::Sse2 => {
                let $hasher = Sse2Hasher;
                $drive
            }
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2 => {
                let $hasher = Avx2Hasher;
                $drive
            }
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 => {
                let $hasher = Avx512Hasher;
                $drive
            }
            #[cfg(target_arch = "aarch64")]
            Backend::Neon => {
                let $hasher = NeonHasher;
                $drive
            }
        }
    }};
}

impl Backend {
    pub(super) fn prefixes<K: Keys + ?Sized>(
        self,
        keys: &K,
        range: Range<usize>,
        out: &mut [u32],
    ) -> Lengths {
        with_hasher!(self, hasher => drive(&Prefixes(hasher), keys, range, out))
    }

    pub(super) fn digests<K: Keys + ?Sized>(
        self,
        keys: &K,
        range: Range<usize>,
        out: &mut [[u8; 16]],
    ) -> Lengths {
        with_hasher!(self, hasher => drive(&Digests(hasher), keys, range, out))
    }
}
