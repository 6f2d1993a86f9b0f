//! Every way a file can be wrong has a message that says what to do.

use super::{Files, batch, by, read, texts};
use parquet::file::properties::WriterProperties;
use shardlane::ErrorKind;
use shardlane::arrow::array::{ArrayRef, Int64Array, StringArray};
use shardlane::source::{Columns, open};
use std::path::Path;
use std::sync::Arc;

#[test]
fn no_file_at_all_is_an_error() {
    let none: [&Path; 0] = [];
    let error = open(&none, &Columns::default()).err().unwrap();
    assert_eq!(
        error.message(),
        "no file was given; name at least one file with a log, or - for standard input"
    );
}

#[test]
fn standard_input_can_be_named_only_once() {
    let error = open(&["-", "a.csv", "-"], &Columns::default()).err().unwrap();
    assert_eq!(
        error.message(),
        "standard input (-) is named more than once, but it can be read only once"
    );
}

#[test]
fn a_missing_file_is_named_with_what_was_expected() {
    let files = Files::new();
    let error = files.error(files.path("clicks.csv"), &Columns::default());
    assert_eq!(error.kind(), ErrorKind::Io);
    let message = error.message();
    assert!(message.starts_with("clicks.csv cannot be opened: "), "{message}");
    assert!(
        message.ends_with("; expected a file with a log, or - for standard input"),
        "{message}"
    );
}

#[test]
fn a_missing_file_among_several_is_an_error_before_anything_is_read() {
    let files = Files::new();
    let good = files.write("a.csv", "key\na\n");
    let error = open(&[good, files.path("b.csv")], &Columns::default()).err().unwrap();
    assert!(error.message().contains("b.csv cannot be opened"), "{error}");
}

#[test]
fn a_folder_without_files_and_a_pattern_without_matches_are_errors() {
    let files = Files::new();
    std::fs::create_dir(files.path("logs")).unwrap();
    files.write("logs/_SUCCESS", "");
    let error = files.error(files.path("logs"), &Columns::default());
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert_eq!(
        error.message(),
        "the folder logs has no files to read; those whose names begin with . or _ are passed over"
    );
    let error = files.error(files.path("logs/*.csv"), &Columns::default());
    assert_eq!(
        error.message(),
        "no file matches logs/*.csv; type the name of a file or a folder, or another pattern"
    );
    let error = files.error(files.path("logs/***"), &Columns::default());
    assert!(error.message().contains("is neither a file nor a pattern"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let files = Files::new();
    let path = files.write("secret.csv", "key\na\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::File::open(&path).is_ok() {
        // The superuser may read everything, so there is nothing to see here.
        return;
    }
    let error = files.error(path, &Columns::default());
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.message().starts_with("secret.csv cannot be opened: Permission denied"));
}

#[test]
fn an_empty_file_is_an_error_whatever_its_name() {
    let files = Files::new();
    for name in ["a.csv", "a.parquet"] {
        let error = files.error(files.write(name, ""), &Columns::default());
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert_eq!(
            error.message(),
            format!(
                "{name} is empty; expected Parquet, Arrow, JSON, CSV with a header row, or a key a line"
            )
        );
    }
}

#[test]
fn a_header_without_rows_gives_no_batches() {
    let files = Files::new();
    let path = files.write("a.csv", "key,size\n");
    assert_eq!(read(&mut *open(&[path], &Columns::default()).unwrap()).batches, 0);
    let none: ArrayRef = Arc::new(StringArray::from(Vec::<&str>::new()));
    let path = files.parquet("a.parquet", &batch(vec![("key", none)]), WriterProperties::default());
    let mut source = open(&[path], &Columns::default()).unwrap();
    assert_eq!(source.rows_total(), Some(0));
    assert_eq!(read(&mut *source).batches, 0);
}

#[test]
fn a_parquet_file_cut_short_anywhere_is_an_error() {
    let files = Files::new();
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c"]));
    let whole =
        files.parquet("a.parquet", &batch(vec![("key", keys)]), WriterProperties::default());
    let bytes = std::fs::read(&whole).unwrap();
    for length in 4..bytes.len() {
        let error = files.error(files.write("cut.parquet", &bytes[..length]), &Columns::default());
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert_eq!(
            error.message(),
            "cut.parquet begins as Parquet does but cannot be read: it is cut short or damaged; \
             copy or write it again"
        );
    }
}

#[test]
fn a_csv_header_that_is_not_one_is_an_error() {
    let files = Files::new();
    let message = |content: &[u8]| {
        let error = files.error(files.write("a.csv", content), &Columns::default());
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        error.message().to_owned()
    };
    let expected = "; expected the names of the columns in UTF-8, with commas between them";
    assert_eq!(
        message(b"\"key,size\na,1\n"),
        format!("the header row of a.csv has a quote without its pair, or does not end{expected}")
    );
    assert_eq!(
        message(b"k\xe9y,size\na,1\n"),
        format!("the header row of a.csv is not UTF-8{expected}")
    );
    assert_eq!(
        message(",".repeat(100_000).as_bytes()),
        format!("the header row of a.csv has more than 16384 columns{expected}")
    );
    assert!(message(b"key,size\ra,1\r").starts_with("the lines of a.csv end in carriage returns"));
    assert_eq!(
        message(b"\x1f\x8b\x08\0"),
        "the gzip of a.csv ends early, so that the rows from there on are missing, of which there is \
         none before"
    );
}

#[test]
fn broken_csv_rows_are_counted_and_the_others_survive() {
    let files = Files::new();
    let path = files.write(
        "a.csv",
        "key,size\na,1\nb\nc,3,4\n\"d,5\ne,6\n\"f\"g,7\n\"h\",8\n\n\"i\nj\",9\n\"k",
    );
    let read = read(&mut *open(&[path], &Columns::default()).unwrap());
    assert_eq!(texts(&read), [Some("a"), Some("e"), Some("h"), Some("i\nj")]);
    assert_eq!(read.bytes, [1, 6, 8, 9]);
    assert_eq!(read.broken_rows, 5, "b, c, \"d, \"f\"g and \"k");
}

#[test]
fn a_header_in_the_middle_is_no_record() {
    let files = Files::new();
    let path = files.write("a.csv", "key,note,size\na,,1\nkey,note,size\nkey,note,7\nb,x,2\n");
    let read = read(&mut *open(&[path], &Columns::default()).unwrap());
    assert_eq!(texts(&read), [Some("a"), Some("key"), Some("b")]);
    assert_eq!((read.bytes, read.broken_rows), (vec![1, 7, 2], 1));
}

#[test]
fn a_csv_file_of_broken_rows_alone_still_tells_how_many() {
    let files = Files::new();
    let path = files.write("a.csv", "key,size\na\nb\n");
    let read = read(&mut *open(&[path], &Columns::default()).unwrap());
    assert_eq!((read.keys.len(), read.broken_rows, read.batches), (0, 2, 1));
}

#[test]
fn a_later_file_without_the_columns_of_the_first_is_left_out_and_said_to_be() {
    let files = Files::new();
    let first = files.write("a.csv", "key,size\na,1\n");
    let second = files.write("b.csv", "key,bytes_in\nb,2\n");
    let third = files.write("c.csv", "size,note,key\n3,x,c\n");
    let mut source = open(&[first, second, third], &Columns::default()).unwrap();
    let [fault] = source.faults() else { panic!("one file is left out: {:?}", source.faults()) };
    assert!(fault.starts_with("left out: column \"size\" is not in "), "{fault}");
    assert!(
        fault.ends_with(
            "b.csv; its columns are: key, bytes_in; type --bytes (in Python: bytes=) and one of them"
        ),
        "{fault}"
    );
    let read = read(&mut *source);
    assert_eq!(texts(&read), [Some("a"), Some("c")]);
    assert_eq!(read.bytes, [1, 3]);
}

#[test]
fn a_key_column_that_holds_no_text_is_an_error_that_names_those_that_do() {
    let files = Files::new();
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let names: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    let rows = batch(vec![("user_id", ids), ("carrier", names)]);
    let path = files.parquet("clicks.parquet", &rows, WriterProperties::default());
    let error = files.error(path, &by("user_id"));
    assert_eq!(error.kind(), ErrorKind::UnsupportedType);
    assert_eq!(
        error.message(),
        "the key column \"user_id\" of clicks.parquet is Int64, but a partition key is text or \
         bytes, as the producer writes it (whole numbers that it writes as such: --key-serializer long or integer; key_serializer= in Python); name another column with --key (in Python: key=): carrier, or write this \
         one as such, in SQL: CAST(\"user_id\" AS VARCHAR)"
    );
}

#[cfg(unix)]
#[test]
fn parquet_from_a_stream_is_refused_and_csv_is_read_from_several() {
    let files = Files::new();
    let fifo = |name: &str, content: &'static [u8]| {
        let path = files.path(name);
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        let writer = path.clone();
        std::thread::spawn(move || std::fs::write(writer, content));
        path
    };
    let error = files.error(fifo("a", b"PAR1...."), &Columns::default());
    assert_eq!(
        error.message(),
        "a is Parquet, which has to be read from its end, but it is a stream; save it to a file and \
         name that"
    );
    let streams = [fifo("b", b"key\nx\ny\n"), fifo("c", b"n,key\n1,z\n")];
    let mut source = open(&streams, &Columns::default()).unwrap();
    assert_eq!((source.bytes_total(), source.rows_total()), (None, None));
    assert_eq!(texts(&read(&mut *source)), [Some("x"), Some("y"), Some("z")]);
}
