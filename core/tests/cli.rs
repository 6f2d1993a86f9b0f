//! The `shardlane` command as a shell sees it: output, exit codes, and what it says of bad input.

#![cfg(feature = "cli")]

#[path = "cli/bad_logs.rs"]
mod bad_logs;
#[path = "cli/files.rs"]
mod files;
#[path = "cli/replay.rs"]
mod replay;
#[path = "cli/route.rs"]
mod route;
#[path = "cli/shards.rs"]
mod shards;
#[path = "cli/systems.rs"]
mod systems;
#[path = "cli/time.rs"]
mod time;
#[path = "cli/usage.rs"]
mod usage;
#[path = "cli/verify.rs"]
mod verify;
#[path = "cli/worst.rs"]
mod worst;

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

    /// Its JSON report, and what else came of it.
    fn report(&self, arguments: &str) -> (Value, Done) {
        let done = self.run(&format!("{arguments} --format json"));
        let report = serde_json::from_str(&done.stdout);
        (report.unwrap_or_else(|error| panic!("{error}: {}", done.stderr)), done)
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
