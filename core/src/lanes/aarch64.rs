//! The back end of 64-bit Arm: NEON.

#![allow(unsafe_code, reason = "vector instructions; see each SAFETY")]

use super::vector::{Vector, with_rotation};

use std::arch::aarch64::{
    uint32x4_t, vaddq_u32, vandq_u32, vbicq_u32, vbslq_u32, vcgtq_u32, vdupq_n_s32, vdupq_n_u32,
    veorq_u32, vld1q_u8, vld1q_u32, vmulq_u32, vornq_u32, vreinterpretq_u8_u32,
    vreinterpretq_u16_u32, vreinterpretq_u32_u8, vreinterpretq_u32_u16, vreinterpretq_u32_u64,
    vreinterpretq_u64_u32, vrev32q_u8, vrev32q_u16, vshlq_n_u32, vshlq_u32, vsriq_n_u32, vst1q_u32,
    vsubq_u32, vtrn1q_u32, vtrn1q_u64, vtrn2q_u32, vtrn2q_u64,
};
use std::borrow::Borrow;

/// Four lanes.
#[derive(Clone, Copy)]
pub(super) struct Neon(uint32x4_t);

/// Forwards a method to an intrinsic that touches no memory.
macro_rules! register_only {
    ($($name:ident($($operand:ident),*) = $intrinsic:expr;)*) => {
        $(
            #[inline(always)]
            fn $name(self $(, $operand: Self)*) -> Self {
                // SAFETY: registers only; NEON is part of every 64-bit Arm target with floats.
                Self(unsafe { $intrinsic(self.0 $(, $operand.0)*) })
            }
        )*
    };
}

impl Vector for Neon {
    const LANES: usize = 4;
    const I_EXCESS: u32 = 0;

    #[inline(always)]
    fn splat(value: u32) -> Self {
        // SAFETY: registers only.
        Self(unsafe { vdupq_n_u32(value) })
    }

    #[inline(always)]
    fn load(values: &[u32]) -> Self {
        let values = &values[..4];
        // SAFETY: the slice has the 16 bytes that are read.
        Self(unsafe { vld1q_u32(values.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, values: &mut [u32]) {
        let values = &mut values[..4];
        // SAFETY: the slice has the 16 bytes that are written.
        unsafe { vst1q_u32(values.as_mut_ptr(), self.0) };
    }

    #[inline(always)]
    fn load_pieces<B: Borrow<[u8; 64]>>(blocks: &[B], first: usize, offset: usize) -> Self {
        let bytes = &blocks[first].borrow()[offset..offset + 16];
        // SAFETY: the 16 bytes read are those of the slice. Benefit: one instruction a piece;
        // bench `hash`.
        Self(unsafe { vreinterpretq_u32_u8(vld1q_u8(bytes.as_ptr())) })
    }

    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: registers only.
        unsafe {
            let ab_even = vreinterpretq_u64_u32(vtrn1q_u32(a.0, b.0));
            let ab_odd = vreinterpretq_u64_u32(vtrn2q_u32(a.0, b.0));
            let cd_even = vreinterpretq_u64_u32(vtrn1q_u32(c.0, d.0));
            let cd_odd = vreinterpretq_u64_u32(vtrn2q_u32(c.0, d.0));
            [
                Self(vreinterpretq_u32_u64(vtrn1q_u64(ab_even, cd_even))),
                Self(vreinterpretq_u32_u64(vtrn1q_u64(ab_odd, cd_odd))),
                Self(vreinterpretq_u32_u64(vtrn2q_u64(ab_even, cd_even))),
                Self(vreinterpretq_u32_u64(vtrn2q_u64(ab_odd, cd_odd))),
            ]
        }
    }

    register_only! {
        add(other) = vaddq_u32;
        sub(other) = vsubq_u32;
        xor(other) = veorq_u32;
        and(other) = vandq_u32;
        mul(other) = vmulq_u32;
        is_above(other) = vcgtq_u32;
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: registers only.
        Self(unsafe { vbicq_u32(other.0, self.0) })
    }

    #[inline(always)]
    fn rotate_left(self, amount: u32) -> Self {
        // SAFETY: registers only.
        unsafe {
            if amount == 16 {
                return Self(vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(self.0))));
            }
            Self(with_rotation!(amount, LEFT, RIGHT =>
                vsriq_n_u32::<RIGHT>(vshlq_n_u32::<LEFT>(self.0), self.0)))
        }
    }

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: registers only.
        Self(unsafe { vreinterpretq_u32_u8(vrev32q_u8(vreinterpretq_u8_u32(self.0))) })
    }

    #[inline(always)]
    fn shift_right(self, amount: u32) -> Self {
        // SAFETY: registers only.
        Self(unsafe { vshlq_u32(self.0, vdupq_n_s32(-(amount as i32))) })
    }

    #[inline(always)]
    fn f(b: Self, c: Self, d: Self) -> Self {
        // SAFETY: registers only.
        Self(unsafe { vbslq_u32(b.0, c.0, d.0) })
    }

    #[inline(always)]
    fn add_i(a: Self, b: Self, c: Self, d: Self) -> Self {
        // SAFETY: registers only.
        a.add(Self(unsafe { veorq_u32(c.0, vornq_u32(b.0, d.0)) }))
    }
}
