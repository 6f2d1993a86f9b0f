//! Loads held against limits: which shard throttles, when, and how much.

#[path = "projection/bucket.rs"]
mod bucket;
#[path = "projection/reads.rs"]
mod reads;
#[path = "projection/retry.rs"]
mod retry;
#[path = "projection/scale.rs"]
mod scale;
#[path = "projection/table.rs"]
mod table;

use proptest::prelude::*;
use shardlane::lanes::reference;
use shardlane::projection::{BindingLimit, Conditions, project};
use shardlane::tally::Rows;
use shardlane::{
    ErrorKind, EvenRule, Limits, Model, Projection, ShardMap, System, Tally, TallyOptions,
};
use std::time::Duration;

/// The key of the vectors: ten bytes.
const KEY: &str = "0123456789";

/// `records` records of `size` bytes, key not included, at `time` microseconds.
#[derive(Debug, Clone, Copy)]
struct Load {
    shard: u32,
    time: i64,
    records: i64,
    size: i64,
}

fn options(window_seconds: u64) -> TallyOptions {
    of_windows(window_seconds * 1_000)
}

fn of_windows(milliseconds: u64) -> TallyOptions {
    let window = Duration::from_millis(milliseconds);
    TallyOptions { window, ..TallyOptions::default() }
}

fn tally_of(shards: usize, loads: &[Load], options: TallyOptions, timed: bool) -> Tally {
    let map = ShardMap::kinesis(shards, EvenRule::FixedStep).unwrap();
    let mut tally = Tally::new(map, options).unwrap();
    let column = |of: fn(&Load) -> i64| loads.iter().map(of).collect::<Vec<_>>();
    let times = column(|load| load.time);
    tally.add(&Rows {
        keys: vec![KEY; loads.len()].as_slice(),
        range: 0..loads.len(),
        prefixes: &vec![(reference::hash(KEY.as_bytes()) >> 96) as u32; loads.len()],
        shards: &loads.iter().map(|load| load.shard).collect::<Vec<_>>(),
        sizes: Some(&column(|load| load.size)),
        times: timed.then_some(&times),
        weights: Some(&column(|load| load.records)),
        operations: None,
        keyless: None,
        carried: None,
        sizes_include_keys: false,
    });
    tally
}

/// Held against limits under conditions.
fn under(tally: &Tally, limits: &Limits, conditions: impl Into<Conditions>) -> Projection {
    project(tally, limits, conditions).unwrap()
}

fn projected(tally: &Tally, limits: &Limits) -> Projection {
    project(tally, limits, Model::Tumbling).unwrap()
}

/// One shard's loads against the limits of a Kinesis shard.
fn on_one_shard(loads: &[Load], limits: &Limits) -> Projection {
    projected(&tally_of(1, loads, options(1), true), limits)
}

fn at_once(records: i64, size: i64) -> [Load; 1] {
    [Load { shard: 0, time: 0, records, size }]
}

fn of_decimal_megabytes() -> Limits {
    Limits::kinesis().with("bytes_per_second", 1_000_000).unwrap()
}

#[test]
fn what_a_megabyte_is_decides_t16() {
    let loads = at_once(1000, 1020);
    let binary = on_one_shard(&loads, &Limits::kinesis());
    assert_eq!(binary.shards[0].throttled_records, Some(0));
    assert_eq!(binary.shards[0].throttled_seconds, Some(0.0));
    assert_eq!(binary.shards[0].first_throttle, None);
    let decimal = on_one_shard(&loads, &of_decimal_megabytes());
    assert_eq!(decimal.shards[0].throttled_records, Some(30));
    assert_eq!(decimal.shards[0].binding_limit, Some(BindingLimit::Bytes));
    assert_eq!(decimal.limits.bytes_per_second().unwrap().source, "given");
}

#[test]
fn the_keys_bytes_decide_t17() {
    let loads = at_once(1000, 1040);
    let shard = &on_one_shard(&loads, &Limits::kinesis()).shards[0];
    assert_eq!(shard.throttled_records, Some(2));
    assert_eq!(shard.throttled_seconds, Some(1.0));
    assert_eq!(shard.first_throttle, Some(0));
    let without_keys = TallyOptions { size_includes_key: true, ..options(1) };
    let tally = tally_of(1, &loads, without_keys, true);
    assert_eq!(projected(&tally, &Limits::kinesis()).shards[0].throttled_records, Some(0));
}

#[test]
fn windows_that_tumble_throttle_nothing_of_t18() {
    let load = |time| Load { shard: 0, time, records: 1000, size: 0 };
    let projection = on_one_shard(&[load(900_000), load(1_100_000)], &Limits::kinesis());
    assert_eq!(projection.conditions.model.name(), "tumbling");
    assert_eq!(projection.shards[0].throttled_records, Some(0));
    assert_eq!(projection.headroom, Some(1.0));
}

#[test]
fn records_and_not_bytes_ask_for_the_five_shards_of_t19() {
    let rate = |shards: u32| {
        let load = |shard| Load { shard, time: 0, records: 5000 / i64::from(shards), size: 90 };
        let loads: Vec<_> = (0..shards).map(load).collect();
        let projection =
            projected(&tally_of(shards as usize, &loads, options(1), false), &Limits::kinesis());
        assert_eq!(projection.binding_limit, Some(BindingLimit::Records));
        projection.throttle_records_per_second.unwrap()
    };
    assert_eq!(rate(5), 5000.0);
    assert_eq!(rate(4), 4000.0);
}

#[test]
fn exactly_the_limit_is_not_throttled_and_one_more_is() {
    for (records, throttled) in [(999, 0), (1000, 0), (1001, 1), (3000, 2000)] {
        let shard = &on_one_shard(&at_once(records, 0), &Limits::kinesis()).shards[0];
        assert_eq!(shard.throttled_records, Some(throttled), "{records} records");
        assert_eq!(shard.binding_limit, Some(BindingLimit::Records));
    }
    // 64 records of 16,384 bytes, key included, are 1 MiB.
    for (size, throttled) in [(16_373, 0), (16_374, 0), (16_375, 1)] {
        let shard = &on_one_shard(&at_once(64, size), &Limits::kinesis()).shards[0];
        assert_eq!(shard.throttled_records, Some(throttled), "{size} bytes");
        assert_eq!(shard.binding_limit, Some(BindingLimit::Bytes));
    }
}

#[test]
fn one_record_larger_than_the_limit_is_throttled() {
    let shard = &on_one_shard(&at_once(1, 1 << 21), &Limits::kinesis()).shards[0];
    assert_eq!(shard.throttled_records, Some(1));
    assert_eq!(shard.headroom, Some(1_048_576.0 / (2_097_152.0 + 10.0)));
}

#[test]
fn a_longer_window_allows_as_many_times_more() {
    for (records, throttled) in [(60_000, 0), (60_001, 1)] {
        let tally = tally_of(1, &at_once(records, 0), options(60), true);
        let shard = &projected(&tally, &Limits::kinesis()).shards[0];
        assert_eq!(shard.throttled_records, Some(throttled));
        assert_eq!(shard.throttled_seconds, Some(if throttled > 0 { 60.0 } else { 0.0 }));
        assert_eq!(shard.peak_records_per_second, Some(records as f64 / 60.0));
    }
}

#[test]
fn records_of_uneven_sizes_are_taken_at_their_mean() {
    // Two of 1,000,000 bytes and two of 10: a mean of 500,005, of which two fit.
    let load = |size: i64| Load { shard: 0, time: 0, records: 2, size: size - 10 };
    let shard = &on_one_shard(&[load(1_000_000), load(10)], &Limits::kinesis()).shards[0];
    assert_eq!(shard.throttled_records, Some(2));
}

#[test]
fn records_without_bytes_meet_the_record_limit_alone() {
    let options = TallyOptions { size_includes_key: true, ..options(1) };
    let tally = tally_of(1, &at_once(1500, 0), options, true);
    let shard = &projected(&tally, &Limits::kinesis()).shards[0];
    assert_eq!((shard.throttled_records, shard.totals.bytes), (Some(500), 0));
    assert_eq!(shard.peak_bytes_per_second, Some(0.0));
}

#[test]
fn the_first_throttle_is_the_earliest_window_over_a_limit_and_the_peak_the_highest() {
    let load =
        |seconds: i64, records| Load { shard: 0, time: seconds * 1_000_000 + 7, records, size: 0 };
    let loads = [load(50, 1500), load(-30, 1200), load(-31, 900), load(20, 4000)];
    let shard = &on_one_shard(&loads, &Limits::kinesis()).shards[0];
    assert_eq!(shard.first_throttle, Some(-30_000_000));
    assert_eq!(shard.throttled_records, Some(500 + 200 + 3000));
    assert_eq!(shard.throttled_seconds, Some(3.0));
    assert_eq!(shard.peak_records_per_second, Some(4000.0));
    assert_eq!(shard.headroom, Some(0.25));
}

#[test]
fn the_fullest_shard_sets_the_rate_of_the_whole_stream() {
    let load = |shard, records| Load { shard, time: 0, records, size: 90 };
    let tally = tally_of(4, &[load(0, 100), load(2, 700), load(3, 200)], options(1), false);
    let projection = projected(&tally, &Limits::kinesis());
    assert_eq!(projection.shard, Some(2));
    assert_eq!(projection.throttle_records_per_second, Some(1000.0 * (1000.0 / 700.0)));
    assert_eq!(projection.shards[2].share, 0.7);
    // Without times nothing is said about windows.
    let shard = &projection.shards[2];
    assert_eq!((shard.throttled_records, shard.headroom, projection.headroom), (None, None, None));
    assert_eq!(shard.peak_records_per_second, None);
    assert_eq!(shard.binding_limit, Some(BindingLimit::Records));
    // A shard without load has no limit to meet.
    assert_eq!(projection.shards[1].binding_limit, None);
}

#[test]
fn an_empty_tally_projects_to_nothing() {
    let projection = projected(&tally_of(2, &[], options(1), true), &Limits::kinesis());
    assert_eq!(projection.throttle_records_per_second, None);
    assert_eq!((projection.shard, projection.headroom), (None, None));
    assert_eq!(projection.shards[0].share, 0.0);
}

#[test]
fn nothing_throttles_without_limits() {
    let limits =
        Limits::kinesis().with_json(r#"{"records_per_second":null,"bytes_per_second":null}"#);
    let projection = on_one_shard(&at_once(1 << 40, 1 << 20), &limits.unwrap());
    assert_eq!(projection.shards[0].throttled_records, Some(0));
    assert_eq!(projection.throttle_records_per_second, None);
}

#[test]
fn the_largest_loads_and_limits_do_not_overflow() {
    let most = on_one_shard(&at_once(i64::MAX, i64::MAX), &Limits::kinesis());
    assert_eq!(most.shards[0].totals.bytes, u64::MAX);
    assert!(most.headroom.unwrap() > 0.0);
    let limits = Limits::kinesis().with("bytes_per_second", u64::MAX).unwrap();
    let limits = limits.with("records_per_second", u64::MAX).unwrap();
    let tally = tally_of(1, &at_once(i64::MAX, 1), options(9_000_000_000_000), true);
    assert_eq!(projected(&tally, &limits).shards[0].throttled_records, Some(0));
}

proptest! {
    #[test]
    fn headroom_is_below_one_exactly_when_something_is_throttled(
        loads in prop::collection::vec((0..3u32, 0..3i64, 0..1500i64, 0..1500i64), 1..20),
        window in prop_oneof![Just(1u64), Just(7), Just(60)],
        limits in (1..2000u64, 1..2_000_000u64),
    ) {
        let loads: Vec<_> = loads
            .into_iter()
            .map(|(shard, seconds, records, size)| {
                Load { shard, time: seconds * 1_000_000, records, size }
            })
            .collect();
        let limits = Limits::kinesis()
            .with("records_per_second", limits.0).unwrap()
            .with("bytes_per_second", limits.1).unwrap();
        let projection = projected(&tally_of(3, &loads, options(window), true), &limits);
        for shard in &projection.shards {
            let throttled = shard.throttled_records.unwrap();
            prop_assert_eq!(shard.headroom.is_some_and(|times| times < 1.0), throttled > 0);
            prop_assert_eq!(shard.first_throttle.is_some(), throttled > 0);
            prop_assert!(throttled <= shard.totals.records);
        }
        let any = projection.shards.iter().any(|shard| shard.throttled_records != Some(0));
        prop_assert_eq!(projection.headroom.is_some_and(|times| times < 1.0), any);
    }
}

#[test]
fn a_model_is_found_by_its_name() {
    assert_eq!("tumbling".parse(), Ok(Model::Tumbling));
    let error = "sliding".parse::<Model>().unwrap_err();
    assert!(error.message().contains("type tumbling or token-bucket"), "{error}");
}

#[test]
fn a_tenth_of_a_second_allows_a_tenth_and_not_one_more() {
    for (records, throttled) in [(100, 0), (101, 1)] {
        let tally = tally_of(1, &at_once(records, 0), of_windows(100), true);
        let shard = &projected(&tally, &Limits::kinesis()).shards[0];
        assert_eq!(shard.throttled_records, Some(throttled));
        assert_eq!(shard.headroom.unwrap() < 1.0, throttled > 0);
        assert_eq!(shard.throttled_seconds, Some(throttled as f64 * 0.1));
        assert_eq!(shard.peak_records_per_second, Some(records as f64 / 0.1));
    }
    // 1,048,576 bytes a second are 104,857.6 in a tenth: one record of 104,857 fits and no more.
    for (size, throttled) in [(104_847, 0), (104_848, 1)] {
        let tally = tally_of(1, &at_once(1, size), of_windows(100), true);
        let shard = &projected(&tally, &Limits::kinesis()).shards[0];
        assert_eq!(shard.throttled_records, Some(throttled), "{size}");
    }
}

#[test]
fn the_kinesis_profile_is_dated_and_has_its_sources() {
    let limits = Limits::of(System::Kinesis);
    let named: Vec<_> = limits.iter().map(|(name, limit)| (name, limit.value)).collect();
    assert_eq!(named, [("records_per_second", 1000), ("bytes_per_second", 1_048_576)]);
    for (name, limit) in limits.iter() {
        assert!(limit.source.starts_with("https://"), "{name}");
        assert_eq!(limit.date.len(), "2026-11-30".len(), "{name}");
    }
}

#[test]
fn limits_are_overridden_by_text() {
    let limits = Limits::kinesis().with_text(" bytes_per_second = 1_000_000 ,").unwrap();
    assert_eq!(limits.bytes_per_second().unwrap().value, 1_000_000);
    assert_eq!(limits.records_per_second(), Limits::kinesis().records_per_second());
    assert_eq!(Limits::kinesis().with_text(""), Ok(Limits::kinesis()));
}

#[test]
fn limits_go_to_a_file_and_back() {
    let limits = Limits::kinesis().with_text("records_per_second=7").unwrap();
    let limits = limits.without("bytes_per_second").unwrap();
    assert_eq!(limits.to_json(), r#"{"records_per_second":7,"bytes_per_second":null}"#);
    assert_eq!(Limits::from_json(System::Kinesis, &limits.to_json()), Ok(limits));
    let most = Limits::kinesis().with("records_per_second", u64::MAX).unwrap();
    let again = Limits::from_json(System::Kinesis, &most.to_json()).unwrap();
    assert_eq!(again.records_per_second().unwrap().value, u64::MAX);
}

#[test]
fn a_slip_in_limits_is_named() {
    let text = |text: &str| Limits::kinesis().with_text(text);
    let json = |json: &str| Limits::from_json(System::Kinesis, json);
    let cases = [
        (text("records=5"), "there is no limit \"records\"; did you mean records_per_second?"),
        (text("bytes_per_secnod=5"), "did you mean bytes_per_second?"),
        (text("colour=5"), "there is no limit \"colour\"; type one of records_per_second, bytes"),
        (text("records_per_second=0"), "is 0; type a whole number of 1 or more"),
        (
            text("records_per_second=-1"),
            "\"records_per_second=-1\" is not a limit; type name=value",
        ),
        (text("records_per_second=+1"), "is not a limit"),
        (text("records_per_second=1MB"), "is not a limit"),
        (text("records_per_second=_"), "is not a limit"),
        (text("records_per_second"), "is not a limit"),
        (text("records_per_second=99999999999999999999"), "is not a limit"),
        (text("records_per_second=1,records_per_second=2"), "is given twice"),
        (json("records_per_second=5"), "are not JSON of the form {\"records_per_second\": 1000"),
        (json("[1000]"), "expected an object from the names of limits"),
        (json("{\"records_per_second\": 1000"), "line 1 column 27"),
        (json("{\"record_per_second\": 1}"), "did you mean records_per_second?"),
        (json("{\"record_per_second\": null}"), "did you mean records_per_second?"),
        (json("{\"record_per_second\": \"x\"}"), "did you mean records_per_second?"),
        (
            json("{\"records_per_second\": \"1000\"}"),
            "is \"1000\"; write a whole number of 1 or more",
        ),
        (json("{\"records_per_second\": 1.5}"), "is 1.5; write a whole number"),
        (json("{\"records_per_second\": -3}"), "is -3; write a whole number"),
        (json("{\"records_per_second\": 0}"), "is 0; type a whole number"),
        (json("{\"records_per_second\": 1, \"records_per_second\": 2}"), "is given twice"),
    ];
    for (result, said) in cases {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.message().contains(said), "{said:?} is not in: {error}");
    }
}
