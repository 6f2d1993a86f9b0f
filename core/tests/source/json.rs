//! JSON logs: lines, records behind one another, arrays; good ones and broken ones.

use super::{Files, by, read, texts};
use proptest::prelude::*;
use shardlane::source::{Columns, TimeUnit, open};
use shardlane::tally::MISSING;

/// 2013-01-01T05:15:00Z.
const TIME: i64 = 1_357_017_300_000_000;

fn named(key: &str, bytes: &str, time: &str) -> Columns {
    let name = |name: &str| (!name.is_empty()).then(|| name.to_owned());
    Columns { key: name(key), bytes: name(bytes), time: name(time), ..Columns::default() }
}

#[test]
fn columns_are_dotted_paths() {
    let files = Files::new();
    let path = files.write(
        "log.ndjson",
        "{\"ts\":\"2013-01-01T05:15:00Z\",\"user\":{\"id\":\"a\",\"x\":[1]},\"meta\":{\"size\":10}}\n\
         {\"user\":{\"id\":\"b \\\"c\\\" \\u00e9\"},\"ts\":1357017300.5,\"meta\":{\"size\":\"7\"}}\r\n\
         {\"user\":{\"id\":42},\"meta\":{\"size\":1.0},\"ts\":1357017301}\n\
         \n\
         {\"user\":{\"id\":true},\"meta\":{\"size\":null}}\n\
         {\"user\":null,\"meta\":[],\"ts\":\"soon\"}\n",
    );
    let columns =
        Columns { time_unit: Some(TimeUnit::Seconds), ..named("user.id", "meta.size", "ts") };
    let read = read(&mut *open(&[path], &columns).unwrap());
    let expected = [Some("a"), Some("b \"c\" é"), Some("42"), Some("true"), None];
    assert_eq!(texts(&read), expected);
    assert_eq!(read.bytes, [10, 7, 1, MISSING, MISSING]);
    assert_eq!(read.times, [TIME, TIME + 500_000, TIME + 1_000_000, MISSING, MISSING]);
    assert_eq!(read.broken_rows, 0);
}

#[test]
fn columns_are_guessed_from_outer_members_and_else_from_inner_ones() {
    let files = Files::new();
    let outer = files.write("1.json", "{\"detail\":{\"key\":\"x\"},\"pk\":\"a\",\"size\":1}\n");
    let source = open(&[outer], &Columns::default()).unwrap();
    assert_eq!(source.taken().guessed, ["pk", "size"]);
    let inner =
        "{\"id\":1,\"detail\":{\"partitionKey\":\"a\",\"count\":9,\"time\":\"2013-01-01\"}}\n";
    let inner = files.write("2.json", inner);
    let mut source = open(&[inner], &Columns::default()).unwrap();
    assert_eq!(source.taken().guessed, ["detail.partitionKey", "detail.time"]);
    assert_eq!(texts(&read(&mut *source)), [Some("a")]);
}

#[test]
fn a_path_that_no_record_has_is_an_error_that_lists_what_there_is() {
    let files = Files::new();
    let path = files.write("log.json", "{\"user\":{\"id\":\"a\"},\"ts\":1}\n");
    assert_eq!(
        files.error(path.clone(), &by("user.di")).message(),
        "column \"user.di\" is not in log.json; its columns are: ts, user.id; did you mean --key \
         user.id (in Python: key=\"user.id\")?"
    );
    let error = files.error(path, &named("user.id", "", "ts"));
    assert!(error.message().starts_with("the time column \"ts\" holds numbers, such as 1; say"));
}

#[test]
fn a_later_file_need_not_have_what_the_first_one_had() {
    let files = Files::new();
    let paths = [
        files.write("1.json", "{\"key\":\"a\",\"size\":1}\n"),
        files.write("2.json", "{\"other\":1}\n{\"key\":\"b\"}\n"),
    ];
    let read = read(&mut *open(&paths, &Columns::default()).unwrap());
    assert_eq!(texts(&read), [Some("a"), None, Some("b")]);
    assert_eq!(read.bytes, [1, MISSING, MISSING]);
}

#[test]
fn broken_lines_are_counted_and_cost_no_other() {
    let files = Files::new();
    let path = files.write(
        "log.json",
        "{\"key\":\"a\"}\nno json\n{\"key\":\"b\n{\"key\":\"c\"}\n{\"key\":\n123\n{\"key\":\"\\x\"}\n\
         {\"key\":\"d\"}\n{\"key\":\"half",
    );
    let read = read(&mut *open(&[path], &Columns::default()).unwrap());
    assert_eq!(texts(&read), [Some("a"), Some("c"), Some("d")]);
    assert_eq!(read.broken_rows, 6);
}

#[test]
fn the_end_of_a_log_may_begin_in_the_middle_of_a_line_if_its_format_shows() {
    let files = Files::new();
    let path = files.write("log.json", "{\"cut\n{\"key\":\"a\"}\n{\"key\":\"b\"}\n");
    let read = read(&mut *open(&[path], &Columns::default()).unwrap());
    assert_eq!((texts(&read), read.broken_rows), (vec![Some("a"), Some("b")], 1));
}

#[test]
fn a_line_of_many_members_and_a_log_of_many_names_are_read() {
    let files = Files::new();
    let members: Vec<_> = (0..200_000).map(|i| format!("\"column-{i}\":{i}")).collect();
    let wide = format!("{{{},\"key\":\"a\"}}\n", members.join(","));
    let lines: Vec<_> =
        (0..200_000).map(|i| format!("{{\"name-{i}\":1,\"key\":\"b\"}}\n")).collect();
    let path = files.write("log.json", format!("{}{wide}", lines.concat()));
    let read = read(&mut *open(&[path], &Columns::default()).unwrap());
    assert_eq!((read.keys.len(), read.broken_rows), (200_001, 0));
    assert_eq!(read.keys.last(), Some(&Some(b"a".to_vec())));
}

#[test]
fn blocks_are_cut_between_records_in_every_layout() {
    let files = Files::new();
    let records: Vec<_> = (0..60_000)
        .map(|i| serde_json::json!({"key": format!("user-{i}"), "x": {"y": ["}{", i, "\n\""]}}))
        .collect();
    let line = |record: &serde_json::Value| record.to_string();
    let lines: Vec<_> = records.iter().map(line).collect();
    let array = serde_json::Value::Array(records.clone());
    let layouts = [
        ("lines", lines.join("\n")),
        ("nothing between", lines.concat()),
        ("array", array.to_string()),
        ("pretty array", serde_json::to_string_pretty(&array).unwrap()),
        (
            "pretty",
            records.iter().map(|record| serde_json::to_string_pretty(record).unwrap()).collect(),
        ),
        ("envelope", serde_json::json!({"a": 1, "records": array, "b": [2]}).to_string()),
    ];
    for (name, text) in layouts {
        let path = files.write("log.json", text);
        let read = read(&mut *open(&[path], &by("key")).unwrap());
        assert_eq!((read.keys.len(), read.broken_rows), (60_000, 0), "{name}");
        assert!(read.batches > 1, "{name}");
        for (i, key) in read.keys.iter().enumerate() {
            assert_eq!(key.as_deref(), Some(format!("user-{i}").as_bytes()), "{name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn keys_are_what_serde_reads(
        keys in prop::collection::vec(prop::option::of(".{0,20}"), 1..20),
        pretty: bool,
    ) {
        let files = Files::new();
        let text: String = keys
            .iter()
            .map(|key| {
                let record = serde_json::json!({"a": [key], "key": key, "b": {"key": 1}});
                let text = if pretty { serde_json::to_string_pretty(&record) } else { serde_json::to_string(&record) };
                text.unwrap() + "\n"
            })
            .collect();
        let path = files.write("log.json", text);
        let read = read(&mut *open(&[path], &by("key")).unwrap());
        prop_assert_eq!(texts(&read), keys.iter().map(Option::as_deref).collect::<Vec<_>>());
        prop_assert_eq!(read.broken_rows, 0);
    }
}
