//! Maps that no service made: emulators whose boundaries give them away.

use super::{ShardMap, System};

/// An emulator that divides a stream as the service does not.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Emulator {
    /// kinesis-mock, and `LocalStack`, which runs it: shard i starts at
    /// `i * floor((2^128 - 1) / N)`, one short for each step where N is a power of two
    /// (`Shard.scala`, commit 484f777c of 2026-07-18).
    KinesisMock,
}

impl Emulator {
    /// The emulator's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::KinesisMock => "kinesis-mock",
        }
    }

    /// What is odd about its maps.
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::KinesisMock => {
                "the boundaries are those of kinesis-mock (LocalStack), off by one for each step: \
                 the service starts shard i at i * 2^128 / N"
            }
        }
    }
}

impl ShardMap {
    /// The emulator that made this map, if its boundaries tell: they do where the number of shards
    /// is a power of two, of 2 or more.
    ///
    /// ```
    /// use shardlane::{EvenRule, ShardMap};
    /// assert_eq!(ShardMap::kinesis(4, EvenRule::FixedStep)?.emulator(), None);
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn emulator(&self) -> Option<Emulator> {
        let shards = self.len() as u128;
        if self.system != System::Kinesis || shards < 2 || !shards.is_power_of_two() {
            return None;
        }
        let step = u128::MAX / shards;
        let mut starts = (0u128..).zip(self.open_ranges());
        starts.all(|(i, range)| range.start == i * step).then_some(Emulator::KinesisMock)
    }
}
