//! What a file is, told by its first bytes and never by its name.

use crate::error::{Error, Result};

/// Bytes that are enough to tell.
pub(super) const ENOUGH: usize = 4096;

/// A kind of file that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Parquet,
    Csv,
    Json,
}

/// How other kinds of file begin, what they are called, and how to make CSV or Parquet of one
/// called `FILE`.
const OTHERS: [(&[u8], &str, &str); 8] = [
    (b"\x1f\x8b", "gzip", "unpack it: gunzip -c FILE | shardlane ... -"),
    (b"\x28\xb5\x2f\xfd", "zstd", "unpack it: zstd -dc FILE | shardlane ... -"),
    (b"BZh", "bzip2", "unpack it: bzip2 -dc FILE | shardlane ... -"),
    (b"PK\x03\x04", "a zip archive", "unpack it: unzip -p FILE | shardlane ... -"),
    (b"ARROW1", "Arrow IPC", "write it as Parquet, or hand the table to the Python package"),
    (b"PARE", "encrypted Parquet", "write it as Parquet without encryption"),
    (b"\xff\xfe", "UTF-16 text", "turn it into UTF-8: iconv -f UTF-16 -t UTF-8 FILE"),
    (b"\xfe\xff", "UTF-16 text", "turn it into UTF-8: iconv -f UTF-16 -t UTF-8 FILE"),
];

impl Format {
    /// The format of `input`, which begins with `start`: all of it, or [`ENOUGH`] bytes at least.
    ///
    /// # Errors
    /// `InvalidInput` if it is empty, or of another kind: then the message tells how to convert it.
    pub(super) fn of(start: &[u8], input: &str) -> Result<Self> {
        const EXPECTED: &str = "expected Parquet, JSON, or CSV with a header row";
        if start.is_empty() {
            return Err(Error::input(format!("{input} is empty; {EXPECTED}")));
        }
        if start.starts_with(b"PAR1") {
            return Ok(Self::Parquet);
        }
        for (magic, kind, remedy) in OTHERS {
            if start.starts_with(magic) {
                let remedy = remedy.replace("FILE", input);
                return Err(Error::input(format!("{input} is {kind}; {EXPECTED}: {remedy}")));
            }
        }
        let text = start.trim_ascii_start();
        if text.is_empty() {
            return Err(Error::input(format!("{input} has only blank lines; {EXPECTED}")));
        }
        if is_json(text) {
            return Ok(Self::Json);
        }
        // Keys may have any bytes; the names of columns may not.
        let header = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
        if header.contains(&0) {
            return Err(Error::input(format!("{input} is not text; {EXPECTED}")));
        }
        Ok(Self::Csv)
    }
}

/// Whether text begins as JSON objects do: by themselves, in an array, or behind the sign that
/// begins each record of a JSON text sequence.
fn is_json(text: &[u8]) -> bool {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    match text.strip_prefix(b"\x1e").unwrap_or(text) {
        [b'{', ..] => true,
        [b'[', rest @ ..] => matches!(rest.trim_ascii_start(), [b'{' | b']', ..]),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parquet_csv_and_json_are_told_by_their_first_bytes() {
        assert_eq!(Format::of(b"PAR1\x15\0", "x"), Ok(Format::Parquet));
        assert_eq!(Format::of(b"key,size\na,1\n", "x"), Ok(Format::Csv));
        assert_eq!(Format::of("\u{feff}schlüssel\n".as_bytes(), "x"), Ok(Format::Csv));
        for text in ["\n{\"a\":1}", "[ {", "[]", "\u{1e}{", "\u{feff}{"] {
            assert_eq!(Format::of(text.as_bytes(), "x"), Ok(Format::Json), "{text}");
        }
        assert_eq!(Format::of(b"[key],size\n", "x"), Ok(Format::Csv));
    }

    #[test]
    fn other_files_are_named_with_a_way_to_read_them() {
        let message = |start: &[u8]| Format::of(start, "a.log").unwrap_err().message().to_owned();
        assert_eq!(
            message(b""),
            "a.log is empty; expected Parquet, JSON, or CSV with a header row"
        );
        assert_eq!(
            message(b"\x1f\x8b\x08"),
            "a.log is gzip; expected Parquet, JSON, or CSV with a header row: unpack it: gunzip -c a.log \
             | shardlane ... -"
        );
        assert!(message(b"\xff\xfek\0").starts_with("a.log is UTF-16 text; "));
        assert!(message(b"\x7fELF\0\0").starts_with("a.log is not text; "));
        assert!(message(b" \r\n\n").starts_with("a.log has only blank lines; "));
    }
}
