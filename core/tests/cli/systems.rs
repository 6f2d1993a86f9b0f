//! Kafka, `DynamoDB` and Simple Log Service in the shell; `compare` and `skew`.

use super::*;

#[test]
fn every_system_routes_and_says_who_has_no_shard() {
    let folder = Folder::new().with("keys.csv", "key\norder-1001\n\"\"\n\nuser-1\n");
    let shards = |arguments: &str| {
        let done = folder.run(&format!("route {arguments} keys.csv --key key"));
        assert_eq!(done.code, 0, "{}", done.stderr);
        let of = |line: &str| line.split(',').nth(1).unwrap_or_default().to_owned();
        done.stdout.lines().skip(1).map(of).collect::<Vec<_>>()
    };
    assert_eq!(shards("--kafka 12"), ["6", "9", "", "8"]);
    assert_eq!(shards("--kafka 12 --partitioner confluent-kafka")[..3], ["9", "", ""]);
    assert_eq!(shards("--sls 4"), ["2", "3", "", "3"]);
    assert_eq!(shards("--dynamodb 4"), ["2", "", "", "3"]);
}

#[test]
fn a_serializer_and_a_salt_change_what_is_hashed() {
    let folder = Folder::new().with("keys.csv", "id,order\n1001,order-1001\n1001,b\n");
    let done = folder.run("route --kafka 12 keys.csv --key id --key-serializer long");
    // What is written is the number, not its eight bytes.
    let lines: Vec<_> = done.stdout.lines().collect();
    assert_eq!(lines, ["id,shard,shard_id", "1001,11,11", "1001,11,11"]);
    let (report, _) =
        folder.report("replay --kafka 12 keys.csv --key id --salt-by order --salt-buckets 8");
    assert_eq!(report["input"]["columns"]["salt"], "order");
    let keys: Vec<_> = (0..2).map(|i| report["hot_keys"][i]["key"].clone()).collect();
    assert!(keys.contains(&"1001#7".into()), "{keys:?}");
    folder
        .run("replay --kafka 12 keys.csv --key id --salt-by order")
        .failed(2, &["--salt-buckets"]);
}

#[test]
fn records_without_a_key_are_spread_as_an_estimate() {
    let folder = Folder::new().with("log.csv", "key,size\na,10\n,20\n,20\n");
    let (report, _) = folder.report("replay --kafka 2 log.csv --key key");
    assert_eq!(report["input"]["unassigned"], 2);
    assert_eq!(report["input"]["unassigned_bytes"], 40);
    assert_eq!(report["shards"][1]["spread_records_estimate"], 1);
    assert_eq!(report["shards"][0]["headroom"], Value::Null);
    assert_eq!(report["map"]["partitioner"], "java");
    let done = folder.run("replay --kafka 2 log.csv --key key --html report.html");
    assert_eq!(done.code, 0, "{}", done.stderr);
    let page = fs::read_to_string(folder.path("report.html")).unwrap();
    assert!(page.contains("spread records, about"), "{page}");
    let done = folder.run("replay --kafka 2 log.csv --key key --limits records_per_second=9");
    assert!(done.stdout.contains("an estimate"), "{}", done.stdout);
}

#[test]
fn requests_are_counted_in_units() {
    let folder =
        Folder::new().with("log.csv", "key,size,op\na,5000,GetItem\na,1500,PutItem\na,1,scan-it\n");
    let (report, _) = folder.report("replay --dynamodb 1 log.csv --key key --operation-column op");
    assert_eq!(report["shards"][0]["read_units"], 2.0);
    assert_eq!(report["shards"][0]["write_units"], 2.0);
    assert_eq!(report["input"]["rejected"]["unknown_operation"], 1);
    assert_eq!(report["unit_rule"], "independent");
    folder.run("replay --kafka 1 log.csv --operation write").failed(2, &["only DynamoDB"]);
    // An item's size has the key in it.
    assert_eq!(report["shards"][0]["bytes"], 6500);
    folder
        .run("replay --dynamodb 1 log.csv --limits bytes_per_second=1")
        .failed(2, &["read_units_per_second"]);
}

#[test]
fn compare_tells_what_moves_and_what_theory_says() {
    let keys: Vec<_> = (0..1000).map(|i| format!("order-{i}")).collect();
    let folder = Folder::new().with("keys.csv", &format!("key\n{}\n", keys.join("\n")));
    let found = |arguments: &str| -> Value {
        let done = folder.run(&format!("compare {arguments} keys.csv --format json"));
        assert_eq!(done.code, 0, "{}", done.stderr);
        serde_json::from_str(&done.stdout).unwrap()
    };
    let grown = found("--kafka 6 --grow 12");
    assert_eq!((&grown["theory"], &grown["keys"]["all"]), (&0.5.into(), &1000.into()));
    assert_eq!(found("--kafka 6 --to-partitioner rdkafka:consistent")["records"]["all"], 1000);
    let split = found("--kinesis 4 --split 3@exact-half --merge 0");
    assert_eq!(split["theory"], 0.75);
    let flows = split["flows"].as_array().unwrap();
    assert_eq!(flows.len(), 4);
    // The numbers of simulated partitions mean nothing: half of each stays.
    assert_eq!(found("--dynamodb 8 --to-partitions 16")["theory"], 0.5);

    // A time column plays no part, whatever its numbers mean.
    let log = Folder::new().with("log.csv", "key,ts,size\na,1,10\nb,2,20\n");
    let done = log.run("compare --kafka 1 --grow 2 log.csv");
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert_eq!(log.run("skew log.csv --key key").code, 0);

    let refused = |arguments: &str, code, words: &[&str]| {
        folder.run(&format!("compare {arguments} keys.csv")).failed(code, words);
    };
    refused("--kafka 6", 2, &["both maps are the same", "--grow N"]);
    refused("--kafka 6 --grow 3", 1, &["cannot shrink"]);
    refused("--kafka 6 --grow 6", 1, &["6 partitions already"]);
    refused("--kafka 6 --resize 3", 1, &["type grow"]);
    refused("--kinesis 6 --resize 13", 1, &["at most 12"]);
    refused("--kinesis 6 --split 9", 1, &["there is no shard \"9\""]);
    refused("--kinesis 6 --split 0@x", 2, &["no hash value after the @"]);
    refused("--kinesis 6 --to-partitioner java", 2, &["only Kafka"]);
    refused("--kafka 6 --to-seed 3", 2, &["only simulated"]);
    let csv = folder.run("compare --kafka 1 --grow 2 keys.csv --format csv");
    assert_eq!(csv.stdout.lines().next(), Some("from,to,keys,records,bytes"));
}

#[test]
fn skew_tells_the_fullest_of_any_number_of_places() {
    let folder = Folder::new().with("keys.csv", "key,n\nhot,50\na,25\nb,25\n");
    let done = folder.run("skew keys.csv --places 1,1024 --seeds 50 --format json");
    let found: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(found["records"], 100);
    assert_eq!((&found["floor"], &found["top_key"]), (&0.5.into(), &"hot".into()));
    assert_eq!(found["fullest"][0]["median"], 1.0);
    assert_eq!(found["fullest"][1]["median"], 0.5);
    let text = folder.run("skew keys.csv").stdout;
    assert!(text.contains("hot, has 50.00% of all records"), "{text}");
    folder.run("skew keys.csv --places 0").failed(2, &["whole number from 1"]);
    folder.run("skew keys.csv --seeds 0").failed(2, &["--seeds"]);
    folder.run("skew keys.csv --places -1").failed(2, &["whole number from 1"]);
}

#[test]
fn maps_of_every_system_are_printed() {
    let folder = Folder::new();
    let text = |arguments: &str| folder.run(&format!("shards {arguments}")).stdout;
    assert!(text("--kafka 3 --partitioner sarama:hash").contains("partitioner sarama:hash"));
    assert!(text("--dynamodb 3 --seed 7").contains("simulated with seed 7"));
    let sls = text("--sls 2 --buckets 64");
    assert!(sls.contains("64 buckets") && sls.contains(&format!("8{}", "0".repeat(31))), "{sls}");
    assert!(text("--kinesis 2 --capacity-mode on-demand").contains("on-demand"));
    let json: Value = serde_json::from_str(&text("--kafka 2 --format json")).unwrap();
    assert_eq!(json["shards"][1]["id"], "1");
    assert_eq!(json["shards"][1]["start"], Value::Null);
    folder.run("shards --kafka 3 --seed 1").failed(2, &["cannot be used with"]);
    folder.run("shards --sls 3 --buckets 3").failed(2, &["power of two"]);
    folder.run("shards --kafka 3 --partitioner md5").failed(2, &["there is no partitioner"]);
}

#[test]
fn a_logstore_is_read_from_its_list() {
    let list = r#"{"shards": [
        {"shardID": 4, "status": "readwrite", "inclusiveBeginKey": "00000000000000000000000000000000",
         "exclusiveEndKey": "80000000000000000000000000000000"},
        {"shardID": 5, "status": "readwrite", "inclusiveBeginKey": "80000000000000000000000000000000",
         "exclusiveEndKey": "ffffffffffffffffffffffffffffffff"},
        {"shardID": 0, "status": "readonly", "inclusiveBeginKey": "00000000000000000000000000000000",
         "exclusiveEndKey": "ffffffffffffffffffffffffffffffff"}]}"#;
    let folder = Folder::new().with("map.json", list).with("log.csv", "key,hash\n,5F\n,8c\n,\n");
    let done = folder.run("route --sls-shards map.json log.csv --key key --explicit-hash-key hash");
    assert_eq!(done.code, 0, "{}", done.stderr);
    let lines: Vec<_> = done.stdout.lines().skip(1).collect();
    assert_eq!(lines, [",0,4", ",1,5", ",,"]);
    assert!(done.stderr.contains("1 closed shards"), "{}", done.stderr);
    // A write that names a hash value has a shard and no key, so it is no hot key's.
    let (report, _) =
        folder.report("replay --sls-shards map.json log.csv --key key --explicit-hash-key hash");
    assert_eq!(
        (&report["input"]["records"], &report["input"]["unassigned"]),
        (&2.into(), &1.into())
    );
    assert_eq!(report["hot_keys"].as_array().map(Vec::len), Some(0));
    folder.run(
        "replay --sls-shards map.json log.csv --key key --explicit-hash-key hash --html page.html",
    );
    // One record is enough to be told of.
    assert!(
        fs::read_to_string(folder.path("page.html")).unwrap().contains("spread records, about")
    );
    folder.run("shards --sls-shards nothing.json").failed(1, &["aliyunlog"]);
}

#[test]
fn a_map_is_printed_as_it_becomes_and_in_the_order_of_reading() {
    let folder = Folder::new();
    let done = folder.run("shards --kinesis 2 --merge 0 --drain-order");
    let last = "shardId-000000000002 after shardId-000000000000 and shardId-000000000001";
    assert_eq!(done.stdout.lines().nth(2), Some(last));
    let done = folder.run("shards --kinesis 2 --split 1@exact-half --format csv");
    assert_eq!(done.stdout.lines().count(), 5);
    let json = folder.run("shards --kinesis 2 --merge 0 --drain-order --format json").stdout;
    let order: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(order[2]["depth"], 1);
}

#[test]
fn an_on_demand_stream_has_a_limit_of_its_own() {
    let rows: Vec<_> = (0..4_500).map(|i| format!("user-{i},2013-01-01T10:00:00Z")).collect();
    let folder = Folder::new().with("log.csv", &format!("key,ts\n{}\n", rows.join("\n")));
    let (report, done) =
        folder.report("replay --kinesis 16 --capacity-mode on-demand log.csv --key key");
    assert_eq!(done.code, 3, "{}", done.stderr);
    assert_eq!(report["projection"]["stream"]["throttled_records"], 500);
    assert!(report["shards"].as_array().unwrap().iter().all(|s| s["throttled_records"] == 0));
    let (report, done) = folder.report(
        "replay --kinesis 16 --capacity-mode on-demand log.csv --key key --limits \
         stream_records_per_second=9000",
    );
    assert_eq!((done.code, &report["projection"]["headroom"]), (0, &2.0.into()));
}

#[test]
fn a_log_with_nothing_to_count_is_an_error_of_every_command_that_counts() {
    let folder = Folder::new()
        .with("empty.csv", "key,n\n")
        .with("broken.csv", "key,n\na\nb\n")
        .with("nulls.csv", "key,n\n,1\n,2\n");
    for command in ["compare --kinesis 2 --resize 4", "skew"] {
        let run = |file: &str| folder.run(&format!("{command} {file} --key key"));
        run("empty.csv").failed(1, &["the input has no rows"]);
        run("broken.csv").failed(1, &["no row of the log could be used (2 were rejected)"]);
        run("nulls.csv").failed(1, &["no row of the log could be used (2 were rejected)"]);
    }
}
