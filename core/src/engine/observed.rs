//! Where a log says that its records went, and which rule would send them there.

mod fits;
mod names;
mod sample;

pub(super) use fits::{Odd, Rows, fits};
pub(super) use names::{NAMELESS, Names, shard_indices};
pub(super) use sample::{Sample, Sampled};
