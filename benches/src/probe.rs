//! The noisy-neighbour guard: how fast are vectors right now?
//!
//! On a shared host another guest may run on the same core's other hyper-thread. The guest's CPU
//! time and clock rate do not show it, but the vector ports are then shared and vector code slows
//! down by up to half. The probe measures vector operations a cycle: a loop that saturates the
//! vector ports, against a chain of dependent scalar operations of one cycle each, which cancels
//! the clock rate. The compiler makes the vectors: on a baseline x86-64 build they are 128 bits
//! wide, which fill the same ports as wider ones.

use std::hint::black_box;
use std::time::Instant;

/// A sample counts as disturbed when the probe beside it was below this part of the best one.
pub const FLOOR: f64 = 0.97;

/// Vectors worked on at once; enough to hide their latency, few enough for the registers.
const VECTORS: usize = 8;

/// Turns of each loop: some tens of microseconds.
const TURNS: u32 = 40_000;

/// Each loop runs that often and the fastest run counts, so that an interrupt does not.
const TRIES: usize = 4;

/// Measures vector throughput and remembers the best.
#[derive(Debug, Clone, Default)]
pub struct Probe {
    seen: Vec<f64>,
}

impl Probe {
    /// Vector operations a cycle, now.
    pub fn sample(&mut self) -> f64 {
        let vector = fastest(vector_loop) / f64::from(TURNS) / (2 * VECTORS) as f64;
        let scalar = fastest(scalar_loop) / f64::from(TURNS) / 2.0;
        let throughput = scalar / vector;
        self.seen.push(throughput);
        throughput
    }

    /// The best seen so far; 0 before the first. The best is the 98th of 100, since a single one
    /// may be too good by chance.
    pub fn best(&self) -> f64 {
        self.quantile(0.98)
    }

    /// The throughput below which a sample is disturbed.
    pub fn floor(&self) -> f64 {
        self.best() * FLOOR
    }

    /// How many probes were taken.
    pub fn count(&self) -> usize {
        self.seen.len()
    }

    /// The throughput that a part `q`, from 0 to 1, of all probes stayed below.
    pub fn quantile(&self, q: f64) -> f64 {
        let mut seen = self.seen.clone();
        seen.sort_by(f64::total_cmp);
        let at = (seen.len().saturating_sub(1)) as f64 * q;
        seen.get(at.round() as usize).copied().unwrap_or(0.0)
    }

    /// The part of all probes that were disturbed, from 0 to 1.
    pub fn disturbed(&self) -> f64 {
        let floor = self.floor();
        let low = self.seen.iter().filter(|throughput| **throughput < floor).count();
        low as f64 / self.seen.len().max(1) as f64
    }
}

/// Seconds that the fastest of some runs takes.
fn fastest(run: fn()) -> f64 {
    let time = || {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..TRIES).map(|_| time()).fold(f64::INFINITY, f64::min)
}

/// Two vector operations on each vector and turn. Adding and flipping by turns cannot be folded
/// into fewer operations.
#[inline(never)]
fn vector_loop() {
    let mut vectors = black_box([[1u32, 2, 3, 4]; VECTORS]);
    let (add, flip) = (black_box([5u32, 7, 9, 11]), black_box([3u32, 8, 1, 2]));
    for _ in 0..TURNS {
        for vector in &mut vectors {
            for ((word, add), flip) in vector.iter_mut().zip(add).zip(flip) {
                *word = word.wrapping_add(add) ^ flip;
            }
        }
    }
    black_box(vectors);
}

/// Two scalar operations a turn, each of which waits for the one before.
#[inline(never)]
fn scalar_loop() {
    let mut word = black_box(1u64);
    let (add, flip) = (black_box(7u64), black_box(9u64));
    for _ in 0..TURNS / 4 {
        for _ in 0..4 {
            word = word.wrapping_add(add) ^ flip;
        }
    }
    black_box(word);
}
