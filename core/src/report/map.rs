//! The shards of a map, printed.

use super::csv::field;
use super::fullest::Names;
use super::json::pretty;
use super::number::{grouped, percent, plural};
use super::table::{Column, lines};
use crate::shards::{Shard, ShardMap};
use serde::Serialize;
use std::fmt::Write;

/// Shards in the text; of more, the first and the last ones are shown.
const SHOWN: usize = 64;

#[derive(Serialize)]
struct Document<'a> {
    system: &'static str,
    key_length_unit: &'static str,
    shards: Vec<Row<'a>>,
}

/// A shard; `start` and `end` are text, as the service writes them, since they have up to 39 digits.
#[derive(Serialize)]
struct Row<'a> {
    index: Option<usize>,
    id: &'a str,
    start: String,
    end: String,
    state: &'static str,
    parent: Option<&'a str>,
    adjacent_parent: Option<&'a str>,
    share: f64,
}

impl ShardMap {
    /// The shards as text for a screen of 100 columns: index, id, range, share. Of more than 64,
    /// the ones in the middle are left out.
    pub fn to_text(&self) -> String {
        let mut text = format!("{}: {}", self.system(), plural(self.len() as u64, "open shard"));
        let closed = self.shards().len() - self.len();
        if closed > 0 {
            // Writing to a string cannot fail.
            let _ = write!(text, ", {} closed", grouped(closed as u64));
        }
        text.push_str("\n\n");
        let rows: Vec<_> = self.rows().collect();
        let (open, gone) = rows.split_at(self.len());
        write_table(&mut text, self, open);
        if !gone.is_empty() {
            text.push_str("\nclosed, taking no writes:\n\n");
            write_table(&mut text, self, gone);
        }
        text
    }

    /// The shards as JSON: `system`, `key_length_unit` and `shards`, each with `index` (null for a
    /// closed one), `id`, `start`, `end`, `state`, `parent`, `adjacent_parent`, `share`.
    pub fn to_json(&self) -> String {
        pretty(&Document {
            system: self.system().name(),
            key_length_unit: self.key_length_unit().name(),
            shards: self.rows().collect(),
        })
    }

    /// The shards as CSV with a head line, columns as in the JSON.
    pub fn to_csv(&self) -> String {
        let mut text = "index,id,start,end,state,parent,adjacent_parent,share\n".to_owned();
        for row in self.rows() {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{}",
                row.index.map_or_else(String::new, |index| index.to_string()),
                field(row.id),
                row.start,
                row.end,
                row.state,
                row.parent.map_or_else(String::new, field),
                row.adjacent_parent.map_or_else(String::new, field),
                row.share,
            );
        }
        text
    }

    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let open = self.len();
        self.shards().iter().enumerate().map(move |(i, shard)| Row::of(i, open, shard))
    }
}

impl<'a> Row<'a> {
    fn of(i: usize, open: usize, shard: &'a Shard) -> Self {
        Self {
            index: (i < open).then_some(i),
            id: &shard.id,
            start: shard.start.to_string(),
            end: shard.end.to_string(),
            state: shard.state.name(),
            parent: shard.parent.as_deref(),
            adjacent_parent: shard.adjacent_parent.as_deref(),
            share: shard.share(),
        }
    }
}

/// A table of some shards, those in the middle left out if they are many.
fn write_table(text: &mut String, map: &ShardMap, rows: &[Row<'_>]) {
    let (first, last) = if rows.len() > SHOWN {
        (&rows[..SHOWN / 2], &rows[rows.len() - SHOWN / 2..])
    } else {
        (rows, &rows[..0])
    };
    let shown: Vec<_> = first.iter().chain(last).collect();
    let cells = |of: &dyn Fn(&Row<'_>) -> String| shown.iter().map(|row| of(row)).collect();
    let names = Names::of(map);
    let table = lines(&[
        Column::left(["", names.head()], cells(&|row| names.short(row.id))),
        Column::right(["", "first hash value"], cells(&|row| row.start.clone())),
        Column::right(["", "last hash value"], cells(&|row| row.end.clone())),
        Column::right(["", "share"], cells(&|row| percent(row.share))),
    ]);
    let heads = table.len() - shown.len();
    for (at, line) in table.iter().enumerate() {
        if at == heads + first.len() {
            let left_out = plural((rows.len() - shown.len()) as u64, "shard");
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  ... {left_out} left out (--format csv has all)");
        }
        text.push_str(line);
        text.push('\n');
    }
}
