//! What good files give.

use super::{Files, batch, by, read, texts};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;
use shardlane::arrow::array::{
    ArrayRef, DictionaryArray, Int32Array, Int64Array, StringArray, TimestampMicrosecondArray,
    UInt64Array,
};
use shardlane::arrow::datatypes::Int32Type;
use shardlane::source::{Batches, Columns, TimeUnit, open};
use shardlane::tally::MISSING;
use std::fs::File;
use std::sync::Arc;

#[test]
fn csv_columns_are_read_as_keys_sizes_times_weights_and_hash_keys() {
    let files = Files::new();
    let path = files.write(
        "log.csv",
        "\u{feff}ts,key,size,count,explicit_hash_key,note\r\n\
         2013-01-01 05:15:00,a,10,1,,x\r\n\
         2013-01-01T05:15:01Z,\"b, \"\"c\"\"\",x,,42,\r\n\
         soon,,-1,3,\"\",\r\n\
         ,\"\",18446744073709551615,2,007,\r\n",
    );
    let mut source = open(&[path], &Columns::default()).unwrap();
    assert_eq!(source.taken().guessed, ["key", "size", "ts", "count", "explicit_hash_key"]);
    let read = read(&mut *source);
    assert_eq!(texts(&read), [Some("a"), Some("b, \"c\""), None, Some("")]);
    assert_eq!(read.bytes, [10, MISSING, -1, MISSING]);
    assert_eq!(read.weights, [1, MISSING, 3, 2]);
    let time = 1_357_017_300_000_000;
    assert_eq!(read.times, [time, time + 1_000_000, MISSING, MISSING]);
    let text = |text: &str| Some(text.as_bytes().to_vec());
    assert_eq!(read.explicit_hash_keys, [None, text("42"), text(""), text("007")]);
    assert_eq!(read.broken_rows, 0);
    assert_eq!(Some(source.bytes_read()), source.bytes_total());
    assert_eq!(source.rows_total(), None);
}

#[test]
fn csv_times_may_be_numbers_of_a_unit_that_is_told_or_shows() {
    let files = Files::new();
    let path = files.write("log.csv", "key,ts\na,20130101\nb,\n");
    let error = files.error(path.clone(), &Columns::default());
    assert_eq!(
        error.message(),
        "the time column \"ts\" holds numbers, such as 20130101; say their unit since \
         1970-01-01T00:00:00Z with --time-unit s, ms, us or ns (in Python: time_unit=\"ms\")"
    );
    let columns = Columns { time_unit: Some(TimeUnit::Seconds), ..Columns::default() };
    let told = read(&mut *open(&[path], &columns).unwrap());
    assert_eq!(told.times, [20_130_101_000_000, MISSING]);
    let path = files.write("shows.csv", "key,ts\na,1357017300\nb,\nc,1357017300.25\n");
    let shown = read(&mut *open(&[path], &Columns::default()).unwrap());
    assert_eq!(shown.times, [1_357_017_300_000_000, MISSING, 1_357_017_300_250_000]);
}

#[test]
fn csv_keys_are_bytes_and_need_not_be_utf_8() {
    let files = Files::new();
    let path = files.write("log.csv", b"key\ncaf\xe9\n");
    let read = read(&mut *open(&[path], &Columns::default()).unwrap());
    assert_eq!(read.keys, [Some(b"caf\xe9".to_vec())]);
}

#[test]
fn parquet_columns_are_read_and_the_others_are_not() {
    let files = Files::new();
    let keys: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("c")]));
    let rows = batch(vec![
        ("payload", Arc::new(StringArray::from(vec!["x"; 3])) as ArrayRef),
        ("time", Arc::new(TimestampMicrosecondArray::from(vec![Some(1), None, Some(3)]))),
        ("key", keys),
        ("size", Arc::new(UInt64Array::from(vec![Some(5), Some(u64::MAX), None]))),
        ("n", Arc::new(Int64Array::from(vec![1, -2, 3]))),
    ]);
    let path = files.parquet("log.parquet", &rows, WriterProperties::default());
    let mut source = open(&[path], &Columns::default()).unwrap();
    assert_eq!(source.rows_total(), Some(3));
    let read = read(&mut *source);
    assert_eq!(texts(&read), [Some("a"), None, Some("c")]);
    assert_eq!(read.bytes, [5, MISSING, MISSING]);
    assert_eq!(read.times, [1, MISSING, 3]);
    assert_eq!(read.weights, [1, -2, 3]);
    assert_eq!(Some(source.bytes_read()), source.bytes_total());
}

#[test]
fn one_column_may_play_two_parts() {
    let files = Files::new();
    let hash: ArrayRef = Arc::new(StringArray::from(vec!["1", "2"]));
    let rows = batch(vec![("hash", hash)]);
    let path = files.parquet("log.parquet", &rows, WriterProperties::default());
    let columns = Columns { explicit_hash_key: Some("hash".to_owned()), ..by("hash") };
    let read = read(&mut *open(&[path], &columns).unwrap());
    assert_eq!(read.keys, read.explicit_hash_keys);
}

#[test]
fn several_files_of_both_kinds_are_one_source() {
    let files = Files::new();
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["c", "d"]));
    let sizes: ArrayRef = Arc::new(Int64Array::from(vec![3, 4]));
    let paths = [
        files.write("1.csv", "key,size\na,1\nb\n"),
        files.parquet(
            "2.parquet",
            &batch(vec![("size", sizes), ("key", keys)]),
            WriterProperties::default(),
        ),
        files.write("3.csv", "x,size,key\n,5,e\n"),
    ];
    let mut source = open(&paths, &Columns::default()).unwrap();
    assert_eq!(source.taken().guessed, ["key", "size"]);
    let total: u64 = paths.iter().map(|path| path.metadata().unwrap().len()).sum();
    assert_eq!((source.bytes_total(), source.rows_total()), (Some(total), None));
    let mut last = 0;
    let mut keys = Vec::new();
    while let Some(batch) = source.next() {
        let batch = batch.unwrap();
        keys.extend((0..batch.keys.len()).map(|row| batch.keys.get(row).unwrap().to_vec()));
        assert!(source.bytes_read() > last, "progress goes up only");
        last = source.bytes_read();
    }
    assert_eq!(keys.concat(), b"acde");
    assert_eq!(source.bytes_read(), total);
}

#[test]
fn a_long_csv_file_comes_in_batches_and_none_of_its_rows_is_lost() {
    let files = Files::new();
    let rows = 150_000;
    let lines: Vec<_> = (0..rows).map(|row| format!("user-{row},{row}\n")).collect();
    let path = files.write("log.csv", format!("key,size\n{}", lines.concat()));
    let read = read(&mut *open(&[path], &Columns::default()).unwrap());
    assert!(read.batches > 1);
    assert_eq!(read.bytes, (0..rows).collect::<Vec<i64>>());
    assert!(
        read.keys
            .iter()
            .enumerate()
            .all(|(row, key)| { key.as_deref() == Some(format!("user-{row}").as_bytes()) })
    );
}

#[test]
fn keys_that_are_very_long_end_a_batch_early() {
    let files = Files::new();
    let key = "x".repeat(4 << 20);
    let text = format!("key\n{}", format!("{key}\n").repeat(20));
    let path = files.write("log.csv", text);
    let read = read(&mut *open(&[path], &Columns::default()).unwrap());
    assert_eq!((read.keys.len(), read.broken_rows), (20, 0));
    assert!(read.batches > 1);
}

#[test]
fn a_parquet_file_of_many_row_groups_is_read_in_order() {
    let files = Files::new();
    let path = files.path("log.parquet");
    let keys: Vec<String> = (0..10_000).map(|row| format!("user-{}", row % 700)).collect();
    let column: ArrayRef = Arc::new(StringArray::from(keys.clone()));
    let rows = batch(vec![("key", column)]);
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(3_000)).build();
    let mut writer =
        ArrowWriter::try_new(File::create(&path).unwrap(), rows.schema(), Some(properties))
            .unwrap();
    writer.write(&rows).unwrap();
    writer.close().unwrap();
    let read = read(&mut *open(&[path], &Columns::default()).unwrap());
    assert_eq!(read.batches, 4);
    let expected: Vec<_> = keys.iter().map(|key| Some(key.as_str())).collect();
    assert_eq!(texts(&read), expected);
}

#[test]
fn a_long_record_batch_is_handed_on_in_slices() {
    let rows = 300_000;
    let keys: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..rows).map(|row| row.to_string())));
    let sizes: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows));
    let batch = batch(vec![("key", keys), ("size", sizes)]);
    let schema = batch.schema();
    let mut source =
        Batches::new(&schema, [Ok::<_, shardlane::Error>(batch)], &Columns::default()).unwrap();
    let read = read(&mut source);
    assert!(read.batches > 1);
    assert_eq!(read.bytes, (0..rows).collect::<Vec<i64>>());
    assert_eq!(read.keys.last(), Some(&Some(b"299999".to_vec())));
}

#[test]
fn a_dictionary_is_cut_into_slices_much_longer_than_itself_only() {
    let values = Arc::new(StringArray::from_iter_values((0..20_000).map(|i| i.to_string())));
    let indices = Int32Array::from_iter_values((0..500_000).map(|row| row % 20_000));
    let keys: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::new(indices, values));
    let mut source = Batches::of_keys(vec![keys]).unwrap();
    let lengths: Vec<_> = source.by_ref().map(|batch| batch.unwrap().keys.len()).collect();
    assert_eq!(lengths, [320_000, 180_000]);
}

#[test]
fn arrays_of_keys_have_to_be_of_one_type() {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let number: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let mut source = Batches::of_keys(vec![text, number.clone()]).unwrap();
    assert_eq!(source.next().unwrap().unwrap().keys.len(), 1);
    assert!(source.next().unwrap().is_err());
    assert!(Batches::of_keys(vec![number]).is_err());
    assert!(Batches::of_keys(vec![]).unwrap().next().is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn keys_written_as_csv_are_read_back(
        rows in prop::collection::vec((".{0,8}|[a,\"\r\n]{0,6}", any::<i32>()), 0..40),
        always_quoted: bool,
    ) {
        let style =
            if always_quoted { csv::QuoteStyle::Always } else { csv::QuoteStyle::Necessary };
        let mut writer = csv::WriterBuilder::new().quote_style(style).from_writer(Vec::new());
        writer.write_record(["size", "key"]).unwrap();
        for (key, size) in &rows {
            writer.write_record([&size.to_string(), key]).unwrap();
        }
        let files = Files::new();
        let path = files.write("log.csv", writer.into_inner().unwrap());
        let read = read(&mut *open(&[path], &Columns::default()).unwrap());
        // Without quotes around everything, the empty key is written as nothing at all, a null.
        let expected: Vec<_> = rows
            .iter()
            .map(|(key, _)| (always_quoted || !key.is_empty()).then(|| key.clone().into_bytes()))
            .collect();
        prop_assert_eq!(read.keys, expected);
        prop_assert_eq!(read.bytes, rows.iter().map(|(_, size)| i64::from(*size)).collect::<Vec<_>>());
        prop_assert_eq!(read.broken_rows, 0);
    }
}

#[test]
fn blocks_parsed_in_any_order_are_the_batches_of_the_log() {
    let files = Files::new();
    let lines: Vec<_> = (0..200_000).map(|row| format!("user-{row},{row}\n")).collect();
    let path = files.write("log.csv", format!("key,size\n{}", lines.concat()));
    let mut source = open(&[path], &Columns::default()).unwrap();
    let blocks: Vec<_> = std::iter::from_fn(|| source.next_block()).map(Result::unwrap).collect();
    assert!(blocks.len() > 2);
    let mut sizes: Vec<i64> = Vec::new();
    for batch in blocks.into_iter().rev().flatten() {
        sizes.extend(batch.unwrap().bytes.unwrap().iter());
    }
    sizes.sort_unstable();
    assert_eq!(sizes, (0..200_000).collect::<Vec<_>>());
}

#[test]
fn files_can_be_read_again_from_their_start_and_pipes_cannot() {
    let files = Files::new();
    let path = files.write("log.csv", "key\na\nb\n");
    let mut source = open(&[path], &Columns::default()).unwrap();
    assert_eq!(read(&mut *source).keys.len(), 2);
    let mut again = source.reopen().unwrap().unwrap();
    assert_eq!(read(&mut *again).keys.len(), 2);
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    assert!(shardlane::source::Source::reopen(&Batches::of_keys(vec![keys]).unwrap()).is_none());
}

#[test]
fn the_shards_of_a_csv_are_its_text() {
    let files = Files::new();
    let path = files.write("log.csv", "key,partition\na,3\nb,\nc,shardId-000000000001\n");
    let read = read(&mut *open(&[path], &Columns::default()).unwrap());
    let shards: Vec<_> =
        read.shards.iter().map(|id| id.as_deref().map(|id| str::from_utf8(id).unwrap())).collect();
    assert_eq!(shards, [Some("3"), None, Some("shardId-000000000001")]);
}
