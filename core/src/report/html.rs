//! The report as HTML: one page that stands alone, or a fragment for a notebook. Nothing is
//! fetched and nothing is run; all that came from the log is escaped.
//!
//! Each section is one function here or in a file of its own, and [`Report::body`] is their order.

mod element;
mod keys;
mod shards;
mod style;
mod time;

use super::Report;
use super::fullest::Names;
use super::instant::rfc3339;
use super::number::{bytes, count, filled, grouped, percent, plural, times};
use super::printable::{fitted, html};
use super::svg::{Bar, chart};
use super::text::{applied, first_rows, provenance, taken};
use super::verdict::{Tone, in_short, is_throttled, notes, total, verdict};
use element::{caption, element, swatch};
use std::fmt::Write;

/// Columns of a shard's name under the chart.
const NAME: usize = 16;

/// How much a page or a fragment has room for.
#[derive(Clone, Copy)]
struct Room {
    /// Shards in the table.
    shards: usize,
    /// Rows of the heat map.
    rows: usize,
    /// Hot keys of the stream.
    keys: usize,
    /// Throttled shards, and keys of each.
    throttled: (usize, usize),
    /// Worst minutes.
    minutes: usize,
}

const PAGE: Room = Room { shards: 256, rows: 65, keys: 100, throttled: (16, 5), minutes: 5 };
const FRAGMENT: Room = Room { shards: 32, rows: 16, keys: 10, throttled: (3, 3), minutes: 1 };

impl Report {
    /// The report as one HTML page that needs nothing else: the verdict, a chart of all shards, a
    /// heat map of the shards over time, the worst minutes, the hottest keys, a table of up to 256
    /// shards. It fits a phone, a printer and a dark screen, and stays below a megabyte.
    pub fn to_html(&self) -> String {
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <meta name=\"color-scheme\" content=\"light dark\">\
             <title>{}</title><style>{}</style></head>\n<body>{}</body></html>\n",
            html(&in_short(self).1),
            style::PAGE,
            self.body(PAGE)
        )
    }

    /// The report as a piece of HTML to show in a notebook, with up to 32 shards in the table.
    pub fn to_html_fragment(&self) -> String {
        self.body(FRAGMENT)
    }

    fn body(&self, room: Room) -> String {
        let mut body = format!("<div class=\"shardlane\"><style>{}</style>\n", style::SHARED);
        self.write_verdict(&mut body);
        self.write_chart(&mut body);
        time::write_heat(&mut body, self, room.rows);
        time::write_minutes(&mut body, self, room.minutes);
        keys::write_throttled_keys(&mut body, self, room.throttled);
        keys::write_hot_keys(&mut body, self, room.keys);
        shards::write_shards(&mut body, self, room.shards);
        self.write_rejected(&mut body);
        self.write_limits(&mut body);
        self.write_notes(&mut body);
        body.push_str("</div>\n");
        body
    }

    fn write_verdict(&self, body: &mut String) {
        let (tone, short) = in_short(self);
        let (class, sign) = match tone {
            Tone::Over => ("tone over", "▲"),
            Tone::Fine => ("tone fine", "✓"),
            Tone::Unknown => ("tone", "●"),
        };
        // Said by a sign and in words, so that the colour adds nothing that is not there without it.
        let sign = format!("<span class=\"{class}\" aria-hidden=\"true\">{sign}</span> ");
        element(body, "h1", "", &(sign + &html(&short)));
        for sentence in verdict(self) {
            element(body, "p", "verdict", &html(&sentence));
        }
        for warning in self.warnings() {
            let text = format!("<strong>Warning:</strong> {}", html(&warning.message));
            element(body, "p", "warning", &text);
        }
        body.push_str("<dl>");
        for (name, value) in self.figures() {
            let _ = write!(body, "<div><dt>{name}</dt><dd>{}</dd></div>", html(&value));
        }
        body.push_str("</dl>\n");
        element(body, "p", "small", &html(&self.headline()));
    }

    /// The figures under the verdict.
    fn figures(&self) -> Vec<(&'static str, String)> {
        let (input, projection) = (&self.input, &self.projection);
        let mut figures = vec![("records", count(input.records)), ("bytes", bytes(input.bytes))];
        if input.first_time.is_some() {
            let throttled = projection.shards.iter().filter_map(|shard| shard.throttled_records);
            let throttled = total(throttled);
            let records = projection.conditions.scale.of(input.records);
            let part = throttled as f64 / records.max(1) as f64;
            let part = if throttled == 0 { String::new() } else { format!(" ({})", percent(part)) };
            figures.push(("over a limit", format!("{}{part}", count(throttled))));
        }
        if let Some(headroom) = projection.headroom {
            figures.push(("headroom", times(headroom)));
        }
        figures
    }

    /// All shards next to each other: against their limit where that is known, else by their share.
    fn write_chart(&self, body: &mut String) {
        let shards = &self.projection.shards;
        let is_limited = shards.iter().any(|shard| shard.headroom.is_some());
        let even = 1.0 / shards.len().max(1) as f64;
        let bars: Vec<Bar> = shards
            .iter()
            .map(|shard| Bar {
                value: if is_limited {
                    shard.headroom.map_or(0.0, |headroom| 1.0 / headroom)
                } else {
                    shard.share
                },
                is_over: is_throttled(shard),
            })
            .collect();
        let word = self.map.system().shard_word();
        let (title, level, line) = if is_limited {
            (format!("Busiest window of each {word}"), 1.0, "its limit. ")
        } else {
            (format!("Share of each {word}"), even, "an even share. ")
        };
        element(body, "h2", "", &title);
        body.push_str("<figure>");
        let most = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
        // Beside a limit that is far away nothing else could be seen.
        let is_near = most >= level / 5.0;
        body.push_str(&chart(&bars, is_near.then_some(level), &title));
        self.write_names(body);
        let most =
            if is_limited { format!("{} of its limit", filled(most)) } else { percent(most) };
        let key = if is_near {
            format!("{}below {}over {}{line}", swatch("fine"), swatch("over"), swatch("line"))
        } else {
            String::new()
        };
        caption(body, &format!("{key}The tallest is at {most}."));
        body.push_str("</figure>\n");
    }

    /// What the columns of the chart are called: all of a few, or the first and the last.
    fn write_names(&self, body: &mut String) {
        let (names, last) = (Names::of(&self.map), self.map.len().saturating_sub(1) as u32);
        let name = |index| html(&fitted(&names.name(&self.map, index), NAME));
        let (class, shown): (_, Vec<u32>) = if last < 12 && name(last).chars().count() <= 2 {
            ("names", (0..=last).collect())
        } else {
            ("names ends", vec![0, last])
        };
        let spans: Vec<_> =
            shown.into_iter().map(|i| format!("<span>{}</span>", name(i))).collect();
        element(body, "div", &format!("{class} small"), &spans.concat());
    }

    fn write_rejected(&self, body: &mut String) {
        let all = total(self.input.rejected.iter().map(|rejected| rejected.count));
        if all == 0 {
            return;
        }
        element(body, "h2", "", &format!("{} could not be used", plural(all, "row")));
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
        body.push_str("</ul>\n");
    }

    fn write_limits(&self, body: &mut String) {
        let word = self.map.system().shard_word();
        element(body, "h2", "", &format!("Limits of each {word}"));
        if self.projection.limits.iter().next().is_none() {
            element(body, "p", "", "None were given (--limits; limits= in Python).");
        }
        body.push_str("<ul>");
        for (name, limit) in applied(&self.projection) {
            let text = format!("{name} {}: {}", grouped(limit.value), provenance(limit));
            element(body, "li", "", &html(&text));
        }
        body.push_str("</ul>\n");
    }

    fn write_notes(&self, body: &mut String) {
        element(body, "h2", "", "Notes");
        body.push_str("<ul class=\"small\">");
        let how = format!("{}; columns: {}", self.rules(), taken(&self.input.columns));
        for note in std::iter::once(how).chain(notes(self)) {
            element(body, "li", "", &html(&note));
        }
        body.push_str("</ul>\n");
    }
}

/// A time, or a dash if there is none.
fn time_or_dash(time: Option<i64>) -> String {
    element::known(time.map(rfc3339))
}
