//! Files whose bytes are wrong anywhere give an error, or other keys, and never a panic.

use super::{Files, batch};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use shardlane::arrow::array::{ArrayRef, Int64Array, StringArray, TimestampMicrosecondArray};
use shardlane::source::{Columns, open};
use std::path::Path;
use std::sync::Arc;

fn read_to_the_end(path: &Path) -> Result<usize, shardlane::Error> {
    let mut rows = 0;
    for batch in open(&[path], &Columns::default())? {
        rows += batch?.keys.len();
    }
    Ok(rows)
}

#[test]
fn a_parquet_file_with_any_byte_changed_never_panics() {
    let files = Files::new();
    let keys = |row: usize| (!row.is_multiple_of(5)).then(|| format!("user-{}", row % 7));
    let rows = batch(vec![
        ("key", Arc::new((0..40).map(keys).collect::<StringArray>()) as ArrayRef),
        ("size", Arc::new(Int64Array::from_iter_values(0..40))),
        ("ts", Arc::new(TimestampMicrosecondArray::from_iter_values(0..40))),
    ]);
    let plain = WriterProperties::builder().set_dictionary_enabled(false).build();
    let zstd = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let mut errors = 0;
    for properties in [plain, zstd, WriterProperties::default()] {
        let path = files.parquet("log.parquet", &rows, properties);
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(read_to_the_end(&path), Ok(40));
        for at in 4..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= [0x01, 0x80, 0xff][at % 3];
            std::fs::write(&path, bytes).unwrap();
            errors += usize::from(read_to_the_end(&path).is_err());
        }
    }
    assert!(errors > 100, "most changes to a footer are noticed, but only {errors} were");
}
