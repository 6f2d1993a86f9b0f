//! A dictionary column of 10,000 values against the same rows as plain text.
#![forbid(unsafe_code)]

use shardlane_benches::settings::{SHARDS, group, settings};
use shardlane_benches::{baseline, keys, maps, ours};

/// Rows of the column: a hundred for each value.
const ROWS: usize = 1_000_000;

fn main() {
    let mut criterion = settings();
    let mut group = group(&mut criterion, "dictionary", ROWS);
    let (dictionary, plain) = keys::dictionary(10_000, ROWS, 1);
    let map = maps::even(SHARDS);
    let starts = baseline::starts(&map);
    let router = ours::router(map, 1);
    let (mut shards, mut expected) = (vec![0; ROWS], vec![0; ROWS]);
    baseline::route(&plain, &starts, 0..ROWS, &mut expected);
    for (name, column) in [("values", ours::keys(&dictionary)), ("plain", ours::keys(&plain))] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| ours::route(&router, &column, &mut shards));
        });
        ours::route(&router, &column, &mut shards);
        assert_eq!(shards, expected, "the shards that md-5 and a search find");
    }
    group.finish();
    criterion.final_summary();
}
