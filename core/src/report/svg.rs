//! Bars as inline SVG: no script, nothing fetched, colours from the page.

pub(super) mod heat;
pub(super) mod strip;

use std::fmt::Write;

/// Width and height of a bar in a table, in CSS pixels.
const BAR: (f64, f64) = (120.0, 10.0);

/// Units of the chart of all shards, which is stretched to the width that there is.
const CHART: (f64, f64) = (720.0, 120.0);

/// The most columns of the chart; of more shards, each column stands for some neighbours.
const COLUMNS: usize = 360;

/// A bar of `part` of the full length, from 0 to 1, of the class `class`.
pub(super) fn bar(part: f64, class: &str) -> String {
    let (width, height) = BAR;
    let length = part.clamp(0.0, 1.0) * width;
    format!(
        "<svg class=\"bar\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect class=\"{class}\" width=\"{length:.1}\" height=\"{height}\"/></svg>"
    )
}

/// One column of the chart.
#[derive(Clone, Copy)]
pub(super) struct Bar {
    /// How high it is.
    pub(super) value: f64,
    /// Whether it is over a limit.
    pub(super) is_over: bool,
}

/// All shards side by side in range order, with a line at `level` if there is one. Where there are too many for the
/// width, each column shows the highest of some neighbours.
pub(super) fn chart(bars: &[Bar], level: Option<f64>, label: &str) -> String {
    let (width, height) = CHART;
    let group = bars.len().div_ceil(COLUMNS).max(1);
    let columns: Vec<Bar> = bars
        .chunks(group)
        .map(|group| Bar {
            value: group.iter().map(|bar| bar.value).fold(0.0, f64::max),
            is_over: group.iter().any(|bar| bar.is_over),
        })
        .collect();
    // Some air above, so that the line is seen where nothing reaches it.
    let most = columns
        .iter()
        .map(|column| column.value)
        .filter(|value| value.is_finite())
        .fold(level.unwrap_or(f64::MIN_POSITIVE) * 1.05, f64::max);
    let step = width / columns.len().max(1) as f64;
    let gap = if step >= 4.0 { 1.0 + step / 10.0 } else { 0.0 };
    let mut svg = format!(
        "<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" preserveAspectRatio=\"none\" \
         role=\"img\" aria-label=\"{label}, in range order\">\
         <rect class=\"frame\" width=\"{width}\" height=\"{height}\"/>"
    );
    for (i, column) in columns.iter().enumerate() {
        // What takes nothing at all is as high as there is room.
        let part = if column.value.is_finite() { column.value / most } else { 1.0 };
        let tall = part.clamp(0.0, 1.0) * height;
        let class = if column.is_over { "over" } else { "fine" };
        // Writing to a string cannot fail.
        let _ = write!(
            svg,
            "<rect class=\"{class}\" x=\"{:.2}\" y=\"{:.1}\" width=\"{:.2}\" height=\"{tall:.1}\"/>",
            i as f64 * step + gap / 2.0,
            height - tall,
            step - gap,
        );
    }
    if let Some(level) = level {
        let y = height - level / most * height;
        let _ = write!(
            svg,
            "<line class=\"level\" x1=\"0\" x2=\"{width}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>"
        );
    }
    svg.push_str("</svg>");
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
    fn a_chart_of_many_shards_keeps_the_highest_in_sight() {
        let mut bars = vec![Bar { value: 1e-5, is_over: false }; 100_000];
        bars[77_777] = Bar { value: 2.0, is_over: true };
        let svg = chart(&bars, Some(1.0), "Load");
        assert!(svg.matches("<rect").count() <= COLUMNS + 1);
        assert_eq!(svg.matches("class=\"over\"").count(), 1);
        assert!(svg.contains("height=\"120.0\""));
        assert!(svg.contains("y1=\"60.0\""), "{svg}");
        assert!(!chart(&[], None, "Load").contains("NaN"));
        assert!(
            !chart(&[Bar { value: f64::INFINITY, is_over: true }], Some(1.0), "").contains("NaN")
        );
    }
}
