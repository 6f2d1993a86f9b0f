//! Routing batches of 1 to a million keys, with the threads that a router has by default.
#![forbid(unsafe_code)]

use shardlane::Router;
use shardlane_benches::keys::{self, Shape};
use shardlane_benches::settings::{SHARDS, group, settings};
use shardlane_benches::{baseline, maps, ours};

fn main() {
    let mut criterion = settings();
    for rows in [1, 8, 500, 4_096, 1_000_000] {
        let mut group = group(&mut criterion, "batch", rows);
        let array = keys::column(Shape::Mix, rows, 1);
        let column = ours::keys(&array);
        let map = maps::even(SHARDS);
        let starts = baseline::starts(&map);
        let (mut shards, mut expected) = (vec![0; rows], vec![0; rows]);
        baseline::route(&array, &starts, 0..rows, &mut expected);
        for (threads, router) in
            [("one-thread", ours::router(map.clone(), 1)), ("all-threads", Router::new(map))]
        {
            group.bench_function(format!("{threads}/{rows}"), |bencher| {
                bencher.iter(|| ours::route(&router, &column, &mut shards));
            });
            ours::route(&router, &column, &mut shards);
            assert_eq!(shards, expected, "the shards that md-5 and a search find");
        }
        group.bench_function(format!("md-5-and-search/{rows}"), |bencher| {
            bencher.iter(|| baseline::route(&array, &starts, 0..rows, &mut expected));
        });
        group.finish();
    }
    criterion.final_summary();
}
