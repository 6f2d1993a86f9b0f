//! More of the same traffic, and less.

use super::{at_once, options, tally_of, under};
use shardlane::projection::{Conditions, Scale};
use shardlane::{Limits, Model};

fn scaled(records: i64, scale: &str) -> shardlane::Projection {
    let tally = tally_of(1, &at_once(records, 90), options(1), true);
    let conditions = Conditions { scale: scale.parse().unwrap(), ..Model::Tumbling.into() };
    under(&tally, &Limits::kinesis(), conditions)
}

#[test]
fn what_is_replayed_is_scaled_and_what_was_counted_is_not() {
    let projection = scaled(1000, "1.5");
    let shard = &projection.shards[0];
    assert_eq!(shard.throttled_records, Some(500));
    assert_eq!(shard.peak_records_per_second, Some(1500.0));
    assert_eq!(shard.peak_bytes_per_second, Some(150_000.0));
    assert_eq!((shard.totals.records, shard.totals.bytes), (1000, 100_000));
    assert_eq!(projection.throttle_records_per_second, Some(1000.0));
}

#[test]
fn headroom_times_scale_is_the_logs_own() {
    for scale in ["0.25", "0.5", "1", "2", "4"] {
        let headroom = scaled(800, scale).headroom.unwrap();
        assert_eq!(headroom * scale.parse::<f64>().unwrap(), 1.25);
    }
    assert_eq!(scaled(800, "1.25").shards[0].throttled_records, Some(0));
    assert_eq!(scaled(800, "1.250001").shards[0].throttled_records, Some(1));
}

#[test]
fn a_part_of_a_record_counts_as_a_part() {
    // Half of 2,001 records are 1,000 and a half.
    assert_eq!(scaled(2001, "0.5").shards[0].throttled_records, Some(1));
    assert_eq!(scaled(2000, "0.5").shards[0].throttled_records, Some(0));
}

#[test]
fn a_scale_is_a_number_above_0() {
    for wrong in ["0", "-1", "nan", "inf", "1000001", "0.0000001", "1,5", "x", ""] {
        let error = wrong.parse::<Scale>().unwrap_err();
        assert!(error.message().contains("1.5"), "{wrong}: {error}");
    }
    assert_eq!("1.5".parse::<Scale>().unwrap().to_string(), "1.5");
    assert_eq!("2".parse::<Scale>().unwrap().to_string(), "2");
}

#[test]
fn the_largest_scale_does_not_overflow() {
    let tally = tally_of(1, &at_once(i64::MAX, i64::MAX), options(1), true);
    for model in ["tumbling", "token-bucket"] {
        for retry in [false, true] {
            let conditions = Conditions {
                model: model.parse().unwrap(),
                scale: "1000000".parse().unwrap(),
                retry,
                reads: Some(shardlane::projection::Reads::FanOut { consumers: 3 }),
            };
            let shard = &under(&tally, &Limits::kinesis(), conditions).shards[0];
            assert_eq!(shard.throttled_records, Some(u64::MAX));
            assert!(shard.headroom.unwrap() < 1.0);
        }
    }
}
