//! What users are warned of, and what not.

use super::*;
use shardlane::Partitioner;
use shardlane::arrow::array::StringArray;

/// The report on keys alone, or on keys with the shards that a log names.
fn report_on(map: ShardMap, keys: &[&str], shards: Option<&[&str]>) -> Report {
    let mut columns: Vec<(&str, ArrayRef)> =
        vec![("key", Arc::new(StringArray::from(keys.to_vec())))];
    if let Some(shards) = shards {
        columns.push(("shard", Arc::new(StringArray::from(shards.to_vec()))));
    }
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let batches = [Ok::<_, shardlane::Error>(batch.clone())];
    let mut source = Batches::new(&batch.schema(), batches, &Columns::default()).unwrap();
    let options = ReplayOptions { threads: 2, ..ReplayOptions::default() };
    replay(map, &mut source, &options, &mut |_| ControlFlow::Continue(())).unwrap().1
}

fn codes(report: &Report) -> Vec<&'static str> {
    report.warnings().iter().map(|warning| warning.code).collect()
}

fn keys(distinct: usize, records: usize) -> Vec<String> {
    (0..records).map(|i| format!("user-{}", i % distinct)).collect()
}

fn of(map: ShardMap, distinct: usize, records: usize) -> Report {
    let keys = keys(distinct, records);
    report_on(map, &keys.iter().map(String::as_str).collect::<Vec<_>>(), None)
}

#[test]
fn a_good_log_is_warned_of_only_for_what_it_lacks() {
    assert_eq!(codes(&of(stream(4), 1_000, 2_000)), ["no_times", "no_sizes"]);
    let json: Value = serde_json::from_str(&of(stream(4), 1_000, 2_000).to_json()).unwrap();
    assert_eq!(json["warnings"][0]["code"], "no_times");
    assert_eq!(json["input"]["distinct_keys"], 1_000);
    assert_eq!(json["input"]["distinct_keys_are_exact"], true);
}

#[test]
fn too_few_keys_for_the_shards_and_shards_that_none_reaches_are_told() {
    let report = of(stream(64), 20, 1_000);
    assert_eq!(codes(&report), ["no_times", "no_sizes", "few_keys", "empty_shards"]);
    let text = report.to_text();
    assert!(text.contains("only 20 distinct keys for 64 shards"), "{text}");
    // A log of few records says nothing of its keys.
    assert_eq!(codes(&of(stream(64), 20, 600)), ["no_times", "no_sizes"]);
    let buckets = ShardMap::sls(8).unwrap().with_buckets(4).unwrap();
    let text = of(buckets, 1_000, 2_000).to_text();
    assert!(text.contains("4 of 8 shards take nothing: there are only 4 buckets"), "{text}");
}

#[test]
fn a_nearly_constant_key_is_told() {
    let mut keys = vec!["US"; 950];
    keys.extend(["JP", "DE", "FR", "日本\u{1b}"].iter().cycle().take(50));
    let report = report_on(stream(4), &keys, None);
    assert!(codes(&report).contains(&"constant_key"));
    let text = report.to_text();
    assert!(text.contains("95.0% of the records have the key US: the column key is"), "{text}");
    assert!(!codes(&report_on(stream(1), &keys, None)).contains(&"constant_key"));
}

#[test]
fn a_key_above_a_limit_is_told_with_how_it_was_computed() {
    let mut rows: Vec<Row<'_>> = vec![(b"hot", 90, TEN); 30];
    rows.extend([(&b"JP"[..], 90, TEN), (b"user-1", 90, TEN + 1)]);
    let (_, report) = report_of(stream(4), &rows, true, "records_per_second=10");
    let warnings = report.warnings();
    let found = warnings.iter().find(|of| of.code == "key_above_limit").expect("a warning");
    assert!(found.message.contains("the key hot alone is over the limit"), "{}", found.message);
    assert!(found.message.contains("3.00x"), "{}", found.message);
    assert!(report.to_html().contains("more shards will not help"));
    let (_, report) = report_of(stream(4), &rows, true, "records_per_second=100");
    assert!(!codes(&report).contains(&"key_above_limit"));
}

#[test]
fn numbers_as_text_are_told_of_a_topic_only() {
    let keys: Vec<String> = (0..500).map(|i| i.to_string()).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let topic = ShardMap::kafka(4, Partitioner::Java).unwrap();
    assert!(codes(&report_on(topic, &keys, None)).contains(&"numeric_keys"));
    assert!(!codes(&report_on(stream(4), &keys, None)).contains(&"numeric_keys"));
}

#[test]
fn the_agreement_with_the_logs_own_shards_is_told_and_warned_of_if_low() {
    let keys = ["order-1001", "JP", "user-1", "日本", "order-1001"];
    let right = ["2", "shardId-000000000000", "3", "shardId-000000000001", "2"];
    let report = report_on(stream(4), &keys, Some(&right));
    let agreement = report.input.agreement.unwrap();
    assert_eq!((agreement.compared, agreement.agreed), (5, 5));
    assert!(report.to_text().contains("agrees with this map for 100.0% of 5 rows"));
    let wrong = ["2", "1", "3", "1", "7"];
    let report = report_on(stream(4), &keys, Some(&wrong));
    assert!(codes(&report).contains(&"shards_disagree"));
    let json: Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(json["input"]["agreement"], json!({"compared": 5, "agreed": 3, "share": 0.6}));
}
