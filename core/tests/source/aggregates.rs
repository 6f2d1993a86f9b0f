//! Payloads that a producer library put several records into, and what a replay makes of them.

use super::{Files, batch, by, read, texts};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use parquet::file::properties::WriterProperties;
use shardlane::arrow::array::{ArrayRef, BinaryArray, StringArray};
use shardlane::engine::{ReplayOptions, replay, tally};
use shardlane::keys::aggregate::{UserRecord, write};
use shardlane::source::{Columns, Travel, open};
use shardlane::tally::MISSING;
use shardlane::{EvenRule, Report, ShardMap, Tally, TallyOptions};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

fn aggregate<'a>(records: &[(&'a str, Option<&'a str>, &'a str)]) -> Vec<u8> {
    let record = |&(key, hash_key, data): &(&'a str, Option<&'a str>, &'a str)| UserRecord {
        key: key.as_bytes(),
        explicit_hash_key: hash_key.map(str::as_bytes),
        data: data.as_bytes(),
    };
    write(&records.iter().map(record).collect::<Vec<_>>())
}

/// A record of GetRecords.
fn record(key: &str, data: &[u8]) -> String {
    let data = BASE64_STANDARD.encode(data);
    format!(
        "{{\"SequenceNumber\":\"1\",\"ApproximateArrivalTimestamp\":1357017300,\"Data\":\"{data}\",\
         \"PartitionKey\":\"{key}\"}}\n"
    )
}

fn four() -> ShardMap {
    ShardMap::kinesis(4, EvenRule::FixedStep).unwrap()
}

fn replayed(path: PathBuf, map: ShardMap, columns: &Columns) -> (Tally, Report) {
    let mut source = open(&[path], columns).unwrap();
    let options = ReplayOptions { threads: 1, ..ReplayOptions::default() };
    replay(map, &mut *source, &options, &mut |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn each_record_within_an_aggregate_is_a_row() {
    let files = Files::new();
    let data = aggregate(&[("JP", None, "hello"), ("user-1", Some("0"), "hi"), ("JP", None, "")]);
    let path = files.write("log.json", record("x", b"plain") + &record("a", &data));
    let mut source = open(&[path], &Columns::default()).unwrap();
    let batch = source.next().unwrap().unwrap();
    let travels = [Travel::Alone, Travel::First, Travel::Within, Travel::Within];
    assert_eq!(batch.travels.as_deref(), Some(&travels[..]));
    // The first one has what the aggregate weighs beyond the payloads of the others, key included.
    let rest = data.len() as i64 + 1 - 2;
    assert_eq!(batch.bytes.as_deref(), Some(&[5, rest, 2, 0][..]));
    let keys: Vec<_> = (0..4).map(|row| batch.keys.get(row).unwrap()).collect();
    assert_eq!(keys, [&b"x"[..], b"JP", b"user-1", b"JP"]);
    let hash_keys = batch.explicit_hash_keys.unwrap();
    assert_eq!((hash_keys.get(1), hash_keys.get(2)), (None, Some(&b"0"[..])));
    assert_eq!(batch.times.unwrap().len(), 4);
}

#[test]
fn a_damaged_aggregate_is_a_plain_record() {
    let files = Files::new();
    let mut data = aggregate(&[("JP", None, "hello")]);
    *data.last_mut().unwrap() ^= 1;
    let path = files.write("log.json", record("a", &data));
    let read = read(&mut *open(&[path], &Columns::default()).unwrap());
    assert_eq!(texts(&read), [Some("a")]);
    assert_eq!(read.bytes, [data.len() as i64]);
}

#[test]
fn the_limit_of_records_counts_what_the_service_sees() {
    let files = Files::new();
    // 100 records in one: far below 1,000 a second, although there are 2,000 records.
    let within: Vec<_> = (0..100).map(|_| ("JP", None, "x")).collect();
    let data = aggregate(&within);
    let log: String = (0..20).map(|_| record("a", &data)).collect();
    let path = files.write("log.json", log);
    let (tally, report) = replayed(path, four(), &Columns::default());
    assert_eq!((report.input.records, report.input.aggregated_records), (2_000, 20));
    assert_eq!((tally.carried_records(), report.input.carried_records), (1_980, 1_980));
    assert_eq!(tally.bytes(), 20 * (data.len() as u64 + 1));
    let shard = &report.projection.shards[0];
    assert_eq!(shard.totals.records, 2_000);
    assert_eq!(shard.peak_records_per_second, Some(20.0));
    assert_eq!(shard.throttled_records, Some(0));
    assert_eq!(report.hot_keys[0].key, b"JP");
    let rate = report.projection.throttle_records_per_second.unwrap();
    assert!(rate > 50_000.0, "{rate} records a second, a hundred in each of Kinesis");
    let json: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(json["input"]["aggregated_records"], 20);
    assert_eq!(json["input"]["kinesis_records"], 20);
    assert!(
        report.to_text().contains("2,000 records came as several in one, of which there are 20")
    );
}

#[test]
fn the_first_record_of_each_shard_counts_where_an_aggregate_would_have_been_several() {
    let files = Files::new();
    let hash_keys = ["0", "1", "170141183460469231731687303715884105728"];
    let within = hash_keys.map(|hash_key| ("a", Some(hash_key), "x"));
    let path = files.write("log.json", record("a", &aggregate(&within)));
    let (tally, _) = replayed(path, four(), &Columns::default());
    assert_eq!(tally.totals().iter().map(|of| of.records).collect::<Vec<_>>(), [2, 0, 1, 0]);
    assert_eq!(tally.carried_records(), 1);
}

#[test]
fn parts_of_a_log_with_aggregates_merge_and_are_kept() {
    let files = Files::new();
    let data = aggregate(&[("JP", None, "1"), ("JP", None, "2")]);
    let path = files.write("log.json", record("a", &data));
    let (tally, _) = replayed(path, four(), &Columns::default());
    let mut twice = tally.clone();
    twice.merge(&tally).unwrap();
    assert_eq!((twice.records(), twice.carried_records()), (4, 2));
    let mut plain = Tally::new(four(), TallyOptions::default()).unwrap();
    plain.merge(&twice).unwrap();
    let again = Tally::from_bytes(&plain.to_bytes()).unwrap();
    assert_eq!(again.carried_records(), 2);
    assert_eq!(again.to_bytes(), plain.to_bytes());
}

#[test]
fn other_logs_name_the_column_of_payloads() {
    let files = Files::new();
    let data = aggregate(&[("JP", None, "hello"), ("e", None, "")]);
    let payload = || Some("body".to_owned());
    let columns = Columns { payload: payload(), ..by("k") };
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["x", "a"]));
    let binary: ArrayRef = Arc::new(BinaryArray::from(vec![Some(&b"123"[..]), Some(&data)]));
    let encoded = BASE64_STANDARD.encode(&data);
    let text: ArrayRef = Arc::new(StringArray::from(vec!["MTIz", encoded.as_str()]));
    let paths = [
        files.parquet(
            "1.parquet",
            &batch(vec![("k", keys.clone()), ("body", binary)]),
            WriterProperties::default(),
        ),
        files.parquet(
            "2.parquet",
            &batch(vec![("k", keys), ("body", text)]),
            WriterProperties::default(),
        ),
        files.write("3.csv", format!("k,body\nx,MTIz\na,{encoded}\n")),
        files.write(
            "4.json",
            format!("{{\"k\":\"x\",\"body\":\"MTIz\"}}\n{{\"k\":\"a\",\"body\":\"{encoded}\"}}\n"),
        ),
    ];
    for path in paths {
        let read = read(&mut *open(std::slice::from_ref(&path), &columns).unwrap());
        assert_eq!(texts(&read), [Some("x"), Some("JP"), Some("e")], "{}", path.display());
        assert_eq!(read.bytes, [3, data.len() as i64 + 1, 0], "{}", path.display());
    }
    let csv = files.write("5.csv", "k,body\nx,\n");
    let read = read(&mut *open(&[csv], &columns).unwrap());
    assert_eq!(read.bytes, [MISSING]);
}

#[test]
fn a_log_of_placeholder_keys_without_payloads_is_told() {
    let files = Files::new();
    let path = files.write("log.csv", "key\n".to_owned() + &"a\n".repeat(100));
    let (_, report) = replayed(path, four(), &Columns::default());
    assert!(
        report.to_text().contains("100.0% of the records have the key a"),
        "{}",
        report.to_text()
    );
}

#[test]
fn a_log_without_aggregates_carries_nothing() {
    let files = Files::new();
    let path = files.write("log.json", record("a", b"x"));
    let mut source = open(&[path], &Columns::default()).unwrap();
    let options = ReplayOptions::default();
    let (tally, input) =
        tally(four(), &mut *source, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((tally.carried_records(), input.aggregated_records), (0, 0));
}
