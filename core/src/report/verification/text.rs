//! A verification on a screen, at most 100 columns wide.

use super::{Naming, Verification};
use crate::report::number::{grouped, percent, plural};
use crate::report::printable::{fitted, printable};
use crate::report::table::{Column, lines, wrapped};
use crate::report::text;
use std::fmt::Write;

/// Pairs of shards that a screen has room for.
const SHOWN: usize = 10;

/// Columns of a shard's name.
const NAME: usize = 20;

/// Columns of a key.
const KEY: usize = 48;

impl Verification {
    /// The verification as text for a screen of 100 columns: the agreement, the likely causes, the
    /// pairs of shards with most rows that disagree, and the first of these rows.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut paragraph = |line: &str, indent| {
            for line in wrapped(line, indent) {
                text.push_str(line.trim_end());
                text.push('\n');
            }
        };
        let shards = plural(self.map.len() as u64, self.map.system().shard_word());
        let by = self.map.partitioner().map_or_else(String::new, |by| format!(" by {by}"));
        paragraph(
            &format!(
                "{} of {shards}{by}: {} of {} went where it says ({})",
                self.map.system().whole(),
                grouped(self.agreed),
                plural(self.compared, "row"),
                exact_percent(self.agreement()),
            ),
            0,
        );
        for (count, what) in [
            (self.unobserved, "name no shard"),
            (self.unassigned, "have no shard of their own: the producer spreads them"),
        ] {
            if count > 0 {
                paragraph(&format!("- {} {what}", plural(count, "row")), 2);
            }
        }
        for rejected in &self.rejected {
            let why = rejected.reason.explanation(self.map.system());
            paragraph(&format!("- {} could not be used: {why}", plural(rejected.count, "row")), 2);
        }
        if self.naming == Naming::Index {
            paragraph("- the log names shards by their index, not by their id", 2);
        }
        paragraph(&format!("Columns: {}", text::taken(&self.columns)), 0);
        if self.disagreed() > 0 {
            paragraph("", 0);
            let lead = if self.causes.is_empty() {
                "No cause that was tested explains the rows that disagree"
            } else {
                "Likely causes"
            };
            paragraph(lead, 0);
            for cause in &self.causes {
                let share = percent(cause.share());
                paragraph(&format!("- {} ({share} of the rows that disagree)", cause.message), 2);
                if let Some(options) = &cause.options {
                    paragraph(&format!("  type {options}"), 2);
                }
            }
        }
        if self.disagreed() > 0 {
            self.tables(&mut text);
        }
        text
    }

    fn tables(&self, text: &mut String) {
        let mut table = |head: &str, columns: &[Column]| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "\n{head}");
            for line in lines(columns) {
                text.push_str(line.trim_end());
                text.push('\n');
            }
        };
        let shown = &self.pairs[..self.pairs.len().min(SHOWN)];
        let all = self.disagreed().max(1) as f64;
        let parts: Vec<f64> = shown.iter().map(|pair| pair.rows as f64 / all).collect();
        let head = match self.pairs.len() - shown.len() {
            0 => "Where they went instead".to_owned(),
            more => {
                format!("Where they went instead ({} less frequent left out)", grouped(more as u64))
            }
        };
        table(
            &head,
            &[
                Column::right(
                    ["", "observed"],
                    shown.iter().map(|pair| name(&pair.observed)).collect(),
                ),
                Column::right(
                    ["", "predicted"],
                    shown.iter().map(|pair| self.shown(pair.predicted)).collect(),
                ),
                Column::right(["", "rows"], shown.iter().map(|pair| grouped(pair.rows)).collect()),
                Column::bars(&parts),
            ],
        );
        let first = &self.disagreements;
        table(
            "The first of them",
            &[
                Column::right(["", "row"], first.iter().map(|of| grouped(of.row)).collect()),
                Column::left(
                    ["", "key"],
                    first.iter().map(|of| fitted(&shown_key(of.key.as_deref()), KEY)).collect(),
                ),
                Column::right(
                    ["", "observed"],
                    first.iter().map(|of| name(&of.observed)).collect(),
                ),
                Column::right(
                    ["", "predicted"],
                    first.iter().map(|of| self.shown(of.predicted)).collect(),
                ),
            ],
        );
    }

    fn shown(&self, index: u32) -> String {
        name(self.id(index).as_bytes())
    }
}

/// The name of a shard, in as many columns as any service's ids take.
fn name(name: &[u8]) -> String {
    fitted(&printable(name), NAME)
}

fn shown_key(key: Option<&[u8]>) -> String {
    key.map_or_else(|| "(null)".to_owned(), printable)
}

/// A share that is not rounded to all or to nothing.
pub(in crate::report) fn exact_percent(share: f64) -> String {
    if share > 0.0 && share < 1.0 && !(0.0005..0.9995).contains(&share) {
        return format!("{:.4}%", 100.0 * share);
    }
    percent(share)
}
