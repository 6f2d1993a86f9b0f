use super::*;
use crate::source::cutter::{Cut, Cutter};
use proptest::prelude::*;

type Fields = Vec<Option<Vec<u8>>>;

/// All records of a block, `Err` standing for a broken one.
fn all(bytes: &[u8]) -> Vec<Result<Fields, ()>> {
    let mut records = Records::new(bytes, b',');
    let mut found = Vec::new();
    loop {
        match records.next(1000) {
            Next::Record(record) => {
                let text = |field| record.get(field).map(|text| text.as_bytes().to_vec());
                found.push(Ok((0..record.len()).map(text).collect()));
            }
            Next::Broken => found.push(Err(())),
            Next::End => {
                assert_eq!(records.position(), bytes.len());
                return found;
            }
        }
    }
}

/// The same in blocks, the first of `first` bytes.
fn in_blocks(bytes: &[u8], first: usize) -> Vec<Result<Fields, ()>> {
    let mut cutter = Cutter::with_sizes(bytes, first, 1 << 20);
    let mut found = Vec::new();
    while let Some(cut) = cutter.next(|bytes| last_record_end(bytes, b',')).unwrap() {
        let Cut::Block(block) = cut else { panic!("no record is that long") };
        found.extend(all(&block));
    }
    found
}

/// The same as text, `NULL` standing for a field with nothing in it and `BROKEN` for a record.
fn read(text: &str) -> Vec<String> {
    let whole = all(text.as_bytes());
    for first in [1, 2, 3, 7] {
        assert_eq!(in_blocks(text.as_bytes(), first), whole, "a first block of {first} bytes");
    }
    let field = |field: &Option<Vec<u8>>| match field {
        Some(text) => String::from_utf8(text.clone()).unwrap(),
        None => "NULL".to_owned(),
    };
    whole
        .iter()
        .map(|record| match record {
            Ok(fields) => fields.iter().map(field).collect::<Vec<_>>().join("|"),
            Err(()) => "BROKEN".to_owned(),
        })
        .collect()
}

#[test]
fn fields_are_split_with_and_without_quotes() {
    assert_eq!(read("a,b\nc,d\n"), ["a|b", "c|d"]);
    assert_eq!(read("\"a\",b\n\"c,\",\"d\"\"e\"\n"), ["a|b", "c,|d\"e"]);
    assert_eq!(read("\"two\nlines\",x\ny,z"), ["two\nlines|x", "y|z"]);
    assert_eq!(read("a,,\"\"\n,\n"), ["a|NULL|", "NULL|NULL"]);
    assert_eq!(read("5\" disk,3\n"), ["5\" disk|3"], "a quote inside a plain field is plain");
    assert_eq!(read("\"\"\"\"\n\"\"\"a\"\"\"\n"), ["\"", "\"a\""]);
}

#[test]
fn both_line_ends_and_a_missing_last_one_are_fine() {
    assert_eq!(read("a,b\r\n\"c\",\"d\"\r\ne,\"f\"\r"), ["a|b", "c|d", "e|f"]);
    assert_eq!(read("a\r\n\r\n\n\r\nb"), ["a", "b"], "blank lines are no records");
    assert_eq!(read("\"a\",b\rc\r\n"), ["a|b\rc"], "a return inside a field is kept");
    assert_eq!(read(""), [""; 0]);
    assert_eq!(read("\n\n"), [""; 0]);
    assert_eq!(read("\"\"\n"), [""], "an empty field in quotes is a record");
}

#[test]
fn a_broken_record_costs_its_own_line_only() {
    assert_eq!(read("a,1\n\"b,2\nc,3\n\"d\",4\n"), ["a|1", "BROKEN", "c|3", "d|4"]);
    assert_eq!(read("\"b\"x,2\nc,3\n"), ["BROKEN", "c|3"]);
    assert_eq!(read("a,\"\nb\nc"), ["BROKEN", "b", "c"], "the quote is open to the end");
    assert_eq!(read("\""), ["BROKEN"]);
}

#[test]
fn an_endless_line_or_field_is_broken_and_costs_no_other_record() {
    let long = "x".repeat(1000);
    for first in [format!("{long},1\n"), format!("\"{long}\n{long}\n"), format!("{long}\"{long}\n")]
    {
        let text = format!("a,0\n{first}b,2\n");
        let mut cutter = Cutter::with_sizes(text.as_bytes(), 16, 64);
        let mut found = Vec::new();
        while let Some(cut) = cutter.next(|bytes| last_record_end(bytes, b',')).unwrap() {
            match cut {
                Cut::Block(block) => found.extend(all(&block)),
                Cut::TooLong => found.push(Err(())),
            }
        }
        assert_eq!(found[0], Ok(vec![Some(b"a".to_vec()), Some(b"0".to_vec())]));
        assert_eq!(found[1], Err(()));
        assert_eq!(found.last(), Some(&Ok(vec![Some(b"b".to_vec()), Some(b"2".to_vec())])));
    }
}

#[test]
fn no_more_fields_are_kept_than_are_of_interest() {
    let commas = ",".repeat(100_000);
    for text in [format!("{commas}\n"), format!("\"\"{commas}\n")] {
        let mut records = Records::new(text.as_bytes(), b',');
        let Next::Record(record) = records.next(2) else { panic!("one record") };
        assert_eq!(record.len(), 3);
    }
}

proptest! {
    #[test]
    fn what_the_csv_crate_writes_is_read_back(
        rows in prop::collection::vec(prop::collection::vec("[a,\"\r\n é]{0,6}", 1..4), 0..20),
        crlf: bool,
    ) {
        let mut writer = csv::WriterBuilder::new()
            .flexible(true)
            .terminator(if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') })
            .from_writer(Vec::new());
        for row in &rows {
            writer.write_record(row).unwrap();
        }
        let text = writer.into_inner().unwrap();
        let found = in_blocks(&text, 5);
        prop_assert_eq!(found.len(), rows.len());
        for (found, row) in found.into_iter().zip(rows) {
            let found: Vec<_> =
                found.unwrap().into_iter().map(Option::unwrap_or_default).collect();
            let row: Vec<_> = row.into_iter().map(String::into_bytes).collect();
            prop_assert_eq!(found, row);
        }
    }

    #[test]
    fn any_bytes_at_all_are_read_to_their_end(
        text in prop::collection::vec(prop::sample::select(b"a,\"\r\n".as_slice()), 0..60),
        step in 1usize..9,
    ) {
        prop_assert_eq!(in_blocks(&text, step), all(&text));
    }
}
