//! Looking prefixes up in the ranges of 1 to 100,000 shards.
#![forbid(unsafe_code)]

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use shardlane_benches::settings::{ROWS, group, settings};
use shardlane_benches::{baseline, maps};

fn main() {
    let mut criterion = settings();
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let hashes: Vec<u128> = (0..ROWS).map(|_| random.random()).collect();
    let prefixes: Vec<u32> = hashes.iter().map(|hash| (hash >> 96) as u32).collect();
    let mut shards = vec![0; ROWS];
    let mut group = group(&mut criterion, "lookup", ROWS);
    for count in [1, 4, 100, 1024, 10_000, 100_000] {
        for (ranges, map) in [
            ("even", maps::even(count)),
            ("uneven", maps::uneven(count)),
            ("crowded", maps::crowded(count)),
        ] {
            group.bench_function(format!("{ranges}/{count}"), |bencher| {
                bencher.iter(|| map.look_up(&prefixes, &mut shards, |i| hashes[i]));
            });
            map.look_up(&prefixes, &mut shards, |i| hashes[i]);
            let starts = baseline::starts(&map);
            assert!(
                hashes.iter().zip(&shards).all(|(&h, &s)| baseline::shard_of(&starts, h) == s),
                "the ranges that a binary search finds"
            );
            group.bench_function(format!("search/{ranges}/{count}"), |bencher| {
                bencher.iter(|| {
                    for (shard, &hash) in shards.iter_mut().zip(&hashes) {
                        *shard = baseline::shard_of(&starts, hash);
                    }
                });
            });
        }
    }
    group.finish();
    criterion.final_summary();
}
