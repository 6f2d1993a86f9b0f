//! The report as HTML: one page that stands alone, or a fragment for a notebook. Nothing is
//! fetched and nothing is run; all that came from the log is escaped.

use super::Report;
use super::fullest::{fullest, id};
use super::instant::rfc3339;
use super::number::{grouped, percent, plural, rate, times};
use super::printable::{html, printable};
use super::svg::{Share, bar, chart};
use super::text::{first_rows, taken};
use super::verdict::{is_throttled, notes, total, verdict};
use crate::projection::ShardProjection;
use crate::tally::HotKey;
use std::fmt::Write;

/// Shards in a notebook's table, and in that of a page.
const FRAGMENT_SHARDS: usize = 32;
const PAGE_SHARDS: usize = 1_024;

/// The look, within `.shardlane` only; the colours follow the page's own and its dark mode.
const STYLE: &str = "\
.shardlane{font:14px/1.45 system-ui,sans-serif;max-width:64rem}\
.shardlane table{border-collapse:collapse;margin:.6rem 0;font-variant-numeric:tabular-nums}\
.shardlane th,.shardlane td{padding:.15rem .6rem;text-align:right;white-space:nowrap}\
.shardlane thead th{border-bottom:1px solid #8888}\
.shardlane td.text,.shardlane th.text{text-align:left}\
.shardlane td.key{max-width:24rem;overflow:hidden;text-overflow:ellipsis;font-family:monospace}\
.shardlane tr.over td{font-weight:600}\
.shardlane rect.fine{fill:#3b7dd8}.shardlane rect.over{fill:#d0452f}\
.shardlane line.even{stroke:#888;stroke-dasharray:4 3}\
.shardlane .verdict{font-size:1.1em}.shardlane .small{opacity:.8;font-size:.9em}\
.shardlane svg.chart{max-width:100%;height:auto}";

impl Report {
    /// The report as one HTML page that needs nothing else: the same content as
    /// [`to_text`](Self::to_text), with a chart of all shards and up to 1,024 of them in the table.
    pub fn to_html(&self) -> String {
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\">\
             <meta name=\"color-scheme\" content=\"light dark\">\
             <title>{}</title></head>\n<body>{}</body></html>\n",
            html(&self.headline()),
            self.body(PAGE_SHARDS)
        )
    }

    /// The report as a piece of HTML to show in a notebook, with up to 32 shards in the table.
    pub fn to_html_fragment(&self) -> String {
        self.body(FRAGMENT_SHARDS)
    }

    fn body(&self, most: usize) -> String {
        let mut body = format!("<div class=\"shardlane\"><style>{STYLE}</style>\n");
        element(&mut body, "p", "", &html(&self.headline()));
        for sentence in verdict(self) {
            element(&mut body, "p", "verdict", &html(&sentence));
        }
        let shares: Vec<Share> = self
            .projection
            .shards
            .iter()
            .map(|shard| Share { share: shard.share, is_throttled: is_throttled(shard) })
            .collect();
        body.push_str(&chart(&shares));
        self.write_shards(&mut body, most);
        if !self.hot_keys.is_empty() {
            element(&mut body, "h3", "", "Hottest keys");
            self.write_hot_keys(&mut body);
        }
        self.write_rejected(&mut body);
        self.write_small_print(&mut body);
        body.push_str("</div>\n");
        body
    }

    fn write_shards(&self, body: &mut String, most: usize) {
        let shards = fullest(self, most);
        let is_timed = self.input.first_time.is_some();
        let mut heads = vec!["shard", "share", "", "records", "bytes"];
        let has_units = self.projection.shards.iter().any(|shard| shard.read_units.is_some());
        if has_units {
            heads.extend(["read units", "write units"]);
        }
        if self.input.unassigned > 0 {
            heads.push("spread records, about");
        }
        if is_timed {
            heads.extend(["peak records/s", "peak bytes/s", "throttled records"]);
            heads.extend(["throttled seconds", "first throttle", "headroom"]);
        }
        head(body, &heads);
        let longest = shards.iter().map(|shard| shard.share).fold(0.0, f64::max);
        for shard in &shards {
            let class = if is_throttled(shard) { "over" } else { "fine" };
            let _ = write!(body, "<tr class=\"{class}\">");
            cell(body, "text", &html(&id(&self.map, shard.index)));
            cell(body, "", &percent(shard.share));
            cell(body, "text", &bar(shard.share / longest.max(f64::MIN_POSITIVE), class));
            cell(body, "", &grouped(shard.totals.records));
            cell(body, "", &grouped(shard.totals.bytes));
            if has_units {
                cell(body, "", &known(shard.read_units.map(rate)));
                cell(body, "", &known(shard.write_units.map(rate)));
            }
            if self.input.unassigned > 0 {
                cell(body, "", &grouped(shard.spread.records));
            }
            if is_timed {
                timed_cells(body, shard);
            }
            body.push_str("</tr>\n");
        }
        body.push_str("</tbody></table>\n");
        let left_out = self.projection.shards.len() - shards.len();
        if left_out > 0 {
            let text = format!(
                "The {} fullest; {} less full left out.",
                shards.len(),
                plural(left_out as u64, "shard")
            );
            element(body, "p", "small", &text);
        }
    }

    fn write_hot_keys(&self, body: &mut String) {
        head(body, &["key", "share", "", "records", "bytes", "may lack", "shard"]);
        let share = |key: &HotKey| key.records as f64 / self.input.records.max(1) as f64;
        let longest = self.hot_keys.iter().map(share).fold(0.0, f64::max);
        for key in &self.hot_keys {
            body.push_str("<tr>");
            cell(body, "text key", &html(&printable(&key.key)));
            cell(body, "", &percent(share(key)));
            cell(body, "text", &bar(share(key) / longest.max(f64::MIN_POSITIVE), "fine"));
            cell(body, "", &grouped(key.records));
            cell(body, "", &grouped(key.bytes));
            cell(body, "", &grouped(key.error));
            cell(body, "text", &html(&id(&self.map, key.shard)));
            body.push_str("</tr>\n");
        }
        body.push_str("</tbody></table>\n");
    }

    fn write_rejected(&self, body: &mut String) {
        let all = total(self.input.rejected.iter().map(|rejected| rejected.count));
        if all == 0 {
            return;
        }
        element(body, "h3", "", &format!("{} could not be used", plural(all, "row")));
        body.push_str("<ul>");
        for rejected in &self.input.rejected {
            let rows = first_rows(&rejected.first_rows, rejected.count);
            let rows = if rows.is_empty() { rows } else { format!(" ({rows})") };
            let text = format!(
                "{} {}{rows}: {}",
                grouped(rejected.count),
                rejected.reason,
                rejected.reason.explanation(self.map.system())
            );
            element(body, "li", "", &html(&text));
        }
        body.push_str("</ul>");
    }

    fn write_small_print(&self, body: &mut String) {
        let limits: Vec<_> = self
            .projection
            .limits
            .iter()
            .map(|(name, limit)| {
                format!("{name} {} ({})", grouped(limit.value), super::text::provenance(limit))
            })
            .collect();
        let text = format!(
            "Limits of each {}: {}. Model: {}, windows of {} s. Columns: {}.",
            self.map.system().shard_word(),
            limits.join("; "),
            self.projection.model,
            self.window.as_secs(),
            taken(&self.input.columns),
        );
        element(body, "p", "small", &html(&text));
        body.push_str("<ul class=\"small\">");
        for note in notes(self) {
            element(body, "li", "", &html(&note));
        }
        body.push_str("</ul>");
    }
}

/// The cells that need a time column.
fn timed_cells(body: &mut String, shard: &ShardProjection) {
    cell(body, "", &known(shard.peak_records_per_second.map(rate)));
    cell(body, "", &known(shard.peak_bytes_per_second.map(rate)));
    cell(body, "", &known(shard.throttled_records.map(grouped)));
    cell(body, "", &known(shard.throttled_seconds.map(rate)));
    cell(body, "", &known(shard.first_throttle.map(rfc3339)));
    cell(body, "", &known(shard.headroom.map(times)));
}

/// A value, or a dash if there is none.
fn known(value: Option<String>) -> String {
    value.unwrap_or_else(|| "–".to_owned())
}

/// Opens a table; the caller closes it.
fn head(body: &mut String, heads: &[&str]) {
    body.push_str("<table><thead><tr>");
    for head in heads {
        let class = if ["shard", "key"].contains(head) { " class=\"text\"" } else { "" };
        let _ = write!(body, "<th{class}>{head}</th>");
    }
    body.push_str("</tr></thead><tbody>\n");
}

/// A table cell. `content` is HTML already. (Writing to a string cannot fail.)
fn cell(body: &mut String, class: &str, content: &str) {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    let _ = write!(body, "<td{class}>{content}</td>");
}

/// An element on a line of its own. `content` is HTML already.
fn element(body: &mut String, name: &str, class: &str, content: &str) {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    let _ = writeln!(body, "<{name}{class}>{content}</{name}>");
}
