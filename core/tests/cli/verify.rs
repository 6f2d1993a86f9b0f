//! `shardlane verify` in the shell.

use super::*;

/// The keys `order-0` and so on with their partitions by the Java client over 12.
fn topic() -> Folder {
    let folder = Folder::new();
    let line = |i: u32| format!("order-{i}\n");
    let keys = (0..500).map(line).collect::<Vec<_>>().concat();
    let folder = folder.with("keys.csv", &format!("key\n{keys}"));
    let routed = folder.run("route --kafka 12 keys.csv --key key");
    let log = routed.stdout.replacen("shard_id", "partition", 1);
    folder.with("log.csv", &log)
}

#[test]
fn a_log_that_agrees_is_said_to_and_one_that_does_not_exits_with_3() {
    let folder = topic();
    let done = folder.run("verify --kafka 12 log.csv --key key --shard partition");
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stdout.starts_with("Kafka topic of 12 partitions by java: 500 of 500 rows"));
    let done = folder.run("verify --kafka 12 --partitioner sarama:crc32 log.csv --key key");
    assert_eq!(done.code, 3, "{}", done.stderr);
    assert!(done.stdout.contains("type --kafka 12 --partitioner java"), "{}", done.stdout);
    let tolerant = "verify --kafka 12 --partitioner sarama:crc32 log.csv --key key --tolerance 1";
    assert_eq!(folder.run(tolerant).code, 0);
    let (found, _) = folder.report("verify --kafka 24 log.csv --key key");
    assert_eq!(found["causes"][0]["code"], "partition_count");
    assert_eq!(found["columns"]["shard"], "shard");
    assert_eq!(found["disagreements"].as_array().unwrap().len(), 10);
    let csv = folder.run("verify --kafka 24 log.csv --key key --format csv").stdout;
    assert!(csv.starts_with("observed,predicted,rows\n"), "{csv}");
}

#[test]
fn the_rule_of_a_log_is_inferred_without_a_map() {
    let folder = topic();
    let done = folder.run("verify --infer log.csv --key key");
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stdout.starts_with("Kafka topic of java over 12 partitions"), "{}", done.stdout);
    let (found, _) = folder.report("verify --infer log.csv --key key");
    assert_eq!(found["candidates"][0]["options"], "--kafka 12 --partitioner java");
    let line = |i: u32| format!("k{},{}\n", i % 30, i * i % 7);
    let random = (0..300).map(line).collect::<Vec<_>>().concat();
    let folder = folder.with("random.csv", &format!("key,shard\n{random}"));
    assert_eq!(folder.run("verify --infer random.csv").code, 3);
}

#[test]
fn a_replay_tells_how_well_the_logs_own_shards_agree() {
    let folder = topic();
    let (report, _) = folder.report("replay --kafka 12 log.csv --key key --shard partition");
    assert_eq!(report["input"]["agreement"]["share"], 1.0);
    assert_eq!(report["input"]["columns"]["shard"], "partition");
    let done = folder.run("replay --kafka 10 log.csv --key key");
    assert!(done.stdout.contains("shardlane verify tells why"), "{}", done.stdout);
}

#[test]
fn verify_needs_a_map_or_infer_and_not_both() {
    let folder = topic();
    folder.run("verify log.csv").failed(2, &["--infer"]);
    folder.run("verify --infer --kafka 12 log.csv").failed(2, &["--infer", "cannot be used with"]);
    folder.run("verify --kafka 12 keys.csv").failed(1, &["--shard COLUMN"]);
    folder
        .run("verify --infer log.csv --partitioner java")
        .failed(2, &["--infer", "cannot be used with", "--partitioner"]);
    folder.run("verify --dynamodb 12 log.csv").failed(1, &["simulated"]);
    folder.run("verify --kafka 12 log.csv --tolerance 2").failed(2, &["from 0 to 1"]);
    folder
        .run("verify --kafka 12 log.csv --shard x")
        .failed(1, &["its columns are: key, shard, partition", "--shard"]);
    folder.run("shards").failed(2, &["required"]);
}
