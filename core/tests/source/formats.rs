//! What files hold and how they are compressed, told by their bytes or as said.

use super::{Files, batch, by, read, texts};
use flate2::Compression;
use flate2::write::GzEncoder;
use shardlane::arrow::array::{ArrayRef, DictionaryArray, Int64Array, RecordBatch, StringArray};
use shardlane::arrow::compute::cast;
use shardlane::arrow::datatypes::{DataType, Int32Type};
use shardlane::arrow::ipc::CompressionType;
use shardlane::arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use shardlane::source::{Codec, Columns, Delimiter, Format, Layout, open};
use std::io::Write;
use std::sync::Arc;

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn told(layout: Layout) -> Columns {
    Columns { layout, ..Columns::default() }
}

#[test]
fn a_log_may_be_of_many_files_in_many_formats_and_codecs() {
    let files = Files::new();
    let paths = [
        files.write("a", "key,size\na,1\n"),
        files.write("b.csv", gzip("key\tsize\nb\t2\n")),
        files.write("c.gz", zstd::encode_all(&b"size;key\n3;c\n"[..], 1).unwrap()),
        files.write(
            "d",
            [gzip("{\"key\":\"d\",\"size\":4}\n"), gzip("{\"key\":\"e\",\"size\":5}\n")].concat(),
        ),
        files.write("e", "key,size\nf,6\n"),
        files.write("nothing", ""),
    ];
    let mut source = open(&paths, &Columns::default()).unwrap();
    let written: Vec<_> =
        source.written().iter().map(|one| (one.format, one.codec, one.files)).collect();
    assert_eq!(
        written,
        [
            (Format::Csv, Codec::None, 2),
            (Format::Tsv, Codec::Gzip, 1),
            (Format::Csv, Codec::Zstd, 1),
            (Format::Ndjson, Codec::Gzip, 1),
        ]
    );
    let total: u64 = paths.iter().map(|path| path.metadata().unwrap().len()).sum();
    assert_eq!(source.bytes_total(), Some(total));
    let found = read(&mut *source);
    assert_eq!(texts(&found), ["a", "b", "c", "d", "e", "f"].map(Some));
    assert_eq!(found.bytes, [1, 2, 3, 4, 5, 6]);
    assert_eq!(source.bytes_read(), total);
    assert!(source.faults().is_empty(), "an empty file lacks nothing");
    let again = read(&mut *source.reopen().unwrap().unwrap());
    assert_eq!(again.keys, found.keys);
}

#[test]
fn a_gzip_cut_short_anywhere_gives_the_whole_rows_before_and_says_what_is_missing() {
    let files = Files::new();
    let line = |row: u32| format!("key-{},{}\n", row * 7919 % 3001, row % 1000 + 1000);
    let text = (0..3000).map(line).collect::<Vec<_>>().concat();
    let bytes = gzip(&format!("key,size\n{text}"));
    let whole = files.write("whole.gz", &bytes);
    let whole = read(&mut *open(&[whole], &Columns::default()).unwrap());
    let other = files.write("other.csv", "key,size\nlast,7\n");
    let mut last = 0;
    for length in (12..bytes.len()).step_by(97).chain(bytes.len() - 12..bytes.len()) {
        let cut = files.write("cut.gz", &bytes[..length]);
        let mut source = match open(std::slice::from_ref(&cut), &Columns::default()) {
            Ok(source) => source,
            Err(error) => {
                assert!(error.message().contains("cut.gz ends early"), "{error}");
                assert_eq!(last, 0, "the header was whole before");
                // With another file beside it, that one is read.
                let mut source = open(&[cut, other.clone()], &Columns::default()).unwrap();
                assert_eq!(source.faults().len(), 1);
                assert_eq!(texts(&read(&mut *source)), [Some("last")]);
                continue;
            }
        };
        let found = read(&mut *source);
        let rows = found.keys.len();
        assert_eq!(found.keys, whole.keys[..rows], "at {length}");
        assert_eq!(found.bytes, whole.bytes[..rows], "no number is cut, at {length}");
        assert_eq!(found.broken_rows, 0, "at {length}");
        assert!(rows >= last, "at {length}");
        last = rows;
        let [fault] = source.faults() else { panic!("{:?} at {length}", source.faults()) };
        assert!(
            fault.ends_with("cut.gz ends early, so that the rows from there on are missing"),
            "{fault}"
        );
    }
    assert!(last > 2900, "{last} rows lie before the end");
}

#[test]
fn keys_and_counted_keys_need_no_header() {
    let files = Files::new();
    let path = files.write("keys", gzip("user-1\r\n\nJP"));
    let found = read(&mut *open(&[path], &Columns::default()).unwrap());
    assert_eq!(texts(&found), [Some("user-1"), Some(""), Some("JP")]);
    let path = files.write("counts", "      3 user 1\n     12 JP\n");
    let found = read(&mut *open(&[path], &Columns::default()).unwrap());
    assert_eq!(
        (texts(&found), &found.weights[..]),
        (vec![Some("user 1"), Some("JP")], &[3, 12][..])
    );
    // Told, what would be a header is a key.
    let path = files.write("list", "key\na,b\n");
    let layout = Layout { format: Some(Format::Keys), ..Layout::default() };
    let found = read(&mut *open(&[path], &told(layout)).unwrap());
    assert_eq!(texts(&found), [Some("key"), Some("a,b")]);
}

#[test]
fn a_csv_without_a_header_has_numbered_columns() {
    let files = Files::new();
    let path = files.write("log.csv", "a|1|x\nb|2|y\n");
    let layout = Layout { no_header: true, ..Layout::default() };
    let columns = Columns { bytes: Some("c2".to_owned()), layout, ..by("c1") };
    let mut source = open(std::slice::from_ref(&path), &columns).unwrap();
    assert_eq!(source.written()[0].delimiter.map(Delimiter::byte), Some(b'|'));
    let found = read(&mut *source);
    assert_eq!(texts(&found), [Some("a"), Some("b")]);
    assert_eq!(found.bytes, [1, 2]);
    let layout = Layout { delimiter: Some(Delimiter::COMMA), no_header: true, ..Layout::default() };
    let found = read(&mut *open(&[path], &Columns { layout, ..by("c1") }).unwrap());
    assert_eq!(texts(&found), [Some("a|1|x"), Some("b|2|y")]);
}

#[test]
fn what_kafka_consumers_print_is_read_with_times_sizes_and_partitions() {
    let files = Files::new();
    let path = files.write(
        "consumer",
        "CreateTime:1700000000000\tPartition:3\tuser-1\tabc\nCreateTime:1700000000001\tPartition:0\tnull\tx\ty\nmore\n",
    );
    let found = read(&mut *open(&[path], &Columns::default()).unwrap());
    assert_eq!(texts(&found), [Some("user-1"), None]);
    assert_eq!((&found.bytes[..], found.broken_rows), (&[3, 3][..], 1));
    assert_eq!(found.times, [1_700_000_000_000_000, 1_700_000_000_001_000]);
    assert_eq!(found.shards, [Some(b"3".to_vec()), Some(b"0".to_vec())]);
    let path = files.write("kcat", "user:1:2:17:-1\nJP:2:5:5\n");
    let layout = Layout { kcat_format: "%k:%p:%T:%S\\n".parse().ok(), ..Layout::default() };
    let found = read(&mut *open(&[path], &told(layout)).unwrap());
    assert_eq!(texts(&found), [Some("user:1"), Some("JP")]);
    assert_eq!((&found.bytes[..], &found.times[..]), (&[0, 5][..], &[17_000, 5_000][..]));
    let path = files.write("keyed", "user-1: payload: 1\nJP: \n");
    let layout = Layout { key_separator: ": ".parse().ok(), ..Layout::default() };
    let found = read(&mut *open(&[path], &told(layout)).unwrap());
    assert_eq!(texts(&found), [Some("user-1"), Some("JP")]);
    assert_eq!(found.bytes, [10, 0]);
}

#[test]
fn a_format_that_the_bytes_contradict_is_an_error_that_says_so() {
    let files = Files::new();
    let path = files.write("log.csv", "key,size\na,1\n");
    let message = |layout: Layout| files.error(path.clone(), &told(layout)).message().to_owned();
    let parquet = Layout { format: Some(Format::Parquet), ..Layout::default() };
    assert!(message(parquet).starts_with("log.csv does not begin with PAR1, as Parquet does, but"));
    let kcat = Layout { format: Some(Format::Kcat), ..Layout::default() };
    assert!(message(kcat).contains("type --kcat-format with what its -f was"));
    let both = Layout { format: Some(Format::Ndjson), no_header: true, ..Layout::default() };
    assert_eq!(
        message(both),
        "--no-header (in Python: header=False) is for csv and tsv, but the format was said to be \
         ndjson; leave out one of them"
    );
    let both = Layout { no_header: true, null_key: Some("x".to_owned()), ..Layout::default() };
    assert!(message(both).starts_with("--no-header and --null-key are for different formats"));
}

#[test]
fn folders_and_patterns_are_the_files_in_them_in_order() {
    let files = Files::new();
    for folder in ["day=1", "day=2/part"] {
        std::fs::create_dir_all(files.path("log").join(folder)).unwrap();
    }
    files.write("log/day=2/part/b.csv", "key\nc\n");
    files.write("log/day=1/b.csv.gz", gzip("key\nb\n"));
    files.write("log/day=1/a.csv", "key\na\n");
    files.write("log/[odd].csv", "key\nodd\n");
    for beside in ["_SUCCESS", ".part.csv.crc", "day=1/a.csv.crc", "day=1/_temporary"] {
        files.write(&format!("log/{beside}"), "not a log");
    }
    let keys = |path: &str| {
        let found = read(&mut *open(&[files.path(path)], &Columns::default()).unwrap());
        found
            .keys
            .into_iter()
            .map(|key| String::from_utf8(key.unwrap()).unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(keys("log"), ["odd", "a", "b", "c"]);
    assert_eq!(keys("log/day=*"), ["a", "b", "c"], "a folder that matches");
    assert_eq!(keys("log/**/b.*"), ["b", "c"]);
    assert_eq!(keys("log/day=?/[ab].csv"), ["a"]);
    assert_eq!(keys("log/[odd].csv"), ["odd"], "a file of that name");
}

/// Three batches with keys in a dictionary that grows, sizes and a column that nobody takes.
fn arrow_batches() -> Vec<RecordBatch> {
    (0..3)
        .map(|number| {
            let keys = (0..5).map(|row| (row > 0).then(|| format!("key-{number}-{row}")));
            let keys: Vec<Option<String>> = keys.collect();
            let keys: DictionaryArray<Int32Type> = keys.iter().map(Option::as_deref).collect();
            let sizes = Int64Array::from_iter_values((0..5).map(|row| number * 10 + row));
            let notes = StringArray::from_iter_values((0..5).map(|row| "x".repeat(row)));
            batch(vec![
                ("note", Arc::new(notes) as ArrayRef),
                ("key", Arc::new(keys)),
                ("size", Arc::new(sizes)),
            ])
        })
        .collect()
}

fn arrow_stream(batches: &[RecordBatch], codec: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(codec).unwrap();
    let mut bytes = Vec::new();
    let mut writer =
        StreamWriter::try_new_with_options(&mut bytes, &batches[0].schema(), options).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.finish().unwrap();
    drop(writer);
    bytes
}

/// A file: its batches in plain arrays, since a file may not replace a dictionary.
fn arrow_file(batches: &[RecordBatch], codec: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(codec).unwrap();
    let plain = |one: &RecordBatch| {
        let keys = cast(one.column_by_name("key").unwrap(), &DataType::Utf8).unwrap();
        batch(vec![("key", keys), ("size", one.column_by_name("size").unwrap().clone())])
    };
    let batches: Vec<_> = batches.iter().map(plain).collect();
    let mut bytes = Vec::new();
    let mut writer =
        FileWriter::try_new_with_options(&mut bytes, &batches[0].schema(), options).unwrap();
    for batch in &batches {
        writer.write(batch).unwrap();
    }
    writer.finish().unwrap();
    drop(writer);
    bytes
}

#[test]
fn arrow_files_and_streams_are_read_in_every_compression() {
    let files = Files::new();
    let batches = arrow_batches();
    for codec in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
        for (name, bytes) in
            [("stream", arrow_stream(&batches, codec)), ("file", arrow_file(&batches, codec))]
        {
            for bytes in [bytes.clone(), zstd::encode_all(&bytes[..], 1).unwrap()] {
                let path = files.write(name, bytes);
                let mut source = open(&[path], &Columns::default()).unwrap();
                assert_eq!(source.written()[0].format, Format::Arrow);
                assert_eq!(source.taken().guessed, ["key", "size"]);
                let found = read(&mut *source);
                let sizes: Vec<i64> =
                    (0..3).flat_map(|n| (0..5).map(move |row| n * 10 + row)).collect();
                assert_eq!(found.bytes, sizes, "{name}, {codec:?}");
                assert_eq!(
                    (found.keys[5].as_deref(), found.keys[14].as_deref()),
                    (None, Some(&b"key-2-4"[..]))
                );
                assert!(source.faults().is_empty(), "{:?}", source.faults());
            }
        }
    }
}

#[test]
fn arrow_cut_short_anywhere_gives_the_batches_before_or_an_error() {
    let files = Files::new();
    for (is_file, bytes) in
        [(true, arrow_file(&arrow_batches(), None)), (false, arrow_stream(&arrow_batches(), None))]
    {
        let mut last = 0;
        for length in 8..bytes.len() {
            let path = files.write("cut.arrow", &bytes[..length]);
            let Ok(mut source) = open(&[path], &Columns::default()) else {
                assert_eq!(last, 0, "the columns were there before");
                continue;
            };
            let rows = read(&mut *source).keys.len();
            assert!(rows >= last && rows.is_multiple_of(5), "{rows} rows at {length}");
            last = rows;
            if is_file {
                let [fault] = source.faults() else { panic!("{:?} at {length}", source.faults()) };
                assert!(fault.contains("cut.arrow ends early or is damaged"), "{fault}");
            }
        }
        assert_eq!(last, 15);
    }
}

#[test]
fn arrow_with_any_byte_changed_never_panics() {
    let files = Files::new();
    let bytes = arrow_stream(&arrow_batches(), Some(CompressionType::LZ4_FRAME));
    for at in 0..bytes.len() {
        for change in [0x01, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            let path = files.write("changed.arrow", changed);
            if let Ok(source) = open(&[path], &Columns::default()) {
                source.for_each(drop);
            }
        }
    }
}
