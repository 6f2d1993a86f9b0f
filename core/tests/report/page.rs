//! The page: how large it gets, and what its heat map shows.

use super::*;

#[test]
fn a_page_of_ten_thousand_shards_stays_below_a_megabyte() {
    let keys: Vec<String> =
        (0..40_000).map(|i| format!("user-{i}-{}", "<&>\"".repeat(30))).collect();
    let rows: Vec<Row<'_>> = keys
        .iter()
        .enumerate()
        .map(|(i, key)| (key.as_bytes(), i64::from(u32::MAX), TEN + (i as i64 * 7919) % 36_000))
        .collect();
    let (_, report) = report_of(stream(10_000), &rows, true, "");
    let page = report.to_html();
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    assert!(report.to_html_fragment().len() < 150_000);
    assert!(page.contains("The 256 fullest; 9,744 shards less full left out"), "{page}");
    assert!(page.contains(">others</th>"));
}

#[test]
fn the_heat_map_draws_a_cell_for_each_shard_and_time_with_records() {
    let (tally, report) = small();
    let heat = &report.timeline.heat;
    assert_eq!((heat.start, heat.length, heat.columns), (TEN * 1_000_000, 1_000_000, 3));
    let page = report.to_html();
    let drawn = page.matches("h1v1h-1z").count();
    assert_eq!(drawn, tally.cells().count());
    let marked = page.matches("h1l-.5 .6z").count();
    assert_eq!(marked, arrow::throttles(&tally, &report.projection).unwrap().num_rows());
    assert_eq!(heat.rows[2].cells[0].load.to_bits(), 1.5f64.to_bits());
}

#[test]
fn cells_of_the_heat_map_and_windows_of_minutes_are_those_of_the_timeline() {
    // Three at a time, two of them with one key.
    let row = |i: i64| (format!("user-{}", i / 2 % 45), TEN + (i / 3 * 31) % 700);
    let keys: Vec<_> = (0..300).map(row).chain([("user-1".to_owned(), TEN + 699)]).collect();
    let rows: Vec<Row<'_>> = keys.iter().map(|(key, time)| (key.as_bytes(), 10, *time)).collect();
    let (tally, report) = report_of(stream(100), &rows, true, "records_per_second=1");
    let heat = &report.timeline.heat;
    assert_eq!((heat.columns, heat.rows.len()), (140, 65), "columns of 5 s");
    let throttled: u64 =
        heat.rows.iter().flat_map(|row| &row.cells).map(|cell| cell.throttled_records).sum();
    let all: u64 =
        report.projection.shards.iter().filter_map(|shard| shard.throttled_records).sum();
    assert_eq!(throttled, all);
    assert!(all > 0);

    let minutes = &report.timeline.minutes;
    assert_eq!(minutes.len(), 5);
    let worst: Vec<_> = minutes.iter().map(|minute| minute.load.throttled_records).collect();
    assert!(worst.is_sorted_by(|a, b| a >= b), "{worst:?}");
    for minute in minutes {
        assert_eq!((minute.start.rem_euclid(60_000_000), minute.length), (0, 60_000_000));
        let within = |time: i64| (minute.start..minute.start + minute.length).contains(&time);
        let cells = || tally.cells().filter(|cell| within(tally.start_of(cell.window)));
        assert_eq!(minute.load.records, cells().map(|cell| cell.records).sum::<u64>());
        for shard in &minute.shards {
            let expected: Vec<_> =
                cells().filter(|cell| cell.shard == shard.shard).map(|cell| cell.records).collect();
            let found: Vec<_> = shard.windows.iter().map(|moment| moment.records).collect();
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn without_times_there_is_no_timeline_and_without_limits_it_is_told_by_records() {
    let (_, report) = report_of(stream(2), &[(b"a", 0, 0), (b"b", 0, 0)], false, "");
    assert_eq!(report.timeline.minutes, []);
    let page = report.to_html();
    assert!(!page.contains("class=\"heat\"") && !page.contains("<h2>The "), "{page}");

    let topic = ShardMap::kafka(2, shardlane::Partitioner::Java).unwrap();
    let keys: ArrayRef = Arc::new(shardlane::arrow::array::StringArray::from(vec!["a", "a", "b"]));
    let times: ArrayRef = Arc::new(Int64Array::from(vec![0, 0, 1]));
    let batch = RecordBatch::try_from_iter([("key", keys), ("time", times)]).unwrap();
    let columns = Columns { time_unit: Some(TimeUnit::Seconds), ..Columns::default() };
    let schema = batch.schema();
    let mut log = Batches::new(&schema, [Ok::<_, shardlane::Error>(batch)], &columns).unwrap();
    let to_the_end = &mut |_| ControlFlow::Continue(());
    let (tally, report) = replay(topic, &mut log, &ReplayOptions::default(), to_the_end).unwrap();
    let heat = &report.timeline.heat;
    assert!(!heat.is_limited);
    let loads: Vec<f64> =
        heat.rows.iter().flat_map(|row| &row.cells).map(|cell| cell.load).collect();
    assert_eq!(loads.iter().copied().fold(0.0, f64::max).to_bits(), 1.0f64.to_bits(), "{loads:?}");
    assert!(loads.contains(&0.5), "{loads:?}");
    let text = report.to_text();
    assert!(text.contains("Busiest minute: what each partition took; █ is the most"), "{text}");
    let timeline = arrow::timeline(&tally, &report.projection).unwrap();
    assert_eq!(timeline["load"].null_count(), timeline.num_rows());
}
