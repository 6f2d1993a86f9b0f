//! The table of shards. A column is one line of [`columns`].

use super::element::{cell, close_table, element, known, open_table};
use super::time_or_dash;
use crate::projection::ShardProjection;
use crate::report::Report;
use crate::report::fullest::{Names, fullest};
use crate::report::number::{grouped, percent, plural, rate, times};
use crate::report::printable::html;
use crate::report::svg::bar;
use crate::report::verdict::is_throttled;
use crate::report::waiting::{Asked, asked};
use std::fmt::Write;

/// A column: its head, the class of its cells, and what a shard has there as HTML.
type Column<'a> = (&'static str, &'static str, Box<dyn Fn(&ShardProjection) -> String + 'a>);

/// Writes the table of the fullest shards, at most `most`.
pub(super) fn write_shards(body: &mut String, report: &Report, most: usize) {
    let shards = fullest(report, most);
    let columns = columns(report, &shards);
    let word = report.map.system().shard_word();
    let all = report.projection.shards.len();
    let title = plural(all as u64, word);
    element(body, "h2", "", &title);
    body.push_str("<div class=\"wide-table\">");
    let heads: Vec<_> = columns.iter().map(|(head, class, _)| (*class, *head)).collect();
    open_table(body, &title, &heads);
    for shard in &shards {
        let class = if is_throttled(shard) { " class=\"over\"" } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(body, "<tr{class}>");
        for (_, class, of) in &columns {
            cell(body, class, &of(shard));
        }
        body.push_str("</tr>\n");
    }
    close_table(body);
    body.push_str("</div>\n");
    let left_out = all - shards.len();
    if left_out > 0 {
        let text = format!(
            "The {} fullest; {} less full left out.",
            shards.len(),
            plural(left_out as u64, word)
        );
        element(body, "p", "small", &text);
    }
}

/// The columns that the log can fill.
fn columns<'a>(report: &'a Report, shards: &[&ShardProjection]) -> Vec<Column<'a>> {
    let longest = shards.iter().map(|shard| shard.share).fold(f64::MIN_POSITIVE, f64::max);
    let names = Names::of(&report.map);
    let mut columns: Vec<Column<'a>> = vec![
        (names.head(), "text", Box::new(move |shard| html(&names.name(&report.map, shard.index)))),
        ("share", "", Box::new(|shard| percent(shard.share))),
        (
            "",
            "text",
            Box::new(move |shard| {
                bar(shard.share / longest, if is_throttled(shard) { "over" } else { "fine" })
            }),
        ),
        ("records", "", Box::new(|shard| grouped(shard.totals.records))),
        ("bytes", "", Box::new(|shard| grouped(shard.totals.bytes))),
    ];
    if report.distinct_keys.is_some() {
        let keys = |shard: &ShardProjection| report.distinct_keys_of(shard.index);
        columns.push(("distinct keys", "", Box::new(move |shard| known(keys(shard).map(grouped)))));
    }
    if report.projection.shards.iter().any(|shard| shard.read_units.is_some()) {
        columns.push(("read units", "", Box::new(|shard| known(shard.read_units.map(rate)))));
        columns.push(("write units", "", Box::new(|shard| known(shard.write_units.map(rate)))));
    }
    if report.input.unassigned > 0 {
        let spread: Column<'a> =
            ("spread records, about", "", Box::new(|shard| grouped(shard.spread.records)));
        columns.push(spread);
    }
    if report.input.first_time.is_some() {
        columns.push((
            "peak records/s",
            "",
            Box::new(|shard| known(shard.peak_records_per_second.map(rate))),
        ));
        columns.push((
            "peak bytes/s",
            "",
            Box::new(|shard| known(shard.peak_bytes_per_second.map(rate))),
        ));
        if report.projection.shards.iter().any(is_throttled) {
            columns.push((
                "throttled records",
                "",
                Box::new(|shard| known(shard.throttled_records.map(grouped))),
            ));
            columns.push((
                "throttled seconds",
                "",
                Box::new(|shard| known(shard.throttled_seconds.map(rate))),
            ));
            columns.push((
                "first throttle",
                "",
                Box::new(|shard| time_or_dash(shard.first_throttle)),
            ));
        }
        columns.push(("headroom", "", Box::new(|shard| known(shard.headroom.map(times)))));
    }
    for Asked { words, of, .. } in asked(&report.projection) {
        columns.push((words, "", Box::new(move |shard| html(&of(shard).to_cell()))));
    }
    columns
}
