//! What the fuzz targets check holds for their seeds, and for each seed cut short or changed in
//! one place.

#[expect(unreachable_pub, reason = "the fuzz crate exports them")]
#[path = "../fuzz/src/lib.rs"]
mod properties;

use shardlane::arrow::array::StringArray;
use shardlane::arrow::buffer::ScalarBuffer;
use shardlane::source::{Batch, TimeNotes};
use shardlane::{EvenRule, KeyColumn, Partitioner, Router, ShardMap, SplitAt, TallyOptions};
use std::fs;
use std::path::Path;

/// Calls `property` with every seed of a target and with what is one slip away from it.
fn from_seeds(target: &str, property: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
    let mut seeds = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let seed = fs::read(entry.unwrap().path()).unwrap();
        property(&seed);
        seeds += 1;
        // Some hundred places, spread over the seed, whatever its length.
        let step = seed.len().div_ceil(200).max(1);
        for at in (0..seed.len()).step_by(step) {
            property(&seed[..at]);
            for change in [0x01, 0x10, 0x80, 0xff] {
                let mut changed = seed.clone();
                changed[at] ^= change;
                property(&changed);
            }
        }
    }
    assert!(seeds > 0, "the target {target} has seeds");
}

#[test]
fn any_bytes_are_a_shard_list_or_an_error() {
    from_seeds("list_shards", properties::list_shards);
}

#[test]
fn any_bytes_are_a_log_or_an_error() {
    from_seeds("source_any", properties::source_any);
    from_seeds("source_csv", properties::source_csv);
}

#[test]
fn any_bytes_are_a_log_in_json_or_an_error() {
    from_seeds("source_json", properties::source_json);
}

#[test]
fn any_bytes_are_an_aggregate_or_a_plain_record() {
    from_seeds("aggregate", properties::aggregate);
}

#[test]
fn any_bytes_are_lines_of_records_or_an_error() {
    from_seeds("source_lines", properties::source_lines);
}

/// A seed is a saved tally, so it also shows whether tallies saved by older versions can be read.
/// `SHARDLANE_BLESS=1` rewrites it, which only a new version of the format may need.
#[test]
fn the_seeds_of_tallies_are_what_is_written_today() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds/tally_from_bytes");
    let maps = [
        ("five_rows", ShardMap::kinesis(3, EvenRule::FixedStep)),
        ("kafka", ShardMap::kafka(3, Partitioner::RdkafkaConsistentRandom)),
        ("dynamodb", ShardMap::dynamodb(3, 7)),
        ("sls", ShardMap::sls(4).and_then(|map| map.split("1", SplitAt::ExactHalf))),
    ];
    for (name, map) in maps {
        let router = Router::new(map.unwrap());
        let keys =
            StringArray::from(vec![Some("user-1"), Some("JP"), None, Some("user-1"), Some("")]);
        let batch = Batch {
            keys: KeyColumn::try_new(&keys).unwrap(),
            explicit_hash_keys: None,
            bytes: Some(ScalarBuffer::from(vec![100, 200, 300, 400, 500])),
            times: Some(ScalarBuffer::from(vec![0, 1_000_000, 1_500_000, 9_000_000, 9_000_001])),
            time_notes: TimeNotes::default(),
            weights: None,
            operations: None,
            shards: None,
            travels: None,
            labels: None,
            broken_rows: 0,
        };
        let (tally, _) = router.tally(&batch, &TallyOptions::default()).unwrap();
        let seed = folder.join(format!("{name}.tally"));
        if std::env::var_os("SHARDLANE_BLESS").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&seed, tally.to_bytes()).unwrap();
        }
        assert_eq!(fs::read(seed).unwrap(), tally.to_bytes(), "{name}");
    }
}

#[test]
fn any_bytes_are_a_tally_or_an_error() {
    from_seeds("tally_from_bytes", properties::tally_from_bytes);
}
