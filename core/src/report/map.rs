//! The shards of a map, printed.

use super::csv::field;
use super::fullest::Names;
use super::json::pretty;
use super::number::{grouped, percent, plural};
use super::printable::printable;
use super::table::{Column, lines};
use crate::error::Result;
use crate::shards::{
    CapacityMode, Drained, Emulator, HashFunction, KeyLengthUnit, Partitioner, Shard, ShardMap,
    System,
};
use serde::Serialize;
use std::fmt::Write;

/// Shards in the text; of more, the first and the last ones are shown.
const SHOWN: usize = 64;

#[derive(Serialize)]
struct Document<'a> {
    system: &'static str,
    #[serde(flatten)]
    rules: MapRules,
    shards: Vec<Row<'a>>,
}

/// What of a map's rules the system has; null elsewhere.
#[derive(Serialize)]
pub(super) struct MapRules {
    hash: Option<&'static str>,
    key_length_unit: Option<&'static str>,
    capacity_mode: Option<&'static str>,
    partitioner: Option<&'static str>,
    seed: Option<u32>,
    buckets: Option<u32>,
    emulator: Option<&'static str>,
}

impl MapRules {
    pub(super) fn of(map: &ShardMap) -> Self {
        Self {
            hash: map.hash().map(HashFunction::name),
            key_length_unit: map.key_length_unit().map(KeyLengthUnit::name),
            capacity_mode: map.capacity_mode().map(CapacityMode::name),
            partitioner: map.partitioner().map(Partitioner::name),
            seed: map.seed(),
            buckets: map.buckets(),
            emulator: map.emulator().map(Emulator::name),
        }
    }
}

/// A shard; `start` and `end` are text, as the service writes them, since they have up to 39 digits.
#[derive(Serialize)]
struct Row<'a> {
    index: Option<usize>,
    id: &'a str,
    start: Option<String>,
    end: Option<String>,
    state: &'static str,
    parent: Option<&'a str>,
    adjacent_parent: Option<&'a str>,
    share: f64,
}

impl ShardMap {
    /// The shards as text for a screen of 100 columns: index, id, range, share. Of more than 64,
    /// the ones in the middle are left out.
    pub fn to_text(&self) -> String {
        let word = self.system().shard_word();
        let counted = plural(self.len() as u64, &format!("open {word}"));
        let mut text = format!("{}: {counted}", self.system());
        if let Some(partitioner) = self.partitioner() {
            let _ = write!(text, ", partitioner {partitioner}");
        }
        if let Some(seed) = self.seed() {
            let _ = write!(text, ", simulated with seed {seed}");
        }
        if let Some(buckets) = self.buckets() {
            let _ = write!(text, ", hashes adjusted to {buckets} buckets");
        }
        if self.capacity_mode() == Some(CapacityMode::OnDemand) {
            text.push_str(", on-demand");
        }
        let closed = self.shards().len() - self.len();
        if closed > 0 {
            // Writing to a string cannot fail.
            let _ = write!(text, ", {} closed", grouped(closed as u64));
        }
        text.push_str("\n\n");
        if let Some(emulator) = self.emulator() {
            let _ = writeln!(text, "  note: {}\n", emulator.explanation());
        }
        let rows: Vec<_> = self.rows().collect();
        let (open, gone) = rows.split_at(self.len());
        write_table(&mut text, self, open);
        if !gone.is_empty() {
            text.push_str("\nclosed, taking no writes:\n\n");
            write_table(&mut text, self, gone);
        }
        text
    }

    /// The shards as JSON: `system`, its rules (`hash`, `key_length_unit`, `capacity_mode`,
    /// `partitioner`, `seed`, `buckets`, `emulator`, null where the system has no such thing) and
    /// `shards`, each with `index` (null for one that takes no writes), `id`, `start`, `end`,
    /// `state`, `parent`, `adjacent_parent`, `share`.
    pub fn to_json(&self) -> String {
        pretty(&Document {
            system: self.system().name(),
            rules: MapRules::of(self),
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
                row.start.unwrap_or_default(),
                row.end.unwrap_or_default(),
                row.state,
                row.parent.map_or_else(String::new, field),
                row.adjacent_parent.map_or_else(String::new, field),
                row.share,
            );
        }
        text
    }

    /// The order in which shards have to be read, one a line: each with the parents that have to be
    /// read to their end before it. As JSON: a list of `id`, `state`, `after` and `depth`.
    ///
    /// # Errors
    /// `InvalidShardMap` if a shard is its own ancestor.
    pub fn drain_order_in(&self, json: bool) -> Result<String> {
        let order = self.drain_order()?;
        if json {
            let state = |shard: &Shard| shard.state.name(self.system());
            let row = |drained: &Drained<'_>| {
                serde_json::json!({"id": drained.shard.id, "state": state(drained.shard),
                                   "after": drained.after, "depth": drained.depth})
            };
            return Ok(pretty(&order.iter().map(row).collect::<Vec<_>>()));
        }
        let shown = |id: &str| printable(id.as_bytes());
        Ok(order.iter().fold(String::new(), |mut text, drained| {
            let after: Vec<_> = drained.after.iter().map(|id| shown(id)).collect();
            let after = if after.is_empty() {
                String::new()
            } else {
                format!(" after {}", after.join(" and "))
            };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}{after}", shown(&drained.shard.id));
            text
        }))
    }

    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.shards().iter().enumerate().map(|(i, shard)| Row::of(i, self, shard))
    }
}

impl<'a> Row<'a> {
    fn of(i: usize, map: &ShardMap, shard: &'a Shard) -> Self {
        let (start, end) = shard.boundaries(map.system()).unzip();
        Self {
            index: (i < map.len()).then_some(i),
            id: &shard.id,
            start,
            end,
            state: shard.state.name(map.system()),
            parent: shard.parent.as_deref(),
            adjacent_parent: shard.adjacent_parent.as_deref(),
            share: map.share_of(shard),
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
    let mut columns = vec![Column::left(["", names.head()], cells(&|row| names.short(row.id)))];
    if shown.iter().any(|row| row.start.is_some()) {
        let [start, end] = match map.system() {
            System::Sls => ["begin key", "end key (left out)"],
            _ => ["first hash value", "last hash value"],
        };
        columns
            .push(Column::right(["", start], cells(&|row| row.start.clone().unwrap_or_default())));
        columns.push(Column::right(["", end], cells(&|row| row.end.clone().unwrap_or_default())));
    }
    columns.push(Column::right(["", "share"], cells(&|row| percent(row.share))));
    let table = lines(&columns);
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
