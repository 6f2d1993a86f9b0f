//! Totals and cells.

use super::*;
use shardlane::lanes::Keys;
use shardlane::tally::MISSING;
use shardlane::{ErrorKind, Refusal};
use std::time::Duration;

proptest! {
    #[test]
    fn totals_and_cells_are_those_of_a_plain_count(
        parts in prop::collection::vec((any_rows(60), any_columns()), 0..6),
    ) {
        let mut tally = empty();
        let mut totals = vec![Totals::default(); SHARDS];
        let mut timed = Vec::new();
        for (rows, columns) in &parts {
            add(&mut tally, rows, *columns);
            // Asked for in between, so that nothing is counted twice or forgotten after.
            prop_assert!(tally.records() >= totals.iter().map(|t| t.records).max().unwrap_or(0));
            for (sum, more) in totals.iter_mut().zip(plain_totals(rows, *columns)) {
                sum.records = sum.records.saturating_add(more.records);
                sum.bytes = sum.bytes.saturating_add(more.bytes);
            }
            if columns.times {
                timed.push(tally_of(rows, *columns).cells().collect::<Vec<_>>());
                prop_assert_eq!(timed.last().unwrap(), &plain_cells(rows, *columns, 1));
            }
        }
        prop_assert_eq!(tally.totals(), &totals);
        let mut cells: BTreeMap<(i64, u32), (u64, u64)> = BTreeMap::new();
        for cell in timed.iter().flatten() {
            let sum = cells.entry((cell.window, cell.shard)).or_default();
            *sum = (sum.0.saturating_add(cell.records), sum.1.saturating_add(cell.bytes));
        }
        let counted: BTreeMap<_, _> =
            tally.cells().map(|cell| ((cell.window, cell.shard), (cell.records, cell.bytes))).collect();
        prop_assert_eq!(counted, cells);
    }

    #[test]
    fn times_span_the_rows_that_have_a_shard(rows in any_rows(60)) {
        let tally = tally_of(&rows, ALL);
        let times = || rows.iter().filter(|row| row.shard != NO_SHARD).map(|row| row.time);
        prop_assert_eq!(tally.first_time(), times().min());
        prop_assert_eq!(tally.last_time(), times().max());
    }
}

#[test]
fn late_cells_are_sorted_in_whatever_their_order() {
    // A stride coprime to their number visits every window, and never in order.
    let rows: Vec<_> = (0..30_011i64)
        .flat_map(|i| {
            let time = i * 10_007 % 30_011 * 1_000_000;
            (0..2).map(move |shard| Row { time, ..row("k", shard) })
        })
        .collect();
    let mut tally = empty();
    for rows in rows.chunks(777) {
        add(&mut tally, rows, ALL);
    }
    let cells: Vec<_> = tally.cells().collect();
    assert_eq!(cells, plain_cells(&rows, ALL, 1));
    assert_eq!(cells.len(), 60_022);
}

#[test]
fn a_window_may_be_longer_than_a_second() {
    let rows: Vec<_> = [-60_000_001, -1, 0, 59_999_999, 60_000_000]
        .into_iter()
        .map(|time| Row { time, ..row("k", 0) })
        .collect();
    let window = Duration::from_secs(60);
    let mut tally = Tally::new(map(), TallyOptions { window, ..TallyOptions::default() }).unwrap();
    add(&mut tally, &rows, ALL);
    let windows: Vec<_> = tally.cells().map(|cell| (cell.window, cell.records)).collect();
    assert_eq!(windows, [(-2, 1), (-1, 1), (0, 2), (1, 1)]);
    assert_eq!(tally.start_of(-2), -120_000_000);
}

#[test]
fn a_row_counts_its_weight_times_its_size_and_its_key() {
    let rows = [Row { size: 90, weight: 3, ..row("order-1001", 2) }];
    assert_eq!(tally_of(&rows, ALL).totals()[2], Totals { records: 3, bytes: 300 });

    let options = TallyOptions { size_includes_key: true, ..TallyOptions::default() };
    let mut tally = Tally::new(map(), options).unwrap();
    add(&mut tally, &rows, ALL);
    assert_eq!(tally.totals()[2], Totals { records: 3, bytes: 270 });
}

#[test]
fn without_sizes_only_the_keys_have_bytes() {
    let columns = Columns { sizes: false, ..ALL };
    assert_eq!(tally_of(&[row("日本", 1)], columns).totals()[1].bytes, 6);
}

#[test]
fn rows_without_a_shard_are_passed_over_whatever_they_hold() {
    let junk = Row { size: MISSING, time: MISSING, weight: -1, ..row("junk", NO_SHARD) };
    let good = Row { time: 5_000_000, ..row("good", 3) };
    let rows = [junk.clone(), good.clone(), junk.clone(), junk, good];
    for columns in [ALL, Columns { weights: false, ..ALL }, Columns { sizes: false, ..ALL }] {
        let tally = tally_of(&rows, columns);
        assert_eq!(tally.records(), 2);
        assert_eq!(tally.cells().count(), 1);
        assert_eq!(tally.first_time(), Some(5_000_000));
        assert_eq!(tally.hot_keys(9).len(), 1);
    }
}

#[test]
fn a_count_that_would_overflow_stays_at_the_top() {
    let huge = Row { size: i64::MAX, weight: i64::MAX, ..row("k", 1) };
    let tally = tally_of(&[huge.clone(), huge.clone(), huge, row("k", 1)], ALL);
    let most = Totals { records: u64::MAX, bytes: u64::MAX };
    assert_eq!(tally.totals()[1], most);
    assert_eq!((tally.records(), tally.bytes()), (u64::MAX, u64::MAX));
    let cell = tally.cells().next().unwrap();
    assert_eq!((cell.records, cell.bytes), (u64::MAX, u64::MAX));
    let hottest = &tally.hot_keys(1)[0];
    assert_eq!((hottest.records, hottest.bytes), (u64::MAX, u64::MAX));
}

/// Keys of which only the length is ever looked at.
struct Alike {
    rows: usize,
    key: Vec<u8>,
}

impl Keys for Alike {
    fn len(&self) -> usize {
        self.rows
    }

    fn key_len(&self, _: usize) -> usize {
        self.key.len()
    }

    fn tail(&self, _: usize) -> &[u8] {
        &self.key
    }
}

/// Counts `rows` rows of `size` bytes at shard 1, many at a time.
fn count_alike(rows: usize, size: i64, time: Option<i64>) -> Tally {
    let mut tally = Tally::new(map(), TallyOptions { top: 0, ..TallyOptions::default() }).unwrap();
    let at_once = 1 << 16;
    for from in (0..rows).step_by(at_once) {
        let rows = at_once.min(rows - from);
        tally.add(&Rows {
            keys: &Alike { rows, key: b"key".to_vec() },
            range: 0..rows,
            prefixes: &vec![0; rows],
            shards: &vec![1; rows],
            sizes: Some(&vec![size; rows]),
            times: time.map(|time| vec![time; rows]).as_deref(),
            weights: None,
            operations: None,
            keyless: None,
            carried: None,
            sizes_include_keys: false,
        });
    }
    tally
}

#[test]
fn more_rows_than_a_packed_counter_holds_are_counted() {
    let rows = (1 << 24) + 5;
    for time in [None, Some(0)] {
        let totals = count_alike(rows, 0, time).totals()[1];
        assert_eq!(totals, Totals { records: rows as u64, bytes: 3 * rows as u64 });
    }
}

#[test]
fn more_bytes_than_a_packed_counter_holds_are_counted() {
    for size in [(1 << 29) - 3, (1 << 29) - 4, 1 << 29, 1 << 40] {
        for time in [None, Some(0)] {
            let tally = count_alike(5000, size, time);
            let expected = Totals { records: 5000, bytes: 5000 * (size as u64 + 3) };
            assert_eq!(tally.totals()[1], expected, "{size} bytes");
            let cells: u64 = tally.cells().map(|cell| cell.bytes).sum();
            assert_eq!(cells, time.map_or(0, |_| expected.bytes), "{size} bytes");
        }
    }
}

#[test]
fn a_range_is_counted_as_part_of_its_column() {
    let keys = ["a", "bb", "ccc", "dddd"];
    let mut tally = empty();
    tally.add(&Rows {
        keys: keys.as_slice(),
        range: 2..4,
        prefixes: &[7, 8],
        shards: &[0, 1],
        sizes: None,
        times: None,
        weights: None,
        operations: None,
        keyless: None,
        carried: None,
        sizes_include_keys: false,
    });
    assert_eq!(tally.totals()[..2].iter().map(|t| t.bytes).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(tally.hot_keys(1)[0].key, b"ccc");
}

#[test]
fn rejected_rows_are_counted_apart() {
    let mut tally = empty();
    tally.reject(Refusal::EmptyKey, 2);
    tally.reject(Refusal::NullKey, 0);
    tally.reject(Refusal::EmptyKey, u64::MAX);
    assert_eq!(tally.rejected().collect::<Vec<_>>(), [(Refusal::EmptyKey, u64::MAX)]);
    assert_eq!(tally.records(), 0);
}

#[test]
fn a_window_is_whole_milliseconds_from_a_hundred_up() {
    let milliseconds =
        |length| TallyOptions { window: Duration::from_millis(length), ..TallyOptions::default() };
    assert!(Tally::new(map(), milliseconds(100)).is_ok());
    assert!(Tally::new(map(), milliseconds(1_500)).is_ok());
    let windows = [
        Duration::ZERO,
        Duration::from_millis(99),
        Duration::from_micros(100_500),
        Duration::from_secs(u64::MAX),
    ];
    for window in windows {
        let options = TallyOptions { window, ..TallyOptions::default() };
        let error = Tally::new(map(), options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.message().contains("for example 1s"), "{error}");
    }
}
