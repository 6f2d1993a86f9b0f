//! How criterion measures here: shortly, since there are many benches.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use std::time::Duration;

/// Rows of a criterion column. Small enough for the second- or third-level cache: these benches
/// watch for changes; the bin `ratios` measures columns that come from memory.
pub const ROWS: usize = 65_536;

/// Shards of a criterion map, unless the bench is about them.
pub const SHARDS: usize = 1024;

/// The settings of every bench; the command line may change them.
pub fn settings() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(20)
        .without_plots()
        .configure_from_args()
}

/// A group of benches that each work on `rows` keys.
pub fn group<'a>(
    criterion: &'a mut Criterion,
    name: &str,
    rows: usize,
) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(rows as u64));
    group
}
