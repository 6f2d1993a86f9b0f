//! What services write as JSON.

use super::{Files, Read, read, texts};
use shardlane::source::{Columns, open};

/// 2013-01-01T05:15:00Z.
const TIME: i64 = 1_357_017_300_000_000;

/// What a log gives if no column is named, and which were taken.
fn taken(text: &str) -> (Read, Vec<String>) {
    let files = Files::new();
    let path = files.write("log.json", text);
    let mut source = open(&[path], &Columns::default()).unwrap();
    let guessed = source.taken().guessed.clone();
    (read(&mut *source), guessed)
}

/// The shards that a log tells.
fn shards(text: &str) -> Vec<String> {
    let files = Files::new();
    let path = files.write("log.json", text);
    let mut shards = Vec::new();
    for batch in open(&[path], &Columns::default()).unwrap() {
        let column = batch.unwrap().shards.expect("a column of shards");
        let text = |row| String::from_utf8(column.get(row).unwrap().to_vec()).unwrap();
        shards.extend((0..column.len()).map(text));
    }
    shards
}

#[test]
fn the_answers_of_get_records_are_read_however_they_were_saved() {
    let record = |key: &str, time: &str, data: &str| {
        format!(
            "{{\"SequenceNumber\":\"4959\",\"ApproximateArrivalTimestamp\":{time},\"Data\":\
             \"{data}\",\"PartitionKey\":\"{key}\"}}"
        )
    };
    let first = record("user-1", "1357017300.25", "aGVsbG8=");
    let second = record("JP", "\"2013-01-01T06:15:00.500000+01:00\"", "");
    let answer = |records: &str| {
        format!(
            "{{\"Records\":[{records}],\"NextShardIterator\":\"AAA\",\"MillisBehindLatest\":0}}"
        )
    };
    let both = answer(&format!("{first},{second}"));
    let pretty: serde_json::Value = serde_json::from_str(&both).unwrap();
    for text in [
        both.clone(),
        serde_json::to_string_pretty(&pretty).unwrap(),
        format!("{}\n{}\n{}", answer(""), answer(&first), answer(&second)),
        format!("{first}\n{second}\n"),
        format!("[{first},{second}]"),
    ] {
        let (read, guessed) = taken(&text);
        assert_eq!(guessed, ["PartitionKey", "Data", "ApproximateArrivalTimestamp"], "{text}");
        assert_eq!(texts(&read), [Some("user-1"), Some("JP")]);
        assert_eq!(read.bytes, [5, 0]);
        assert_eq!(read.times, [TIME + 250_000, TIME + 500_000]);
        assert_eq!(read.broken_rows, 0, "{text}");
    }
    let (cut, _) = taken(&both[..both.len() - 20 - second.len()]);
    assert_eq!((texts(&cut), cut.broken_rows), (vec![Some("user-1")], 1));
}

#[test]
fn an_event_of_lambda_gives_keys_and_the_true_shard() {
    let text = r#"{"Records":[{"kinesis":{"kinesisSchemaVersion":"1.0","partitionKey":"1",
        "sequenceNumber":"49590338271490256608559692538361571095921575989136588898",
        "data":"SGVsbG8sIHRoaXMgaXMgYSB0ZXN0Lg==","approximateArrivalTimestamp":1357017300.987},
        "eventSource":"aws:kinesis","eventVersion":"1.0","eventName":"aws:kinesis:record",
        "eventID":"shardId-000000000006:49590338271490256608559692538361571095921575989136588898",
        "awsRegion":"us-east-2"}]}"#;
    let (read, guessed) = taken(text);
    let time = "kinesis.approximateArrivalTimestamp";
    assert_eq!(guessed, ["kinesis.partitionKey", "kinesis.data", time, "eventID"]);
    assert_eq!(texts(&read), [Some("1")]);
    assert_eq!((read.bytes, read.times), (vec![22], vec![TIME + 987_000]));
    assert_eq!(shards(text), ["shardId-000000000006"]);
}

#[test]
fn an_event_of_firehose_gives_keys_and_the_true_shard() {
    let text = r#"{"invocationId":"i","deliveryStreamArn":"arn:aws:kinesis:EXAMPLE","region":"us-east-1",
        "records":[{"data":"SGVsbG8gV29ybGQ=","recordId":"r1","approximateArrivalTimestamp":1,
        "kinesisRecordMetadata":{"shardId":"shardId-000000000000","partitionKey":"4d1ad2b9",
        "approximateArrivalTimestamp":1357017300000,"sequenceNumber":"4954","subsequenceNumber":""}}]}"#;
    let (read, _) = taken(text);
    assert_eq!(texts(&read), [Some("4d1ad2b9")]);
    assert_eq!((read.bytes, read.times), (vec![11], vec![TIME]));
    assert_eq!(shards(text), ["shardId-000000000000"]);
}

#[test]
fn kcat_gives_keys_the_bytes_of_payloads_and_partitions() {
    let text = "{\"topic\":\"t\",\"partition\":3,\"offset\":9,\"tstype\":\"create\",\"ts\":1357017300000,\
                \"broker\":0,\"key\":\"k\",\"payload\":\"caf\\u00e9\"}\n\
                {\"topic\":\"t\",\"partition\":0,\"offset\":1,\"tstype\":\"create\",\"ts\":1357017300001,\
                \"broker\":0,\"key\":null,\"payload\":null}\n";
    let (read, guessed) = taken(text);
    assert_eq!(guessed, ["key", "payload", "ts", "partition"]);
    assert_eq!(texts(&read), [Some("k"), None]);
    assert_eq!((read.bytes, read.times), (vec![5, 0], vec![TIME, TIME + 1_000]));
    assert_eq!(shards(text), ["3", "0"]);
}

#[test]
fn an_export_of_dynamodb_is_read_through_the_types_of_its_attributes() {
    let text = "{\"Item\":{\"pk\":{\"S\":\"user-1\"},\"n\":{\"N\":\"12\"}}}\n\
                {\"Item\":{\"pk\":{\"B\":\"eA==\"},\"n\":{\"N\":\"7\"}}}\n\
                {\"Item\":{\"pk\":{\"N\":\"42\"}}}\n";
    let (found, guessed) = taken(text);
    assert_eq!(guessed, ["Item", "pk"]);
    assert_eq!(texts(&found), [Some("user-1"), Some("x"), Some("42")]);
    assert_eq!(found.bytes, [2 + 6 + 1 + 2, 2 + 1 + 1 + 2, 2 + 2]);
    let files = Files::new();
    let path = files.write("log.json", text);
    let columns = Columns { key: Some("n".to_owned()), ..Columns::default() };
    let numbers = read(&mut *open(&[path], &columns).unwrap());
    assert_eq!(texts(&numbers), [Some("12"), Some("7"), None]);
}

#[test]
fn an_incremental_export_of_dynamodb_has_times_and_deletions() {
    let text = "{\"Metadata\":{\"WriteTimestampMicros\":{\"N\":\"1357017300000000\"}},\"Keys\":{\"PK\":\
                {\"S\":\"a\"}},\"OldImage\":{\"PK\":{\"S\":\"a\"}},\"NewImage\":{\"PK\":{\"S\":\"a\"},\
                \"v\":{\"S\":\"1234\"}}}\n\
                {\"Metadata\":{\"WriteTimestampMicros\":{\"N\":\"1357017300000001\"}},\"Keys\":{\"PK\":\
                {\"S\":\"b\"}}}\n";
    let (read, guessed) = taken(text);
    assert_eq!(guessed, ["NewImage", "Metadata.WriteTimestampMicros", "PK"]);
    assert_eq!(texts(&read), [Some("a"), Some("b")]);
    assert_eq!((read.bytes, read.times), (vec![3 + 5, 3], vec![TIME, TIME + 1]));
}

#[test]
fn a_report_of_contributor_insights_is_a_list_of_weighted_keys() {
    let text = r#"{"KeyLabels":["$.requestParameters.key"],"AggregationStatistic":"Sum","AggregateValue":30.0,
        "ApproximateUniqueCount":2,"Contributors":[
        {"Keys":["user-1"],"ApproximateAggregateValue":20.0,"Datapoints":[]},
        {"Keys":["JP"],"ApproximateAggregateValue":10,"Datapoints":[{"Timestamp":1}]}]}"#;
    let (read, guessed) = taken(text);
    assert_eq!(guessed, ["Keys.0", "ApproximateAggregateValue"]);
    assert_eq!(texts(&read), [Some("user-1"), Some("JP")]);
    assert_eq!(read.weights, [20, 10]);
}

#[test]
fn logs_of_simple_log_service_have_times_in_seconds() {
    let text = "{\"__topic__\":\"t\",\"__source__\":\"10.0.0.1\",\"__time__\":1357017300,\"key\":\"d1\"}\n\
                {\"__topic__\":\"t\",\"__source__\":\"10.0.0.1\",\"__time__\":\"1357017301\",\"key\":\"d2\"}\n";
    let (read, guessed) = taken(text);
    assert_eq!(guessed, ["key", "__time__"]);
    assert_eq!(read.times, [TIME, TIME + 1_000_000]);
}
