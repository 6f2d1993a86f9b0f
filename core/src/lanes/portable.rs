//! The back end for any CPU: plain arrays, which the compiler turns into what it can.

use super::vector::Vector;
use std::borrow::Borrow;

/// Eight lanes.
#[derive(Clone, Copy)]
pub(super) struct Portable([u32; 8]);

impl Portable {
    #[inline(always)]
    fn zip(self, other: Self, op: impl Fn(u32, u32) -> u32) -> Self {
        Self(std::array::from_fn(|lane| op(self.0[lane], other.0[lane])))
    }
}

impl Vector for Portable {
    const LANES: usize = 8;

    #[inline(always)]
    fn splat(value: u32) -> Self {
        Self([value; 8])
    }

    #[inline(always)]
    fn load(values: &[u32]) -> Self {
        Self(std::array::from_fn(|lane| values[lane]))
    }

    #[inline(always)]
    fn store(self, values: &mut [u32]) {
        values[..8].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn load_pieces<B: Borrow<[u8; 64]>>(blocks: &[B], first: usize, offset: usize) -> Self {
        Self(std::array::from_fn(|lane| {
            let block = blocks[first + lane / 4 * 4].borrow();
            u32::from_le_bytes(block[offset..].as_chunks::<4>().0[lane % 4])
        }))
    }

    #[inline(always)]
    fn transpose(rows: [Self; 4]) -> [Self; 4] {
        std::array::from_fn(|word| {
            Self(std::array::from_fn(|lane| rows[lane % 4].0[lane / 4 * 4 + word]))
        })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, u32::wrapping_add)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, u32::wrapping_sub)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.zip(other, |x, y| x ^ y)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |x, y| x & y)
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        self.zip(other, |x, y| !x & y)
    }

    #[inline(always)]
    fn rotate_left(self, amount: u32) -> Self {
        Self(self.0.map(|lane| lane.rotate_left(amount)))
    }

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        Self(self.0.map(u32::swap_bytes))
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, u32::wrapping_mul)
    }

    #[inline(always)]
    fn shift_right(self, amount: u32) -> Self {
        Self(self.0.map(|lane| lane >> amount))
    }

    #[inline(always)]
    fn is_above(self, other: Self) -> Self {
        self.zip(other, |x, y| if x > y { u32::MAX } else { 0 })
    }
}
