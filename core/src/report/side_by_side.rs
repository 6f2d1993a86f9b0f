//! Two reports of one log next to each other: what another key would do.

use super::Report;
use super::fullest::{Names, fullest};
use super::number::{grouped, percent, plural, rate};
use super::printable::printable;
use super::table::{Column, lines, wrapped};
use crate::projection::ShardProjection;

/// Shards that a screen has room for, and hot keys worth naming.
const SHARDS: usize = 32;
const KEYS: usize = 3;

/// A report and the name of its key.
#[derive(Debug, Clone, Copy)]
pub struct Keyed<'a> {
    /// What the records are keyed by.
    pub key: &'a str,
    /// What was found.
    pub report: &'a Report,
}

/// `one` and `other` next to each other as text for a screen of 100 columns: the load of each
/// shard at the steady rate at which the first one would throttle under `one`, the hottest keys,
/// and how the rates compare. Both should be of one log and one map.
pub fn side_by_side(one: Keyed<'_>, other: Keyed<'_>) -> String {
    let played = one.report.projection.throttle_records_per_second.unwrap_or(0.0);
    let left_out = one.report.projection.shards.len().saturating_sub(SHARDS);
    let mut page = wrapped(
        &format!(
            "Played at a steady {} records/s, at which the first shard throttles when keyed by {}:",
            rate(played),
            one.key()
        ),
        0,
    );
    page.push(String::new());
    page.extend(lines(&columns(one, other, played)));
    if left_out > 0 {
        let left_out = plural(left_out as u64, "shard");
        let note = format!("  the {SHARDS} fullest by {}; {left_out} left out", one.key());
        page.extend(wrapped(&note, 2));
    }
    page.push(String::new());
    for keyed in [one, other] {
        page.extend(wrapped(&format!("Hottest by {}: {}.", keyed.key(), keyed.hottest()), 2));
    }
    page.push(String::new());
    page.extend(wrapped(&comparison(one, other), 0));
    page.push(String::new());
    page.join("\n")
}

impl Keyed<'_> {
    fn key(&self) -> String {
        printable(self.key.as_bytes())
    }

    /// The hottest keys in words.
    fn hottest(&self) -> String {
        let all = self.report.input.records.max(1) as f64;
        let keys: Vec<_> = self
            .report
            .hot_keys
            .iter()
            .take(KEYS)
            .map(|key| format!("{} {}", printable(&key.key), percent(key.records as f64 / all)))
            .collect();
        if keys.is_empty() { "none".to_owned() } else { keys.join(", ") }
    }

    /// The part of its nearest limit that a shard takes when the stream as a whole takes `played`
    /// records a second.
    fn load(&self, shard: &ShardProjection, played: f64) -> f64 {
        let limits = &self.report.projection.limits;
        let each = played / self.report.input.records.max(1) as f64;
        let part = |total: u64, limit: Option<&crate::limits::Limit>| {
            limit.map_or(0.0, |limit| total as f64 * each / limit.value as f64)
        };
        let by_records = part(shard.totals.records, limits.records_per_second());
        by_records.max(part(shard.totals.bytes, limits.bytes_per_second()))
    }
}

fn columns(one: Keyed<'_>, other: Keyed<'_>, played: f64) -> Vec<Column> {
    let map = &one.report.map;
    let names = Names::of(map);
    let shards = fullest(one.report, SHARDS);
    let name = shards.iter().map(|shard| names.name(map, shard.index)).collect();
    let mut columns = vec![Column::right(["", names.head()], name)];
    for keyed in [one, other] {
        let shards: Vec<_> = shards
            .iter()
            .filter_map(|shard| keyed.report.projection.shards.get(shard.index as usize))
            .collect();
        let loads: Vec<f64> = shards.iter().map(|shard| keyed.load(shard, played)).collect();
        let head = format!("by {}", keyed.key());
        columns.push(Column::right(
            [&head, "share"],
            shards.iter().map(|shard| percent(shard.share)).collect(),
        ));
        columns.push(Column::right(["", "load"], loads.iter().map(|load| whole(*load)).collect()));
        // A bar as long as its column is a shard at its limit, on both sides.
        columns.push(Column::bars_of(&loads, 1.0));
    }
    columns
}

fn whole(part: f64) -> String {
    format!("{:.0}%", part * 100.0)
}

/// The one sentence that matters.
fn comparison(one: Keyed<'_>, other: Keyed<'_>) -> String {
    let rates = [one, other].map(|keyed| keyed.report.projection.throttle_records_per_second);
    let [Some(first), Some(second)] = rates else {
        return "Without records there is nothing to compare.".to_owned();
    };
    let (times, than) =
        if second >= first { (second / first, one.key()) } else { (first / second, other.key()) };
    format!(
        "Keyed by {} the first shard throttles at {} records/s, by {} at {}: {times:.2} times what \
         {than} gets from the same {} shards.",
        one.key(),
        rate(first),
        other.key(),
        rate(second),
        grouped(one.report.map.len() as u64),
    )
}
