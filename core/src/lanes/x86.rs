//! The back ends of x86-64: SSE2, AVX2 and AVX-512.

#![allow(unsafe_code, reason = "vector instructions; see each SAFETY")]

use super::vector::{Vector, with_rotation};

use std::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm_add_epi32, _mm_and_si128, _mm_andnot_si128, _mm_cmpgt_epi32,
    _mm_cvtsi32_si128, _mm_loadu_si128, _mm_mul_epu32, _mm_or_si128, _mm_set1_epi32,
    _mm_shuffle_epi32, _mm_shufflehi_epi16, _mm_shufflelo_epi16, _mm_slli_epi16, _mm_slli_epi32,
    _mm_srl_epi32, _mm_srli_epi16, _mm_srli_epi32, _mm_srli_epi64, _mm_storeu_si128, _mm_sub_epi32,
    _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi32, _mm_unpacklo_epi64, _mm_xor_si128,
    _mm256_add_epi32, _mm256_and_si256, _mm256_andnot_si256, _mm256_castsi128_si256,
    _mm256_cmpgt_epi32, _mm256_inserti128_si256, _mm256_loadu_si256, _mm256_mullo_epi32,
    _mm256_or_si256, _mm256_set_epi8, _mm256_set1_epi32, _mm256_shuffle_epi8, _mm256_slli_epi32,
    _mm256_srl_epi32, _mm256_srli_epi32, _mm256_storeu_si256, _mm256_sub_epi32,
    _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
    _mm256_xor_si256, _mm512_add_epi32, _mm512_and_si512, _mm512_andnot_si512,
    _mm512_castsi128_si512, _mm512_cmpgt_epi32_mask, _mm512_inserti32x4, _mm512_loadu_si512,
    _mm512_maskz_set1_epi32, _mm512_mullo_epi32, _mm512_rol_epi32, _mm512_set1_epi32,
    _mm512_set4_epi32, _mm512_shuffle_epi8, _mm512_srl_epi32, _mm512_storeu_si512,
    _mm512_sub_epi32, _mm512_ternarylogic_epi32, _mm512_unpackhi_epi32, _mm512_unpackhi_epi64,
    _mm512_unpacklo_epi32, _mm512_unpacklo_epi64, _mm512_xor_si512,
};
use std::borrow::Borrow;

/// Four lanes; every x86-64 CPU has SSE2.
#[derive(Clone, Copy)]
pub(super) struct Sse2(__m128i);

/// Eight lanes.
#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256i);

/// Sixteen lanes.
#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512i);

/// Forwards a method to an intrinsic that touches no memory.
macro_rules! register_only {
    ($($name:ident($($operand:ident),*) = $intrinsic:expr;)*) => {
        $(
            #[inline(always)]
            fn $name(self $(, $operand: Self)*) -> Self {
                // SAFETY: the instruction works on registers only, and this method is inlined into
                // an entry function that runs only on a CPU that has it.
                Self(unsafe { $intrinsic(self.0 $(, $operand.0)*) })
            }
        )*
    };
}

/// Sixteen bytes of a block.
#[inline(always)]
fn load_piece(block: &impl Borrow<[u8; 64]>, offset: usize) -> __m128i {
    let bytes = &block.borrow()[offset..offset + 16];
    // SAFETY: SSE2 is part of x86-64, and the 16 bytes read are those of the slice. Benefit: one
    // instruction a piece; bench `hash`.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

impl Vector for Sse2 {
    const LANES: usize = 4;

    #[inline(always)]
    fn splat(value: u32) -> Self {
        // SAFETY: registers only; SSE2 is part of x86-64.
        Self(unsafe { _mm_set1_epi32(value as i32) })
    }

    #[inline(always)]
    fn load(values: &[u32]) -> Self {
        let values = &values[..4];
        // SAFETY: SSE2 is part of x86-64, and the slice has the 16 bytes that are read.
        Self(unsafe { _mm_loadu_si128(values.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, values: &mut [u32]) {
        let values = &mut values[..4];
        // SAFETY: SSE2 is part of x86-64, and the slice has the 16 bytes that are written.
        unsafe { _mm_storeu_si128(values.as_mut_ptr().cast(), self.0) };
    }

    #[inline(always)]
    fn load_pieces<B: Borrow<[u8; 64]>>(blocks: &[B], first: usize, offset: usize) -> Self {
        Self(load_piece(&blocks[first], offset))
    }

    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: registers only; SSE2 is part of x86-64.
        unsafe {
            let (ab_low, ab_high) = (_mm_unpacklo_epi32(a.0, b.0), _mm_unpackhi_epi32(a.0, b.0));
            let (cd_low, cd_high) = (_mm_unpacklo_epi32(c.0, d.0), _mm_unpackhi_epi32(c.0, d.0));
            [
                Self(_mm_unpacklo_epi64(ab_low, cd_low)),
                Self(_mm_unpackhi_epi64(ab_low, cd_low)),
                Self(_mm_unpacklo_epi64(ab_high, cd_high)),
                Self(_mm_unpackhi_epi64(ab_high, cd_high)),
            ]
        }
    }

    register_only! {
        add(other) = _mm_add_epi32;
        sub(other) = _mm_sub_epi32;
        xor(other) = _mm_xor_si128;
        and(other) = _mm_and_si128;
        and_not(other) = _mm_andnot_si128;
        is_above(other) = _mm_cmpgt_epi32;
    }

    #[inline(always)]
    fn rotate_left(self, amount: u32) -> Self {
        // SAFETY: registers only; SSE2 is part of x86-64.
        Self(unsafe {
            with_rotation!(amount, LEFT, RIGHT =>
                _mm_or_si128(_mm_slli_epi32::<LEFT>(self.0), _mm_srli_epi32::<RIGHT>(self.0)))
        })
    }

    /// SSE2 has no byte shuffle: swap the halves of each lane, then the bytes of each half.
    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: registers only; SSE2 is part of x86-64.
        Self(unsafe {
            let halves = _mm_shufflehi_epi16::<0xb1>(_mm_shufflelo_epi16::<0xb1>(self.0));
            _mm_or_si128(_mm_slli_epi16::<8>(halves), _mm_srli_epi16::<8>(halves))
        })
    }

    /// SSE2 multiplies every other lane, into 64 bits.
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: registers only; SSE2 is part of x86-64.
        Self(unsafe {
            let even = _mm_mul_epu32(self.0, other.0);
            let odd = _mm_mul_epu32(_mm_srli_epi64::<32>(self.0), _mm_srli_epi64::<32>(other.0));
            let (even, odd) = (_mm_shuffle_epi32::<0x08>(even), _mm_shuffle_epi32::<0x08>(odd));
            _mm_unpacklo_epi32(even, odd)
        })
    }

    #[inline(always)]
    fn shift_right(self, amount: u32) -> Self {
        // SAFETY: registers only; SSE2 is part of x86-64.
        Self(unsafe { _mm_srl_epi32(self.0, _mm_cvtsi32_si128(amount as i32)) })
    }
}

impl Vector for Avx2 {
    const LANES: usize = 8;

    #[inline(always)]
    fn splat(value: u32) -> Self {
        // SAFETY: registers only, inlined into an AVX2 entry function.
        Self(unsafe { _mm256_set1_epi32(value as i32) })
    }

    #[inline(always)]
    fn load(values: &[u32]) -> Self {
        let values = &values[..8];
        // SAFETY: inlined into an AVX2 entry function; the slice has the 32 bytes that are read.
        Self(unsafe { _mm256_loadu_si256(values.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, values: &mut [u32]) {
        let values = &mut values[..8];
        // SAFETY: inlined into an AVX2 entry function; the slice has the 32 bytes written.
        unsafe { _mm256_storeu_si256(values.as_mut_ptr().cast(), self.0) };
    }

    #[inline(always)]
    fn load_pieces<B: Borrow<[u8; 64]>>(blocks: &[B], first: usize, offset: usize) -> Self {
        let low = load_piece(&blocks[first], offset);
        let high = load_piece(&blocks[first + 4], offset);
        // SAFETY: registers only, inlined into an AVX2 entry function.
        Self(unsafe { _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high) })
    }

    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: registers only, inlined into an AVX2 entry function.
        unsafe {
            let ab_low = _mm256_unpacklo_epi32(a.0, b.0);
            let ab_high = _mm256_unpackhi_epi32(a.0, b.0);
            let cd_low = _mm256_unpacklo_epi32(c.0, d.0);
            let cd_high = _mm256_unpackhi_epi32(c.0, d.0);
            [
                Self(_mm256_unpacklo_epi64(ab_low, cd_low)),
                Self(_mm256_unpackhi_epi64(ab_low, cd_low)),
                Self(_mm256_unpacklo_epi64(ab_high, cd_high)),
                Self(_mm256_unpackhi_epi64(ab_high, cd_high)),
            ]
        }
    }

    register_only! {
        add(other) = _mm256_add_epi32;
        sub(other) = _mm256_sub_epi32;
        xor(other) = _mm256_xor_si256;
        and(other) = _mm256_and_si256;
        and_not(other) = _mm256_andnot_si256;
        mul(other) = _mm256_mullo_epi32;
        is_above(other) = _mm256_cmpgt_epi32;
    }

    #[inline(always)]
    fn shift_right(self, amount: u32) -> Self {
        // SAFETY: registers only, inlined into an AVX2 entry function.
        Self(unsafe { _mm256_srl_epi32(self.0, _mm_cvtsi32_si128(amount as i32)) })
    }

    #[inline(always)]
    fn rotate_left(self, amount: u32) -> Self {
        // SAFETY: registers only, inlined into an AVX2 entry function.
        Self(unsafe {
            with_rotation!(amount, LEFT, RIGHT => _mm256_or_si256(
                _mm256_slli_epi32::<LEFT>(self.0),
                _mm256_srli_epi32::<RIGHT>(self.0),
            ))
        })
    }

    /// Adds one half of the rotated bits after the other, so that the second shift may be late.
    #[inline(always)]
    fn rotate_left_and_add(self, amount: u32, other: Self) -> Self {
        // SAFETY: registers only, inlined into an AVX2 entry function.
        Self(unsafe {
            with_rotation!(amount, LEFT, RIGHT => _mm256_add_epi32(
                _mm256_add_epi32(_mm256_slli_epi32::<LEFT>(self.0), other.0),
                _mm256_srli_epi32::<RIGHT>(self.0),
            ))
        })
    }

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: registers only, inlined into an AVX2 entry function.
        Self(unsafe {
            #[rustfmt::skip]
            let reversed = _mm256_set_epi8(
                12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3,
                12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3,
            );
            _mm256_shuffle_epi8(self.0, reversed)
        })
    }
}

impl Vector for Avx512 {
    const LANES: usize = 16;
    const I_EXCESS: u32 = 0;

    #[inline(always)]
    fn splat(value: u32) -> Self {
        // SAFETY: registers only, inlined into an AVX-512 entry function.
        Self(unsafe { _mm512_set1_epi32(value as i32) })
    }

    #[inline(always)]
    fn load(values: &[u32]) -> Self {
        let values = &values[..16];
        // SAFETY: inlined into an AVX-512 entry function; the slice has the 64 bytes read.
        Self(unsafe { _mm512_loadu_si512(values.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, values: &mut [u32]) {
        let values = &mut values[..16];
        // SAFETY: inlined into an AVX-512 entry function; the slice has the 64 bytes written.
        unsafe { _mm512_storeu_si512(values.as_mut_ptr().cast(), self.0) };
    }

    #[inline(always)]
    fn load_pieces<B: Borrow<[u8; 64]>>(blocks: &[B], first: usize, offset: usize) -> Self {
        // SAFETY: registers only, inlined into an AVX-512 entry function.
        Self(unsafe {
            let lanes = _mm512_castsi128_si512(load_piece(&blocks[first], offset));
            let lanes = _mm512_inserti32x4::<1>(lanes, load_piece(&blocks[first + 4], offset));
            let lanes = _mm512_inserti32x4::<2>(lanes, load_piece(&blocks[first + 8], offset));
            _mm512_inserti32x4::<3>(lanes, load_piece(&blocks[first + 12], offset))
        })
    }

    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: registers only, inlined into an AVX-512 entry function.
        unsafe {
            let ab_low = _mm512_unpacklo_epi32(a.0, b.0);
            let ab_high = _mm512_unpackhi_epi32(a.0, b.0);
            let cd_low = _mm512_unpacklo_epi32(c.0, d.0);
            let cd_high = _mm512_unpackhi_epi32(c.0, d.0);
            [
                Self(_mm512_unpacklo_epi64(ab_low, cd_low)),
                Self(_mm512_unpackhi_epi64(ab_low, cd_low)),
                Self(_mm512_unpacklo_epi64(ab_high, cd_high)),
                Self(_mm512_unpackhi_epi64(ab_high, cd_high)),
            ]
        }
    }

    register_only! {
        add(other) = _mm512_add_epi32;
        sub(other) = _mm512_sub_epi32;
        xor(other) = _mm512_xor_si512;
        and(other) = _mm512_and_si512;
        and_not(other) = _mm512_andnot_si512;
        mul(other) = _mm512_mullo_epi32;
    }

    #[inline(always)]
    fn shift_right(self, amount: u32) -> Self {
        // SAFETY: registers only, inlined into an AVX-512 entry function.
        Self(unsafe { _mm512_srl_epi32(self.0, _mm_cvtsi32_si128(amount as i32)) })
    }

    #[inline(always)]
    fn is_above(self, other: Self) -> Self {
        // SAFETY: registers only, inlined into an AVX-512 entry function.
        Self(unsafe { _mm512_maskz_set1_epi32(_mm512_cmpgt_epi32_mask(self.0, other.0), -1) })
    }

    #[inline(always)]
    fn rotate_left(self, amount: u32) -> Self {
        // SAFETY: registers only, inlined into an AVX-512 entry function.
        Self(unsafe { with_rotation!(amount, LEFT, _RIGHT => _mm512_rol_epi32::<LEFT>(self.0)) })
    }

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: registers only, inlined into an AVX-512 entry function, which has BW.
        Self(unsafe {
            let reversed = _mm512_set4_epi32(0x0c0d_0e0f, 0x0809_0a0b, 0x0405_0607, 0x0001_0203);
            _mm512_shuffle_epi8(self.0, reversed)
        })
    }

    // Functions of three inputs are one instruction each; the constant is the truth table.

    #[inline(always)]
    fn f(b: Self, c: Self, d: Self) -> Self {
        // SAFETY: registers only, inlined into an AVX-512 entry function.
        Self(unsafe { _mm512_ternarylogic_epi32::<0xca>(b.0, c.0, d.0) })
    }

    #[inline(always)]
    fn add_i(a: Self, b: Self, c: Self, d: Self) -> Self {
        // SAFETY: registers only, inlined into an AVX-512 entry function.
        a.add(Self(unsafe { _mm512_ternarylogic_epi32::<0x39>(b.0, c.0, d.0) }))
    }
}
