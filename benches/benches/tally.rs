//! Routing and counting a column on one thread: key bytes alone, with sizes, with times, with hot
//! keys, and `md-5`, a binary search and two counters beside them.
#![forbid(unsafe_code)]

use shardlane::source::Batch;
use shardlane_benches::keys::{self, Shape};
use shardlane_benches::settings::{ROWS, SHARDS, group, settings};
use shardlane_benches::{baseline, maps, ours};

/// Rows to a second of the time column.
const ROWS_PER_SECOND: i64 = 4096;

fn main() {
    let mut criterion = settings();
    let mut group = group(&mut criterion, "tally", ROWS);
    let map = maps::even(SHARDS);
    let starts = baseline::starts(&map);
    let router = ours::router(map, 1);
    let columns = [
        ("16B", keys::column(Shape::Fixed(16), ROWS, 1)),
        ("mix", keys::column(Shape::Mix, ROWS, 1)),
        ("zipf", keys::zipf(100_000, 1.1, ROWS, 1)),
    ];
    for (name, array) in columns {
        let keys = ours::batch(&array);
        let sizes = Batch { bytes: Some(keys::sizes(ROWS, 2)), ..keys.clone() };
        let times = Batch { times: Some(keys::times(ROWS, ROWS_PER_SECOND)), ..sizes.clone() };

        let mut tally = ours::tally(&router, 0);
        ours::count(&router, &keys, &mut tally);
        let mut counters = vec![[0; 2]; SHARDS];
        baseline::tally(&array, &starts, 0..ROWS, &mut counters);
        let totals = tally.totals().iter().map(|totals| [totals.records, totals.bytes]);
        assert!(totals.eq(counters.iter().copied()), "the counts of md-5 and a search");

        for (columns, batch) in
            [("keys", &keys), ("keys-sizes", &sizes), ("keys-sizes-times", &times)]
        {
            for (hot, top) in [("totals", 0), ("hot-keys", 10)] {
                group.bench_function(format!("{columns}/{hot}/{name}"), |bencher| {
                    bencher.iter(|| {
                        let mut tally = ours::tally(&router, top);
                        ours::count(&router, batch, &mut tally);
                        tally
                    });
                });
            }
        }
        group.bench_function(format!("md-5-and-search/{name}"), |bencher| {
            bencher.iter(|| baseline::tally(&array, &starts, 0..ROWS, &mut counters));
        });
    }
    group.finish();
    criterion.final_summary();
}
