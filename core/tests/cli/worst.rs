//! When it was worst, and because of which keys.

use super::*;
use std::collections::BTreeMap;

/// A shard takes two records a second.
const TWO: &str = "replay --kinesis 4 log.csv --key key --time ts --limits records_per_second=2";

/// A log in which the shard of order-1001 is over its limit in two seconds of ten minutes, each time
/// because of another key: the other keys of that shard are as many, but in other seconds.
fn log() -> String {
    let mut rows = vec!["key,size,ts".to_owned()];
    let mut row = |key: &str, size: i64, second: i64| {
        rows.push(format!("{key},{size},2013-01-01T10:{:02}:{:02}Z", second / 60, second % 60));
    };
    for second in 0..600 {
        row("order-1001", 10, second);
        row("user-1", 10, second);
    }
    for _ in 0..5 {
        row("order-1001", 10, 100);
    }
    for at in 0..3 {
        row("order-1001-b", 10, 200 + at);
    }
    rows.join("\n") + "\n"
}

fn shard_of(key: &str) -> u64 {
    let map = shardlane::ShardMap::kinesis(4, shardlane::EvenRule::FixedStep).unwrap();
    let router = shardlane::Router::new(map);
    router.shard_of(Some(key.as_bytes()), None).unwrap().unwrap().into()
}

#[test]
fn the_keys_of_throttled_windows_are_found_by_a_second_reading() {
    let folder = Folder::new().with("log.csv", &log());
    let (report, done) = folder.report(TWO);
    assert_eq!(done.code, 3, "{}", done.stderr);
    let found = &report["throttled_keys"];
    assert_eq!(found["second_reading"], "done");
    let shard = &found["shards"][0];
    assert_eq!(shard["index"], shard_of("order-1001"));
    assert_eq!(shard["throttled_records"], report["shards"][2]["throttled_records"]);
    assert_eq!(shard["keys"][0]["key"], "order-1001");
    assert_eq!(shard["keys"][0]["records"], 6, "those of the second that throttled only");
    assert_eq!(shard["keys"][0]["share"], 1.0);
    let text = folder.run(TWO).stdout;
    assert!(
        text.contains("While shardId-000000000002 was over its limit, 100.0% of its"),
        "{text}"
    );
    assert!(text.contains("Keys that filled the shards while they were over a limit"), "{text}");
}

#[test]
fn a_log_that_can_be_read_once_or_is_to_be_read_once_says_so() {
    let folder = Folder::new().with("log.csv", &log());
    let done = folder.run_with(&TWO.replace("log.csv", "-"), &log());
    assert!(done.stdout.contains("give the name of a file"), "{}", done.stdout);
    let (report, _) = folder.report(&format!("{TWO} --read-once"));
    assert_eq!(report["throttled_keys"]["second_reading"], "turned_off");
    assert_eq!(report["throttled_keys"]["shards"][0]["keys"].as_array().unwrap().len(), 0);
    assert_eq!(report["throttled_keys"]["shards"][0]["throttled_records"], 4);
    let (report, _) = folder.report(&TWO.replace("second=2", "second=100"));
    assert_eq!(report["throttled_keys"]["second_reading"], "not_needed");
}

#[test]
fn a_limit_of_bytes_ranks_the_keys_of_throttled_windows_by_bytes() {
    let mut log = "key,size,ts\n".to_owned();
    for _ in 0..5 {
        log.push_str("order-1001,10,2013-01-01T10:00:00Z\n");
    }
    let large = (0..1_000)
        .map(|i| format!("large-{i}"))
        .find(|key| shard_of(key) == shard_of("order-1001"))
        .unwrap();
    log.extend([format!("{large},9000,2013-01-01T10:00:00Z\n")]);
    let folder = Folder::new().with("log.csv", &log);
    let (report, _) = folder.report(&format!(
        "{} --bytes size",
        TWO.replace("records_per_second=2", "bytes_per_second=1000")
    ));
    let shard = &report["throttled_keys"]["shards"][0];
    assert_eq!(shard["binding_limit"], "bytes_per_second");
    assert_eq!(shard["keys"][0]["key"], large.as_str());
    assert!(shard["keys"][0]["share"].as_f64().unwrap() > 0.95, "{shard}");
}

#[test]
fn the_second_reading_is_the_same_on_any_number_of_threads() {
    let mut log = "key,ts\n".to_owned();
    for i in 0..200_000_u64 {
        // A few keys that are hot in turn among many that are not.
        let key = if i % 3 == 0 { i / 40_000 } else { 10 + i * 2_654_435_761 % 9_973 };
        log.extend([format!("k-{key},{}\n", 1_356_998_400 + i / 200)]);
    }
    let folder = Folder::new().with("log.csv", &log);
    let run = |threads: usize| {
        let command = TWO.replace("records_per_second=2", "records_per_second=40");
        folder.report(&format!("{command} --time-unit s --threads {threads}")).0
    };
    let one = run(1);
    assert_eq!(one["throttled_keys"]["second_reading"], "done");
    for threads in [2, 3, 7] {
        assert_eq!(run(threads)["throttled_keys"], one["throttled_keys"], "{threads} threads");
    }
    // The same by hand: rows of each key in the windows that the table of throttles names.
    let throttles = folder
        .run(&format!(
            "{} --time-unit s --format csv --table throttles",
            TWO.replace("records_per_second=2", "records_per_second=40")
        ))
        .stdout;
    let windows: std::collections::BTreeSet<(String, u64)> = throttles
        .lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<_> = line.split(',').collect();
            (fields[0].to_owned(), fields[1].parse().unwrap())
        })
        .collect();
    let mut counts: BTreeMap<(u64, String), u64> = BTreeMap::new();
    for line in log.lines().skip(1) {
        let (key, second) = line.split_once(',').unwrap();
        let second: i64 = second.parse().unwrap();
        let minute = (second - 1_356_998_400) / 60;
        let time = format!("2013-01-01T00:{minute:02}:{:02}Z", second % 60);
        let shard = shard_of_cached(key);
        if windows.contains(&(time, shard)) {
            *counts.entry((shard, key.to_owned())).or_default() += 1;
        }
    }
    for shard in one["throttled_keys"]["shards"].as_array().unwrap() {
        for key in shard["keys"].as_array().unwrap() {
            let place = (shard["index"].as_u64().unwrap(), key["key"].as_str().unwrap().to_owned());
            assert_eq!(key["records"].as_u64(), counts.get(&place).copied(), "{place:?}");
        }
    }
}

/// The shard of a key, by a router that is made once.
fn shard_of_cached(key: &str) -> u64 {
    use std::sync::OnceLock;
    static ROUTER: OnceLock<shardlane::Router> = OnceLock::new();
    let router = ROUTER.get_or_init(|| {
        let map = shardlane::ShardMap::kinesis(4, shardlane::EvenRule::FixedStep).unwrap();
        shardlane::Router::new(map)
    });
    router.shard_of(Some(key.as_bytes()), None).unwrap().unwrap().into()
}

#[test]
fn the_worst_minutes_come_first_and_as_many_as_asked_for() {
    let folder = Folder::new().with("log.csv", &log());
    let (report, _) = folder.report(TWO);
    let minutes = report["timeline"].as_array().unwrap();
    assert_eq!(minutes.len(), 5);
    assert_eq!(minutes[0]["start"], "2013-01-01T10:01:00Z");
    assert_eq!(minutes[0]["throttled_records"], 4);
    let worst = &minutes[0]["shards"][0];
    assert_eq!((&worst["index"], &worst["peak_load"]), (&2.into(), &3.0.into()));
    let window = worst["windows"].as_array().unwrap().iter().max_by_key(|w| w["records"].as_u64());
    assert_eq!(window.unwrap()["window_start"], "2013-01-01T10:01:40Z");
    let (report, _) = folder.report(&format!("{TWO} --worst-minutes 0"));
    assert_eq!(report["timeline"].as_array().unwrap().len(), 0);
    let text = folder.run(TWO).stdout;
    assert!(text.contains("Worst minute: how full each shard was"), "{text}");
    assert!(text.contains('▄') && text.contains('█'), "{text}");
    let wide = text.lines().filter(|line| line.chars().count() > 100).count();
    assert_eq!(wide, 0, "{text}");
}

#[test]
fn every_table_is_to_be_had_as_csv() {
    let folder = Folder::new().with("log.csv", &log());
    let table = |name: &str| {
        let done = folder.run(&format!("{TWO} --format csv --table {name}"));
        assert_eq!(done.code, 3, "{}", done.stderr);
        done.stdout
    };
    assert_eq!(table("shards"), folder.run(&format!("{TWO} --format csv")).stdout);
    let timeline = table("timeline");
    assert_eq!(
        timeline.lines().next().unwrap(),
        "window_start,shard,id,records,bytes,load,throttled_records,binding_limit"
    );
    assert!(timeline.contains("\n2013-01-01T10:01:40Z,2,shardId-000000000002,6,"), "{timeline}");
    let records = timeline.lines().skip(1).map(|line| line.split(',').nth(3).unwrap());
    assert_eq!(records.map(|text| text.parse::<u64>().unwrap()).sum::<u64>(), 1_208);
    let throttles = table("throttles");
    assert_eq!(throttles.lines().count(), 2, "{throttles}");
    assert!(table("hot-keys").contains("\norder-1001,,605,"), "{}", table("hot-keys"));
    assert!(
        table("throttled-keys").contains("\n2,shardId-000000000002,order-1001,,6,"),
        "{}",
        table("throttled-keys")
    );
    folder.run(&format!("{TWO} --table timeline")).failed(2, &["--format csv"]);
}

#[test]
fn capacity_units_have_a_timeline_too() {
    let log = "key,ts\na,2013-01-01T10:00:00Z\na,2013-01-01T10:00:00Z\n";
    let folder = Folder::new().with("log.csv", log);
    let (report, done) = folder.report(
        "replay --dynamodb 2 log.csv --key key --time ts --operation write \
         --limits write_units_per_second=1",
    );
    assert_eq!(done.code, 3, "{}", done.stderr);
    let minute = &report["timeline"][0];
    assert_eq!(minute["peak_load"], 2.0, "{minute}");
    assert_eq!(minute["shards"][0]["binding_limit"], "write_units_per_second");
    assert_eq!(report["throttled_keys"]["shards"][0]["keys"][0]["key"], "a");
}
