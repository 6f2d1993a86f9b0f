//! Keys are the same in every layout that Parquet and Arrow have for them.

use super::{Files, batch, read};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};
use proptest::prelude::*;
use shardlane::arrow::array::{Array, ArrayRef, StringArray};
use shardlane::arrow::compute::cast;
use shardlane::arrow::datatypes::DataType;
use shardlane::source::{Batches, Columns, open};
use std::sync::Arc;

fn layouts() -> Vec<DataType> {
    let dictionary =
        |index: DataType, values: DataType| DataType::Dictionary(Box::new(index), Box::new(values));
    vec![
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        DataType::Binary,
        DataType::LargeBinary,
        DataType::BinaryView,
        dictionary(DataType::Int32, DataType::Utf8),
        dictionary(DataType::UInt16, DataType::LargeUtf8),
        dictionary(DataType::Int16, DataType::Binary),
    ]
}

/// Ways to write a column: all in a dictionary, a dictionary that runs full half-way, none.
fn properties() -> Vec<WriterProperties> {
    let zstd = Compression::ZSTD(ZstdLevel::default());
    vec![
        WriterProperties::default(),
        WriterProperties::builder()
            .set_dictionary_page_size_limit(64)
            .set_data_page_row_count_limit(16)
            .set_write_batch_size(8)
            .build(),
        WriterProperties::builder().set_dictionary_enabled(false).set_compression(zstd).build(),
        WriterProperties::builder()
            .set_writer_version(WriterVersion::PARQUET_2_0)
            .set_max_row_group_row_count(Some(7))
            .build(),
    ]
}

fn expect_same_keys(keys: &[Option<String>]) {
    let plain: ArrayRef = Arc::new(StringArray::from(keys.to_vec()));
    let expected: Vec<_> =
        keys.iter().map(|key| key.as_ref().map(|key| key.clone().into_bytes())).collect();
    let files = Files::new();
    for layout in layouts() {
        let column = cast(&plain, &layout).unwrap();
        assert_eq!(column.data_type(), &layout);
        let rows = batch(vec![("key", column)]);
        let schema = rows.schema();
        let mut source =
            Batches::new(&schema, [Ok::<_, shardlane::Error>(rows.clone())], &Columns::default())
                .unwrap();
        assert_eq!(read(&mut source).keys, expected, "{layout} in memory");
        for (way, properties) in properties().into_iter().enumerate() {
            let path = files.parquet("log.parquet", &rows, properties);
            let read = read(&mut *open(&[path], &Columns::default()).unwrap());
            assert_eq!(read.keys, expected, "{layout} in Parquet, way {way}");
        }
    }
}

#[test]
fn every_layout_gives_the_same_keys() {
    let key = |row: usize| match row % 10 {
        3 => None,
        4 => Some(String::new()),
        _ => Some(format!("{}-日本-{}", "k".repeat(row % 23), row % 50)),
    };
    expect_same_keys(&(0..200).map(key).collect::<Vec<_>>());
    expect_same_keys(&vec![None; 20]);
    expect_same_keys(&[]);
}

#[test]
fn a_column_that_is_a_dictionary_throughout_is_read_as_one_and_others_are_not() {
    let files = Files::new();
    let few: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..1000).map(|row| (row % 9).to_string())));
    let rows = batch(vec![("key", few)]);
    let [full, half, none, _] = properties().try_into().unwrap();
    let distinct = |properties: WriterProperties| {
        let path = files.parquet("log.parquet", &rows, properties);
        let batch = open(&[path], &Columns::default()).unwrap().next().unwrap().unwrap();
        batch.keys.as_dictionary().map(|dictionary| dictionary.values().len())
    };
    assert_eq!(distinct(full), Some(9));
    assert_eq!(distinct(none), None);
    // Nine short keys fit even the small dictionary; a thousand do not.
    assert_eq!(distinct(half.clone()), Some(9));
    let many: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..1000).map(|row| row.to_string())));
    let path = files.parquet("many.parquet", &batch(vec![("key", many)]), half);
    let batch = open(&[path], &Columns::default()).unwrap().next().unwrap().unwrap();
    assert!(batch.keys.as_dictionary().is_none());
}

#[test]
fn keys_of_one_length_are_read_from_fixed_size_columns() {
    let plain: ArrayRef = Arc::new(StringArray::from(vec![Some("abcd"), None, Some("efgh")]));
    let binary = cast(&plain, &DataType::Binary).unwrap();
    let fixed = cast(&binary, &DataType::FixedSizeBinary(4)).unwrap();
    let files = Files::new();
    for properties in properties() {
        let path = files.parquet("log.parquet", &batch(vec![("key", fixed.clone())]), properties);
        let read = read(&mut *open(&[path], &Columns::default()).unwrap());
        assert_eq!(read.keys, [Some(b"abcd".to_vec()), None, Some(b"efgh".to_vec())]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_keys_are_the_same_in_every_layout(
        keys in prop::collection::vec(prop::option::of("[a-c]{0,2}|.{0,20}"), 0..60),
    ) {
        expect_same_keys(&keys);
    }
}
