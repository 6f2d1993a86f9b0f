//! What packing keys into lanes costs.
//!
//! Packing is private to the lanes, so it is not timed alone. Instead: the rounds are the same for
//! every key of up to 55 bytes, so what the hash of one length takes more than that of another is
//! packing. `one-key` hashes the same short key again and again from the first-level cache,
//! `column` as many distinct keys that lie in a row.
#![forbid(unsafe_code)]

use arrow::array::StringArray;
use shardlane::lanes::{Backend, md5};
use shardlane_benches::keys::{self, Shape};
use shardlane_benches::settings::{ROWS, group, settings};
use shardlane_benches::{baseline, ours};

fn main() {
    let mut criterion = settings();
    let mut group = group(&mut criterion, "pack", ROWS);
    let backend = Backend::detect();
    let mut out = vec![0; ROWS];
    for length in [1, 4, 8, 16, 17, 32, 40, 55] {
        let shape = Shape::Fixed(length);
        let array = keys::column(shape, ROWS, 1);
        let same = vec![array.value(0); ROWS];
        group.bench_function(format!("{backend}/one-key/{shape}"), |bencher| {
            bencher.iter(|| md5::prefixes(backend, &same[..], 0..ROWS, &mut out));
        });
        let column = ours::keys(&array);
        group.bench_function(format!("{backend}/column/{shape}"), |bencher| {
            bencher.iter(|| column.visit(ours::Prefixes { backend, out: &mut out }));
        });
        check(&array, backend);
    }
    let array = keys::column(Shape::Mix, ROWS, 1);
    let column = ours::keys(&array);
    group.bench_function(format!("{backend}/column/mix"), |bencher| {
        bencher.iter(|| column.visit(ours::Prefixes { backend, out: &mut out }));
    });
    check(&array, backend);
    group.finish();
    criterion.final_summary();
}

/// Checks the hashes of a column against md-5.
fn check(array: &StringArray, backend: Backend) {
    let (mut out, mut expected) = (vec![0; ROWS], vec![0; ROWS]);
    ours::keys(array).visit(ours::Prefixes { backend, out: &mut out });
    baseline::md5_prefixes(array, 0..ROWS, &mut expected);
    assert_eq!(out, expected, "the hashes of md-5");
}
