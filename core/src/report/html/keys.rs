//! The hottest keys: of the stream, and of the shards that were over a limit.

use super::element::{cell, close_table, element, open_table};
use crate::report::Report;
use crate::report::fullest::Names;
use crate::report::number::{grouped, percent, plural, rate};
use crate::report::printable::{fitted, html, printable};
use crate::report::svg::bar;
use crate::tally::HotKey;

/// Columns of a key; what is longer is cut, in the page as in its size.
const KEY: usize = 120;

/// Writes the hottest keys of the stream, at most `most`.
pub(super) fn write_hot_keys(body: &mut String, report: &Report, most: usize) {
    let keys = &report.hot_keys[..most.min(report.hot_keys.len())];
    if keys.is_empty() {
        return;
    }
    element(body, "h2", "", "Hottest keys");
    let names = Names::of(&report.map);
    let has_errors = keys.iter().any(|key| key.error > 0);
    let mut heads = vec![("text", "key"), ("", "share"), ("", "")];
    heads.extend([("", "records"), ("", "bytes"), ("text", names.head())]);
    if has_errors {
        heads.push(("", "may lack"));
    }
    open_table(body, "Hottest keys", &heads);
    let share = |key: &HotKey| key.records as f64 / report.input.records.max(1) as f64;
    let longest = keys.iter().map(share).fold(f64::MIN_POSITIVE, f64::max);
    for key in keys {
        body.push_str("<tr>");
        cell(body, "text key", &shown(key));
        cell(body, "", &percent(share(key)));
        cell(body, "text", &bar(share(key) / longest, "fine"));
        cell(body, "", &grouped(key.records));
        cell(body, "", &grouped(key.bytes));
        cell(body, "text", &html(&names.name(&report.map, key.shard)));
        if has_errors {
            cell(body, "", &grouped(key.error));
        }
        body.push_str("</tr>\n");
    }
    close_table(body);
    let left_out = report.hot_keys.len() - keys.len();
    if left_out > 0 {
        let text = format!("{} less hot left out.", plural(left_out as u64, "key"));
        element(body, "p", "small", &text);
    }
}

/// Writes the keys that filled the shards that were over a limit: so many shards, and so many keys of
/// each.
pub(super) fn write_throttled_keys(
    body: &mut String,
    report: &Report,
    (most_shards, most_keys): (usize, usize),
) {
    let shards = report.throttled_keys.shards.iter().filter(|shard| !shard.keys.is_empty());
    let all = shards.clone().count();
    if all == 0 {
        return;
    }
    let word = report.map.system().shard_word();
    let title = format!("Keys that filled a {word} while it was over its limit");
    element(body, "h2", "", &title);
    let names = Names::of(&report.map);
    let mut heads =
        vec![("text", names.head()), ("", "for s"), ("text", "key"), ("", "share"), ("", "")];
    heads.extend([("", "records"), ("", "bytes")]);
    open_table(body, &title, &heads);
    let seconds = report.window.as_secs_f64();
    for shard in shards.take(most_shards) {
        for (row, key) in shard.keys.iter().take(most_keys).enumerate() {
            let once = |text: String| if row == 0 { text } else { String::new() };
            body.push_str("<tr>");
            cell(body, "text", &once(html(&names.name(&report.map, shard.shard))));
            cell(body, "", &once(rate(shard.windows as f64 * seconds)));
            cell(body, "text key", &shown(key));
            cell(body, "", &percent(shard.share(key)));
            cell(body, "text", &bar(shard.share(key), "over"));
            cell(body, "", &grouped(key.records));
            cell(body, "", &grouped(key.bytes));
            body.push_str("</tr>\n");
        }
    }
    close_table(body);
    let left_out = all.saturating_sub(most_shards);
    if left_out > 0 {
        let left_out = plural(left_out as u64, word);
        let text = format!("{left_out} with fewer records over a limit left out.");
        element(body, "p", "small", &text);
    }
}

fn shown(key: &HotKey) -> String {
    html(&fitted(&printable(&key.key), KEY))
}
