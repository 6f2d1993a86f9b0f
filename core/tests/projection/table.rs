//! A whole `DynamoDB` table: its capacity, and what it keeps of it.

use shardlane::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use shardlane::engine::{ReplayOptions, replay};
use shardlane::source::{Batches, Columns, TimeUnit};
use shardlane::{Error, Limits, Model, Report, ShardMap, TallyOptions};
use std::ops::ControlFlow;
use std::sync::Arc;

/// So many reads of one unit in each of so many seconds, of one key, spread over the second.
fn reads(per_second: i64, seconds: i64, limits: Limits, model: &str) -> Report {
    let model: Model = model.parse().unwrap();
    let steps = 1_000 / model.window().as_millis() as i64;
    let rows = (0..seconds * steps).collect::<Vec<_>>();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("key", Arc::new(StringArray::from_iter_values(rows.iter().map(|_| "hot")))),
        (
            "time",
            Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row * 1_000 / steps))),
        ),
        ("weight", Arc::new(Int64Array::from_iter_values(rows.iter().map(|_| per_second / steps)))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let columns = Columns { time_unit: Some(TimeUnit::Milliseconds), ..Columns::default() };
    let schema = batch.schema();
    let mut source = Batches::new(&schema, [Ok::<_, Error>(batch)], &columns).unwrap();
    let options = ReplayOptions {
        tally: TallyOptions { window: model.window(), ..TallyOptions::default() },
        limits: Some(limits),
        conditions: model.into(),
        ..ReplayOptions::default()
    };
    let map = ShardMap::dynamodb(2, 0).unwrap();
    replay(map, &mut source, &options, &mut |_| ControlFlow::Continue(())).unwrap().1
}

fn of_table(units: u64) -> Limits {
    Limits::dynamodb().with("table_read_units_per_second", units).unwrap()
}

/// "Burst capacity" of re:Post: a table of 150 read units a second that has rested takes 200 a second
/// for 900 seconds.
#[test]
fn a_rested_table_of_150_units_takes_200_for_900_seconds() {
    let report = reads(200, 1_000, of_table(150), "token-bucket");
    let table = report.projection.stream.unwrap();
    assert_eq!(table.first_throttle, Some(900_000_000));
    // From then on a quarter is too much.
    assert_eq!(table.throttled_records, Some(5_000));
    assert_eq!(report.projection.shards.iter().find_map(|shard| shard.first_throttle), None);
    let tumbling = reads(200, 10, of_table(150), "tumbling").projection.stream.unwrap();
    assert_eq!((tumbling.first_throttle, tumbling.throttled_records), (Some(0), Some(500)));
}

#[test]
fn a_burst_lifts_no_partition_above_its_own_limit() {
    let report = reads(3_500, 10, of_table(40_000), "token-bucket");
    let hot = report.projection.shards.iter().find(|shard| shard.totals.records > 0).unwrap();
    // The first second's burst is one second's limit, which empties by 500 a second.
    assert!(hot.throttled_records.unwrap() > 0);
    assert_eq!(report.projection.stream.unwrap().throttled_records, Some(0));
}

#[test]
fn how_much_a_table_keeps_can_be_told() {
    let report = reads(200, 400, of_table(150), "token-bucket:table_burst_seconds=60");
    let json = report.to_json();
    assert!(json.contains("\"table_burst_seconds\": 60"), "{json}");
    assert_eq!(report.projection.stream.unwrap().first_throttle, Some(180_000_000));
}
