//! The model `token-bucket`, beside the plainest reckoning of it.

use super::{Load, at_once, of_windows, options, tally_of, under};
use proptest::prelude::*;
use shardlane::projection::{BindingLimit, Conditions};
use shardlane::{Limits, Model};

fn bucket() -> Model {
    "token-bucket".parse().unwrap()
}

fn load(milliseconds: i64, records: i64, size: i64) -> Load {
    Load { shard: 0, time: milliseconds * 1_000, records, size }
}

#[test]
fn a_bucket_of_a_second_throttles_the_800_of_t18() {
    let tally = tally_of(1, &[load(900, 1000, 0), load(1100, 1000, 0)], of_windows(100), true);
    let projection = under(&tally, &Limits::kinesis(), bucket());
    let shard = &projection.shards[0];
    assert_eq!(shard.throttled_records, Some(800));
    assert_eq!(shard.first_throttle, Some(1_100_000));
    assert_eq!(shard.throttled_seconds, Some(0.1));
    assert_eq!(shard.binding_limit, Some(BindingLimit::Records));
    // 1,000 in the bucket and 200 more: room for 1,200 of 2,000.
    assert_eq!(projection.headroom, Some(0.6));
    assert_eq!(
        projection.conditions.model.parameters(&projection.limits),
        [("records_burst", 1_000), ("bytes_burst", 10_485_760)]
    );
}

#[test]
fn silence_fills_a_bucket_and_no_more_than_it_holds() {
    let loads = [load(0, 1000, 0), load(500, 500, 0), load(60_000, 1001, 0)];
    let tally = tally_of(1, &loads, of_windows(100), true);
    let shard = &under(&tally, &Limits::kinesis(), bucket()).shards[0];
    assert_eq!((shard.throttled_records, shard.first_throttle), (Some(1), Some(60_000_000)));
}

#[test]
fn ten_seconds_of_bytes_pass_at_once() {
    // Ten records of a mebibyte, key included, and then one for each second.
    let size = (1 << 20) - 10;
    let all = |first: i64| {
        let loads: Vec<_> = [load(0, first, size)]
            .into_iter()
            .chain((1..5).map(|s| load(s * 1000, 1, size)))
            .collect();
        let tally = tally_of(1, &loads, of_windows(100), true);
        under(&tally, &Limits::kinesis(), bucket()).shards[0].throttled_records
    };
    assert_eq!(all(10), Some(0));
    assert_eq!(all(11), Some(1));
    let tally = tally_of(1, &at_once(10, size), options(1), true);
    let shard = &under(&tally, &Limits::kinesis(), Model::Tumbling).shards[0];
    assert_eq!(shard.throttled_records, Some(9));
}

#[test]
fn the_parameters_of_a_bucket_are_told() {
    let model: Model = "token-bucket:records_burst=1500".parse().unwrap();
    let tally = tally_of(1, &at_once(1600, 0), of_windows(100), true);
    let shard = &under(&tally, &Limits::kinesis(), model).shards[0];
    assert_eq!(shard.throttled_records, Some(100));
    let cases = [
        ("tumbling:records_burst=1", "tumbling has no parameters"),
        ("token-bucket:record_burst=1", "no parameter \"record_burst\"; type one of records_burst"),
        ("token-bucket:records_burst", "is not a parameter of token-bucket; type name=value"),
        ("token-bucket:records_burst=0", "a whole number from 1"),
        ("token-bucket:records_burst=1.5", "is not a parameter"),
        ("token-bucket:records_burst=1,records_burst=2", "is given twice"),
        ("bucket", "type tumbling or token-bucket"),
    ];
    for (text, said) in cases {
        let error = text.parse::<Model>().unwrap_err();
        assert!(error.message().contains(said), "{said:?} is not in: {error}");
    }
    let table: Model = "token-bucket:table_burst_seconds=60".parse().unwrap();
    let error = shardlane::projection::project(&tally, &Limits::kinesis(), table).unwrap_err();
    assert!(error.message().contains("its buckets are records_burst and bytes_burst"), "{error}");
}

/// What a bucket for records and one for bytes throttle, reckoned window by window in millionths
/// for records of one size.
fn plainly(windows: &[i64], size: u64, limits: (u64, u64), bursts: (u64, u64)) -> u64 {
    let part = 1_000_000_u128;
    let refill = |limit: u64| u128::from(limit) * 100_000;
    let capacity = |limit, burst: u64| refill(limit).max(u128::from(burst) * part);
    let full = (capacity(limits.0, bursts.0), capacity(limits.1, bursts.1));
    let (mut records, mut bytes) = full;
    let mut throttled = 0;
    for &load in windows {
        for _ in 0..load {
            if records >= part && bytes >= u128::from(size) * part {
                records -= part;
                bytes -= u128::from(size) * part;
            } else {
                throttled += 1;
            }
        }
        records = (records + refill(limits.0)).min(full.0);
        bytes = (bytes + refill(limits.1)).min(full.1);
    }
    throttled
}

proptest! {
    #[test]
    fn records_of_one_size_are_throttled_one_by_one(
        windows in prop::collection::vec(prop_oneof![2 => Just(0), 3 => 0..40i64], 1..60),
        size in 10..200u64,
        limits in (1..200u64, 1..20_000u64),
        bursts in (1..300u64, 1..30_000u64),
    ) {
        let loads: Vec<_> = (0..)
            .zip(&windows)
            .map(|(at, &records)| load(at * 100, records, size as i64 - 10))
            .collect();
        let tally = tally_of(1, &loads, of_windows(100), true);
        let limited = Limits::kinesis()
            .with("records_per_second", limits.0).unwrap()
            .with("bytes_per_second", limits.1).unwrap();
        let model: Model =
            format!("token-bucket:records_burst={},bytes_burst={}", bursts.0, bursts.1).parse().unwrap();
        let projection = under(&tally, &limited, model);
        let throttled = projection.shards[0].throttled_records.unwrap();
        prop_assert_eq!(throttled, plainly(&windows, size, limits, bursts));
        prop_assert_eq!(projection.headroom.is_some_and(|times| times < 1.0), throttled > 0);
        // The table of throttled windows says the same.
        let windows = shardlane::projection::throttles(&tally, &limited, &projection.conditions);
        prop_assert_eq!(windows.map(|window| window.throttled_records).sum::<u64>(), throttled);
    }

    #[test]
    fn a_bucket_that_holds_a_second_is_a_window_that_tumbles(
        loads in prop::collection::vec((0..9i64, 0..1500i64, 0..1500i64), 1..20),
        limits in (1..2000u64, 1..2_000_000u64),
    ) {
        let loads: Vec<_> =
            loads.into_iter().map(|(second, records, size)| load(second * 1000, records, size)).collect();
        let tally = tally_of(1, &loads, options(1), true);
        let limited = Limits::kinesis()
            .with("records_per_second", limits.0).unwrap()
            .with("bytes_per_second", limits.1).unwrap();
        let model: Model =
            format!("token-bucket:records_burst={},bytes_burst={}", limits.0, limits.1).parse().unwrap();
        let bucket = under(&tally, &limited, model);
        let tumbling = under(&tally, &limited, Model::Tumbling);
        prop_assert_eq!(bucket.shards, tumbling.shards);
        prop_assert_eq!(bucket.headroom, tumbling.headroom);
    }

    #[test]
    fn throttles_begin_where_the_headroom_ends(
        loads in prop::collection::vec((0..30i64, 1..400i64, 0..3000i64), 1..20),
        limit in 100..2000u64,
        is_bucket in any::<bool>(),
    ) {
        let loads: Vec<_> =
            loads.into_iter().map(|(window, records, size)| load(window * 100, records, size)).collect();
        let tally = tally_of(1, &loads, of_windows(100), true);
        let limits = Limits::kinesis().with("records_per_second", limit).unwrap();
        let model = if is_bucket { bucket() } else { Model::Tumbling };
        let headroom = under(&tally, &limits, model).headroom.unwrap();
        // A scale is a whole number of millionths.
        let at = |parts: f64| {
            let scale = shardlane::projection::Scale::new(parts / 1e6).unwrap();
            under(&tally, &limits, Conditions { scale, ..model.into() })
        };
        let below = at((headroom * 1e6).floor());
        prop_assert_eq!(below.shards[0].throttled_records, Some(0));
        prop_assert!(below.headroom.unwrap() >= 1.0);
        let above = at((headroom * 1e6).floor() + 1.0);
        // It may be that the headroom is this millionth exactly.
        prop_assert!(
            above.shards[0].throttled_records > Some(0) || above.headroom.unwrap() < 1.000_01
        );
        let beyond = at((headroom * 1e6).floor() + 2.0);
        prop_assert!(beyond.shards[0].throttled_records > Some(0));
        prop_assert!(beyond.headroom.unwrap() < 1.0);
    }

    #[test]
    fn a_higher_limit_never_throttles_more(
        loads in prop::collection::vec((0..30i64, 1..400i64), 1..20),
        limit in 1..2000u64,
        more in 0..500u64,
        is_bucket in any::<bool>(),
    ) {
        let loads: Vec<_> =
            loads.into_iter().map(|(window, records)| load(window * 100, records, 0)).collect();
        let tally = tally_of(1, &loads, of_windows(100), true);
        let model: Model = if is_bucket { bucket() } else { Model::Tumbling };
        let throttled = |limit| {
            let limits = Limits::kinesis().with("records_per_second", limit).unwrap();
            under(&tally, &limits, model).shards[0].throttled_records
        };
        prop_assert!(throttled(limit + more) <= throttled(limit));
    }
}
