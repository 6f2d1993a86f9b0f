//! Routing a column on one thread, and `md-5` with a binary search per key beside it.
#![forbid(unsafe_code)]

use shardlane_benches::keys::{self, Shape};
use shardlane_benches::settings::{ROWS, SHARDS, group, settings};
use shardlane_benches::{baseline, maps, ours};

fn main() {
    let mut criterion = settings();
    let mut group = group(&mut criterion, "route", ROWS);
    let (mut shards, mut expected) = (vec![0; ROWS], vec![0; ROWS]);
    for shape in Shape::ALL {
        let array = keys::column(shape, ROWS, 1);
        let column = ours::keys(&array);
        for (ranges, map) in [("even", maps::even(SHARDS)), ("uneven", maps::uneven(SHARDS))] {
            let starts = baseline::starts(&map);
            let router = ours::router(map, 1);
            // The service refuses a key above 256 characters; it is hashed all the same.
            if !matches!(shape, Shape::Fixed(300)) {
                ours::route(&router, &column, &mut shards);
                baseline::route(&array, &starts, 0..ROWS, &mut expected);
                assert_eq!(shards, expected, "the shards that md-5 and a search find");
            }
            group.bench_function(format!("{ranges}/{shape}"), |bencher| {
                bencher.iter(|| ours::route(&router, &column, &mut shards));
            });
            group.bench_function(format!("md-5-and-search/{ranges}/{shape}"), |bencher| {
                bencher.iter(|| baseline::route(&array, &starts, 0..ROWS, &mut expected));
            });
        }
    }
    group.finish();
    criterion.final_summary();
}
