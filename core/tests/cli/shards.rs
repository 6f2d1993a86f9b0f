//! `shards`, and maps with a fault.

use super::*;

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
