//! Pieces of HTML.

use std::fmt::Write;

/// An element on a line of its own. `content` is HTML already. (Writing to a string cannot fail.)
pub(super) fn element(body: &mut String, name: &str, class: &str, content: &str) {
    let _ = writeln!(body, "<{name}{}>{content}</{name}>", class_of(class));
}

/// A table cell. `content` is HTML already.
pub(super) fn cell(body: &mut String, class: &str, content: &str) {
    let _ = write!(body, "<td{}>{content}</td>", class_of(class));
}

/// Opens a table that scrolls by itself where the screen is too narrow for it; a head is a class and
/// a text. [`close_table`] ends it.
pub(super) fn open_table(body: &mut String, label: &str, heads: &[(&str, &str)]) {
    let _ = write!(
        body,
        "<div class=\"scroll\" role=\"region\" aria-label=\"{label}\" tabindex=\"0\"><table>\
         <thead><tr>"
    );
    for (class, head) in heads {
        let _ = write!(body, "<th{} scope=\"col\">{head}</th>", class_of(class));
    }
    body.push_str("</tr></thead><tbody>\n");
}

pub(super) fn close_table(body: &mut String) {
    body.push_str("</tbody></table></div>\n");
}

/// What a figure shows. `content` is HTML already.
pub(super) fn caption(body: &mut String, content: &str) {
    element(body, "figcaption", "small", content);
}

/// A piece of the colour that `class` has, for a legend. Drawn, since backgrounds are not printed.
pub(super) fn swatch(class: &str) -> String {
    let shape = if class == "line" {
        "<line class=\"level\" x1=\"0\" x2=\"14\" y1=\"6\" y2=\"6\"/>".to_owned()
    } else {
        format!("<rect class=\"{class}\" width=\"14\" height=\"12\"/>")
    };
    format!("<svg class=\"swatch\" width=\"14\" height=\"12\" aria-hidden=\"true\">{shape}</svg> ")
}

/// A value, or a dash if there is none.
pub(super) fn known(value: Option<String>) -> String {
    value.unwrap_or_else(|| "–".to_owned())
}

fn class_of(class: &str) -> String {
    if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") }
}
