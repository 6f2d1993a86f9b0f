//! Hashing a column to prefixes: every back end and shape, and `md-5` and `md5-asm` beside them.
#![forbid(unsafe_code)]

use shardlane::lanes::Backend;
use shardlane_benches::keys::{self, Shape};
use shardlane_benches::settings::{ROWS, group, settings};
use shardlane_benches::{baseline, ours};

fn main() {
    let mut criterion = settings();
    let mut group = group(&mut criterion, "hash", ROWS);
    for shape in Shape::ALL {
        let array = keys::column(shape, ROWS, 1);
        let column = ours::keys(&array);
        let mut expected = vec![0; ROWS];
        let mut out = vec![0; ROWS];
        baseline::md5_prefixes(&array, 0..ROWS, &mut expected);
        for backend in Backend::available() {
            group.bench_function(format!("{backend}/{shape}"), |bencher| {
                bencher.iter(|| column.visit(ours::Prefixes { backend, out: &mut out }));
            });
            column.visit(ours::Prefixes { backend, out: &mut out });
            assert_eq!(out, expected, "{backend} hashes as md-5 does");
        }
        group.bench_function(format!("md-5/{shape}"), |bencher| {
            bencher.iter(|| baseline::md5_prefixes(&array, 0..ROWS, &mut out));
        });
        #[cfg(all(target_arch = "x86_64", not(windows)))]
        {
            group.bench_function(format!("md5-asm/{shape}"), |bencher| {
                bencher.iter(|| {
                    baseline::prefixes(&array, 0..ROWS, &mut out, baseline::hash_asm);
                });
            });
            baseline::prefixes(&array, 0..ROWS, &mut out, baseline::hash_asm);
            assert_eq!(out, expected, "md5-asm hashes as md-5 does");
        }
    }
    group.finish();
    criterion.final_summary();
}
