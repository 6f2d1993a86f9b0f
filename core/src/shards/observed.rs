//! The shards that a log names: by the id that the service gave, by its number, or by position.

use super::ShardMap;
use std::collections::HashMap;

/// No number of a shard has more digits.
const DIGITS: usize = 18;

/// Numbers below this are looked up in a list.
const LISTED: u64 = 1 << 20;

/// Tells which shard of a map a log means by a name.
///
/// ```
/// use shardlane::{EvenRule, ObservedShards, ShardMap};
/// let names = ObservedShards::new(&ShardMap::kinesis(4, EvenRule::FixedStep)?);
/// assert_eq!(names.place_of(b"shardId-000000000002"), Some(2));
/// assert_eq!(names.place_of(b"2"), Some(2));
/// assert_eq!(names.place_of(b"7"), None);
/// # Ok::<(), shardlane::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ObservedShards {
    ids: HashMap<Vec<u8>, u32>,
    /// Of each number, the place of the shard whose id ends in it, or [`NOWHERE`].
    listed: Vec<u32>,
    numbers: HashMap<u64, u32>,
    /// Whether every id is told by its number.
    is_numbered: bool,
    open: usize,
}

/// The place of no shard.
const NOWHERE: u32 = u32::MAX;

impl ObservedShards {
    /// The names of the shards of `map`, those that take no writes among them.
    pub fn new(map: &ShardMap) -> Self {
        let mut ids = HashMap::new();
        let mut numbers = HashMap::new();
        let mut is_numbered = true;
        for (place, shard) in (0u32..).zip(map.shards()) {
            ids.insert(shard.id.clone().into_bytes(), place);
            match shard_number(shard.id.as_bytes()) {
                Some(number) => is_numbered &= numbers.insert(number, place).is_none(),
                None => is_numbered = false,
            }
        }
        let most = numbers.keys().copied().filter(|number| *number < LISTED).max();
        let mut listed = vec![NOWHERE; most.map_or(0, |most| most as usize + 1)];
        for (number, place) in &numbers {
            if let Some(slot) = listed.get_mut(*number as usize) {
                *slot = *place;
            }
        }
        Self { ids, listed, numbers, is_numbered, open: map.len() }
    }

    /// The place in [`ShardMap::shards`] of the shard that `name` names, by its id or by its
    /// number; `None` if the map lists no such shard. The place of one that takes writes is its
    /// index.
    #[inline]
    pub fn place_of(&self, name: &[u8]) -> Option<u32> {
        if !self.is_numbered
            && let Some(place) = self.ids.get(name.trim_ascii())
        {
            return Some(*place);
        }
        let number = shard_number(name)?;
        let listed = self.listed.get(number as usize).copied().filter(|place| *place != NOWHERE);
        listed.or_else(|| self.numbers.get(&number).copied())
    }

    /// The index that `name` is, if it is a number that is one. Some logs count the shards that take
    /// writes instead of naming them.
    pub fn index_of(&self, name: &[u8]) -> Option<u32> {
        let name = name.trim_ascii();
        let number = shard_number(name).filter(|_| name.iter().all(u8::is_ascii_digit))?;
        u32::try_from(number).ok().filter(|index| (*index as usize) < self.open)
    }
}

/// The number that the name of a shard ends in: 2 of `shardId-000000000002`, of `clicks-2` and of
/// `2`. What follows a colon, as in the event ids of Lambda, is left out.
///
/// ```
/// use shardlane::shard_number;
/// assert_eq!(shard_number(b"shardId-000000000006:49590338"), Some(6));
/// assert_eq!(shard_number(b"left"), None);
/// ```
#[inline]
pub fn shard_number(name: &[u8]) -> Option<u64> {
    let name = name.split(|byte| *byte == b':').next().unwrap_or_default().trim_ascii();
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > DIGITS {
        return None;
    }
    let digits = &name[name.len() - digits..];
    Some(digits.iter().fold(0, |number, digit| 10 * number + u64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shards::{HashRange, Partitioner, Shard, ShardState, System};

    #[test]
    fn shards_are_named_by_id_by_number_and_by_index() {
        let stream = ShardMap::kinesis(2, crate::EvenRule::FixedStep).unwrap();
        let stream = stream.split("0", crate::SplitAt::ExactHalf).unwrap();
        let names = ObservedShards::new(&stream);
        // Open: 2, 3, 1; closed: 0.
        assert_eq!(names.place_of(b"shardId-000000000002"), Some(0));
        assert_eq!(names.place_of(b" 1 "), Some(2));
        assert_eq!(names.place_of(b"0"), Some(3));
        assert_eq!(names.place_of(b"4"), None);
        assert_eq!((names.index_of(b"2"), names.index_of(b"3")), (Some(2), None));
        assert_eq!(names.index_of(b"shardId-000000000001"), None);
    }

    #[test]
    fn ids_without_a_number_of_their_own_are_told_by_their_text() {
        let shard = |id: &str, start, end| Shard {
            id: id.to_owned(),
            range: Some(HashRange { start, end }),
            state: ShardState::Open,
            parent: None,
            adjacent_parent: None,
        };
        let half = 1 << 127;
        let shards = vec![shard("east-1", 0, half - 1), shard("west-1", half, u128::MAX)];
        let names = ObservedShards::new(&ShardMap::from_shards(System::Kinesis, shards).unwrap());
        assert_eq!(names.place_of(b"east-1"), Some(0));
        assert_eq!(names.place_of(b"west-1"), Some(1));
    }

    #[test]
    fn partitions_are_numbers_however_they_are_written() {
        let names = ObservedShards::new(&ShardMap::kafka(12, Partitioner::Java).unwrap());
        assert_eq!(names.place_of(b"11"), Some(11));
        assert_eq!(names.place_of(b"clicks-11"), Some(11));
        assert_eq!(names.place_of(b"12"), None);
        assert_eq!(names.place_of(b"123456789012345678901234567890"), None);
    }
}
