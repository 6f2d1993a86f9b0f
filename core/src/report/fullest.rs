//! Which shards to show, and what to call them in a narrow column.

use super::Report;
use super::printable::printable;
use crate::projection::ShardProjection;
use crate::shards::ShardMap;
use std::cmp::Ordering;

/// The shards to show: all of them in order if there are at most `most`, else the fullest ones,
/// fullest first.
pub(super) fn fullest(report: &Report, most: usize) -> Vec<&ShardProjection> {
    fullest_of(&report.projection.shards, most)
}

/// The same of any shards.
pub(super) fn fullest_of(shards: &[ShardProjection], most: usize) -> Vec<&ShardProjection> {
    let mut shards: Vec<_> = shards.iter().collect();
    if shards.len() > most {
        if most > 0 {
            shards.select_nth_unstable_by(most - 1, |a, b| fuller_first(a, b));
        }
        shards.truncate(most);
        shards.sort_unstable_by(|a, b| fuller_first(a, b));
    }
    shards
}

/// Those with the most records over a limit, then those with the least headroom, then those with
/// the most records.
fn fuller_first(a: &ShardProjection, b: &ShardProjection) -> Ordering {
    let throttled = |shard: &ShardProjection| shard.throttled_records.unwrap_or(0);
    let headroom = |shard: &ShardProjection| shard.headroom.unwrap_or(f64::INFINITY);
    throttled(b)
        .cmp(&throttled(a))
        .then_with(|| headroom(a).total_cmp(&headroom(b)))
        .then_with(|| b.totals.records.cmp(&a.totals.records))
        .then_with(|| a.index.cmp(&b.index))
}

/// The id of a shard, safe to show; empty if there is no such shard.
pub(super) fn id(map: &ShardMap, index: u32) -> String {
    map.shard(index).map_or_else(String::new, |shard| printable(shard.id.as_bytes()))
}

/// What a shard is called in a sentence: its id, after the system's word if that is a bare number.
pub(super) fn called(map: &ShardMap, index: u32) -> String {
    let id = id(map, index);
    let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { format!("{} {id}", map.system().shard_word()) } else { id }
}

/// Short names for shards whose ids differ only in a number.
pub(super) struct Names {
    /// What every id begins with, before zeros; empty if they are not of that form.
    pub(super) prefix: &'static str,
    /// What a shard is called.
    word: &'static str,
}

/// What Kinesis begins its shard ids with.
const KINESIS: &str = "shardId-";

/// The most digits of such a number that a column has room for.
const WIDEST: usize = 8;

impl Names {
    /// Names for the shards of `map` that take writes.
    pub(super) fn of(map: &ShardMap) -> Self {
        let all = map.open_shards().all(|shard| number(&shard.id).is_some());
        Self { prefix: if all { KINESIS } else { "" }, word: map.system().shard_word() }
    }

    /// The head of a column of names.
    pub(super) fn head(&self) -> &'static str {
        if self.prefix.is_empty() { self.word } else { self.prefix }
    }

    /// The name in that column of the shard with index `index`.
    pub(super) fn name(&self, map: &ShardMap, index: u32) -> String {
        map.shard(index).map_or_else(String::new, |shard| self.short(&shard.id))
    }

    /// The name in that column of the shard with id `id`.
    pub(super) fn short(&self, id: &str) -> String {
        match number(id) {
            Some(number) if !self.prefix.is_empty() => number.to_owned(),
            _ => printable(id.as_bytes()),
        }
    }
}

/// The number at the end of a Kinesis shard id, without its leading zeros.
fn number(id: &str) -> Option<&str> {
    let digits = id.strip_prefix(KINESIS)?;
    if digits.len() != 12 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = digits.trim_start_matches('0');
    match number.len() {
        0 => Some("0"),
        1..=WIDEST => Some(number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shards::{EvenRule, HashRange, Shard, ShardState, System};

    #[test]
    fn ids_of_the_usual_form_are_shown_by_their_number() {
        let map = ShardMap::kinesis(12, EvenRule::FixedStep).unwrap();
        let names = Names::of(&map);
        assert_eq!(names.head(), "shardId-");
        assert_eq!(names.name(&map, 0), "0");
        assert_eq!(names.name(&map, 11), "11");
    }

    #[test]
    fn other_ids_are_shown_whole_and_safe() {
        let shard = Shard {
            id: "sha\x1b[2Jrd".into(),
            range: Some(HashRange::ALL),
            state: ShardState::Open,
            parent: None,
            adjacent_parent: None,
        };
        let map = ShardMap::from_shards(System::Kinesis, vec![shard]).unwrap();
        assert_eq!(Names::of(&map).head(), "shard");
        assert_eq!(Names::of(&map).name(&map, 0), "sha\\u{1b}[2Jrd");
    }
}
