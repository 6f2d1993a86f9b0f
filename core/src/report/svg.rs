//! Bars as inline SVG: no script, nothing fetched, colours from the page.

use std::fmt::Write;

/// Width and height of a bar in a table, in CSS pixels.
const BAR: (f64, f64) = (120.0, 10.0);

/// Width and height of the chart of all shards.
const CHART: (f64, f64) = (720.0, 120.0);

/// The most columns of the chart; of more shards, each column stands for some neighbours.
const COLUMNS: usize = 360;

/// A bar of `part` of the full length, from 0 to 1, of the class `class`.
pub(super) fn bar(part: f64, class: &str) -> String {
    let (width, height) = BAR;
    let length = part.clamp(0.0, 1.0) * width;
    format!(
        "<svg class=\"bar\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-hidden=\"true\">\
         <rect class=\"{class}\" width=\"{length:.1}\" height=\"{height}\"/></svg>"
    )
}

/// One column of the chart.
#[derive(Clone, Copy)]
pub(super) struct Share {
    /// The shard's part of all records.
    pub(super) share: f64,
    /// Whether it throttles.
    pub(super) is_throttled: bool,
}

/// All shards side by side in range order, with a line where even shares would reach. Where there
/// are too many for the width, each column shows the fullest of some neighbours.
pub(super) fn chart(shards: &[Share]) -> String {
    let (width, height) = CHART;
    let group = shards.len().div_ceil(COLUMNS).max(1);
    let columns: Vec<Share> = shards
        .chunks(group)
        .map(|group| Share {
            share: group.iter().map(|shard| shard.share).fold(0.0, f64::max),
            is_throttled: group.iter().any(|shard| shard.is_throttled),
        })
        .collect();
    let even = 1.0 / shards.len().max(1) as f64;
    let most = columns.iter().map(|column| column.share).fold(even, f64::max);
    let step = width / columns.len().max(1) as f64;
    let gap = if step >= 4.0 { 1.0 } else { 0.0 };
    let mut svg = format!(
        "<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" aria-label=\"Share of records of each shard, in range order\">"
    );
    for (i, column) in columns.iter().enumerate() {
        let tall = column.share / most * height;
        let class = if column.is_throttled { "over" } else { "fine" };
        // Writing to a string cannot fail.
        let _ = write!(
            svg,
            "<rect class=\"{class}\" x=\"{:.2}\" y=\"{:.1}\" width=\"{:.2}\" height=\"{tall:.1}\"/>",
            i as f64 * step,
            height - tall,
            step - gap,
        );
    }
    let level = height - even / most * height;
    let _ = write!(
        svg,
        "<line class=\"even\" x1=\"0\" x2=\"{width}\" y1=\"{level:.1}\" y2=\"{level:.1}\"/></svg>"
    );
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_stays_within_its_box() {
        assert!(bar(7.0, "fine").contains("width=\"120.0\""));
        assert!(bar(-1.0, "fine").contains("width=\"0.0\""));
    }

    #[test]
    fn a_chart_of_many_shards_keeps_the_fullest_in_sight() {
        let mut shards = vec![Share { share: 1e-5, is_throttled: false }; 100_000];
        shards[77_777] = Share { share: 0.5, is_throttled: true };
        let svg = chart(&shards);
        assert!(svg.matches("<rect").count() <= COLUMNS);
        assert_eq!(svg.matches("class=\"over\"").count(), 1);
        assert!(svg.contains("height=\"120.0\""));
        assert!(!chart(&[]).contains("NaN"));
    }
}
