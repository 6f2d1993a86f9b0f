//! What changes when one map takes the place of another: which part of the keys, records and bytes
//! moves, and from where to where.

use super::json::pretty;
use super::number::{count, grouped, percent, plural};
use super::printable::printable;
use super::table::{Column, lines};
use crate::shards::ShardMap;
use serde::Serialize;
use std::fmt::Write;
use std::sync::Arc;

/// Flows that a screen has room for.
const SHOWN: usize = 24;

/// Something counted in all and as far as it moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Moved {
    /// All of it.
    pub all: u64,
    /// What goes to another shard than before.
    pub moved: u64,
}

impl Moved {
    /// The part that moves, from 0 to 1; 0 of nothing.
    pub fn share(self) -> f64 {
        if self.all == 0 { 0.0 } else { self.moved as f64 / self.all as f64 }
    }
}

/// What goes from one shard to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flow {
    /// Index of the shard before; none for records that had no shard of their own.
    pub from: Option<u32>,
    /// Index of the shard after.
    pub to: Option<u32>,
    /// Distinct keys, as far as they are counted.
    pub keys: u64,
    /// Records.
    pub records: u64,
    /// Bytes.
    pub bytes: u64,
}

/// What changes when one map takes the place of another, over the records of a log.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The map as it was.
    pub before: Arc<ShardMap>,
    /// The map as it becomes.
    pub after: Arc<ShardMap>,
    /// Distinct keys that have a shard of their own in both or in one of the two.
    pub keys: Moved,
    /// Whether distinct keys were all kept in memory; if not, their numbers are estimates from a
    /// sample.
    pub keys_are_exact: bool,
    /// Records.
    pub records: Moved,
    /// Bytes.
    pub bytes: Moved,
    /// Rows that could not be used.
    pub rejected: u64,
    /// What moves, most records first.
    pub flows: Vec<Flow>,
    /// The part of all keys that moves if hashes are uniform.
    pub theory: f64,
}

#[derive(Serialize)]
struct Document<'a> {
    before: Side,
    after: Side,
    keys: Share,
    keys_are_exact: bool,
    records: Share,
    bytes: Share,
    rejected: u64,
    theory: f64,
    flows: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Side {
    system: &'static str,
    shards: usize,
    partitioner: Option<&'static str>,
}

#[derive(Serialize)]
struct Share {
    #[serde(flatten)]
    moved: Moved,
    share: f64,
}

#[derive(Serialize)]
struct Row<'a> {
    from: Option<&'a str>,
    to: Option<&'a str>,
    keys: u64,
    records: u64,
    bytes: u64,
}

impl Comparison {
    /// The comparison as text for a screen of 100 columns: what moves, what theory expects, and
    /// the largest flows.
    pub fn to_text(&self) -> String {
        let (before, after) = (&self.before, &self.after);
        let mut text = format!("{} -> {}\n\n", name(before), name(after));
        for (what, moved) in [("keys", self.keys), ("records", self.records), ("bytes", self.bytes)]
        {
            let about = if what == "keys" && !self.keys_are_exact { "about " } else { "" };
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "  {about}{} of {} {what} move ({})",
                grouped(moved.moved),
                grouped(moved.all),
                percent(moved.share())
            );
        }
        let _ = writeln!(
            text,
            "  {} of the keys would if hashes were uniform and keys without end",
            percent(self.theory)
        );
        if self.rejected > 0 {
            let _ = writeln!(text, "  {} could not be used", plural(self.rejected, "row"));
        }
        if self.records.moved > 0 {
            text.push_str(
                "\n  A key that moves keeps its order only if its old shard is read to its end first.\n",
            );
        }
        if self.flows.is_empty() {
            return text;
        }
        let shown = &self.flows[..self.flows.len().min(SHOWN)];
        let cells = |of: &dyn Fn(&Flow) -> String| shown.iter().map(of).collect::<Vec<_>>();
        let parts: Vec<f64> =
            shown.iter().map(|flow| flow.records as f64 / self.records.all as f64).collect();
        text.push('\n');
        let table = lines(&[
            Column::right(["", "from"], cells(&|flow| shown_id(before, flow.from))),
            Column::right(["", "to"], cells(&|flow| shown_id(after, flow.to))),
            Column::right(["", "share"], parts.iter().map(|part| percent(*part)).collect()),
            Column::bars(&parts),
            Column::right(["", "keys"], cells(&|flow| count(flow.keys))),
            Column::right(["", "records"], cells(&|flow| count(flow.records))),
            Column::right(["", "bytes"], cells(&|flow| super::number::bytes(flow.bytes))),
        ]);
        for line in table {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        if self.flows.len() > SHOWN {
            let left_out = plural((self.flows.len() - SHOWN) as u64, "flow");
            let _ = writeln!(text, "  ... {left_out} left out (--format csv has all)");
        }
        text
    }

    /// The comparison as JSON: `before`, `after`, `keys`, `records` and `bytes` (each with `all`,
    /// `moved` and `share`), `keys_are_exact`, `rejected`, `theory`, and `flows`, each with `from`,
    /// `to` (shard ids), `keys`, `records`, `bytes`.
    pub fn to_json(&self) -> String {
        let share = |moved: Moved| Share { moved, share: moved.share() };
        pretty(&Document {
            before: Side::of(&self.before),
            after: Side::of(&self.after),
            keys: share(self.keys),
            keys_are_exact: self.keys_are_exact,
            records: share(self.records),
            bytes: share(self.bytes),
            rejected: self.rejected,
            theory: self.theory,
            flows: self
                .flows
                .iter()
                .map(|flow| Row {
                    from: id(&self.before, flow.from),
                    to: id(&self.after, flow.to),
                    keys: flow.keys,
                    records: flow.records,
                    bytes: flow.bytes,
                })
                .collect(),
        })
    }

    /// The flows as CSV with a head line, columns as in the JSON.
    pub fn to_csv(&self) -> String {
        let mut text = "from,to,keys,records,bytes\n".to_owned();
        for flow in &self.flows {
            let field = |id: Option<&str>| id.map_or_else(String::new, super::csv::field);
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{},{},{},{},{}",
                field(id(&self.before, flow.from)),
                field(id(&self.after, flow.to)),
                flow.keys,
                flow.records,
                flow.bytes
            );
        }
        text
    }
}

impl Side {
    fn of(map: &ShardMap) -> Self {
        Self {
            system: map.system().name(),
            shards: map.len(),
            partitioner: map.partitioner().map(crate::shards::Partitioner::name),
        }
    }
}

/// The id of a shard of `map`.
fn id(map: &ShardMap, index: Option<u32>) -> Option<&str> {
    index.and_then(|index| map.shard(index)).map(|shard| shard.id.as_str())
}

fn shown_id(map: &ShardMap, index: Option<u32>) -> String {
    id(map, index).map_or_else(|| "any".to_owned(), |id| printable(id.as_bytes()))
}

/// `Kafka topic of 6 partitions by java`.
fn name(map: &ShardMap) -> String {
    let by = map.partitioner().map_or_else(String::new, |by| format!(" by {by}"));
    let shards = plural(map.len() as u64, map.system().shard_word());
    format!("{} of {shards}{by}", map.system().whole())
}
