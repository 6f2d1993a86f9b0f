//! Models, scales, retries, readers and doubtful times, as they are typed.

use super::*;

const ONE: &str = "replay --kinesis 1 log.csv --key key --time ts --weight n --time-unit ms";

/// A thousand records of ten bytes at 0.9 and at 1.1 seconds.
fn t18() -> Folder {
    Folder::new().with("log.csv", "key,ts,n\n0123456789,900,1000\n0123456789,1100,1000\n")
}

#[test]
fn two_models_give_two_answers_to_t18() {
    let folder = t18();
    let throttled = |options: &str| {
        let (report, done) = folder.report(&format!("{ONE} {options}"));
        let shard = &report["shards"][0];
        assert_eq!(done.code, if shard["throttled_records"] == 0 { 0 } else { 3 });
        (report["window_seconds"].clone(), shard["throttled_records"].clone())
    };
    assert_eq!(throttled(""), (1.into(), 0.into()));
    assert_eq!(throttled("--model token-bucket"), (0.1.into(), 800.into()));
    assert_eq!(throttled("--model token-bucket --window 1s"), (1.into(), 0.into()));
    assert_eq!(throttled("--model token-bucket:records_burst=1500").1, 300);
    assert_eq!(throttled("--window 250ms").1, 1500);
    let (report, _) = folder.report(&format!("{ONE} --model token-bucket"));
    assert_eq!(report["model"], "token-bucket");
    assert_eq!(report["model_parameters"]["bytes_burst"], 10_485_760);
    assert_eq!(report["shards"][0]["first_throttle"], "1970-01-01T00:00:01.100Z");
    let text = folder.run(&format!("{ONE} --model token-bucket")).stdout.replace('\n', " ");
    let said = "under the model token-bucket (records_burst 1,000, bytes_burst 10,485,760) with \
                windows of 0.1 s";
    assert!(text.contains(said), "{text}");
}

#[test]
fn more_of_the_same_traffic_is_said_to_be_that() {
    let folder = t18();
    let (report, done) = folder.report(&format!("{ONE} --scale 1.5"));
    assert_eq!((done.code, &report["scale"]), (3, &1.5.into()));
    let shard = &report["shards"][0];
    assert_eq!((&shard["throttled_records"], &shard["records"]), (&1000.into(), &2000.into()));
    let text = folder.run(&format!("{ONE} --scale 1.5")).stdout;
    assert!(text.contains("At 1.5 times the log's traffic, shardId-000000000000"), "{text}");
    assert!(text.contains("1,000 of 3,000 records (33.3%) are over a limit"), "{text}");
    folder.run(&format!("{ONE} --scale 0")).failed(2, &["from 0.000001 to 1000000"]);
}

#[test]
fn what_is_retried_tells_how_long_it_waits() {
    let folder = Folder::new().with("log.csv", "key,ts,n\na,0,2500\na,9000,1\n");
    let (report, _) = folder.report(&format!("{ONE} --retry"));
    let shard = &report["shards"][0];
    assert_eq!(shard["max_backlog_records"], 1500);
    assert_eq!(shard["max_backlog_bytes"], 1500);
    assert_eq!(shard["max_delay_seconds"], 2.0);
    assert_eq!(shard["backlog_drained"], "1970-01-01T00:00:02Z");
    assert_eq!(shard["backlog_at_end"], 0);
    assert_eq!(folder.report(ONE).0["shards"][0].get("max_delay_seconds"), None);
    let text = folder.run(&format!("{ONE} --retry")).stdout;
    assert!(text.contains("wait longest: 2 s, 1,500 records at once at most"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let csv = folder.run(&format!("{ONE} --retry --format csv")).stdout;
    assert!(csv.lines().next().unwrap().ends_with("backlog_drained,backlog_at_end"), "{csv}");
}

#[test]
fn readers_tell_how_far_they_fall_behind() {
    let rows: Vec<_> = (0..300).map(|second| format!("a,{},1,1048575", second * 1000)).collect();
    let folder = Folder::new().with("log.csv", &format!("key,ts,n,size\n{}\n", rows.join("\n")));
    let (report, _) = folder.report(&format!("{ONE} --consumers 3"));
    let shard = &report["shards"][0];
    assert_eq!(
        (&shard["reads_throttled"], &shard["refused_calls_per_second"]),
        (&true.into(), &0.0.into())
    );
    assert!(shard["max_lag_records"].as_u64().unwrap() > 90, "{shard}");
    assert_eq!(report["limits"]["reads_per_second"]["value"], 5);
    assert_eq!(report["reads"]["consumers"], 3);
    let (report, _) = folder.report(&format!("{ONE} --consumers 3 --fan-out"));
    assert_eq!(report["shards"][0]["max_lag_records"], 0);
    let (report, _) =
        folder.report(&format!("{ONE} --consumers 3 --limits read_bytes_per_second=4000000"));
    assert_eq!(report["shards"][0]["reads_throttled"], false);
    let kafka = ONE.replace("--kinesis 1", "--kafka 1");
    let (report, done) = folder.report(&format!("{kafka} --consumer-rate bytes_per_second=524288"));
    assert_eq!((done.code, &report["shards"][0]["max_lag_records"]), (0, &150.into()));
    let text = folder.run(&format!("{kafka} --consumer-rate bytes_per_second=524288")).stdout;
    assert!(
        text.contains("A consumer of this rate: on partition 0, readers fall behind"),
        "{text}"
    );
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    folder
        .run(&format!("{kafka} --consumers 3"))
        .failed(1, &["only a Kinesis shard", "--consumer-rate"]);
    folder.run(&format!("{ONE} --polls-per-second 3")).failed(2, &["--consumers"]);
}

#[test]
fn the_unit_of_times_is_found_by_their_size_and_a_wrong_one_is_noticed() {
    let folder = Folder::new().with("log.csv", "key,ts,n\na,1357017300000,1\na,1357017301000,1\n");
    let untold = ONE.replace(" --time-unit ms", "");
    let (report, _) = folder.report(&untold);
    assert_eq!(report["input"]["first_time"], "2013-01-01T05:15:00Z");
    assert_eq!(report["input"]["times"]["unit"], "ms");
    assert_eq!(report["input"]["times"]["unit_is_guess"], true);
    let text = folder.run(&untold).stdout;
    assert!(text.contains("is taken to be ms by their size"), "{text}");
    let wrong = folder.run(&format!("{untold} --time-unit s"));
    assert!(wrong.stdout.contains("was read as s, but looks like ms: is it?"), "{}", wrong.stdout);
    folder
        .run(&format!("{untold} --time-unit s --strict"))
        .failed(1, &["1357017300000 looks like one in ms: type --time-unit ms", "--strict"]);
}

#[test]
fn times_with_and_without_a_zone_in_one_log_are_noticed() {
    let log = "key,ts,n\na,2013-01-01T05:15:00+01:00,1\na,2013-01-01 05:15:00,1\n";
    let folder = Folder::new().with("log.csv", log);
    let (report, _) = folder.report(ONE);
    assert_eq!(report["input"]["times"]["with_zone"], 1);
    assert_eq!(report["input"]["times"]["without_zone"], 1);
    let text = folder.run(ONE).stdout;
    assert!(text.contains("1 time with a zone and 1 time without one"), "{text}");
}

#[test]
fn a_table_that_has_rested_takes_more_than_its_capacity_for_a_while() {
    let rows: Vec<_> = (0..1000).map(|second| format!("hot,{},200", second * 1000)).collect();
    let folder = Folder::new().with("log.csv", &format!("key,ts,n\n{}\n", rows.join("\n")));
    let table = ONE.replace("--kinesis 1", "--dynamodb 2");
    let limits = "--limits table_read_units_per_second=150 --window 1s";
    let (report, done) = folder.report(&format!("{table} --model token-bucket {limits}"));
    assert_eq!(done.code, 3);
    let stream = &report["projection"]["stream"];
    assert_eq!(stream["first_throttle"], "1970-01-01T00:15:00Z");
    assert_eq!(report["model_parameters"]["table_burst_seconds"], 300);
}
