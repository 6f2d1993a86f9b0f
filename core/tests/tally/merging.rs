//! The laws of merging.

use super::*;
use shardlane::{ErrorKind, KeyLengthUnit, Refusal};
use std::time::Duration;

/// A tally with something of everything.
fn any_tally() -> impl Strategy<Value = (Vec<Row>, Columns, u64)> {
    (any_rows(40), any_columns(), 0..3u64)
}

fn made((rows, columns, rejected): &(Vec<Row>, Columns, u64)) -> Tally {
    let mut tally = tally_of(rows, *columns);
    tally.reject(Refusal::NullKey, *rejected);
    tally.reject(Refusal::BrokenRow, rejected / 2);
    tally
}

fn merged(one: &Tally, other: &Tally) -> Tally {
    let mut tally = one.clone();
    tally.merge(other).unwrap();
    tally
}

proptest! {
    #[test]
    fn merging_is_counting_the_whole(
        one in any_rows(60),
        other in any_rows(60),
        columns in any_columns(),
    ) {
        let mut whole = tally_of(&one, columns);
        add(&mut whole, &other, columns);
        let parts = merged(&tally_of(&one, columns), &tally_of(&other, columns));
        prop_assert_eq!(parts.totals(), whole.totals());
        prop_assert_eq!(parts.cells().collect::<Vec<_>>(), whole.cells().collect::<Vec<_>>());
        prop_assert_eq!(parts.hot_keys(99), whole.hot_keys(99));
        prop_assert_eq!(parts.hot_keys_by_shard(99), whole.hot_keys_by_shard(99));
        prop_assert_eq!(parts.to_bytes(), whole.to_bytes());
    }

    #[test]
    fn merging_has_no_order((one, other) in (any_tally(), any_tally())) {
        let (one, other) = (made(&one), made(&other));
        prop_assert_eq!(merged(&one, &other).to_bytes(), merged(&other, &one).to_bytes());
    }

    #[test]
    fn merging_may_be_grouped((a, b, c) in (any_tally(), any_tally(), any_tally())) {
        let (a, b, c) = (made(&a), made(&b), made(&c));
        let (left, right) = (merged(&merged(&a, &b), &c), merged(&a, &merged(&b, &c)));
        prop_assert_eq!(left.to_bytes(), right.to_bytes());
    }

    #[test]
    fn an_empty_tally_adds_nothing(tally in any_tally()) {
        let tally = made(&tally);
        prop_assert_eq!(merged(&tally, &empty()).to_bytes(), tally.to_bytes());
        prop_assert_eq!(merged(&empty(), &tally).to_bytes(), tally.to_bytes());
    }
}

#[test]
fn a_tally_that_was_merged_still_counts() {
    let rows: Vec<_> = (0..9).map(|i| Row { time: i * 400_000, ..row("k", 1) }).collect();
    let mut tally = tally_of(&rows[..4], ALL);
    tally.merge(&tally_of(&rows[4..6], ALL)).unwrap();
    add(&mut tally, &rows[6..], ALL);
    assert_eq!(tally.to_bytes(), tally_of(&rows, ALL).to_bytes());
}

#[test]
fn tallies_that_differ_in_kind_are_refused_by_name() {
    let with = |map: ShardMap, change: fn(&mut TallyOptions)| {
        let mut options = TallyOptions::default();
        change(&mut options);
        Tally::new(map, options).unwrap()
    };
    let maps = |shards, rule| ShardMap::kinesis(shards, rule).unwrap();
    let three = with(maps(3, EvenRule::FixedStep), |_| ());
    let cases = [
        (empty(), with(maps(8, EvenRule::FixedStep), |_| ()), "one of 4 shards and one of 8"),
        (
            with(maps(6, EvenRule::FixedStep), |_| ()),
            with(maps(6, EvenRule::Rational), |_| ()),
            "which differ first at shardId-00000000000",
        ),
        (
            three,
            with(
                maps(3, EvenRule::FixedStep).with_key_length_unit(KeyLengthUnit::Utf16Units),
                |_| (),
            ),
            "in code-points and in utf16-units",
        ),
        (
            empty(),
            with(map(), |options| options.window = Duration::from_secs(60)),
            "windows of 1 s and the other of 60 s",
        ),
        (
            empty(),
            with(map(), |options| options.size_includes_key = true),
            "only one of them include the keys",
        ),
        (empty(), with(map(), |options| options.top = 0), "only one of them counts hot keys"),
    ];
    for (one, other, said) in cases {
        for (mut into, from) in [(one.clone(), &other), (other.clone(), &one)] {
            let before = into.to_bytes();
            let error = into.merge(from).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
            assert!(error.message().contains("cannot be merged"), "{error}");
            assert_eq!(into.to_bytes(), before, "nothing is added");
        }
        let error = one.clone().merge(&other).unwrap_err();
        assert!(error.message().contains(said), "{error}");
    }
}

#[test]
fn the_larger_top_is_kept() {
    let of = |top| Tally::new(map(), TallyOptions { top, ..TallyOptions::default() }).unwrap();
    assert_eq!(merged(&of(3), &of(20)).options().top, 20);
    assert_eq!(merged(&of(20), &of(3)).options().top, 20);
}
