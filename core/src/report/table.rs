//! A table that never grows wider than the screen.

use super::printable::{fitted, width};

/// Columns of a screen that everything here keeps to.
pub(super) const SCREEN: usize = 100;

/// The widest and the narrowest bar.
const BAR: (usize, usize) = (16, 4);

/// One column: its head in two lines and its cells.
pub(super) struct Column {
    head: [String; 2],
    cells: Cells,
}

enum Cells {
    /// Text, to the left.
    Left(Vec<String>),
    /// Numbers, to the right.
    Right(Vec<String>),
    /// Bars, from 0 for none to 1 for the longest.
    Bars(Vec<f64>),
}

impl Column {
    pub(super) fn left(head: [&str; 2], cells: Vec<String>) -> Self {
        Self { head: head.map(str::to_owned), cells: Cells::Left(cells) }
    }

    pub(super) fn right(head: [&str; 2], cells: Vec<String>) -> Self {
        Self { head: head.map(str::to_owned), cells: Cells::Right(cells) }
    }

    /// Bars for `values`, the largest of which gets the longest.
    pub(super) fn bars(values: &[f64]) -> Self {
        Self::bars_of(values, values.iter().copied().fold(0.0, f64::max))
    }

    /// Bars for `values`, the longest for `most`.
    pub(super) fn bars_of(values: &[f64], most: f64) -> Self {
        let parts = values.iter().map(|value| if most > 0.0 { value / most } else { 0.0 });
        Self { head: [String::new(), String::new()], cells: Cells::Bars(parts.collect()) }
    }

    /// Columns of the screen it would like, and those it can do with.
    fn widths(&self) -> (usize, usize) {
        let head = self.head.iter().map(|line| width(line)).max().unwrap_or(0);
        match &self.cells {
            Cells::Bars(_) => BAR,
            Cells::Right(cells) => {
                let wish = cells.iter().map(|cell| width(cell)).fold(head, usize::max);
                (wish, wish)
            }
            // Text can be cut; numbers cannot.
            Cells::Left(cells) => {
                let wish = cells.iter().map(|cell| width(cell)).fold(head, usize::max);
                (wish, wish.min(head.max(6)))
            }
        }
    }

    fn len(&self) -> usize {
        match &self.cells {
            Cells::Left(cells) | Cells::Right(cells) => cells.len(),
            Cells::Bars(parts) => parts.len(),
        }
    }

    fn cell(&self, row: usize, columns: usize) -> String {
        match &self.cells {
            Cells::Left(cells) => pad_right(&fitted(&cells[row], columns), columns),
            Cells::Right(cells) => pad_left(&fitted(&cells[row], columns), columns),
            Cells::Bars(parts) => pad_right(&bar(parts[row], columns), columns),
        }
    }

    fn head(&self, line: usize, columns: usize) -> String {
        match &self.cells {
            Cells::Right(_) => pad_left(&self.head[line], columns),
            _ => pad_right(&self.head[line], columns),
        }
    }
}

/// The lines of a table, indented by two and each at most [`SCREEN`] wide.
pub(super) fn lines(columns: &[Column]) -> Vec<String> {
    let widths = shared(columns);
    let gap = gap_for(&widths);
    let line = |cells: Vec<String>| format!("  {}", cells.join(gap)).trim_end().to_owned();
    let each = |of: &dyn Fn(&Column, usize) -> String| {
        columns.iter().zip(&widths).map(|(column, &width)| of(column, width)).collect()
    };
    let heads = (0..2).map(|at| line(each(&|column, width| column.head(at, width))));
    let rows = columns.iter().map(Column::len).min().unwrap_or(0);
    let rows = (0..rows).map(|row| line(each(&|column, width| column.cell(row, width))));
    heads.filter(|head| !head.is_empty()).chain(rows).collect()
}

/// Two spaces between columns while they fit, one if they must.
fn gap_for(widths: &[usize]) -> &'static str {
    if taken(widths, 2) <= SCREEN { "  " } else { " " }
}

/// Columns of the screen that a table takes, its indent included.
fn taken(widths: &[usize], gap: usize) -> usize {
    2 + widths.iter().sum::<usize>() + gap * widths.len().saturating_sub(1)
}

/// Shares the screen: each column gets what it wishes, and what is too much is taken from the bars,
/// then from the widest text.
fn shared(columns: &[Column]) -> Vec<usize> {
    let (mut widths, least): (Vec<usize>, Vec<usize>) = columns.iter().map(Column::widths).unzip();
    // With all columns at their least two spaces may not fit; then one has to do.
    let gap = if taken(&least, 2) <= SCREEN { 2 } else { 1 };
    while taken(&widths, gap) > SCREEN {
        let is_bar = |i: usize| matches!(columns[i].cells, Cells::Bars(_));
        let next = (0..widths.len())
            .filter(|&i| widths[i] > least[i])
            .max_by_key(|&i| (is_bar(i), widths[i]));
        let Some(next) = next else { break };
        widths[next] -= 1;
    }
    widths
}

/// A bar of `part` of `columns`, to an eighth of a column.
pub(super) fn bar(part: f64, columns: usize) -> String {
    const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let eighths = (part.clamp(0.0, 1.0) * columns as f64 * 8.0).round() as usize;
    let mut text = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        text.push(EIGHTHS[eighths % 8]);
    } else if eighths == 0 && part > 0.0 && columns > 0 {
        // Something is never shown as nothing.
        text.push('▏');
    }
    text
}

/// Values from 0 for none to 1 for full next to each other, each in one column of the screen; only
/// what is full reaches the top.
pub(super) fn column_chart(parts: impl Iterator<Item = f64>) -> String {
    const SEVENTHS: [char; 7] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇'];
    let column = |part: f64| match part {
        1.0.. => '█',
        _ if part > 0.0 => SEVENTHS[((part * 7.0) as usize).min(6)],
        _ => ' ',
    };
    parts.map(column).collect()
}

fn pad_right(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

fn pad_left(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// `text` in lines of at most [`SCREEN`] columns, broken between words; those after the first are
/// indented by `indent`, and a word longer than a line is cut.
pub(super) fn wrapped(text: &str, indent: usize) -> Vec<String> {
    let body = text.trim_start_matches(' ');
    let mut lines = Vec::new();
    let mut line = text[..text.len() - body.len()].to_owned();
    let mut is_empty = true;
    for word in body.split(' ') {
        if !is_empty && width(&line) + 1 + width(word) > SCREEN {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(&fitted(word, SCREEN.saturating_sub(width(&line))));
        is_empty = false;
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_exact_to_an_eighth() {
        assert_eq!(bar(0.0, 4), "");
        assert_eq!(bar(0.5, 4), "██");
        assert_eq!(bar(1.0, 4), "████");
        assert_eq!(bar(0.53125, 4), "██▏");
        assert_eq!(bar(1e-9, 4), "▏");
        assert_eq!(bar(f64::NAN, 4), "");
    }

    #[test]
    fn only_a_full_column_reaches_the_top() {
        let parts = [0.0, 1e-9, 0.5, 0.999_999, 1.0, 7.0, f64::NAN];
        assert_eq!(column_chart(parts.into_iter()), " ▁▄▇██ ");
    }

    #[test]
    fn a_table_gives_up_text_and_bars_before_it_outgrows_the_screen() {
        let columns = [
            Column::left(["", "key"], vec!["日".repeat(80), "k".into()]),
            Column::right(["", "records"], vec!["1".into(), "999,999".into()]),
            Column::bars(&[1.0, 0.5]),
        ];
        let lines = lines(&columns);
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| width(line) <= SCREEN), "{lines:#?}");
        assert!(lines[1].contains('…') && lines[1].ends_with('█'), "{lines:#?}");
    }

    #[test]
    fn long_text_wraps_between_words() {
        let lines = wrapped(&"word ".repeat(40), 2);
        assert!(lines.iter().all(|line| width(line) <= SCREEN), "{lines:#?}");
        assert!(lines[1].starts_with("  word"), "{lines:#?}");
        assert_eq!(wrapped("  a  b", 0), ["  a  b"]);
        assert_eq!(wrapped(&"x".repeat(300), 2)[0].chars().count(), SCREEN);
    }
}
