//! Options, help and the demo.

use super::*;

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
        ("--window 0s", "for example 100ms"),
        ("--window 99ms", "for example 100ms"),
        ("--window -1s", "for example 100ms"),
        ("--window year", "for example 100ms"),
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
