//! `route`: rows, and what it says of them.

use super::*;

#[test]
fn rows_are_written_with_their_shards() {
    let folder = clicks();
    let done = folder.run("route --kinesis 4 clicks.csv --key user_id -q");
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
    let lines: Vec<_> = done.stdout.lines().collect();
    assert_eq!(lines.len(), 7);
    assert_eq!(lines[0], "user_id,shard,shard_id");
    assert_eq!(lines[1], "order-1001,2,shardId-000000000002");
    assert_eq!(lines[5], "日本,1,shardId-000000000001");

    let done = folder.run("route --kinesis 4 clicks.csv --key user_id -o out.ndjson");
    assert_eq!((done.code, done.stdout.as_str()), (0, ""));
    let rows = fs::read_to_string(folder.path("out.ndjson")).unwrap();
    let row: Value = serde_json::from_str(rows.lines().nth(2).unwrap()).unwrap();
    assert_eq!(
        row,
        serde_json::json!({"user_id": "JP", "shard": 0, "shard_id": "shardId-000000000000"})
    );

    // Parquet is read back by the command itself: the shard column becomes the key.
    let done = folder.run("route --kinesis 4 clicks.csv --key user_id -o out.parquet");
    assert_eq!(done.code, 0, "{}", done.stderr);
    let (report, _) = folder.report("replay --kinesis 1 out.parquet --key shard_id");
    assert_eq!(report["hot_keys"][0]["key"], "shardId-000000000002");
    assert_eq!(report["hot_keys"][0]["records"], 3);
}

#[test]
fn a_row_without_a_shard_is_written_empty_and_told_of() {
    let long = "k".repeat(257);
    let folder = Folder::new().with("keys.csv", &format!("key\na\n{long}\nb\n"));
    let done = folder.run("route --kinesis 4 keys.csv --key key");
    assert_eq!(done.code, 0);
    assert_eq!(done.stdout.lines().nth(2), Some(&*format!("{long},,")));
    assert!(done.stderr.contains("1 of 3 rows"), "{}", done.stderr);
    assert_eq!(folder.run("route --kinesis 4 keys.csv --key key -q").stderr, "");
    let strict = folder.run("route --kinesis 4 keys.csv --key key --strict");
    assert_eq!(strict.code, 1);
    assert!(strict.stderr.contains("first such row: 2"), "{}", strict.stderr);
    let strict = folder.run("replay --kinesis 4 keys.csv --key key --strict");
    strict.failed(1, &["--strict"]);
}

#[test]
fn a_guessed_explicit_hash_key_is_said() {
    let folder = Folder::new().with("keys.csv", "key,explicit_hash_key\na,0\n");
    let done = folder.run("route --kinesis 4 keys.csv --key key");
    assert!(done.stderr.contains("explicit hash key explicit_hash_key"), "{}", done.stderr);
}

#[test]
fn columns_that_routing_does_not_need_are_left_alone() {
    // A time of no stated unit, and a size that only one file has.
    let folder =
        Folder::new().with("one.csv", "key,ts,size\na,1,2\n").with("other.csv", "key,ts\nb,2\n");
    let done = folder.run("route --kinesis 4 one.csv other.csv --key key -q");
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
    assert_eq!(done.stdout.lines().count(), 3);
}
