//! Readers: who is throttled, and who falls behind.

use super::{Load, options, tally_of, under};
use shardlane::projection::{Conditions, ReadLoad, Reads, project};
use shardlane::tally::Rows;
use shardlane::{Limits, Model, Partitioner, ShardMap, Tally, TallyOptions};
use std::time::Duration;

/// A mebibyte a second for so many seconds, keys included.
fn mebibytes(seconds: i64) -> Vec<Load> {
    (0..seconds)
        .map(|second| Load { shard: 0, time: second * 1_000_000, records: 1, size: (1 << 20) - 10 })
        .collect()
}

fn read_by(seconds: i64, reads: Reads) -> ReadLoad {
    let tally = tally_of(1, &mebibytes(seconds), options(1), true);
    let conditions = Conditions { reads: Some(reads), ..Model::Tumbling.into() };
    under(&tally, &Limits::kinesis(), conditions).shards[0].reads.unwrap()
}

#[test]
fn two_consumers_share_what_a_shard_gives_and_three_fall_behind() {
    let two = read_by(600, Reads::Polls { consumers: 2, per_second: 1.0 });
    assert!(!two.is_throttled);
    assert_eq!(two.lag.max_records, 0);
    assert_eq!(two.peak_bytes_per_second, 2_097_152.0);
    let three = read_by(600, Reads::Polls { consumers: 3, per_second: 1.0 });
    assert!(three.is_throttled);
    assert_eq!(three.refused_calls_per_second, Some(0.0));
    // Two thirds of each second's are read in it.
    assert!((190..=200).contains(&three.lag.max_records), "{three:?}");
    assert!(three.lag.max_delay > Duration::from_secs(280), "{three:?}");
    assert!(three.lag.drained.unwrap() > 880_000_000, "{three:?}");
}

#[test]
fn consumers_with_fan_out_share_nothing() {
    let many = read_by(600, Reads::FanOut { consumers: 20 });
    assert!(!many.is_throttled);
    assert_eq!((many.lag.max_records, many.refused_calls_per_second), (0, None));
    assert_eq!(many.peak_bytes_per_second, 20.0 * 1_048_576.0);
}

#[test]
fn the_sixth_call_of_a_second_is_refused() {
    let calls = |consumers, per_second| read_by(1, Reads::Polls { consumers, per_second });
    assert_eq!(calls(5, 1.0).refused_calls_per_second, Some(0.0));
    assert!(!calls(1, 5.0).is_throttled);
    let six = calls(3, 2.0);
    assert_eq!((six.refused_calls_per_second, six.is_throttled), (Some(1.0), true));
}

fn on_a_partition(records: i64, reads: Reads) -> ReadLoad {
    let map = ShardMap::kafka(1, Partitioner::Java).unwrap();
    let mut tally = Tally::new(map, TallyOptions::default()).unwrap();
    tally.add(&Rows {
        keys: ["0123456789"].as_slice(),
        range: 0..1,
        prefixes: &[0],
        shards: &[0],
        sizes: Some(&[90]),
        times: Some(&[0]),
        weights: Some(&[records]),
        operations: None,
        keyless: None,
        carried: None,
        sizes_include_keys: false,
    });
    let conditions = Conditions { reads: Some(reads), ..Model::Tumbling.into() };
    under(&tally, &Limits::kafka(), conditions).shards[0].reads.unwrap()
}

#[test]
fn a_consumer_of_some_rate_lags_behind_a_burst() {
    let reads = on_a_partition(10_000, Reads::at_rate("records_per_second=1000").unwrap());
    assert_eq!(reads.lag.max_records, 9_000);
    assert_eq!(reads.lag.max_delay, Duration::from_secs(9));
    assert_eq!(reads.lag.drained, Some(9_000_000));
    let bytes = on_a_partition(10_000, Reads::at_rate("bytes_per_second=50000").unwrap());
    assert_eq!(bytes.lag.max_delay, Duration::from_secs(19));
    assert!(!bytes.is_throttled, "that is the consumer's own doing");
}

#[test]
fn readers_that_cannot_be_are_refused() {
    let tally = tally_of(1, &mebibytes(1), options(1), true);
    let kinesis = |reads| {
        let conditions = Conditions { reads: Some(reads), ..Model::Tumbling.into() };
        project(&tally, &Limits::kinesis(), conditions).unwrap_err().message().to_owned()
    };
    assert!(kinesis(Reads::Polls { consumers: 0, per_second: 1.0 }).contains("1 or more"));
    for per_second in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let said = kinesis(Reads::Polls { consumers: 1, per_second });
        assert!(said.contains("type a number above 0"), "{said}");
    }
    for wrong in ["", "records=5", "records_per_second=0", "x"] {
        assert!(Reads::at_rate(wrong).is_err(), "{wrong}");
    }
    let table = Tally::new(ShardMap::dynamodb(1, 0).unwrap(), TallyOptions::default()).unwrap();
    let conditions =
        Conditions { reads: Some(Reads::FanOut { consumers: 1 }), ..Model::Tumbling.into() };
    let error = project(&table, &Limits::dynamodb(), conditions).unwrap_err();
    assert!(error.message().contains("leave them out"), "{error}");
}
