//! Shards over time: the heat map, and the worst minutes.

use super::element::{caption, cell, close_table, element, open_table, swatch};
use crate::report::fullest::{Names, fullest_of};
use crate::report::instant::{clock, minute};
use crate::report::number::{count, filled, rate};
use crate::report::printable::html;
use crate::report::svg::heat::{LEVELS, level, row};
use crate::report::svg::strip::strip;
use crate::report::{HeatRow, Report};
use std::fmt::Write;

/// Shards of each of the worst minutes, and columns of its windows.
const SHARDS: usize = 3;
const COLUMNS: usize = 60;

/// Writes the heat map of at most `most` rows.
pub(super) fn write_heat(body: &mut String, report: &Report, most: usize) {
    let heat = &report.timeline.heat;
    if heat.columns == 0 || report.input.records == 0 {
        return;
    }
    let word = report.map.system().shard_word();
    element(body, "h2", "", &format!("Each {word} over time"));
    let _ = writeln!(
        body,
        "<figure class=\"heat\"><table class=\"map\" aria-label=\"Load of each {word} over time, {} \
         columns of {}\"><tbody>",
        heat.columns,
        length(heat.length)
    );
    let names = Names::of(&report.map);
    let fullest: Vec<u32> =
        fullest_of(&report.projection.shards, most).iter().map(|shard| shard.index).collect();
    let is_shown = |row: &&HeatRow| match row.shard {
        Some(shard) => fullest.contains(&shard),
        None => heat.rows.len() <= most,
    };
    for of in heat.rows.iter().filter(is_shown) {
        let name = match of.shard {
            Some(shard) => html(&names.name(&report.map, shard)),
            None => "others".to_owned(),
        };
        let _ = write!(body, "<tr><th scope=\"row\">{name}</th>");
        cell(body, "", &row(of, heat.full(), &summary(report, of)));
        body.push_str("</tr>\n");
    }
    let end = heat.start.saturating_add(heat.length.saturating_mul(heat.columns as i64));
    let _ = write!(
        body,
        "<tr class=\"time\"><th scope=\"row\">UTC</th><td><div><span>{}</span><span>{}</span></div>\
         </td></tr>\n</tbody></table>",
        clock(heat.start),
        clock(end)
    );
    let shown = heat.rows.iter().filter(is_shown).count();
    legend(body, report, shown);
    body.push_str("</figure>\n");
}

/// What a row of the heat map comes to, for who cannot see it.
fn summary(report: &Report, of: &HeatRow) -> String {
    let cells = || of.cells.iter();
    let peak = cells().map(|cell| cell.load).fold(0.0, f64::max);
    let over = cells().filter(|cell| cell.throttled_records > 0).count();
    let whole = if report.timeline.heat.is_limited { "its limit" } else { "the busiest window" };
    format!("up to {} of {whole}, over it in {over} of {} columns", filled(peak), of.cells.len())
}

fn legend(body: &mut String, report: &Report, shown: usize) {
    let heat = &report.timeline.heat;
    let whole = if heat.is_against_limit() {
        "its limit".to_owned()
    } else if heat.is_limited {
        format!("the busiest window of all, which is at {} of its limit", filled(heat.peak))
    } else {
        "the busiest window of all".to_owned()
    };
    let mut text =
        format!("Busiest window in each {}, as a part of {whole}: ", length(heat.length));
    let levels = if heat.is_against_limit() { &LEVELS[..] } else { &LEVELS[..5] };
    for (number, name) in levels.iter().enumerate() {
        let _ = write!(text, "<span class=\"item\">{}{name}</span> ", swatch(&level(number)));
    }
    if heat.is_against_limit() {
        text.push_str(
            "<span class=\"item\"><svg class=\"swatch\" width=\"14\" height=\"12\" \
             aria-hidden=\"true\"><rect class=\"h6\" width=\"14\" height=\"12\"/>\
             <path class=\"mark\" d=\"M2 0h10l-5 8z\"/></svg> throttled</span>",
        );
    }
    let left_out = report.map.len().saturating_sub(shown);
    if left_out > 0 && !heat.rows.iter().any(|row| row.shard.is_none()) {
        let _ = write!(text, "; the {shown} fullest of {}", report.map.len());
    }
    caption(body, &text);
}

/// Writes the worst minutes, at most `most`; the busiest one if nothing throttles.
pub(super) fn write_minutes(body: &mut String, report: &Report, most: usize) {
    let heat = &report.timeline.heat;
    let worst = &report.timeline.minutes;
    let over = worst.iter().filter(|minute| minute.load.throttled_records > 0).count();
    let shown = &worst[..over.max(1).min(most).min(worst.len())];
    if shown.is_empty() {
        return;
    }
    let word = if shown.iter().any(|of| of.length > 60_000_000) { "window" } else { "minute" };
    let title = match (over, shown.len()) {
        (0, _) => format!("The busiest {word}"),
        (_, 1) => format!("The worst {word}"),
        _ => format!("The worst {word}s"),
    };
    element(body, "h2", "", &title);
    let highest = shown.iter().flat_map(|of| &of.shards).flat_map(|shard| &shard.windows);
    let highest = highest.map(|moment| moment.records).max().unwrap_or(0).max(1);
    let names = Names::of(&report.map);
    for of in shown {
        let from = format!("{} UTC, {}", minute(of.start), length(of.length));
        element(body, "h3", "", &from);
        let mut heads = vec![("text", names.head()), ("wide", "load of each window")];
        if heat.is_limited {
            if over > 0 {
                heads.push(("", "over limit"));
            }
            heads.push(("", "peak of limit"));
        }
        heads.push(("", "records"));
        body.push_str("<div class=\"minute\">");
        open_table(body, &from, &heads);
        for shard in of.shards.iter().take(SHARDS) {
            let parts = of.course(shard, COLUMNS);
            let heights: Vec<_> = parts
                .iter()
                .map(|part| {
                    let of_all = part.records as f64 / highest as f64;
                    (
                        if heat.is_limited { part.load / heat.full() } else { of_all },
                        part.is_throttled,
                    )
                })
                .collect();
            body.push_str("<tr>");
            cell(body, "text", &html(&names.name(&report.map, shard.shard)));
            cell(body, "wide", &strip(&heights, heat.is_against_limit()));
            if heat.is_limited {
                if over > 0 {
                    cell(body, "", &count(shard.load.throttled_records));
                }
                cell(body, "", &filled(shard.load.peak));
            }
            cell(body, "", &count(shard.load.records));
            body.push_str("</tr>\n");
        }
        close_table(body);
        body.push_str("</div>\n");
    }
    if heat.is_against_limit() {
        let text = format!(
            "{}below {}over {}the limit; each strip is as high as its highest window, or the limit.",
            swatch("fine"),
            swatch("over"),
            swatch("line")
        );
        element(body, "p", "small", &text);
    }
}

/// A length of time, such as `10 s`, `5 min` or `2 h`.
pub(super) fn length(micros: i64) -> String {
    let seconds = micros as f64 / 1e6;
    match seconds {
        _ if seconds >= 86_400.0 && micros % 86_400_000_000 == 0 => {
            format!("{} d", rate(seconds / 86_400.0))
        }
        _ if seconds >= 3_600.0 && micros % 3_600_000_000 == 0 => {
            format!("{} h", rate(seconds / 3_600.0))
        }
        _ if seconds >= 60.0 && micros % 60_000_000 == 0 => format!("{} min", rate(seconds / 60.0)),
        _ if seconds < 1.0 => format!("{} ms", rate(seconds * 1e3)),
        _ => format!("{} s", rate(seconds)),
    }
}

#[cfg(test)]
mod tests {
    use super::length;

    #[test]
    fn lengths_are_told_in_their_largest_whole_unit() {
        let texts = [100_000, 1_000_000, 90_000_000, 600_000_000, 7_200_000_000, 172_800_000_000];
        let told = texts.map(length);
        assert_eq!(told, ["100 ms", "1 s", "90 s", "10 min", "2 h", "2 d"]);
    }
}
