//! What a file is, told by its first bytes and never by its name.

use super::Format;
use crate::error::{Error, Result};
use crate::source::columns::is_usual;
use crate::source::csv::Dialect;
use crate::source::ipc::is_arrow;
use crate::source::lines::{is_consumed, is_counted};
use crate::source::{Columns, Delimiter};

/// Unpacked bytes that are enough to tell, and to tell the columns from.
pub(in crate::source) const ENOUGH: usize = 64 << 10;

/// What is read, for those who gave something else.
const EXPECTED: &str = "expected Parquet, Arrow, JSON, CSV with a header row, or a key a line";

/// How other kinds of file begin, what they are called, and how to make one of a file called
/// `FILE` that can be read.
const OTHERS: [(&[u8], &str, &str); 8] = [
    (b"\x1f\x8b", "gzip within another compression", "unpack it twice"),
    (b"\x28\xb5\x2f\xfd", "zstd within another compression", "unpack it twice"),
    (b"BZh", "bzip2", "unpack it: bzip2 -dc FILE | shardlane ... -"),
    (b"\xfd7zXZ\0", "xz", "unpack it: xz -dc FILE | shardlane ... -"),
    (b"PK\x03\x04", "a zip archive", "unpack it: unzip -p FILE | shardlane ... -"),
    (b"PARE", "encrypted Parquet", "write it as Parquet without encryption"),
    (b"\xff\xfe", "UTF-16 text", "turn it into UTF-8: iconv -f UTF-16 -t UTF-8 FILE"),
    (b"\xfe\xff", "UTF-16 text", "turn it into UTF-8: iconv -f UTF-16 -t UTF-8 FILE"),
];

/// The format of `input`, which begins with `start`: all of it, or [`ENOUGH`] bytes at least. Where
/// one is told, whether it can be that.
///
/// # Errors
/// `InvalidInput` if it is empty, or of another kind: then the message tells how to convert it.
pub(in crate::source) fn sniff(start: &[u8], columns: &Columns, input: &str) -> Result<Format> {
    if start.is_empty() {
        return Err(Error::input(format!("{input} is empty; {EXPECTED}")));
    }
    let forced = columns.layout.format;
    if start.starts_with(b"PAR1") {
        return match forced {
            None | Some(Format::Parquet) => Ok(Format::Parquet),
            Some(other) => Err(forced_wrongly(input, "is Parquet", other)),
        };
    }
    if forced == Some(Format::Parquet) {
        let what = "does not begin with PAR1, as Parquet does";
        return Err(forced_wrongly(input, what, Format::Parquet));
    }
    if is_arrow(start) {
        return match forced {
            None | Some(Format::Arrow) => Ok(Format::Arrow),
            Some(other) => Err(forced_wrongly(input, "is Arrow IPC", other)),
        };
    }
    if forced == Some(Format::Arrow) {
        let what = "begins neither as a file nor as a stream of Arrow IPC";
        return Err(forced_wrongly(input, what, Format::Arrow));
    }
    for (magic, kind, remedy) in OTHERS {
        if start.starts_with(magic) {
            let remedy = remedy.replace("FILE", input);
            return Err(Error::input(format!("{input} is {kind}; {EXPECTED}: {remedy}")));
        }
    }
    if let Some(forced) = forced {
        let mut lines = start.split(|&byte| byte == b'\n');
        if forced.is_json() && !lines.any(|line| is_json(line.trim_ascii_start())) {
            return Err(forced_wrongly(input, "has no JSON object in its first lines", forced));
        }
        return Ok(forced);
    }
    let text = start.trim_ascii_start();
    if text.is_empty() {
        return Err(Error::input(format!(
            "{input} has only blank lines; {EXPECTED}, or --input-format keys if they are empty keys"
        )));
    }
    if is_json(text) {
        return Ok(Format::Ndjson);
    }
    // Keys may have any bytes; the names of columns may not.
    let first = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if first.contains(&0) {
        return Err(Error::input(format!("{input} is not text; {EXPECTED}")));
    }
    let layout = &columns.layout;
    if layout.kcat_format.is_some() {
        return Ok(Format::Kcat);
    }
    if is_consumed(start, layout) {
        return Ok(Format::ConsoleConsumer);
    }
    if layout.key_separator.is_some() {
        return Ok(Format::Kcat);
    }
    let (dialect, names) = Dialect::and_names(start, columns);
    let is_usual = |names: &Vec<String>| names.iter().any(|name| is_usual(name));
    let is_named = columns.named().next().is_some() || names.as_ref().is_some_and(is_usual);
    let has_fields = layout.delimiter.is_some() || layout.no_header;
    if !is_named && !has_fields {
        if is_counted(start) {
            return Ok(Format::UniqC);
        }
        // A single column, the name of which would be as good a key as those below it.
        if names.is_some_and(|names| names.len() <= 1) {
            return Ok(Format::Keys);
        }
    }
    match dialect.delimiter {
        Delimiter::TAB => Ok(Format::Tsv),
        _ => Ok(Format::Csv),
    }
}

/// `input` is not what it was said to be.
fn forced_wrongly(input: &str, is: &str, forced: Format) -> Error {
    Error::input(format!(
        "{input} {is}, but --input-format {forced} (in Python: input_format=\"{forced}\") was given; \
         leave it out, so that the format is told by the content"
    ))
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
    use crate::source::Layout;

    fn told(start: &[u8]) -> Result<Format> {
        sniff(start, &Columns::default(), "a.log")
    }

    #[test]
    fn formats_are_told_by_their_first_bytes() {
        assert_eq!(told(b"PAR1\x15\0"), Ok(Format::Parquet));
        assert_eq!(told(b"ARROW1\0\0\xff\xff\xff\xff"), Ok(Format::Arrow));
        assert_eq!(told(b"\xff\xff\xff\xff\x10\0\0\0"), Ok(Format::Arrow));
        assert_eq!(told(b"key,size\na,1\n"), Ok(Format::Csv));
        assert_eq!(told(b"key;size\na;1\n"), Ok(Format::Csv));
        assert_eq!(told(b"key\tsize\na\t1\n"), Ok(Format::Tsv));
        for text in ["\n{\"a\":1}", "[ {", "[]", "\u{1e}{", "\u{feff}{"] {
            assert_eq!(told(text.as_bytes()), Ok(Format::Ndjson), "{text}");
        }
        assert_eq!(told(b"[key],size\n"), Ok(Format::Csv));
        assert_eq!(told("\u{feff}schlüssel,größe\n".as_bytes()), Ok(Format::Csv));
        assert_eq!(told(b"user-1\nJP\n"), Ok(Format::Keys));
        assert_eq!(told(b"key\nJP\n"), Ok(Format::Csv), "a usual name");
        assert_eq!(told(b"      2 user-1\n      1 JP\n"), Ok(Format::UniqC));
        assert_eq!(told(b"CreateTime:17\tuser-1\tx\n"), Ok(Format::ConsoleConsumer));
    }

    #[test]
    fn other_files_are_named_with_a_way_to_read_them() {
        let message = |start: &[u8]| told(start).unwrap_err().message().to_owned();
        assert_eq!(message(b""), format!("a.log is empty; {EXPECTED}"));
        assert_eq!(
            message(b"BZh91AY"),
            format!("a.log is bzip2; {EXPECTED}: unpack it: bzip2 -dc a.log | shardlane ... -")
        );
        assert!(message(b"\xff\xfek\0").starts_with("a.log is UTF-16 text; "));
        assert!(message(b"\x7fELF\0\0").starts_with("a.log is not text; "));
        assert!(message(b" \r\n\n").starts_with("a.log has only blank lines; "));
    }

    #[test]
    fn what_else_is_told_tells_the_format() {
        let with = |layout, start: &[u8]| {
            sniff(start, &Columns { layout, ..Columns::default() }, "a.log").unwrap()
        };
        let layout = Layout { no_header: true, ..Layout::default() };
        assert_eq!(with(layout, b"user-1\n"), Format::Csv);
        let layout = Layout { key_separator: "\t".parse().ok(), ..Layout::default() };
        assert_eq!(with(layout.clone(), b"user-1\tx\n"), Format::Kcat);
        assert_eq!(with(layout, b"Partition:3\tuser-1\tx\n"), Format::ConsoleConsumer);
        let layout = Layout { kcat_format: "%k\\n".parse().ok(), ..Layout::default() };
        assert_eq!(with(layout, b"key,size\n"), Format::Kcat);
        let columns = Columns { key: Some("user".to_owned()), ..Columns::default() };
        assert_eq!(sniff(b"user\na\n", &columns, "a.log"), Ok(Format::Csv), "a column is named");
    }

    #[test]
    fn a_format_that_is_told_is_taken_unless_the_bytes_say_otherwise() {
        let force = |format, start: &[u8]| {
            let layout = Layout { format: Some(format), ..Layout::default() };
            sniff(start, &Columns { layout, ..Columns::default() }, "a.log")
        };
        assert_eq!(force(Format::Tsv, b"key,size\n"), Ok(Format::Tsv));
        assert_eq!(
            force(Format::Parquet, b"key\n").unwrap_err().message(),
            "a.log does not begin with PAR1, as Parquet does, but --input-format parquet (in Python: \
             input_format=\"parquet\") was given; leave it out, so that the format is told by the \
             content"
        );
        assert_eq!(force(Format::Ndjson, b"alf}\n{\"a\":1}\n"), Ok(Format::Ndjson));
        let message = force(Format::KcatJson, b"key,size\n").unwrap_err().message().to_owned();
        assert!(
            message.starts_with("a.log has no JSON object in its first lines, but"),
            "{message}"
        );
        assert!(
            force(Format::Csv, b"PAR1").unwrap_err().message().contains("a.log is Parquet, but")
        );
    }
}
