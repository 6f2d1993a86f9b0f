//! Which column is taken for what.

use super::batch;
use shardlane::arrow::array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, ListArray, NullArray, StringArray,
};
use shardlane::arrow::datatypes::{DataType, Field, Int32Type, Schema};
use shardlane::source::{Batches, Columns, Source, Taken, TimeUnit, Wanted};
use shardlane::tally::MISSING;
use shardlane::{Error, ErrorKind};
use std::sync::Arc;

fn schema(columns: &[(&str, DataType)]) -> Schema {
    let field = |(name, kind): &(&str, DataType)| Field::new(*name, kind.clone(), true);
    Schema::new(columns.iter().map(field).collect::<Vec<_>>())
}

fn taken(columns: &[(&str, DataType)], named: &Columns) -> Result<Taken, Error> {
    let none = std::iter::empty::<Result<_, Error>>();
    Ok(Batches::new(&schema(columns), none, named)?.taken().clone())
}

fn message(columns: &[(&str, DataType)], named: &Columns) -> String {
    taken(columns, named).unwrap_err().message().to_owned()
}

#[expect(clippy::unnecessary_wraps, reason = "it is what `Columns` and `Taken` hold")]
fn some(name: &str) -> Option<String> {
    Some(name.to_owned())
}

#[test]
fn columns_are_guessed_from_their_usual_names_in_any_case() {
    let given = [
        ("id", DataType::Int64),
        ("PK", DataType::Utf8),
        ("PartitionKey", DataType::Utf8View),
        ("Payload_Size", DataType::UInt32),
        ("approximate_arrival_timestamp", DataType::Date64),
        ("Count", DataType::Int16),
        ("ExplicitHashKey", DataType::LargeUtf8),
    ];
    let taken = taken(&given, &Columns::default()).unwrap();
    assert_eq!(taken.key, "PartitionKey", "the likelier name wins, not the first column");
    assert_eq!(taken.bytes, some("Payload_Size"));
    assert_eq!(taken.time, some("approximate_arrival_timestamp"));
    assert_eq!(taken.weight, some("Count"));
    assert_eq!(taken.explicit_hash_key, some("ExplicitHashKey"));
    assert_eq!(taken.guessed.len(), 5);
}

#[test]
fn only_the_key_is_required() {
    let taken = taken(&[("key", DataType::Binary)], &Columns::default()).unwrap();
    let expected =
        Taken { key: "key".to_owned(), guessed: vec!["key".to_owned()], ..Taken::default() };
    assert_eq!(taken, expected);
}

#[test]
fn what_is_named_is_not_guessed_and_not_taken_twice() {
    let given = [("size", DataType::Utf8), ("key", DataType::Utf8), ("bytes", DataType::Utf8)];
    let named = Columns { key: some("size"), ..Columns::default() };
    let taken = taken(&given, &named).unwrap();
    assert_eq!((taken.key.as_str(), taken.bytes), ("size", some("bytes")));
    assert_eq!(taken.guessed, ["bytes"]);
    let named = Columns { key: some("key"), bytes: some("bytes"), ..Columns::default() };
    let given = [("key", DataType::Utf8), ("bytes", DataType::Int64), ("size", DataType::Int64)];
    assert!(self::taken(&given, &named).unwrap().guessed.is_empty());
}

#[test]
fn a_guess_passes_over_columns_whose_type_cannot_be_meant() {
    let given = [
        ("key", DataType::Int64),
        ("pk", DataType::Utf8),
        ("bytes", DataType::Float64),
        ("ts", DataType::Boolean),
        ("n", DataType::Utf8),
    ];
    let taken = taken(&given, &Columns::default()).unwrap();
    assert_eq!(taken.key, "pk");
    assert_eq!((taken.bytes, taken.time, taken.weight), (None, None, some("n")));
}

#[test]
fn a_wrong_name_is_answered_with_the_columns_and_the_nearest_one() {
    let given = [("user_id", DataType::Utf8), ("size", DataType::Int64), ("ts", DataType::Date64)];
    let named = Columns { key: some("usr_id"), ..Columns::default() };
    assert_eq!(
        message(&given, &named),
        "column \"usr_id\" is not in the data; its columns are: user_id, size, ts; did you mean \
         --key user_id (in Python: key=\"user_id\")?"
    );
    let named = Columns { key: some("USER_ID"), ..Columns::default() };
    assert!(
        message(&given, &named)
            .ends_with("did you mean --key user_id (in Python: key=\"user_id\")?")
    );
    let named = Columns { key: some("user_id"), time: some("tz"), ..Columns::default() };
    assert!(message(&given, &named).ends_with("did you mean --time ts (in Python: time=\"ts\")?"));
    let named = Columns { key: some("carrier"), ..Columns::default() };
    assert!(
        message(&given, &named)
            .ends_with("user_id, size, ts; type --key (in Python: key=) and one of them")
    );
}

#[test]
fn of_very_many_columns_an_error_lists_the_first() {
    let names: Vec<String> = (0..1000).map(|i| format!("c{i}")).collect();
    let given: Vec<_> = names.iter().map(|name| (name.as_str(), DataType::Int64)).collect();
    let message = message(&given, &Columns::default());
    assert!(message.ends_with("c28, c29 and 970 more; none of them is text"), "{message}");
}

#[test]
fn no_column_for_the_key_is_an_error_with_an_example() {
    let given = [("n", DataType::Int64), ("carrier", DataType::Utf8), ("key", DataType::Int64)];
    assert_eq!(
        message(&given, &Columns::default()),
        "which column of the data is the partition key? No column of text has a usual name \
         (partition_key, partitionkey, key, pk, hash_key, routing_key, message_key, shard_key); its \
         columns are: n, carrier, key; name it, for example with --key carrier (in Python: key=\"carrier\")"
    );
}

#[test]
fn a_name_that_two_columns_have_is_an_error() {
    let given = [("key", DataType::Utf8), ("key", DataType::Utf8)];
    let named = Columns { key: some("key"), ..Columns::default() };
    assert_eq!(
        message(&given, &named),
        "the data has more than one column \"key\", so that it is unclear which is the key; rename \
         one of them"
    );
}

#[test]
fn a_named_column_of_the_wrong_type_is_unsupported() {
    let list = DataType::List(Arc::new(Field::new("item", DataType::Utf8, true)));
    let given = [
        ("key", DataType::Utf8),
        ("tags", list),
        ("price", DataType::Decimal128(10, 2)),
        ("flag", DataType::Boolean),
    ];
    let error = |named| taken(&given, &named).unwrap_err();
    let key = error(Columns { key: some("tags"), ..Columns::default() });
    assert_eq!(key.kind(), ErrorKind::UnsupportedType);
    assert!(key.message().starts_with("the key column \"tags\" of the data is List("), "{key}");
    assert!(
        key.message().ends_with(
            "name another column with --key (in Python: key=): key, or write what it stands for to a column of its \
             own"
        ),
        "{key}"
    );
    let bytes = error(Columns { bytes: some("price"), ..Columns::default() });
    assert_eq!(
        bytes.message(),
        "the size column \"price\" of the data is Decimal128(10, 2), but a size is a whole number of bytes; \
         name another column with --bytes (in Python: bytes=): key, or write this one as such, in SQL: CAST(\"price\" \
         AS BIGINT)"
    );
    let weight = error(Columns { weight: some("flag"), ..Columns::default() });
    assert!(weight.message().starts_with("the weight column \"flag\" of the data is Boolean"));
    let time = error(Columns { time: some("flag"), ..Columns::default() });
    assert!(time.message().ends_with("CAST(\"flag\" AS TIMESTAMP)"), "{time}");
    let explicit = error(Columns { explicit_hash_key: some("price"), ..Columns::default() });
    assert!(explicit.message().contains("64 bits cannot hold it"), "{explicit}");
}

#[test]
fn a_time_column_of_whole_numbers_is_taken_with_and_without_its_unit() {
    let given = [("key", DataType::Utf8), ("ts", DataType::Int64)];
    assert_eq!(taken(&given, &Columns::default()).unwrap().time, some("ts"));
    let unit = Columns { time_unit: Some(TimeUnit::Seconds), ..Columns::default() };
    assert_eq!(taken(&given, &unit).unwrap().time, some("ts"));
}

#[test]
fn time_units_are_read_by_their_names() {
    for unit in TimeUnit::ALL {
        assert_eq!(unit.to_string().parse(), Ok(unit));
    }
    let error = "sec".parse::<TimeUnit>().unwrap_err();
    assert_eq!(error.message(), "there is no time unit \"sec\"; type s, ms, us or ns");
}

#[test]
fn a_key_column_of_nulls_alone_is_a_column_of_null_keys() {
    let keys: [ArrayRef; 2] =
        [Arc::new(NullArray::new(3)), Arc::new(StringArray::from(vec![None::<&str>; 3]))];
    for keys in keys {
        let nulls = batch(vec![("key", keys)]);
        let schema = nulls.schema();
        let mut source =
            Batches::new(&schema, [Ok::<_, Error>(nulls)], &Columns::default()).unwrap();
        let batch = source.next().unwrap().unwrap();
        assert_eq!((batch.keys.len(), batch.keys.null_count()), (3, 3));
    }
}

#[test]
fn a_batch_that_lacks_a_promised_column_is_an_error() {
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let short = batch(vec![("key", keys)]);
    let promised = schema(&[("key", DataType::Utf8), ("size", DataType::Int64)]);
    let mut source = Batches::new(&promised, [Ok::<_, Error>(short)], &Columns::default()).unwrap();
    let error = source.next().unwrap().unwrap_err();
    assert_eq!(
        error.message(),
        "a batch has 1 columns and so lacks \"size\", which the schema promised"
    );
}

#[test]
fn a_batch_of_other_types_than_promised_is_an_error_and_no_panic() {
    let wrong: [ArrayRef; 4] = [
        Arc::new(BooleanArray::from(vec![true])),
        Arc::new(Float64Array::from(vec![1.0])),
        Arc::new(Int64Array::from(vec![1])),
        Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1)])])),
    ];
    let promised = schema(&[("key", DataType::Utf8)]);
    for array in wrong {
        let kind = array.data_type().clone();
        let other = batch(vec![("key", array)]);
        let mut source =
            Batches::new(&promised, [Ok::<_, Error>(other)], &Columns::default()).unwrap();
        let error = source.next().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnsupportedType, "{kind}");
    }
}

#[test]
fn floats_are_sizes_and_times_where_one_is_named() {
    // As pandas writes whole numbers of which one is missing, and as Python's `time.time()`.
    let batch = batch(vec![
        ("key", Arc::new(StringArray::from(vec!["a", "b", "c"])) as ArrayRef),
        ("size", Arc::new(Float64Array::from(vec![Some(90.0), None, Some(0.5)]))),
        ("ts", Arc::new(Float64Array::from(vec![1.25, -1.0, f64::NAN]))),
    ]);
    let schema = batch.schema();
    let read = |columns: &Columns| {
        let batches = [Ok::<_, Error>(batch.clone())];
        Batches::new(&schema, batches, columns).unwrap().next().unwrap().unwrap()
    };
    let guessed = read(&Columns::default());
    assert_eq!((guessed.bytes, guessed.times), (None, None));

    let named = Columns {
        bytes: some("size"),
        time: some("ts"),
        time_unit: Some(TimeUnit::Seconds),
        ..Columns::default()
    };
    let named = read(&named);
    assert_eq!(named.bytes.unwrap()[..], [90, MISSING, MISSING]);
    assert_eq!(named.times.unwrap()[..], [1_250_000, -1_000_000, MISSING]);

    let untold = Columns { time: some("ts"), ..Columns::default() };
    let mut batches = Batches::new(&schema, [Ok::<_, Error>(batch.clone())], &untold).unwrap();
    let error = batches.next().unwrap().unwrap_err();
    assert!(error.message().contains("--time-unit s"), "{error}");
}

#[test]
fn sizes_and_times_are_left_out_where_only_keys_are_wanted() {
    let given = [("key", DataType::Utf8), ("size", DataType::Int64), ("ts", DataType::Int64)];
    let columns = Columns { wanted: Wanted::Keys, ..Columns::default() };
    let taken = taken(&given, &columns).unwrap();
    assert_eq!((taken.key.as_str(), taken.bytes, taken.time), ("key", None, None));
}

#[test]
fn the_shard_that_the_service_chose_is_text_or_a_number() {
    let text: ArrayRef = Arc::new(StringArray::from(vec![Some("shardId-000000000002"), None]));
    let number: ArrayRef = Arc::new(Int64Array::from(vec![Some(7), None]));
    let fraction: ArrayRef = Arc::new(Float64Array::from(vec![Some(7.0), None]));
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    for (name, shards, first) in [
        ("Shard_Id", text, "shardId-000000000002"),
        ("partition", number, "7"),
        ("shard", fraction, "7"),
    ] {
        let columns = Columns { shard: some(name), wanted: Wanted::Shards, ..Columns::default() };
        let batch = batch(vec![("key", keys.clone()), (name, shards)]);
        let mut source =
            Batches::new(&batch.schema(), [Ok::<_, Error>(batch.clone())], &columns).unwrap();
        assert_eq!(source.taken().shard.as_deref(), Some(name));
        let shards = source.next().unwrap().unwrap().shards.unwrap();
        assert_eq!((shards.get(0), shards.get(1)), (Some(first.as_bytes()), None));
    }
}

#[test]
fn a_shard_is_looked_for_where_it_is_of_use() {
    let given = [("key", DataType::Utf8), ("Partition", DataType::Int32)];
    for (wanted, expected) in [
        (Wanted::All, some("Partition")),
        (Wanted::Shards, some("Partition")),
        (Wanted::Loads, None),
        (Wanted::Keys, None),
    ] {
        let named = Columns { wanted, ..Columns::default() };
        assert_eq!(taken(&given, &named).unwrap().shard, expected, "{wanted:?}");
    }
}
