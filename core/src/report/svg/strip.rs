//! The windows of a minute as a strip of columns, with the limit as a line.

use std::fmt::Write;

/// Units of height.
const HEIGHT: f64 = 40.0;

/// Columns of the given heights, from 0 for nothing to 1 for the limit and above; those that are
/// throttled in another colour. It is stretched to the width that there is.
pub(in crate::report) fn strip(heights: &[(f64, bool)], has_limit: bool) -> String {
    let most = heights.iter().map(|(height, _)| *height).fold(1.05, f64::max);
    let mut svg = format!(
        "<svg class=\"strip\" viewBox=\"0 0 {} {HEIGHT}\" preserveAspectRatio=\"none\" \
         aria-hidden=\"true\"><rect class=\"frame\" width=\"{}\" height=\"{HEIGHT}\"/>",
        heights.len(),
        heights.len()
    );
    for over in [false, true] {
        let mut path = String::new();
        for (x, (height, is_over)) in heights.iter().enumerate() {
            if *height > 0.0 && *is_over == over {
                let tall = (height / most).clamp(0.0, 1.0) * HEIGHT;
                // Writing to a string cannot fail.
                let _ = write!(path, "M{x}.1 {HEIGHT}v-{tall:.1}h.8v{tall:.1}z");
            }
        }
        if !path.is_empty() {
            let class = if over { "over" } else { "fine" };
            let _ = write!(svg, "<path class=\"{class}\" d=\"{path}\"/>");
        }
    }
    if has_limit {
        let y = HEIGHT - HEIGHT / most;
        let _ = write!(
            svg,
            "<line class=\"level\" x1=\"0\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>",
            heights.len()
        );
    }
    svg.push_str("</svg>");
    svg
}

#[cfg(test)]
mod tests {
    use super::strip;

    #[test]
    fn columns_stand_on_the_floor_and_the_limit_is_a_line_through_them() {
        let svg = strip(&[(0.0, false), (0.5, false), (2.0, true)], true);
        assert!(svg.contains("<path class=\"fine\" d=\"M1.1 40v-10.0h.8v10.0z\"/>"), "{svg}");
        assert!(svg.contains("<path class=\"over\" d=\"M2.1 40v-40.0h.8v40.0z\"/>"), "{svg}");
        assert!(svg.contains("y1=\"20.0\""), "{svg}");
        assert!(!strip(&[], false).contains("NaN"));
    }
}
