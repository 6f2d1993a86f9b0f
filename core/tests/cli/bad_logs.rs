//! Logs with something wrong in them: said, counted and survived.

use super::*;

#[test]
fn a_wrong_column_is_an_error_that_suggests_the_near_one() {
    let done = clicks().run("replay --kinesis 4 clicks.csv --key user_ids");
    done.failed(1, &["user_ids", "user_id", "size"]);
}

#[test]
fn rejected_rows_are_counted_by_reason() {
    let folder = Folder::new().with("keys.csv", "key,size\na,1\nb,-5\nc,7\n");
    let (report, done) = folder.report("replay --kinesis 4 keys.csv --key key --bytes size");
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
fn columns_that_the_first_file_lacks_are_not_guessed_in_later_ones() {
    let folder = Folder::new()
        .with("first.csv", "key,x\na,1\nb,1\n")
        .with("second.csv", "key,size,n\na,1000,5\nb,2000,7\n");
    let (report, _) = folder.report("replay --kinesis 1 first.csv second.csv");
    assert_eq!(report["input"]["records"], 4);
    assert_eq!(report["input"]["bytes"], 4);
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
fn what_separates_fields_is_found_out_and_said() {
    let folder = Folder::new().with("keys.csv", "key;size\na;1\n");
    let (report, done) = folder.report("replay --kinesis 4 keys.csv");
    assert_eq!((&report["input"]["bytes"], &report["input"]["format"]), (&2.into(), &"csv".into()));
    assert!(done.stderr.contains("keys.csv is csv with semicolons"), "{}", done.stderr);
}

#[test]
fn a_guess_among_columns_of_one_name_is_an_error() {
    let folder = Folder::new().with("keys.csv", "key,key\na,b\n");
    folder.run("route --kinesis 4 keys.csv").failed(1, &["more than one column \"key\""]);
}

#[test]
fn without_sizes_the_keys_are_counted_even_if_sizes_would_include_them() {
    let folder = Folder::new().with("keys.csv", "key,x\naaaa,1\n");
    let (report, _) = folder.report("replay --kinesis 1 keys.csv --size-includes-key");
    assert_eq!(report["input"]["bytes"], 4);
}

#[test]
fn rows_without_a_time_are_not_out_of_order() {
    let log =
        "key,ts\na,2026-01-01T00:00:00Z\nb,\nc,2026-01-01T00:00:02Z\nd,2026-01-01T00:00:01Z\n";
    let folder = Folder::new().with("keys.csv", log);
    let (report, _) = folder.report("replay --kinesis 1 keys.csv");
    assert_eq!(report["input"]["out_of_order"], 1);
}

#[test]
fn a_blank_line_of_a_single_column_is_a_null_key() {
    let folder = Folder::new().with("keys.csv", "key\na\n\nb\n");
    let (report, _) = folder.report("replay --kinesis 1 keys.csv");
    assert_eq!(report["input"]["rows"], 3);
    assert_eq!(report["input"]["rejected"]["null_key"], 1);
}
