//! An inference on a screen, at most 100 columns wide.

use super::{Candidate, Inference, SeenShard};
use crate::report::number::{count, plural};
use crate::report::printable::printable;
use crate::report::table::{Column, lines, wrapped};
use crate::report::text;
use crate::report::verification::exact_percent;
use std::fmt::Write;

/// Candidates that a screen has room for, and twice as many shards.
const SHOWN: usize = 12;

/// Candidates that are shown however badly they fit.
const FEW: usize = 3;

impl Inference {
    /// What was found as text for a screen of 100 columns: the verdict, the rules that fit best, and
    /// the shards with the range of their hashes.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut paragraph = |line: &str| {
            for line in wrapped(line, 0) {
                text.push_str(line.trim_end());
                text.push('\n');
            }
        };
        paragraph(&self.verdict());
        paragraph("");
        paragraph(&format!(
            "{} name {}; columns: {}",
            plural(self.observed + self.keyless, "row"),
            plural(self.shards.len() as u64, "shard"),
            text::taken(&self.columns)
        ));
        if !self.candidates.is_empty() {
            // What fits half of the keys is worth a line only where nothing fits better.
            let fits_half = |of: &&Candidate| of.agreement() >= 0.5;
            let worth = self.candidates.iter().take_while(fits_half).count().max(FEW);
            let shown = &self.candidates[..self.candidates.len().min(worth).min(SHOWN)];
            let cells =
                |of: &dyn Fn(&Candidate) -> String| shown.iter().map(of).collect::<Vec<_>>();
            let parts: Vec<f64> = shown.iter().map(Candidate::agreement).collect();
            text.push('\n');
            push_table(
                &mut text,
                &[
                    Column::right(["", "agrees"], cells(&|of| exact_percent(of.agreement()))),
                    Column::bars_of(&parts, 1.0),
                    Column::right(["", "keys"], cells(&|of| count(of.rows))),
                    Column::left(["", "type"], cells(&|of| of.options())),
                ],
            );
        }
        if self.are_ranges {
            let shown = &self.shards[..self.shards.len().min(2 * SHOWN)];
            let cells =
                |of: &dyn Fn(&SeenShard) -> String| shown.iter().map(of).collect::<Vec<_>>();
            text.push('\n');
            push_table(
                &mut text,
                &[
                    Column::left(["", "shard"], cells(&|of| printable(&of.name))),
                    Column::right(["", "rows"], cells(&|of| count(of.rows))),
                    Column::right(
                        ["lowest hash", "value seen"],
                        cells(&|of| of.first_hash.to_string()),
                    ),
                    Column::right(
                        ["highest hash", "value seen"],
                        cells(&|of| of.last_hash.to_string()),
                    ),
                ],
            );
            if self.shards.len() > shown.len() {
                let left_out = plural((self.shards.len() - shown.len()) as u64, "shard");
                let _ = writeln!(text, "  ... {left_out} left out (--format json has all)");
            }
        }
        text
    }
}

fn push_table(text: &mut String, columns: &[Column]) {
    for line in lines(columns) {
        text.push_str(line.trim_end());
        text.push('\n');
    }
}
