//! `replay`: verdicts, formats, limits and interruption.

use super::*;

#[test]
fn a_log_that_fits_exits_with_0() {
    let done = clicks().run(REPLAY);
    assert_eq!(
        (done.code, done.stderr.as_str()),
        (0, "note: clicks.csv is csv (if not, type --input-format NAME)\n")
    );
    assert!(
        done.stdout.starts_with("Kinesis stream of 4 shards: 6 records from 6 rows"),
        "{}",
        done.stdout
    );
    assert!(done.stdout.contains("Nothing throttles"), "{}", done.stdout);
}

#[test]
fn a_shard_over_its_limit_exits_with_3_in_every_format() {
    for format in ["text", "json", "csv"] {
        let done =
            clicks().run(&format!("{REPLAY} --limits records_per_second=1 --format {format}"));
        assert_eq!(done.code, 3, "{format}: {}", done.stderr);
        assert!(!done.stdout.is_empty(), "{format}");
    }
}

#[test]
fn json_has_the_promised_keys() {
    let (report, _) = clicks().report(&format!("{REPLAY} --limits records_per_second=1"));
    assert_eq!(report["system"], "kinesis");
    assert_eq!(report["input"]["records"], 6);
    assert_eq!(report["input"]["bytes"], 6 * 100);
    assert_eq!(report["input"]["first_time"], "2013-01-01T10:00:00Z");
    assert_eq!(report["input"]["columns"]["key"], "user_id");
    assert_eq!(report["shards"][2]["id"], "shardId-000000000002");
    assert_eq!(report["shards"][2]["throttled_records"], 1);
    assert_eq!(report["shards"][2]["first_throttle"], "2013-01-01T10:00:00Z");
    assert_eq!(report["shards"][2]["binding_limit"], "records_per_second");
    assert_eq!(report["hot_keys"][0]["key"], "order-1001");
    assert_eq!(report["projection"]["throttle_records_per_second"], 2.0);
    assert_eq!(report["limits"]["records_per_second"]["value"], 1);
    assert_eq!(report["window_seconds"], 1);
}

#[test]
fn limits_come_from_a_file_too() {
    let folder = clicks().with("limits.json", r#"{"records_per_second": 1}"#);
    assert_eq!(folder.run(&format!("{REPLAY} --limits limits.json")).code, 3);
    clicks().run(&format!("{REPLAY} --limits nowhere")).failed(1, &["nowhere"]);
    let folder = clicks().with("limits.json", r#"{"records_per_second": -1}"#);
    folder.run(&format!("{REPLAY} --limits limits.json")).failed(1, &["limits.json"]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_replay_reports_what_it_has_read() {
    let folder = Folder::new();
    let pipe = folder.path("log.csv");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let child = std::process::Command::new(assert_cmd::cargo::cargo_bin("shardlane"))
        .args(["replay", "--kinesis", "4", "--key", "key", "--threads", "1", "--format", "json"])
        .arg(&pipe)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Far more rows than one batch, so that one is counted while the pipe is still open.
    let mut log = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    writeln!(log, "key").unwrap();
    let rows = "user-1\n".repeat(1 << 16);
    log.write_all(rows.as_bytes()).unwrap();
    interrupt(child.id());
    for _ in 0..4_096 {
        // It stops after the batch at hand, and the pipe breaks.
        if log.write_all(rows.as_bytes()).is_err() {
            break;
        }
    }
    drop(log);
    let done = done(&child.wait_with_output().unwrap());
    assert_eq!(done.code, 130, "{}", done.stderr);
    let report: Value = serde_json::from_str(&done.stdout).unwrap();
    let counted = report["input"]["rows"].as_u64().unwrap();
    assert!(counted > 0 && counted < 4_096 << 16, "{counted}");
    assert!(done.stderr.contains("interrupted after"), "{}", done.stderr);
}

#[cfg(unix)]
fn interrupt(process: u32) {
    let sent = std::process::Command::new("kill").args(["-INT", &process.to_string()]).status();
    assert!(sent.unwrap().success());
}

/// Where the system refuses more threads, those that could be started do the work. Stacks of 64 MiB
/// in a gigabyte of memory leave room for a few.
#[cfg(target_os = "linux")]
#[test]
fn a_replay_goes_on_with_the_threads_that_it_gets() {
    let program = assert_cmd::cargo::cargo_bin("shardlane");
    let folder = clicks();
    let output = std::process::Command::new("sh")
        .current_dir(folder.0.path())
        .env("RUST_MIN_STACK", (64 << 20).to_string())
        .args(["-c", "ulimit -v 1000000; exec \"$0\" \"$@\""])
        .arg(program)
        .args(REPLAY.split(' '))
        .args(["--threads", "64", "--format", "json"])
        .output()
        .unwrap();
    let done = done(&output);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let report: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(report["input"]["records"], 6);
}
