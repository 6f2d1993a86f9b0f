//! Reports of a small stream, as people and programs see them.

#[path = "report/page.rs"]
mod page;
#[path = "report/warnings.rs"]
mod warnings;

use serde_json::{Value, json};
use shardlane::arrow::array::{ArrayRef, AsArray, BinaryArray, Int64Array, RecordBatch};
use shardlane::arrow::datatypes::{DataType, Field, Float64Type, Schema, UInt32Type, UInt64Type};
use shardlane::engine::{ReplayOptions, replay};
use shardlane::report::arrow;
use shardlane::source::{Batches, Columns, TimeUnit};
use shardlane::{
    EvenRule, HashRange, Limits, Report, Shard, ShardMap, ShardState, System, Tally, TallyOptions,
};
use std::ops::ControlFlow;
use std::sync::Arc;
use unicode_width::UnicodeWidthStr;

/// A row: key, size, second.
type Row<'a> = (&'a [u8], i64, i64);

/// 2013-01-01T10:00:00Z.
const TEN: i64 = 1_357_034_400;

/// The report on `rows`, with or without their sizes and times.
fn report_of(map: ShardMap, rows: &[Row<'_>], full: bool, limits: &str) -> (Tally, Report) {
    let keys: BinaryArray = rows.iter().map(|row| Some(row.0)).collect();
    let mut columns: Vec<(&str, ArrayRef)> = vec![("user", Arc::new(keys))];
    if full {
        columns.push(("size", Arc::new(Int64Array::from_iter_values(rows.iter().map(|r| r.1)))));
        columns.push(("ts", Arc::new(Int64Array::from_iter_values(rows.iter().map(|r| r.2)))));
    }
    let fields = columns.iter().map(|(name, array)| {
        let kind: DataType = array.data_type().clone();
        Field::new(*name, kind, true)
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let arrays = columns.iter().map(|(_, array)| array.clone()).collect();
    let batch = RecordBatch::try_new(schema.clone(), arrays).unwrap();
    let named = Columns {
        key: Some("user".into()),
        time_unit: full.then_some(TimeUnit::Seconds),
        ..Columns::default()
    };
    let mut source = Batches::new(&schema, [Ok::<_, shardlane::Error>(batch)], &named).unwrap();
    let options = ReplayOptions {
        tally: TallyOptions { top: 3, ..TallyOptions::default() },
        limits: Some(Limits::kinesis().with_text(limits).unwrap()),
        threads: 1,
        ..ReplayOptions::default()
    };
    replay(map, &mut source, &options, &mut |_| ControlFlow::Continue(())).unwrap()
}

fn stream(shards: usize) -> ShardMap {
    ShardMap::kinesis(shards, EvenRule::FixedStep).unwrap()
}

/// Of four shards, order-1001 goes to 2, JP to 0, user-1 to 3 and 日本 to 1.
fn small() -> (Tally, Report) {
    let rows: Vec<Row<'_>> = vec![
        (b"order-1001", 90, TEN),
        (b"order-1001", 90, TEN),
        (b"order-1001", 90, TEN),
        ("日本".as_bytes(), 94, TEN + 1),
        (b"JP", 98, TEN + 2),
        (b"", 1, TEN + 2),
        (b"user-1", 94, TEN + 1),
        (b"order-1001", 90, TEN + 2),
    ];
    report_of(stream(4), &rows, true, "records_per_second=2,bytes_per_second=1000")
}

#[test]
fn the_text_says_what_was_read_what_throttles_and_why() {
    let text = small().1.to_text();
    assert_eq!(text, include_str!("report/small.txt"));
}

#[test]
fn the_json_has_exactly_the_promised_keys_and_values() {
    let (_, report) = small();
    let json: Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(
        json["input"],
        json!({
            "rows": 8, "records": 7, "bytes": 700, "unassigned": 0,
            "unassigned_bytes": 0, "rejected": {"empty_key": 1}, "rejected_rows": {"empty_key": [6]},
            "columns": {"key": "user", "bytes": "size", "time": "ts", "weight": null,
                        "explicit_hash_key": null, "guessed": ["size", "ts"]},
            "agreement": null, "distinct_keys": 4, "distinct_keys_are_exact": true,
            "first_time": "2013-01-01T10:00:00Z", "last_time": "2013-01-01T10:00:02Z",
            "out_of_order": 1,
            "codec": null, "faults": [], "format": null, "max_lateness_seconds": 1.0,
            "times": {"unit": "s", "unit_is_guess": false, "likely_unit": null,
                      "with_zone": 0, "without_zone": 0},
        })
    );
    assert_eq!(
        json["shards"][2],
        json!({
            "index": 2, "id": "shardId-000000000002", "records": 4, "bytes": 400,
            "distinct_keys": 1, "spread_records_estimate": 0, "spread_bytes_estimate": 0,
            "share": 4.0 / 7.0, "peak_records_per_second": 3.0, "peak_bytes_per_second": 300.0,
            "throttled_records": 1, "throttled_seconds": 1.0,
            "first_throttle": "2013-01-01T10:00:00Z", "binding_limit": "records_per_second",
            "headroom": 2.0 / 3.0,
        })
    );
    assert_eq!(
        json["hot_keys"][0],
        json!({
            "key": "order-1001", "records": 4, "bytes": 400, "share": 4.0 / 7.0, "shard": 2,
            "error": 0,
        })
    );
    assert_eq!(
        json["projection"],
        json!({
            "throttle_records_per_second": 3.5, "shard": 2,
            "binding_limit": "records_per_second", "headroom": 2.0 / 3.0,
        })
    );
    assert_eq!(
        json["limits"]["records_per_second"],
        json!({"value": 2, "source": "given", "date": null})
    );
    let keys: Vec<_> = json.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "hot_keys",
            "hot_keys_by_shard",
            "input",
            "limits",
            "map",
            "model",
            "projection",
            "retry",
            "scale",
            "shards",
            "system",
            "throttled_keys",
            "timeline",
            "warnings",
            "window_seconds",
        ]
    );
    assert_eq!(json["hot_keys_by_shard"]["1"][0]["key"], "日本");
}

#[test]
fn what_is_not_known_is_null_in_json_empty_in_csv_and_noted_in_text() {
    let (_, report) = report_of(stream(2), &[(b"a", 0, 0), (b"b", 0, 0)], false, "");
    let json: Value = serde_json::from_str(&report.to_json()).unwrap();
    for key in [
        "peak_records_per_second",
        "throttled_records",
        "throttled_seconds",
        "first_throttle",
        "headroom",
    ] {
        assert_eq!(json["shards"][0][key], Value::Null, "{key}");
    }
    assert_eq!(json["input"]["first_time"], Value::Null);
    assert!(json["projection"]["throttle_records_per_second"].is_number());
    let csv = report.to_csv();
    assert!(csv.lines().nth(1).unwrap().contains(",,,,,"), "{csv}");
    let text = report.to_text();
    assert!(text.contains("no time column") && text.contains("no size column"), "{text}");
    assert!(!text.contains("rec/s"), "{text}");
}

#[test]
fn the_csv_has_a_line_for_each_shard() {
    let csv = small().1.to_csv();
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!(
        lines[0],
        "index,id,records,bytes,share,peak_records_per_second,peak_bytes_per_second,\
         throttled_records,throttled_seconds,first_throttle,binding_limit,headroom,\
         spread_records_estimate,spread_bytes_estimate,read_units,write_units,distinct_keys"
    );
    assert_eq!(
        lines[1],
        "0,shardId-000000000000,1,100,0.14285714285714285,1,100,0,0,,records_per_second,2,0,0,,,1"
    );
    assert_eq!(lines.len(), 5);
}

/// Keys and a shard id that try to get out of where they are shown.
fn hostile() -> Report {
    let wide = "日本語".repeat(40);
    let marks = "e\u{301}\u{302}\u{303}".repeat(30);
    let rows: Vec<Row<'_>> = [
        wide.as_bytes(),
        marks.as_bytes(),
        b"\x1b[2J\x1b[31mred\x07",
        b"<script>alert('x')</script>&\"",
        b"\xff\xfe\\xff",
        "\u{202e}turned\u{9b}1m".as_bytes(),
        b"line\r\nbreak\ttab",
        "👩‍🚀👩‍🚀👩‍🚀".as_bytes(),
    ]
    .map(|key| (key, i64::from(u32::MAX) * 1_000, TEN))
    .repeat(3);
    let shard = |id: &str, start, end| Shard {
        id: id.to_owned(),
        range: Some(HashRange { start, end }),
        state: ShardState::Open,
        parent: None,
        adjacent_parent: None,
    };
    let middle = u128::MAX / 2;
    let shards = vec![
        shard("\x1b[31m<b>\",,\n", 0, middle),
        shard(&"長".repeat(200), middle + 1, u128::MAX),
    ];
    let map = ShardMap::from_shards(System::Kinesis, shards).unwrap();
    let (_, mut report) = report_of(map, &rows, true, "records_per_second=1");
    report.hot_keys = report.hot_keys_by_shard.iter().flatten().cloned().collect();
    report.hot_keys[0].error = u64::MAX;
    report.projection.shards[0].first_throttle = Some(i64::MIN);
    report.projection.shards[1].totals.records = u64::MAX;
    report.projection.shards[1].throttled_records = Some(u64::MAX);
    report.projection.shards[1].headroom = Some(1e-300);
    report.projection.shards[1].peak_records_per_second = Some(1.8e19);
    report.input.first_time = Some(i64::MIN);
    report.input.last_time = Some(i64::MAX);
    report.input.columns.key = "\x1b]0;title\x07key".into();
    report
}

#[test]
fn no_line_of_text_is_wider_than_100_columns_whatever_the_log_holds() {
    for report in [hostile(), small().1] {
        for line in report.to_text().lines() {
            assert!(line.width() <= 100, "{} columns: {line}", line.width());
        }
    }
}

#[test]
fn nothing_from_the_log_reaches_a_terminal_raw() {
    let report = hostile();
    for text in [report.to_text(), report.to_json(), report.to_csv()] {
        let raw = text
            .chars()
            .find(|c| (c.is_control() && *c != '\n') || ('\u{202a}'..='\u{202e}').contains(c));
        assert_eq!(raw, None, "{text:?}");
    }
}

#[test]
fn json_gives_back_every_key_to_the_byte() {
    let report = hostile();
    let json: Value = serde_json::from_str(&report.to_json()).unwrap();
    for (found, key) in json["hot_keys"].as_array().unwrap().iter().zip(&report.hot_keys) {
        let bytes = match found.get("key_hex") {
            Some(hex) => {
                let hex = hex.as_str().unwrap();
                (0..hex.len())
                    .step_by(2)
                    .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap())
                    .collect()
            }
            None => found["key"].as_str().unwrap().as_bytes().to_vec(),
        };
        assert_eq!(bytes, key.key);
    }
}

#[test]
fn nothing_from_the_log_becomes_markup() {
    let report = hostile();
    let mut keys = report.hot_keys.iter();
    assert!(keys.any(|key| key.key.starts_with(b"<script>")), "the key is among those shown");
    for page in [report.to_html(), report.to_html_fragment()] {
        assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
        assert!(
            page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;"),
            "{page}"
        );
        assert!(!page.chars().any(|c| c.is_control() && c != '\n'), "{page:?}");
        for fetched in ["http-equiv", "src=", "href=", "@import", "url("] {
            assert!(!page.contains(fetched), "{fetched}");
        }
    }
}

#[test]
fn a_page_stands_alone_and_a_fragment_does_not_close_the_page_around_it() {
    let (_, report) = small();
    let page = report.to_html();
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    let fragment = report.to_html_fragment();
    assert!(fragment.starts_with("<div class=\"shardlane\">") && fragment.ends_with("</div>\n"));
    assert!(!fragment.contains("<html") && !fragment.contains("<body"));
    for text in [&page, &fragment] {
        for name in
            ["table", "tr", "td", "th", "svg", "p", "ul", "li", "div", "h3", "thead", "tbody"]
        {
            let opened = text.matches(&format!("<{name}>")).count()
                + text.matches(&format!("<{name} ")).count();
            assert_eq!(opened, text.matches(&format!("</{name}>")).count(), "{name}");
        }
        assert!(text.contains("throttles first, at 2013-01-01T10:00:00Z"), "{text}");
        assert!(text.contains("<svg"), "{text}");
    }
}

#[test]
fn of_many_shards_the_fullest_are_shown_and_the_rest_counted() {
    let keys: Vec<String> = (0..500).map(|i| format!("user-{}", i % 250 * (i % 3))).collect();
    let rows: Vec<Row<'_>> = keys.iter().map(|key| (key.as_bytes(), 10, TEN)).collect();
    let (_, report) = report_of(stream(1_024), &rows, true, "");
    let text = report.to_text();
    assert!(text.contains("the 32 fullest; 992 shards less full left out"), "{text}");
    let fullest = report.projection.shards.iter().max_by_key(|shard| shard.totals.records).unwrap();
    let table = text.lines().skip_while(|line| !line.contains("shardId-  ")).nth(1).unwrap();
    assert_eq!(table.split_whitespace().next(), Some(&*fullest.index.to_string()), "{text}");
    assert_eq!(report.to_csv().lines().count(), 1_025);
}

#[test]
fn a_log_whose_records_were_all_rejected_still_reports() {
    let (_, report) = report_of(stream(4), &[(b"", 1, TEN), (b"", 1, TEN)], true, "");
    let text = report.to_text();
    assert!(text.contains("No record went to a shard"), "{text}");
    assert!(text.contains("2 rows could not be used") && text.contains("rows 1, 2"), "{text}");
    let json: Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(json["projection"]["throttle_records_per_second"], Value::Null);
    assert!(!report.to_html().contains("NaN"));
}

#[test]
fn arrow_tables_agree_with_the_json() {
    let (tally, report) = small();
    let shards = report.shards_table().unwrap();
    let indices = shards["index"].as_primitive::<UInt32Type>();
    assert_eq!(indices.values(), &[0, 1, 2, 3]);
    let headroom = shards["headroom"].as_primitive::<Float64Type>();
    assert_eq!(headroom.value(2).to_bits(), (2.0f64 / 3.0).to_bits());
    let first = &shards["first_throttle"];
    assert_eq!(first.data_type().to_string(), "Timestamp(µs, \"UTC\")");
    assert_eq!(first.null_count(), 3);

    let keys = report.hot_keys_table().unwrap();
    assert_eq!(keys["key"].as_string::<i32>().value(0), "order-1001");
    assert_eq!(keys["key_bytes"].as_binary::<i32>().value(0), b"order-1001");

    let timeline = arrow::timeline(&tally, &report.projection).unwrap();
    let records = timeline["records"].as_primitive::<UInt64Type>();
    assert_eq!(records.values().iter().sum::<u64>(), 7);

    let throttles = arrow::throttles(&tally, &report.projection).unwrap();
    assert_eq!(throttles.num_rows(), 1);
    assert_eq!(throttles["throttled_records"].as_primitive::<UInt64Type>().value(0), 1);
    assert_eq!(throttles["binding_limit"].as_string::<i32>().value(0), "records_per_second");

    let mut known = report.clone();
    known.throttled_keys.shards[0].keys = report.hot_keys.clone();
    let keys = known.throttled_keys_table().unwrap();
    assert_eq!(keys["key"].as_string::<i32>().value(0), "order-1001");
    assert_eq!(keys["shard"].as_primitive::<UInt32Type>().value(2), 2);

    let totals = arrow::totals(&tally).unwrap();
    assert_eq!(totals["records"].as_primitive::<UInt64Type>().values(), &[1, 1, 4, 1]);
}

#[test]
fn tables_keep_their_columns_when_nothing_is_known() {
    let (tally, report) = report_of(stream(2), &[(b"a", 0, 0)], false, "");
    let (_, full) = small();
    assert_eq!(report.shards_table().unwrap().schema(), full.shards_table().unwrap().schema());
    assert_eq!(arrow::timeline(&tally, &report.projection).unwrap().num_rows(), 0);
    let map = arrow::map_shards(&stream(3)).unwrap();
    assert_eq!(map["start"].as_string::<i32>().value(1), "113427455640312821154458202477256070485");
    assert_eq!(map["end"].as_string::<i32>().value(2), "340282366920938463463374607431768211455");
}
