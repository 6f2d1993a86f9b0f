//! Distinct keys: exact while they are few, within a few percent once they are many.

use super::*;
use shardlane::tally::{Agreement, DistinctKeys, HOT_KEY_CAPACITY};
use std::collections::BTreeSet;

const PLAIN: Columns = Columns { sizes: false, times: false, weights: false };

fn at_home(i: usize) -> Row {
    let key = format!("user-{i}");
    let shard = home(key.as_bytes());
    row(key, shard)
}

fn distinct(tally: &Tally) -> DistinctKeys {
    tally.distinct_keys().unwrap()
}

/// The keys of each shard, in truth.
fn truth(rows: &[Row]) -> DistinctKeys {
    let keys: BTreeSet<_> = rows.iter().map(|row| &row.key).collect();
    let at: BTreeSet<_> = rows.iter().map(|row| (row.shard, &row.key)).collect();
    let of = |shard| at.iter().filter(|(of, _)| *of == shard).count() as u64;
    DistinctKeys {
        all: keys.len() as u64,
        by_shard: (0..SHARDS as u32).map(of).collect(),
        is_exact: true,
    }
}

#[track_caller]
fn check_close(found: &DistinctKeys, truth: &DistinctKeys) {
    let close = |found: u64, truth: u64| {
        let off = found as f64 / truth as f64 - 1.0;
        assert!(off.abs() < 0.06, "{found} of {truth}");
    };
    assert!(!found.is_exact);
    close(found.all, truth.all);
    for (found, truth) in found.by_shard.iter().zip(&truth.by_shard) {
        close(*found, *truth);
    }
}

#[test]
fn few_keys_are_counted_one_by_one_however_often_they_come() {
    let rows: Vec<_> = (0..9_000).map(|i| at_home(i % 3_000)).collect();
    let tally = tally_of(&rows, PLAIN);
    assert_eq!(distinct(&tally), truth(&rows));
    assert_eq!(distinct(&tally).all, 3_000);
    assert_eq!(distinct(&empty()), DistinctKeys { all: 0, by_shard: vec![0; 4], is_exact: true });
}

#[test]
fn a_key_that_goes_to_several_shards_counts_at_each_and_once_in_all() {
    let rows = [row("a", 0), row("a", 1), row("a", 1), row("b", 1), row("c", NO_SHARD)];
    let found = distinct(&tally_of(&rows, PLAIN));
    assert_eq!(found, DistinctKeys { all: 2, by_shard: vec![1, 2, 0, 0], is_exact: true });
}

#[test]
fn many_keys_are_estimated_within_a_few_percent() {
    let keys = 5 * HOT_KEY_CAPACITY;
    let rows: Vec<_> = (0..keys).chain(0..keys / 2).map(at_home).collect();
    let tally = tally_of(&rows, PLAIN);
    check_close(&distinct(&tally), &truth(&rows));
    let again = Tally::from_bytes(&tally.to_bytes()).unwrap();
    assert_eq!(distinct(&again), distinct(&tally));
    assert_eq!(again.to_bytes(), tally.to_bytes());
}

#[test]
fn the_order_of_rows_and_of_merging_does_not_show() {
    let rows: Vec<_> = (0..3 * HOT_KEY_CAPACITY).map(at_home).collect();
    let whole = distinct(&tally_of(&rows, PLAIN));
    let reversed: Vec<_> = rows.iter().rev().cloned().collect();
    assert_eq!(distinct(&tally_of(&reversed, PLAIN)), whole);
    // Parts that are exact, and parts that are not, overlapping or not.
    for size in [HOT_KEY_CAPACITY / 3, HOT_KEY_CAPACITY, 2 * HOT_KEY_CAPACITY] {
        let parts: Vec<_> = rows.chunks(size).map(|part| tally_of(part, PLAIN)).collect();
        let merge = |parts: &mut dyn Iterator<Item = &Tally>| {
            let mut all = empty();
            parts.for_each(|part| all.merge(part).unwrap());
            all.merge(&tally_of(&rows[..100], PLAIN)).unwrap();
            distinct(&all)
        };
        assert_eq!(merge(&mut parts.iter()), whole, "parts of {size}");
        assert_eq!(merge(&mut parts.iter().rev()), whole, "parts of {size}, in reverse");
    }
}

#[test]
fn rows_that_stand_for_no_record_are_no_keys() {
    let mut rows: Vec<_> = (0..HOT_KEY_CAPACITY + 10_000).map(at_home).collect();
    let weights = Columns { weights: true, ..PLAIN };
    for row in &mut rows[10..] {
        row.weight = 0;
    }
    assert_eq!(distinct(&tally_of(&rows, weights)).all, 10);
    let mut tally = tally_of(&(0..HOT_KEY_CAPACITY + 9).map(at_home).collect::<Vec<_>>(), PLAIN);
    let before = distinct(&tally);
    add(&mut tally, &rows[HOT_KEY_CAPACITY + 9..], weights);
    assert_eq!(distinct(&tally), before);
}

#[test]
fn nothing_is_counted_without_hot_keys_or_without_hashes() {
    let none = TallyOptions { top: 0, ..TallyOptions::default() };
    assert_eq!(Tally::new(map(), none).unwrap().distinct_keys(), None);
    let random = ShardMap::kafka(4, shardlane::Partitioner::RdkafkaRandom).unwrap();
    assert_eq!(Tally::new(random, TallyOptions::default()).unwrap().distinct_keys(), None);
}

#[test]
fn agreement_is_kept_and_merged() {
    let mut tally = empty();
    tally.observe(Agreement { compared: 10, agreed: 9 });
    let again = Tally::from_bytes(&tally.to_bytes()).unwrap();
    assert_eq!(again.agreement(), Some(Agreement { compared: 10, agreed: 9 }));
    tally.merge(&again).unwrap();
    assert_eq!(tally.agreement(), Some(Agreement { compared: 20, agreed: 18 }));
    tally.observe(Agreement { compared: u64::MAX, agreed: u64::MAX });
    assert_eq!(tally.agreement().unwrap().share(), 1.0);
}
