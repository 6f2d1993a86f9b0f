//! What must hold for any bytes at all, as plain functions: the fuzz targets call them with bytes
//! that a fuzzer finds, and `core/tests/fuzz_seeds.rs` with those under `seeds`.

use shardlane::keys::aggregate::{MAGIC, open as open_aggregate, write};
use shardlane::lanes::reference;
use shardlane::source::{Codec, Columns, Format, Layout, open};
use shardlane::{ShardMap, Tally};
use std::fs;

/// Reads the answer of `ListShards`, of either service. A map that is made owns every hash value exactly once.
///
/// # Panics
/// If it does not.
pub fn list_shards(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for map in [ShardMap::from_list_shards(text), ShardMap::from_sls_shards(text)] {
        match map {
            Ok(map) => owns_all(&map),
            Err(error) => assert!(!error.to_string().is_empty(), "an error says something"),
        }
    }
}

fn owns_all(map: &ShardMap) {
    let open: Vec<_> = map.open_shards().collect();
    assert_eq!(open.len(), map.len(), "the length is that of the open shards");
    let ranges: Vec<_> = open.iter().map(|shard| shard.range.expect("a range")).collect();
    assert_eq!(ranges[0].start, 0, "the first hash value is owned");
    assert_eq!(ranges[ranges.len() - 1].end, u128::MAX, "the last hash value is owned");
    for (index, range) in (0..).zip(&ranges) {
        assert_eq!(map.shard_of_hash(range.start), index, "a range begins with its start");
        assert_eq!(map.shard_of_hash(range.end), index, "a range ends with its end");
    }
}

/// Reads a log in whatever format and codec it seems to be in. The columns of each batch are of one
/// length.
///
/// # Panics
/// If they are not, or if no temporary file can be written.
pub fn source_any(bytes: &[u8]) {
    if !bytes.starts_with(b"PAR1") {
        rows(bytes, Layout::default());
    }
}

/// Reads a log in CSV. The columns of each batch are of one length, and no row is made up.
///
/// # Panics
/// If it is not so, or if no temporary file can be written.
pub fn source_csv(bytes: &[u8]) {
    let layout = Layout { format: Some(Format::Csv), ..Layout::default() };
    assert!(rows(bytes, layout) <= bytes.len(), "a row of CSV is at least its line end");
}

/// Reads records of text without names, laid out in each way. What holds for CSV holds for them.
///
/// # Panics
/// If it does not, or if no temporary file can be written.
pub fn source_lines(bytes: &[u8]) {
    let mut layouts = Vec::new();
    for format in [Format::Keys, Format::UniqC, Format::ConsoleConsumer] {
        layouts.push(Layout { format: Some(format), ..Layout::default() });
    }
    for format in [r"%k\t%p\t%T\t%S\n", r"%K:%k,%R%s;", r"%k\n%s\n"] {
        let kcat_format = Some(format.parse().expect("a format"));
        layouts.push(Layout { format: Some(Format::Kcat), kcat_format, ..Layout::default() });
    }
    for layout in layouts {
        assert!(rows(bytes, layout) <= bytes.len(), "a record is at least its end");
    }
}

/// Reads bytes as a log and tells its rows; 0 for what is unpacked or fails.
fn rows(bytes: &[u8], layout: Layout) -> usize {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("log");
    fs::write(&path, bytes).expect("a temporary file");
    let Ok(source) = open(&[path], &Columns { layout, ..Columns::default() }) else { return 0 };
    let is_packed = source.written().iter().any(|written| written.codec != Codec::None);
    let mut rows = 0;
    for batch in source {
        let Ok(batch) = batch else { return 0 };
        let len = batch.keys.len();
        rows += len;
        let columns = [&batch.bytes, &batch.times, &batch.weights];
        assert!(columns.into_iter().flatten().all(|column| column.len() == len));
        let texts = [&batch.explicit_hash_keys, &batch.shards];
        assert!(texts.into_iter().flatten().all(|column| column.len() == len));
    }
    if is_packed { 0 } else { rows }
}

/// Reads a log in JSON. The columns of each batch are of one length.
///
/// # Panics
/// If they are not, or if no temporary file can be written.
pub fn source_json(bytes: &[u8]) {
    if matches!(bytes.trim_ascii_start(), [b'{' | b'[', ..]) {
        source_any(bytes);
    }
}

/// Opens an aggregate, as it is and with a digest that is right. Its records are within it.
///
/// # Panics
/// If they are not.
pub fn aggregate(bytes: &[u8]) {
    let sealed = [&MAGIC[..], bytes, &reference::digest(bytes)].concat();
    for bytes in [bytes, &sealed] {
        let records = open_aggregate(bytes).unwrap_or_default();
        let length: usize = records.iter().map(|record| record.data.len()).sum();
        assert!(length <= bytes.len(), "the records are within the aggregate");
        if !records.is_empty() {
            let written = write(&records);
            assert_eq!(open_aggregate(&written), Some(records), "what is written is read");
        }
    }
}

/// Reads a saved tally, as it is and with a checksum that is right. A tally that is read is written
/// as the same bytes from then on, and its cells are within its totals.
///
/// # Panics
/// If it is not so.
pub fn tally_from_bytes(bytes: &[u8]) {
    saved_tally(bytes);
    if let Some((content, _)) = bytes.split_last_chunk::<16>() {
        saved_tally(&[content, &reference::digest(content)].concat());
    }
}

fn saved_tally(bytes: &[u8]) {
    let Ok(tally) = Tally::from_bytes(bytes) else { return };
    let written = tally.to_bytes();
    let mut again = Tally::from_bytes(&written).expect("what was written can be read");
    assert_eq!(again.to_bytes(), written, "the bytes of a tally are canonical");
    for cell in tally.cells() {
        let total = tally.totals()[cell.shard as usize];
        assert!(cell.records <= total.records, "a cell is part of its shard");
    }
    again.merge(&tally).expect("a tally can be merged with itself");
}
