//! The report on a screen, at most 100 columns wide.

mod worst;

use super::fullest::{Names, fullest};
use super::instant::{clock, rfc3339};
use super::number::{bytes, count, grouped, percent, plural, rate, seconds, times};
use super::printable::{fitted, printable};
use super::table::{Column, lines, wrapped};
use super::verdict::{is_throttled, notes, total, verdict};
use super::waiting::tables;
use super::{Input, Report};
use crate::limits::Limit;
use crate::projection::{Projection, Reads, ShardProjection};
use crate::shards::{ShardMap, System};
use crate::source::Taken;
use crate::tally::HotKey;

/// Shards that a screen has room for.
const SHARDS: usize = 32;

/// Columns of a time of the years 0 to 9999; others are cut.
const TIME: usize = 19;

impl Report {
    /// The report as text for a screen of 100 columns: what was read, the verdict, the shards (the
    /// fullest 32 of more), the hottest keys, the worst minutes, the keys that filled shards while
    /// they were over a limit, the limits with their sources, and what to bear in mind. What came from the log is escaped where it could disturb a terminal.
    pub fn to_text(&self) -> String {
        let mut page = Page::default();
        page.paragraph(&self.headline());
        page.blank();
        for sentence in verdict(self) {
            page.paragraph(&sentence);
        }
        page.blank();
        page.table(&shard_columns(self));
        for (head, columns) in tables(self, SHARDS) {
            page.blank();
            page.paragraph(head);
            page.table(&columns);
        }
        let left_out = self.projection.shards.len().saturating_sub(SHARDS);
        if left_out > 0 {
            page.paragraph(&format!(
                "  the {SHARDS} fullest; {} less full left out (--format csv has all)",
                plural(left_out as u64, "shard")
            ));
        }
        if !self.hot_keys.is_empty() {
            page.blank();
            page.paragraph(&hottest(self));
            page.table(&hot_key_columns(&self.map, &self.hot_keys, self.input.records));
        }
        worst::write_minutes(&mut page, self);
        worst::write_throttled_keys(&mut page, self);
        page.rejected(&self.input, self.map.system());
        page.blank();
        let word = self.map.system().shard_word();
        page.paragraph(&if self.projection.limits.iter().next().is_some() {
            format!("Limits of each {word}, under {}", self.rules())
        } else {
            format!("No limits of a {word} were given (--limits; limits= in Python)")
        });
        for (name, limit) in applied(&self.projection) {
            page.item(&format!("{name} {}: {}", grouped(limit.value), provenance(limit)));
        }
        page.paragraph(&format!("Columns: {}", taken(&self.input.columns)));
        for warning in self.warnings() {
            page.item(&format!("warning: {}", warning.message));
        }
        for note in notes(self) {
            page.item(&format!("note: {note}"));
        }
        page.text
    }

    /// The model, its parameters and the windows.
    pub(super) fn rules(&self) -> String {
        let Projection { conditions, limits, .. } = &self.projection;
        let parameters = conditions.model.parameters(limits);
        let parameters: Vec<_> =
            parameters.iter().map(|(name, value)| format!("{name} {}", grouped(*value))).collect();
        let parameters = match parameters.as_slice() {
            [] => String::new(),
            some => format!(" ({})", some.join(", ")),
        };
        let model = conditions.model.name();
        format!("the model {model}{parameters} with windows of {} s", seconds(self.window))
    }

    /// What was read, in one sentence.
    pub(super) fn headline(&self) -> String {
        let input = &self.input;
        let span = match (input.first_time, input.last_time) {
            (Some(first), Some(last)) => format!(", {} to {}", rfc3339(first), rfc3339(last)),
            _ => String::new(),
        };
        format!(
            "{} of {}: {} from {}, {}{span}",
            self.map.system().whole(),
            plural(self.map.len() as u64, self.map.system().shard_word()),
            plural(input.records, "record"),
            plural(input.rows, "row"),
            bytes(input.bytes),
        )
    }
}

/// The head of the hottest keys: how many there are in all.
pub(super) fn hottest(report: &Report) -> String {
    report.distinct_keys.as_ref().map_or_else(
        || "Hottest keys".to_owned(),
        |keys| {
            let about = if keys.is_exact { "" } else { "about " };
            format!("Hottest keys, of {about}{}", grouped(keys.all))
        },
    )
}

/// The limits that were applied: those of readers only if there are any.
pub(super) fn applied(projection: &Projection) -> impl Iterator<Item = (&'static str, &Limit)> {
    let is_read =
        matches!(projection.conditions.reads, Some(Reads::Polls { .. } | Reads::FanOut { .. }));
    let reads = is_read.then(|| projection.limits.of_reads());
    projection.limits.iter().chain(reads.into_iter().flatten())
}

/// Where a limit comes from.
pub(super) fn provenance(limit: &Limit) -> String {
    if limit.date.is_empty() {
        printable(limit.source.as_bytes())
    } else {
        format!("{} (read {})", printable(limit.source.as_bytes()), limit.date)
    }
}

/// `key = carrier (guessed), time = time`.
pub(super) fn taken(taken: &Taken) -> String {
    let roles = [
        ("key", Some(&taken.key)),
        ("bytes", taken.bytes.as_ref()),
        ("time", taken.time.as_ref()),
        ("weight", taken.weight.as_ref()),
        ("explicit hash key", taken.explicit_hash_key.as_ref()),
        ("salt", taken.salt.as_ref()),
        ("operation", taken.operation.as_ref()),
        ("shard", taken.shard.as_ref()),
        ("payload", taken.payload.as_ref()),
    ];
    let texts: Vec<_> = roles
        .into_iter()
        .filter_map(|(role, name)| {
            let name = name?;
            let guessed = if taken.guessed.contains(name) { " (guessed)" } else { "" };
            Some(format!("{role} = {}{guessed}", printable(name.as_bytes())))
        })
        .collect();
    texts.join(", ")
}

/// The numbers of the first rows of a reason, `rows 3, 8, 9, ...`.
pub(super) fn first_rows(rows: &[u64], all: u64) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let numbers: Vec<_> = rows.iter().map(|row| grouped(*row)).collect();
    let word = if all == 1 { "row" } else { "rows" };
    let more = if all > rows.len() as u64 { ", ..." } else { "" };
    format!("{word} {}{more}", numbers.join(", "))
}

/// The table of shards. What the input could not tell, and throttles where there are none, take no
/// column.
fn shard_columns(report: &Report) -> Vec<Column> {
    let names = Names::of(&report.map);
    let shards = fullest(report, SHARDS);
    let text = |of: &dyn Fn(&ShardProjection) -> String| -> Vec<String> {
        shards.iter().map(|shard| of(shard)).collect()
    };
    let known = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let parts: Vec<f64> = shards.iter().map(|shard| shard.share).collect();
    let mut columns = vec![
        name_column(&names, text(&|shard| names.name(&report.map, shard.index))),
        Column::right(["", "share"], text(&|shard| percent(shard.share))),
        Column::bars(&parts),
        Column::right(["", "records"], text(&|shard| count(shard.totals.records))),
        Column::right(["", "bytes"], text(&|shard| bytes(shard.totals.bytes))),
    ];
    // Throttles leave no room for it.
    let is_narrow = !report.projection.shards.iter().any(is_throttled);
    if let Some(keys) = report.distinct_keys.as_ref().filter(|_| is_narrow) {
        let of = |shard: &ShardProjection| keys.by_shard.get(shard.index as usize).copied();
        columns.push(Column::right(["", "keys"], text(&|shard| known(of(shard).map(count)))));
    }
    for (head, of) in [
        ("read", (|shard| shard.read_units) as fn(&ShardProjection) -> Option<f64>),
        ("write", |shard| shard.write_units),
    ] {
        if report.projection.shards.iter().any(|shard| of(shard).is_some_and(|units| units > 0.0)) {
            let units = text(&|shard| known(of(shard).map(rate)));
            columns.push(Column::right([head, "units"], units));
        }
    }
    if report.input.unassigned > 0 {
        columns
            .push(Column::right(["spread,", "about"], text(&|shard| count(shard.spread.records))));
    }
    if report.input.first_time.is_some() {
        columns.push(Column::right(
            ["peak", "rec/s"],
            text(&|shard| known(shard.peak_records_per_second.map(rate))),
        ));
        columns.push(Column::right(
            ["peak", "MB/s"],
            text(&|shard| known(shard.peak_bytes_per_second.map(|bytes| rate(bytes / 1e6)))),
        ));
        if report.projection.shards.iter().any(is_throttled) {
            columns.push(Column::right(
                ["over", "limit"],
                text(&|shard| known(shard.throttled_records.map(count))),
            ));
            columns.push(Column::right(
                ["for", "s"],
                text(&|shard| known(shard.throttled_seconds.map(rate))),
            ));
            columns.push(Column::right(
                ["first throttle", "(UTC)"],
                text(&|shard| known(shard.first_throttle.map(|time| fitted(&clock(time), TIME)))),
            ));
        }
        columns.push(Column::right(
            ["head-", "room"],
            text(&|shard| known(shard.headroom.map(times))),
        ));
    }
    columns
}

/// The column of shard names: numbers to the right, other ids to the left.
fn name_column(names: &Names, cells: Vec<String>) -> Column {
    let head = ["", names.head()];
    if names.prefix.is_empty() { Column::left(head, cells) } else { Column::right(head, cells) }
}

/// The table of the hottest keys.
pub(crate) fn hot_key_columns(map: &ShardMap, keys: &[HotKey], records: u64) -> Vec<Column> {
    let names = Names::of(map);
    let text = |of: &dyn Fn(&HotKey) -> String| -> Vec<String> { keys.iter().map(of).collect() };
    let shares: Vec<f64> =
        keys.iter().map(|key| key.records as f64 / records.max(1) as f64).collect();
    let mut columns = vec![
        Column::left(["", "key"], text(&|key| printable(&key.key))),
        Column::right(["", "share"], shares.iter().map(|share| percent(*share)).collect()),
        Column::bars(&shares),
        Column::right(["", "records"], text(&|key| count(key.records))),
        Column::right(["", "bytes"], text(&|key| bytes(key.bytes))),
        name_column(&names, text(&|key| names.name(map, key.shard))),
    ];
    if keys.iter().any(|key| key.error > 0) {
        columns.push(Column::right(["may lack", "records"], text(&|key| count(key.error))));
    }
    columns
}

/// Lines of text.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn blank(&mut self) {
        self.line("");
    }

    fn paragraph(&mut self, text: &str) {
        for line in wrapped(text, 0) {
            self.line(&line);
        }
    }

    fn item(&mut self, text: &str) {
        for line in wrapped(&format!("- {text}"), 2) {
            self.line(&line);
        }
    }

    fn table(&mut self, columns: &[Column]) {
        for line in lines(columns) {
            self.line(&line);
        }
    }

    fn rejected(&mut self, input: &Input, system: System) {
        let all = total(input.rejected.iter().map(|rejected| rejected.count));
        if all == 0 {
            return;
        }
        self.blank();
        self.paragraph(&format!("{} could not be used", plural(all, "row")));
        for rejected in &input.rejected {
            let rows = first_rows(&rejected.first_rows, rejected.count);
            let rows = if rows.is_empty() { rows } else { format!(" ({rows})") };
            self.item(&format!(
                "{} {}{rows}: {}",
                grouped(rejected.count),
                rejected.reason,
                rejected.reason.explanation(system)
            ));
        }
    }
}
