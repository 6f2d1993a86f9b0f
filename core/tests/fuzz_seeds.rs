//! What the fuzz targets check holds for their seeds, and for each seed cut short or changed in
//! one place.

#[path = "../fuzz/src/lib.rs"]
mod properties;

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
    from_seeds("source_csv", properties::source_csv);
}
