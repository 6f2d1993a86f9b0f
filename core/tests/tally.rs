//! What a tally counts, held against a plain count of the same rows.

#[path = "tally/bytes.rs"]
mod bytes;
#[path = "tally/counting.rs"]
mod counting;
#[path = "tally/distinct.rs"]
mod distinct;
#[path = "tally/hot.rs"]
mod hot;
#[path = "tally/merging.rs"]
mod merging;

use proptest::prelude::*;
use shardlane::lanes::reference;
use shardlane::tally::{Cell, Rows, Totals};
use shardlane::{EvenRule, NO_SHARD, ShardMap, Tally, TallyOptions};
use std::collections::BTreeMap;

/// Shards of the map that tests count on.
const SHARDS: usize = 4;

/// A row as a tally takes it.
#[derive(Debug, Clone)]
struct Row {
    key: Vec<u8>,
    shard: u32,
    size: i64,
    time: i64,
    weight: i64,
}

/// A row of one byte at the start of time.
fn row(key: impl Into<Vec<u8>>, shard: u32) -> Row {
    Row { key: key.into(), shard, size: 1, time: 0, weight: 1 }
}

/// Which columns a log has.
#[derive(Debug, Clone, Copy)]
struct Columns {
    sizes: bool,
    times: bool,
    weights: bool,
}

const ALL: Columns = Columns { sizes: true, times: true, weights: true };

fn map() -> ShardMap {
    ShardMap::kinesis(SHARDS, EvenRule::FixedStep).unwrap()
}

fn empty() -> Tally {
    Tally::new(map(), TallyOptions::default()).unwrap()
}

/// The top 32 bits of a key's hash.
fn prefix(key: &[u8]) -> u32 {
    (reference::hash(key) >> 96) as u32
}

/// The shard that a key's own hash names.
fn home(key: &[u8]) -> u32 {
    map().shard_of_hash(reference::hash(key))
}

/// Counts all rows in one call.
fn add(tally: &mut Tally, rows: &[Row], columns: Columns) {
    add_hashed(tally, rows, columns, prefix);
}

/// As [`add`], with hashes of the test's own choice.
fn add_hashed(tally: &mut Tally, rows: &[Row], columns: Columns, prefix: impl Fn(&[u8]) -> u32) {
    let keys: Vec<_> = rows.iter().map(|row| row.key.clone()).collect();
    let column = |of: fn(&Row) -> i64| rows.iter().map(of).collect::<Vec<_>>();
    let (sizes, times) = (column(|row| row.size), column(|row| row.time));
    let weights = column(|row| row.weight);
    tally.add(&Rows {
        keys: keys.as_slice(),
        range: 0..rows.len(),
        prefixes: &keys.iter().map(|key| prefix(key)).collect::<Vec<_>>(),
        shards: &rows.iter().map(|row| row.shard).collect::<Vec<_>>(),
        sizes: columns.sizes.then_some(&sizes),
        times: columns.times.then_some(&times),
        weights: columns.weights.then_some(&weights),
        operations: None,
        keyless: None,
        carried: None,
        sizes_include_keys: false,
    });
}

fn tally_of(rows: &[Row], columns: Columns) -> Tally {
    let mut tally = empty();
    add(&mut tally, rows, columns);
    tally
}

/// What a row counts for: records and bytes.
fn load(row: &Row, columns: Columns) -> (u128, u128) {
    let size = if columns.sizes { row.size as u128 } else { 0 };
    let records = if columns.weights { row.weight as u128 } else { 1 };
    (records, records * (size + row.key.len() as u128))
}

/// Sums that stay at `u64::MAX`, of whatever rows are asked for.
fn plain_sums<T: Ord>(
    rows: &[Row],
    columns: Columns,
    of: impl Fn(&Row) -> T,
) -> BTreeMap<T, Totals> {
    let mut sums: BTreeMap<T, (u128, u128)> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.shard != NO_SHARD) {
        let (records, bytes) = load(row, columns);
        let sum = sums.entry(of(row)).or_default();
        *sum = (sum.0.saturating_add(records), sum.1.saturating_add(bytes));
    }
    let capped = |sum: u128| u64::try_from(sum).unwrap_or(u64::MAX);
    sums.into_iter()
        .map(|(of, (records, bytes))| {
            (of, Totals { records: capped(records), bytes: capped(bytes) })
        })
        .collect()
}

fn plain_totals(rows: &[Row], columns: Columns) -> Vec<Totals> {
    let sums = plain_sums(rows, columns, |row| row.shard);
    (0..SHARDS as u32).map(|shard| sums.get(&shard).copied().unwrap_or_default()).collect()
}

fn plain_cells(rows: &[Row], columns: Columns, window_seconds: i64) -> Vec<Cell> {
    let window = |row: &Row| row.time.div_euclid(window_seconds * 1_000_000);
    plain_sums(rows, columns, |row| (window(row), row.shard))
        .into_iter()
        .filter(|(_, totals)| totals.records > 0)
        .map(|((window, shard), Totals { records, bytes })| Cell { window, shard, records, bytes })
        .collect()
}

/// A log of few keys and few windows, with the odd extreme.
fn any_rows(most: usize) -> impl Strategy<Value = Vec<Row>> {
    let key = prop_oneof![
        9 => "[a-e]{1,2}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ];
    let shard = prop_oneof![9 => 0..SHARDS as u32, 1 => Just(NO_SHARD)];
    let amount = || {
        prop_oneof![
            20 => 0..5000i64,
            1 => (1i64 << 29) - 40..(1 << 29) + 40,
            1 => Just(i64::MAX),
            1 => Just(0),
        ]
    };
    let time = prop_oneof![
        20 => -3_000_000..3_000_000i64,
        1 => any::<i64>().prop_filter("a missing time has no row", |time| *time != i64::MIN),
        1 => prop_oneof![Just(i64::MIN + 1), Just(i64::MAX)],
    ];
    let row = (key, shard, amount(), time, amount())
        .prop_map(|(key, shard, size, time, weight)| Row { key, shard, size, time, weight });
    prop::collection::vec(row, 0..most)
}

fn any_columns() -> impl Strategy<Value = Columns> {
    any::<[bool; 3]>().prop_map(|[sizes, times, weights]| Columns { sizes, times, weights })
}
