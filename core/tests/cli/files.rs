//! Where the command reads from and writes to.

use super::*;

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
