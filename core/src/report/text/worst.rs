//! When it was worst, and because of which keys.

use super::{Page, name_column};
use crate::report::Report;
use crate::report::fullest::Names;
use crate::report::instant::minute;
use crate::report::number::{bytes, count, filled, percent, plural, rate};
use crate::report::printable::printable;
use crate::report::table::{Column, column_chart};
use crate::report::timeline::Part;
use crate::tally::HotKey;

/// Shards of each minute, columns for its windows.
const SHARDS: usize = 3;
const COLUMNS: usize = 30;

/// Shards that were over a limit, and keys of each.
const THROTTLED: usize = 5;
const KEYS: usize = 3;

/// The worst minutes, or the busiest one if nothing throttles.
pub(super) fn write_minutes(page: &mut Page, report: &Report) {
    let names = Names::of(&report.map);
    let throttled = |minute: &&_| is_worth_showing(report, minute);
    let minutes: Vec<_> = report.timeline.minutes.iter().filter(throttled).collect();
    let Some(first) = minutes.first() else { return };
    let is_limited = report.timeline.heat.is_limited;
    let (highest, full) = (highest_of(report), report.timeline.heat.full());
    let rows = || {
        minutes.iter().flat_map(|minute| {
            minute.shards.iter().take(SHARDS).enumerate().map(move |row| (*minute, row.0, row.1))
        })
    };
    let mut columns = vec![
        Column::left(
            ["", "from (UTC)"],
            rows()
                .map(|(of, row, _)| if row == 0 { minute(of.start) } else { String::new() })
                .collect(),
        ),
        name_column(&names, rows().map(|row| names.name(&report.map, row.2.shard)).collect()),
        Column::right(
            ["", ""],
            rows()
                .map(|(of, _, shard)| {
                    let parts = of.course(shard, COLUMNS);
                    column_chart(parts.iter().map(|part| height(part, is_limited, highest) / full))
                })
                .collect(),
        ),
        Column::right(["", "records"], rows().map(|row| count(row.2.load.records)).collect()),
        Column::right(["", "bytes"], rows().map(|row| bytes(row.2.load.bytes)).collect()),
    ];
    if is_limited {
        let peaks = rows().map(|row| filled(row.2.load.peak)).collect();
        columns.push(Column::right(["peak of", "limit"], peaks));
        if first.load.throttled_records > 0 {
            let over = rows().map(|row| count(row.2.load.throttled_records)).collect();
            columns.push(Column::right(["over", "limit"], over));
        }
    }
    page.blank();
    page.paragraph(&heading(report, minutes.len(), first));
    page.table(&columns);
}

/// What the table of minutes shows.
fn heading(report: &Report, shown: usize, first: &crate::report::Minute) -> String {
    let what = match (first.load.throttled_records > 0, first.length > 60_000_000) {
        (true, false) if shown > 1 => "Worst minutes",
        (true, false) => "Worst minute",
        (true, true) if shown > 1 => "Worst windows",
        (true, true) => "Worst window",
        (false, false) => "Busiest minute",
        (false, true) => "Busiest window",
    };
    let word = report.map.system().shard_word();
    let heat = &report.timeline.heat;
    let how = if heat.is_against_limit() {
        format!("how full each {word} was; █ is at its limit or over it")
    } else if heat.is_limited {
        let peak = filled(heat.peak);
        format!("how full each {word} was; █ is the most, {peak} of a limit")
    } else {
        format!("what each {word} took; █ is the most")
    };
    format!("{what}: {how}")
}

/// Of minutes in which nothing throttles one is enough.
fn is_worth_showing(report: &Report, minute: &crate::report::Minute) -> bool {
    minute.load.throttled_records > 0
        || report.timeline.minutes.first().is_some_and(|first| std::ptr::eq(first, minute))
}

/// The most records of a shard in a window, of all that is shown.
fn highest_of(report: &Report) -> u64 {
    let shards = report.timeline.minutes.iter().flat_map(|minute| &minute.shards);
    let windows = shards.flat_map(|shard| &shard.windows);
    windows.map(|moment| moment.records).max().unwrap_or(0)
}

/// How high a part stands, from 0 to 1.
fn height(part: &Part, is_limited: bool, highest: u64) -> f64 {
    if is_limited { part.load } else { part.records as f64 / highest.max(1) as f64 }
}

/// The keys that filled the shards that were over a limit.
pub(super) fn write_throttled_keys(page: &mut Page, report: &Report) {
    let names = Names::of(&report.map);
    let shards = &report.throttled_keys.shards;
    let known: Vec<_> = shards.iter().filter(|shard| !shard.keys.is_empty()).collect();
    if known.is_empty() {
        return;
    }
    let rows = || {
        known.iter().take(THROTTLED).flat_map(|shard| {
            shard.keys.iter().take(KEYS).enumerate().map(move |(row, key)| (*shard, row, key))
        })
    };
    let shares: Vec<f64> = rows().map(|(shard, _, key)| shard.share(key)).collect();
    let once = |row: usize, text: String| if row == 0 { text } else { String::new() };
    let seconds = report.window.as_secs_f64();
    let mut columns = vec![
        name_column(
            &names,
            rows().map(|(of, row, _)| once(row, names.name(&report.map, of.shard))).collect(),
        ),
        Column::right(
            ["for", "s"],
            rows().map(|(of, row, _)| once(row, rate(of.windows as f64 * seconds))).collect(),
        ),
        Column::left(["", "key"], rows().map(|row| printable(&row.2.key)).collect()),
        Column::right(["", "share"], shares.iter().map(|share| percent(*share)).collect()),
        Column::bars_of(&shares, 1.0),
        Column::right(["", "records"], rows().map(|row| count(row.2.records)).collect()),
        Column::right(["", "bytes"], rows().map(|row| bytes(row.2.bytes)).collect()),
    ];
    if rows().any(|(_, _, HotKey { error, .. })| *error > 0) {
        let error = rows().map(|row| count(row.2.error)).collect();
        columns.push(Column::right(["may lack", "records"], error));
    }
    page.blank();
    page.paragraph("Keys that filled the shards while they were over a limit");
    page.table(&columns);
    let left_out = known.len().saturating_sub(THROTTLED);
    if left_out > 0 {
        let word = report.map.system().shard_word();
        page.paragraph(&format!(
            "  {} with fewer records over a limit left out (--format csv --table throttled-keys has \
             all)",
            plural(left_out as u64, word)
        ));
    }
}
