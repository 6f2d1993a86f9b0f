//! The `shardlane` command as a shell sees it: output, exit codes, and what it says of bad input.

#![cfg(feature = "cli")]

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Output, Stdio};
use tempfile::TempDir;

/// A folder with the files that the tests read.
struct Folder(TempDir);

/// What came of a command.
struct Done {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn with(self, name: &str, content: &str) -> Self {
        fs::write(self.path(name), content).unwrap();
        self
    }

    /// Runs the command in the folder.
    fn run(&self, arguments: &str) -> Done {
        self.run_with(arguments, "")
    }

    fn run_with(&self, arguments: &str, stdin: &str) -> Done {
        let output = Command::cargo_bin("shardlane")
            .unwrap()
            .current_dir(self.0.path())
            .args(arguments.split_whitespace())
            .write_stdin(stdin)
            .output()
            .unwrap();
        done(&output)
    }
}

fn done(output: &Output) -> Done {
    Done {
        code: output.status.code().expect("it was not ended by a signal"),
        stdout: String::from_utf8(output.stdout.clone()).unwrap(),
        stderr: String::from_utf8(output.stderr.clone()).unwrap(),
    }
}

impl Done {
    /// Checks that it failed with `code`, printed no result, and said each of `words`.
    fn failed(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "{}", self.stderr);
        assert_eq!(self.stdout, "");
        for word in words {
            assert!(self.stderr.contains(word), "no {word:?} in:\n{}", self.stderr);
        }
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
    }
}

/// Six records of five keys; on four shards, in one second, two go to shard 2.
const CLICKS: &str = "\
user_id,size,ts
order-1001,90,2013-01-01T10:00:00Z
order-1001,90,2013-01-01T10:00:00Z
JP,98,2013-01-01T10:00:00Z
user-1,94,2013-01-01T10:00:01Z
日本,94,2013-01-01T10:00:01Z
order-1001,90,2013-01-01T10:00:02Z
";

const REPLAY: &str = "replay --kinesis 4 clicks.csv --key user_id --bytes size --time ts";

fn clicks() -> Folder {
    Folder::new().with("clicks.csv", CLICKS)
}

/// The JSON of `ListShards` with shards of these ranges.
fn list_shards(ranges: &[(&str, &str)]) -> String {
    let shards: Vec<_> = ranges
        .iter()
        .enumerate()
        .map(|(i, (start, end))| {
            serde_json::json!({
                "ShardId": format!("shardId-{i:012}"),
                "HashKeyRange": {"StartingHashKey": start, "EndingHashKey": end},
                "SequenceNumberRange": {"StartingSequenceNumber": "49"},
            })
        })
        .collect();
    serde_json::json!({ "Shards": shards }).to_string()
}

const MIDDLE: &str = "170141183460469231731687303715884105727";
const ABOVE: &str = "170141183460469231731687303715884105728";
const TOP: &str = "340282366920938463463374607431768211455";

#[test]
fn a_log_that_fits_exits_with_0() {
    let done = clicks().run(REPLAY);
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
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
    let done = clicks().run(&format!("{REPLAY} --limits records_per_second=1 --format json"));
    let report: Value = serde_json::from_str(&done.stdout).unwrap();
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
fn output_goes_to_the_files_named() {
    let folder = clicks();
    let done = folder.run(&format!("{REPLAY} --format csv -o out.csv --html out.html"));
    assert_eq!((done.code, done.stdout.as_str()), (0, ""), "{}", done.stderr);
    let table = fs::read_to_string(folder.path("out.csv")).unwrap();
    assert_eq!(table.lines().count(), 5);
    assert!(table.starts_with("index,id,records,bytes,share,"));
    let page = fs::read_to_string(folder.path("out.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("order-1001"));
}

#[test]
fn no_output_overwrites_an_input() {
    let folder = clicks();
    for arguments in ["-o clicks.csv", "--html ./clicks.csv", "-o new --html new"] {
        folder.run(&format!("{REPLAY} {arguments}")).failed(2, &["would overwrite"]);
    }
    folder
        .run("route --kinesis 4 clicks.csv --key user_id -o clicks.csv")
        .failed(2, &["clicks.csv"]);
    assert_eq!(fs::read_to_string(folder.path("clicks.csv")).unwrap(), CLICKS);
}

#[test]
fn standard_input_can_be_the_log_or_the_map_but_not_both() {
    let folder = clicks().with("map.json", &list_shards(&[("0", TOP)]));
    let done = folder.run_with("replay --kinesis 4 - --key user_id", CLICKS);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let done = folder.run_with("shards --list-shards - --format csv", &list_shards(&[("0", TOP)]));
    assert_eq!(done.stdout.lines().count(), 2, "{}", done.stderr);
    folder.run("replay --list-shards - - --key user_id").failed(2, &["standard input"]);
}

#[test]
fn a_missing_file_is_an_error_that_names_it() {
    clicks().run("replay --kinesis 4 nowhere.csv --key user_id").failed(1, &["nowhere.csv"]);
    clicks().run("shards --list-shards nowhere.json").failed(1, &["nowhere.json", "aws kinesis"]);
}

#[test]
fn a_wrong_column_is_an_error_that_suggests_the_near_one() {
    let done = clicks().run("replay --kinesis 4 clicks.csv --key user_ids");
    done.failed(1, &["user_ids", "user_id", "size"]);
}

#[test]
fn a_number_of_shards_that_is_none_is_wrong_usage() {
    for number in ["0", "-3", "4294967296", "abc", "1.5", "99999999999999999999999"] {
        for command in ["shards", "replay clicks.csv", "route clicks.csv", "demo"] {
            let done = clicks().run(&format!("{command} --kinesis {number}"));
            done.failed(2, &[number, "from 1 to 1048576"]);
        }
    }
}

#[test]
fn exactly_one_map_is_wanted() {
    clicks().run("replay clicks.csv").failed(2, &["--kinesis", "--list-shards"]);
    clicks().run("shards --kinesis 4 --list-shards map.json").failed(2, &["cannot be used with"]);
    clicks().run("shards --list-shards map.json --even-rule rational").failed(2, &["--even-rule"]);
}

#[test]
fn options_that_are_none_are_wrong_usage() {
    for (arguments, words) in [
        ("--window 0s", "for example 1s"),
        ("--window 500ms", "for example 1s"),
        ("--window -1s", "for example 1s"),
        ("--window year", "for example 1s"),
        ("--model sliding", "tumbling"),
        ("--limits records_per_second=0", "1 or more"),
        ("--limits records=5", "records_per_second"),
        ("--limits records_per_second=many", "whole number"),
        ("--threads 0", "0"),
        ("--threads 99999999", "1..=1024"),
        ("--top -1", "-1"),
        ("--format yaml", "json"),
        ("--time-unit weeks", "ms"),
        ("--key-length-unit bytes", "code-points"),
        ("--no-such-option", "--no-such-option"),
    ] {
        clicks().run(&format!("{REPLAY} {arguments}")).failed(2, &[words]);
    }
    clicks().run("shards --kinesis 4 --even-rule odd").failed(2, &["fixed-step"]);
    clicks().run("resharding").failed(2, &["resharding"]);
}

#[test]
fn limits_come_from_a_file_too() {
    let folder = clicks().with("limits.json", r#"{"records_per_second": 1}"#);
    assert_eq!(folder.run(&format!("{REPLAY} --limits limits.json")).code, 3);
    clicks().run(&format!("{REPLAY} --limits nowhere")).failed(1, &["nowhere"]);
    let folder = clicks().with("limits.json", r#"{"records_per_second": -1}"#);
    folder.run(&format!("{REPLAY} --limits limits.json")).failed(1, &["limits.json"]);
}

#[test]
fn a_shard_map_with_a_fault_is_an_error_that_shows_it() {
    let gap = list_shards(&[("0", "99"), (ABOVE, TOP)]);
    let overlap = list_shards(&[("0", ABOVE), (ABOVE, TOP)]);
    for (json, words) in [
        ("", vec!["map.json"]),
        ("{", vec!["map.json", "aws kinesis list-shards"]),
        ("[]", vec!["no shard takes writes"]),
        (&*gap, vec!["leave out", "100", MIDDLE]),
        (&*overlap, vec!["share", ABOVE, "shardId-000000000000 and shardId-000000000001"]),
    ] {
        let folder = clicks().with("map.json", json);
        folder.run("shards --list-shards map.json").failed(1, &words);
        folder.run("replay --list-shards map.json clicks.csv --key user_id").failed(1, &words);
    }
}

#[test]
fn the_shards_of_a_map_are_printed_as_the_service_prints_them() {
    let folder = Folder::new().with("map.json", &list_shards(&[("0", MIDDLE), (ABOVE, TOP)]));
    let even = folder.run("shards --kinesis 2 --format json");
    let listed = folder.run("shards --list-shards map.json --format json");
    assert_eq!(even.stdout, listed.stdout);
    let map: Value = serde_json::from_str(&even.stdout).unwrap();
    assert_eq!(map["shards"][1]["start"], ABOVE);
    assert_eq!(map["shards"][1]["end"], TOP);
    assert_eq!(map["shards"][1]["share"], 0.5);
    let text = folder.run("shards --kinesis 1000").stdout;
    assert!(text.contains("936 shards left out") && text.lines().count() < 80, "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn rows_are_written_with_their_shards() {
    let folder = clicks();
    let done = folder.run("route --kinesis 4 clicks.csv --key user_id");
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
    let done = folder.run("replay --kinesis 1 out.parquet --key shard_id --format json");
    let report: Value = serde_json::from_str(&done.stdout).unwrap();
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
fn rejected_rows_are_counted_by_reason() {
    let folder = Folder::new().with("keys.csv", "key,size\na,1\nb,-5\nc,7\n");
    let done = folder.run("replay --kinesis 4 keys.csv --key key --bytes size --format json");
    let report: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(report["input"]["rejected"]["negative_bytes"], 1);
    assert_eq!(report["input"]["rejected_rows"]["negative_bytes"], serde_json::json!([2]));
    assert!(done.stderr.contains("negative"), "{}", done.stderr);
    let done = folder.run("replay --kinesis 4 keys.csv --key key --bytes size");
    assert!(done.stdout.contains("1 row could not be used"), "{}", done.stdout);
}

#[test]
fn a_log_without_rows_is_an_error() {
    let folder = Folder::new().with("empty.csv", "").with("head.csv", "key\n");
    folder.run("replay --kinesis 4 empty.csv --key key").failed(1, &["empty"]);
    folder.run("replay --kinesis 4 head.csv --key key").failed(1, &["no rows"]);
}

#[test]
fn nothing_from_a_file_reaches_the_terminal_raw() {
    let evil = "evil\u{1b}[2J\u{9b}31m\u{202e}<script>";
    let map =
        list_shards(&[("0", MIDDLE), ("5", TOP)]).replace("shardId-000000000001", "id\\u001b[31m");
    let folder = Folder::new()
        .with("keys.csv", &format!("k{evil},other\n{evil},1\n{evil},2\n"))
        .with("map.json", &map);
    for arguments in [
        "replay --kinesis 4 keys.csv --format text --key other --bytes nothing",
        "shards --list-shards map.json",
    ] {
        let done = folder.run(arguments);
        assert!(!done.stderr.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{:?}", done.stderr);
    }
    let key = format!("k{evil}");
    for format in ["text", "json", "csv"] {
        let output = Command::cargo_bin("shardlane")
            .unwrap()
            .current_dir(folder.0.path())
            .args(["replay", "--kinesis", "4", "keys.csv", "--key", &key, "--format", format])
            .output()
            .unwrap();
        let done = done(&output);
        assert_eq!(done.code, 0, "{}", done.stderr);
        let all = done.stdout + &done.stderr;
        assert!(!all.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{format}: {all:?}");
    }
}

#[test]
fn a_reader_that_leaves_ends_the_command_quietly() {
    let folder = Folder::new();
    let mut log = fs::File::create(folder.path("keys.csv")).unwrap();
    writeln!(log, "key").unwrap();
    for i in 0..200_000 {
        writeln!(log, "user-{i}").unwrap();
    }
    for arguments in
        ["route --kinesis 4 keys.csv --key key -q", "shards --kinesis 100000 --format csv"]
    {
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("shardlane"))
            .current_dir(folder.0.path())
            .args(arguments.split_whitespace())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let done = done(&child.wait_with_output().unwrap());
        assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{arguments}");
    }
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

#[test]
fn the_demo_shows_what_a_key_choice_does() {
    let done = Folder::new().run("demo");
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
    assert!(done.stdout.contains("336,776 flights"), "{}", done.stdout);
    assert!(done.stdout.contains("by carrier") && done.stdout.contains("by tailnum"));
    let verdict = done.stdout.replace('\n', " ");
    assert!(verdict.contains("times what carrier gets from the same 8 shards"), "{verdict}");
    assert!(done.stdout.lines().all(|line| line.chars().count() <= 100), "{}", done.stdout);
}

#[test]
fn help_and_version_are_no_errors() {
    let folder = Folder::new();
    for arguments in ["--help", "--version", "replay --help", "help route"] {
        let done = folder.run(arguments);
        assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{arguments}");
    }
    assert_eq!(folder.run("").code, 2);
}

#[test]
fn columns_that_the_first_file_lacks_are_not_guessed_in_later_ones() {
    let folder = Folder::new()
        .with("first.csv", "key,x\na,1\nb,1\n")
        .with("second.csv", "key,size,n\na,1000,5\nb,2000,7\n");
    let done = folder.run("replay --kinesis 1 first.csv second.csv --format json");
    let report: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(report["input"]["records"], 4);
    assert_eq!(report["input"]["bytes"], 4);
}

#[test]
fn an_output_never_overwrites_an_input_whatever_its_name() {
    let folder = clicks().with("limits.json", r#"{"records_per_second": 5}"#);
    fs::hard_link(folder.path("clicks.csv"), folder.path("link.csv")).unwrap();
    let route = "route --kinesis 2 --key user_id";
    folder.run(&format!("{route} clicks.csv -o link.csv")).failed(2, &["would overwrite"]);
    folder
        .run(&format!("{REPLAY} --limits limits.json -o limits.json"))
        .failed(2, &["limits.json would overwrite"]);
    if cfg!(unix) {
        let output = std::process::Command::new(assert_cmd::cargo::cargo_bin("shardlane"))
            .current_dir(folder.0.path())
            .args(format!("{route} - -o clicks.csv").split(' '))
            .stdin(fs::File::open(folder.path("clicks.csv")).unwrap())
            .output()
            .unwrap();
        done(&output).failed(2, &["would overwrite"]);
    }
    assert_eq!(fs::read_to_string(folder.path("clicks.csv")).unwrap(), CLICKS);
}

#[test]
fn an_output_without_a_folder_is_an_error_before_anything_is_read() {
    clicks()
        .run(&format!("{REPLAY} --html none/x.html"))
        .failed(1, &["none/x.html", "no such folder"]);
    clicks().run(&format!("{REPLAY} -o none/x.json")).failed(1, &["none/x.json", "no such folder"]);
}

#[test]
fn a_page_does_not_go_where_the_report_goes() {
    clicks().run(&format!("{REPLAY} --html -")).failed(2, &["--html report.html"]);
}

#[test]
fn a_log_in_which_no_row_can_be_used_is_an_error_after_its_report() {
    let folder = Folder::new().with("keys.csv", "key,ts\na,01/02/2026\nb,01/02/2026\n");
    let done = folder.run("replay --kinesis 1 keys.csv --format json");
    assert_eq!(done.code, 1);
    let report: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(report["input"]["rejected"]["null_time"], 2);
    assert!(done.stderr.contains("no row of the log could be used"), "{}", done.stderr);
}

#[test]
fn a_guessed_explicit_hash_key_is_said() {
    let folder = Folder::new().with("keys.csv", "key,explicit_hash_key\na,0\n");
    let done = folder.run("route --kinesis 4 keys.csv --key key");
    assert!(
        done.stderr.contains("the explicit hash key column is explicit_hash_key (guessed)"),
        "{}",
        done.stderr
    );
}

#[test]
fn fields_that_commas_do_not_separate_are_said_to_be_so() {
    let folder = Folder::new().with("keys.csv", "key;size\na;1\n");
    folder.run("route --kinesis 4 keys.csv").failed(1, &["separated by semicolons", "only commas"]);
}

#[test]
fn a_guess_among_columns_of_one_name_is_an_error() {
    let folder = Folder::new().with("keys.csv", "key,key\na,b\n");
    folder.run("route --kinesis 4 keys.csv").failed(1, &["more than one column \"key\""]);
}

#[test]
fn without_sizes_the_keys_are_counted_even_if_sizes_would_include_them() {
    let folder = Folder::new().with("keys.csv", "key,x\naaaa,1\n");
    let done = folder.run("replay --kinesis 1 keys.csv --size-includes-key --format json");
    let report: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(report["input"]["bytes"], 4);
}

#[test]
fn rows_without_a_time_are_not_out_of_order() {
    let log =
        "key,ts\na,2026-01-01T00:00:00Z\nb,\nc,2026-01-01T00:00:02Z\nd,2026-01-01T00:00:01Z\n";
    let folder = Folder::new().with("keys.csv", log);
    let done = folder.run("replay --kinesis 1 keys.csv --format json");
    let report: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(report["input"]["out_of_order"], 1);
}

#[test]
fn a_blank_line_of_a_single_column_is_a_null_key() {
    let folder = Folder::new().with("keys.csv", "key\na\n\nb\n");
    let done = folder.run("replay --kinesis 1 keys.csv --format json");
    let report: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(report["input"]["rows"], 3);
    assert_eq!(report["input"]["rejected"]["null_key"], 1);
}
