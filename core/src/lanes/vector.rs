//! What the hashes need of a vector of 32-bit lanes, and no more.
//!
//! The methods carry no `#[target_feature]`: they are inlined into entry functions that do, one
//! set a back end, and so become that back end's instructions.

use std::borrow::Borrow;

/// Several `u32`, one a key.
///
/// Closures do not take on the features of the function they are in, so neither these methods nor
/// what is built on them may pass vectors through one.
pub(super) trait Vector: Copy {
    /// How many; a multiple of 4.
    const LANES: usize;

    /// What [`add_i`](Vector::add_i) adds beyond its promise, to be taken off the step's constant.
    const I_EXCESS: u32 = 1;

    /// The same value in every lane.
    fn splat(value: u32) -> Self;

    /// The first [`LANES`](Vector::LANES) values.
    fn load(values: &[u32]) -> Self;

    /// Writes the lanes to the first places of `values`.
    fn store(self, values: &mut [u32]);

    /// The 16 bytes at `offset` of every fourth block from block `first` on, side by side.
    fn load_pieces<B: Borrow<[u8; 64]>>(blocks: &[B], first: usize, offset: usize) -> Self;

    /// Turns four vectors of pieces, of blocks 0, 1, 2 and 3 modulo 4, into one vector for each of
    /// the four words, with its lanes in the order of the blocks.
    fn transpose(rows: [Self; 4]) -> [Self; 4];

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    /// `!self & other`.
    fn and_not(self, other: Self) -> Self;
    /// Rotates every lane left by one of MD5's sixteen amounts.
    fn rotate_left(self, amount: u32) -> Self;
    /// Rotates every lane left by one of MD5's sixteen amounts, and adds `other`.
    #[inline(always)]
    fn rotate_left_and_add(self, amount: u32, other: Self) -> Self {
        self.rotate_left(amount).add(other)
    }

    /// Reverses the bytes of every lane.
    fn swap_bytes(self) -> Self;

    /// The low 32 bits of each product.
    fn mul(self, other: Self) -> Self;
    /// Shifts every lane right by less than 32 places, and zeros in.
    fn shift_right(self, amount: u32) -> Self;
    /// All bits of each lane that is larger than the other's, of numbers below 2^31.
    fn is_above(self, other: Self) -> Self;

    /// MD5's F: bits of `c` where `b` is set, of `d` elsewhere.
    #[inline(always)]
    fn f(b: Self, c: Self, d: Self) -> Self {
        c.xor(d).and(b).xor(d)
    }

    /// `a` plus MD5's I, `c ^ (b | !d)`, plus [`I_EXCESS`](Vector::I_EXCESS).
    ///
    /// `c ^ (b | !d)` is `!(c ^ (!b & d))`, and `!x` is `-x - 1`: two operations and a subtraction
    /// where the formula has three and an addition.
    #[inline(always)]
    fn add_i(a: Self, b: Self, c: Self, d: Self) -> Self {
        a.sub(b.and_not(d).xor(c))
    }
}

/// Runs `$body` with `$left` and `$right` as constants, `$left` equal to `$amount` and `$right` to
/// 32 less it: shift instructions want their amounts in the instruction.
macro_rules! with_rotation {
    ($amount:expr, $left:ident, $right:ident => $body:expr) => {
        with_rotation!(@arms $amount, $left, $right, $body;
            4 5 6 7 9 10 11 12 14 15 16 17 20 21 22 23)
    };
    (@arms $amount:expr, $left:ident, $right:ident, $body:expr; $($value:literal)*) => {
        match $amount {
            $($value => {
                const $left: i32 = $value;
                const $right: i32 = 32 - $value;
                $body
            })*
            other => unreachable!("MD5 never rotates by {other}"),
        }
    };
}

pub(super) use with_rotation;
