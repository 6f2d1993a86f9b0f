use super::*;
use crate::source::{KcatFormat, Layout};
use proptest::prelude::*;

/// What is read of a text: each record's columns by name, and how many records were broken.
type Read = (Vec<Vec<(&'static str, String)>>, u64);

/// Reads a text in blocks, the first of `first` bytes.
fn read_in(text: &[u8], kind: &Kind, first: usize) -> Read {
    let mut cutter = Cutter::with_sizes(text, first, 1 << 20);
    let (mut rows, mut broken) = (Vec::new(), 0);
    while let Some(cut) = cutter.next(|bytes| kind.last_end(bytes)).unwrap() {
        let Cut::Block(block) = cut else { panic!("no record is that long") };
        let mut fields = nulls();
        let mut at = 0;
        while at < block.len() {
            match kind.record(&block, at, &mut fields) {
                Found::Record(end) => {
                    let row = Row { block: &block, fields: &fields };
                    let text =
                        |text: Text<'_>| String::from_utf8_lossy(text.as_bytes()).into_owned();
                    let column = |(at, name)| Some((name, row.text(at).map(text)?));
                    rows.push(kind.names().into_iter().enumerate().filter_map(column).collect());
                    at = end;
                }
                Found::Broken(end) => {
                    broken += 1;
                    at = end;
                }
                Found::Undecided => panic!("all bytes are there"),
            }
        }
    }
    (rows, broken)
}

/// The same in blocks of any size.
#[track_caller]
fn read(text: &[u8], kind: &Kind) -> Read {
    let whole = read_in(text, kind, 1 << 16);
    for first in [1, 2, 3, 5, 8, 13] {
        assert_eq!(read_in(text, kind, first), whole, "a first block of {first} bytes");
    }
    whole
}

fn keys(read: &Read) -> Vec<&str> {
    let key = |row: &Vec<(&'static str, String)>| row.iter().position(|(name, _)| *name == "key");
    read.0.iter().map(|row| key(row).map_or("NULL", |at| row[at].1.as_str())).collect()
}

fn kcat(format: &str, null: Option<&str>) -> Kind {
    let kcat_format: KcatFormat = format.parse().unwrap();
    let null_key = null.map(str::to_owned);
    let layout = Layout { kcat_format: Some(kcat_format), null_key, ..Layout::default() };
    Kind::Kcat(Kcat::of(&layout).unwrap())
}

#[test]
fn a_line_is_a_key_whatever_ends_it() {
    let found = read(b"user-1\r\nJP\n\n a b \nlast", &Kind::Keys);
    assert_eq!((keys(&found), found.1), (vec!["user-1", "JP", "", " a b ", "last"], 0));
    assert_eq!(keys(&read(b"a\n", &Kind::Keys)), ["a"], "the last end begins no other line");
    assert!(read(b"", &Kind::Keys).0.is_empty());
}

#[test]
fn counts_stand_in_front_of_keys() {
    let found = read(b"      3 user 1\n     12 \nno count\n      1 JP", &Kind::Counted);
    assert_eq!((keys(&found), found.1), (vec!["user 1", "", "JP"], 1));
    assert_eq!(found.0[1], [("count", "12".to_owned()), ("key", String::new())]);
}

#[test]
fn kcat_prints_parts_as_it_is_told() {
    let kind = kcat(r"%k\t%p\t%o\t%T\t%S\n", Some("NULL"));
    let text = b"user\t1\t3\t17\t1700000000000\t512\n\t0\t1\t-1\t-1\nNULL\t0\t2\t5\t0\nx\t0\t1\n";
    let (rows, broken) = read(text, &kind);
    let row = |columns: &[(&'static str, &str)]| -> Vec<(&'static str, String)> {
        columns.iter().map(|(name, text)| (*name, (*text).to_owned())).collect()
    };
    assert_eq!(broken, 1);
    assert_eq!(
        rows,
        [
            row(&[
                ("key", "user\t1"),
                ("size", "512"),
                ("timestamp", "1700000000000"),
                ("partition", "3"),
                ("offset", "17"),
            ]),
            row(&[("size", "0"), ("partition", "0"), ("offset", "1")]),
            row(&[("size", "0"), ("timestamp", "5"), ("partition", "0"), ("offset", "2")]),
        ]
    );
}

#[test]
fn a_line_of_kcat_may_lack_its_end_only_where_the_log_ends() {
    assert_eq!(keys(&read(b"a:1;\nb:2;", &kcat(r"%k:%p;\n", None))), ["a", "b"]);
    assert_eq!(keys(&read(b"a:xy\nb:", &kcat(r"%k:%s\n", None))), ["a", "b"]);
    let found = read(b"Key a [1]\nKey b [x]\n[2]\nKey c [3]\n", &kcat(r"Key %k [%p]\n", None));
    assert_eq!((keys(&found), found.1), (vec!["a", "c"], 2));
}

#[test]
fn lengths_tell_where_keys_and_payloads_end() {
    let kind = kcat(r"%K,%k,%S,%s\n", None);
    let found = read(b"3,a,b,4,x\n,y\n0,,-1,\n-1,,0,\n1,c,2,\n\n\n", &kind);
    assert_eq!((keys(&found), found.1), (vec!["a,b", "", "NULL", "c"], 0));
    let sizes: Vec<&str> = found.0.iter().map(|row| row.last().unwrap().1.as_str()).collect();
    assert_eq!(sizes, ["4", "0", "0", "2"]);
    let found = read(b"3,a,b,1,x\nnone\n1,c,1,y\n9,d", &kind);
    assert_eq!((keys(&found), found.1), (vec!["a,b", "c"], 2), "what is none ends with its line");
    let found = read(b"4 NULL\n-1 NULL\n0 NULL\n", &kcat(r"%K %k\n", Some("NULL")));
    assert_eq!(keys(&found), ["NULL", "NULL", ""], "four letters, none, and an empty key");
    assert!(found.0[0][0].1 == "NULL" && found.0[1].is_empty());
}

#[test]
fn lengths_in_four_bytes_and_records_without_lines_are_read() {
    let text = b"a \x00\x00\x00\x02x\nb \xff\xff\xff\xffc \x00\x00\x00\x00";
    let found = read(text, &kcat("%k %R%s", None));
    assert_eq!((keys(&found), found.1), (vec!["a", "b", "c"], 0));
    assert_eq!(found.0[0][1].1, "2");
    let found = read(b"a=1;b=x;c=3;d=4", &kcat("%k=%p;", None));
    assert_eq!((keys(&found), found.1), (vec!["a", "c", "d"], 1));
}

proptest! {
    #[test]
    fn keys_are_the_lines_of_the_text(text in "[ab\r\n]{0,60}", first in 1usize..20) {
        let mut lines: Vec<&str> = text.split('\n').collect();
        if lines.last() == Some(&"") {
            lines.pop();
        }
        let lines: Vec<&str> = lines.iter().map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        let found = read_in(text.as_bytes(), &Kind::Keys, first);
        prop_assert_eq!(keys(&found), lines);
    }

    #[test]
    fn what_kcat_printed_is_read_back(
        records in prop::collection::vec(("[a-c:,\n]{0,5}", "[x-z:,\n]{0,5}", 0u8..9), 0..12),
        first in 1usize..20,
    ) {
        let print = |(key, payload, partition): &(String, String, u8)| {
            format!("{}:{key}:{partition}:{},{payload}\n", key.len(), payload.len())
        };
        let text: String = records.iter().map(print).collect();
        let found = read_in(text.as_bytes(), &kcat(r"%K:%k:%p:%S,%s\n", None), first);
        let wanted: Vec<&str> = records.iter().map(|(key, ..)| key.as_str()).collect();
        prop_assert_eq!((keys(&found), found.1), (wanted, 0));
    }

    #[test]
    fn any_bytes_are_read_the_same_in_any_blocks(
        text in "[a0-9:,\t\n-]{0,60}",
        first in 1usize..20,
    ) {
        for format in [r"%K:%k,%S:%s\n", r"%k\t%p\n", "%k:%p,", r"%k\n%p\n"] {
            let kind = kcat(format, None);
            let text = text.as_bytes();
            prop_assert_eq!(read_in(text, &kind, first), read_in(text, &kind, 1 << 16), "{}", format);
        }
        for kind in [Kind::Keys, Kind::Counted] {
            let text = text.as_bytes();
            prop_assert_eq!(read_in(text, &kind, first), read_in(text, &kind, 1 << 16));
        }
    }
}
