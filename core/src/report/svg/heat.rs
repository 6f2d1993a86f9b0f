//! A row of the heat map. Each cell is a square of a path, all cells of one level in one path, so
//! that a page of thirteen thousand of them stays small.

use crate::report::HeatRow;
use std::fmt::Write;

/// The levels that are told apart, by name; the last two are over the limit.
pub(in crate::report) const LEVELS: [&str; 7] =
    ["to 25%", "to 50%", "to 75%", "to 90%", "to 100%", "to 150%", "more"];

/// Up to which load, exactly, each level reaches.
const BOUNDS: [f64; 6] = [0.25, 0.5, 0.75, 0.9, 1.0, 1.5];

/// The class of level number `number`.
pub(in crate::report) fn level(number: usize) -> String {
    format!("h{}", number + 1)
}

/// The level of a load; `None` if nothing came.
fn level_of(load: f64) -> Option<usize> {
    (load > 0.0).then(|| BOUNDS.iter().take_while(|bound| load > **bound).count())
}

/// A row of cells that is stretched to the width that there is. A load of `full` is shown as full;
/// `label` says in words what the row shows.
pub(in crate::report) fn row(row: &HeatRow, full: f64, label: &str) -> String {
    let mut paths: [String; LEVELS.len()] = Default::default();
    let mut marks = String::new();
    for (x, cell) in row.cells.iter().enumerate() {
        // Writing to a string cannot fail.
        if let Some(level) = level_of(cell.load / full) {
            let _ = write!(paths[level], "M{x} 0h1v1h-1z");
        }
        if cell.throttled_records > 0 {
            // Told by a shape as well as by the colour: a wedge from the top.
            let _ = write!(marks, "M{x} 0h1l-.5 .6z");
        }
    }
    let mut svg = format!(
        "<svg class=\"heat\" viewBox=\"0 0 {} 1\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"{label}\" shape-rendering=\"crispEdges\"><rect class=\"frame\" width=\"{}\" \
         height=\"1\"/>",
        row.cells.len(),
        row.cells.len()
    );
    for (number, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        let _ = write!(svg, "<path class=\"{}\" d=\"{path}\"/>", level(number));
    }
    if !marks.is_empty() {
        let _ = write!(svg, "<path class=\"mark\" d=\"{marks}\"/>");
    }
    svg.push_str("</svg>");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::HeatCell;

    #[test]
    fn a_cell_is_over_the_limit_exactly_if_its_load_is() {
        assert_eq!(level_of(0.0), None);
        assert_eq!(level_of(1e-9), Some(0));
        assert_eq!(level_of(1.0), Some(4));
        assert_eq!(level_of(1.000_001), Some(5));
        assert_eq!(level_of(f64::INFINITY), Some(6));
    }

    #[test]
    fn each_cell_is_drawn_once_and_throttled_ones_are_marked() {
        let loads = [0.0, 0.1, 1.2, 0.2, 9.0];
        let cells = loads.map(|load| HeatCell { load, throttled_records: u64::from(load > 1.0) });
        let svg = row(&HeatRow { shard: Some(0), cells: cells.to_vec() }, 1.0, "a row");
        assert_eq!(svg.matches("h1v1h-1z").count(), 4);
        assert!(svg.contains("<path class=\"mark\" d=\"M2 0h1l-.5 .6zM4 0h1l-.5 .6z\"/>"), "{svg}");
        assert!(svg.contains("<path class=\"h1\" d=\"M1 0h1v1h-1zM3 0h1v1h-1z\"/>"), "{svg}");
    }
}
