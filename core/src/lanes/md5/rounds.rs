//! The 64 steps of MD5, once, for any vector and any number of interleaved groups.
//!
//! Each step waits for the one before it, so one vector alone leaves most of the CPU idle: `P`
//! vectors go through the steps side by side.

use crate::lanes::meanwhile::Meanwhile;
use crate::lanes::pack::Words;
use crate::lanes::reference::{INITIAL, SINES};
use crate::lanes::vector::Vector;

/// Four state words of `P` vectors of keys.
pub(super) type State<V, const P: usize> = [[V; P]; 4];

/// The state before the first block.
#[inline(always)]
pub(super) fn initial<V: Vector, const P: usize>() -> State<V, P> {
    let mut state = [[V::splat(0); P]; 4];
    for (lanes, word) in state.iter_mut().zip(INITIAL) {
        *lanes = [V::splat(word); P];
    }
    state
}

/// The state after a block, before it is added to the state that it began with.
///
/// Words from `WORDS` on, but for word 14, are zero and need no addition. After the first 61 of
/// the 64 steps the value that ends as the first word is final: with `FIRST_ONLY` the rest is left
/// out, and only that word means anything.
#[inline(always)]
pub(super) fn rounds<V, M, const P: usize, const WORDS: usize, const FIRST_ONLY: bool>(
    words: &Words<V, P>,
    state: State<V, P>,
    meanwhile: &mut M,
) -> State<V, P>
where
    V: Vector,
    M: Meanwhile,
{
    let mut work = Work { state, across: [V::splat(0); P] };
    macro_rules! steps {
        ($($step:literal)*) => {
            $(
                work.step::<$step, WORDS>(words);
                meanwhile.after::<$step>();
            )*
        };
    }
    steps! { 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 }
    steps! {16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 }
    steps! {32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 }
    steps! {48 49 50 51 52 53 54 55 56 57 58 59 60 }
    if FIRST_ONLY {
        let [_, b, c, d] = work.state;
        return [b, b, c, d];
    }
    steps! {61 62 63 }
    work.state
}

struct Work<V, const P: usize> {
    state: State<V, P>,
    /// `b ^ c` of a step of the third round, which is `c ^ d` of the next.
    across: [V; P],
}

impl<V: Vector, const P: usize> Work<V, P> {
    #[inline(always)]
    fn step<const STEP: usize, const WORDS: usize>(&mut self, words: &Words<V, P>) {
        let (round, at) = (STEP / 16, STEP % 16);
        let word = match round {
            0 => at,
            1 => (5 * at + 1) % 16,
            2 => (3 * at + 5) % 16,
            _ => (7 * at) % 16,
        };
        let amount = match round {
            0 => [7, 12, 17, 22],
            1 => [5, 9, 14, 20],
            2 => [4, 11, 16, 23],
            _ => [6, 10, 15, 21],
        }[at % 4];
        let excess = if round == 3 { V::I_EXCESS } else { 0 };
        let sine = V::splat(SINES[STEP].wrapping_sub(excess));

        let [a, b, c, d] = self.state;
        let mut next = [sine; P];
        for p in 0..P {
            let mut sum = a[p].add(sine);
            if word < WORDS || word == 14 {
                sum = sum.add(words[word][p]);
            }
            next[p] = sum;
        }
        for p in 0..P {
            let (b, c, d) = (b[p], c[p], d[p]);
            next[p] = match round {
                0 => next[p].add(V::f(b, c, d)),
                // G is `(d & b) | (!d & c)`; its parts share no bits, so they may be added one
                // after the other, and the part without `b` does not wait for the step before.
                1 => next[p].add(d.and_not(c)).add(d.and(b)),
                2 if at % 2 == 0 => {
                    self.across[p] = b.xor(c);
                    next[p].add(self.across[p].xor(d))
                }
                2 => next[p].add(b.xor(self.across[p])),
                _ => V::add_i(next[p], b, c, d),
            };
        }
        for p in 0..P {
            next[p] = next[p].rotate_left_and_add(amount, b[p]);
        }
        self.state = [d, next, b, c];
    }
}
