//! The tables of a report as CSV, as RFC 4180 has it, with columns named as in the JSON.

use super::instant::rfc3339;
use super::printable::printable;
use super::waiting::asked;
use super::{Report, ThrottledShard};
use crate::projection::{BindingLimit, moments, throttles};
use crate::tally::{HotKey, Tally};
use std::fmt::{Display, Write as _};
use std::io::{self, Write};

/// The columns, named as in the JSON.
const HEAD: &str = "index,id,records,bytes,share,peak_records_per_second,peak_bytes_per_second,\
                    throttled_records,throttled_seconds,first_throttle,binding_limit,headroom,\
                    spread_records_estimate,spread_bytes_estimate,read_units,write_units,\
                    distinct_keys";

/// A table of a report.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Table {
    /// A line for each shard.
    #[default]
    Shards,
    /// A line for each window of each shard.
    Timeline,
    /// A line for each window in which a shard was over a limit.
    Throttles,
    /// The hottest keys of the stream.
    HotKeys,
    /// The hottest keys of the windows in which a shard was over a limit, shard by shard.
    ThrottledKeys,
}

impl Report {
    /// The shards as CSV with a head line, in order of index. What is not known is empty.
    pub fn to_csv(&self) -> String {
        let mut text = HEAD.to_owned();
        let asked: Vec<_> = asked(&self.projection).collect();
        for column in &asked {
            // Writing to a string cannot fail.
            let _ = write!(text, ",{}", column.name);
        }
        text.push('\n');
        for shard in &self.projection.shards {
            let _ = write!(
                text,
                "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                shard.index,
                self.id(shard.index),
                shard.totals.records,
                shard.totals.bytes,
                shard.share,
                known(shard.peak_records_per_second),
                known(shard.peak_bytes_per_second),
                known(shard.throttled_records),
                known(shard.throttled_seconds),
                known(shard.first_throttle.map(rfc3339)),
                known(shard.binding_limit.map(BindingLimit::name)),
                known(shard.headroom),
                shard.spread.records,
                shard.spread.bytes,
                known(shard.read_units),
                known(shard.write_units),
                known(self.distinct_keys_of(shard.index)),
            );
            for column in &asked {
                let _ = write!(text, ",{}", (column.of)(shard).to_field());
            }
            text.push('\n');
        }
        text
    }

    /// Writes one of the tables as CSV with a head line. `tally` is the one that the report is about;
    /// its windows are written one by one, so that a long timeline takes no memory.
    ///
    /// # Errors
    /// What writing gives.
    ///
    /// ```
    /// use shardlane::arrow::array::{ArrayRef, StringArray};
    /// use shardlane::engine::{ReplayOptions, replay};
    /// use shardlane::report::Table;
    /// use shardlane::source::Batches;
    /// use shardlane::{EvenRule, ShardMap};
    /// use std::ops::ControlFlow;
    /// use std::sync::Arc;
    ///
    /// let keys: ArrayRef = Arc::new(StringArray::from(vec!["JP", "user-1", "JP"]));
    /// let map = ShardMap::kinesis(4, EvenRule::FixedStep)?;
    /// let mut log = Batches::of_keys(vec![keys])?;
    /// let to_the_end = &mut |_| ControlFlow::Continue(());
    /// let (tally, report) = replay(map, &mut log, &ReplayOptions::default(), to_the_end)?;
    /// let mut csv = Vec::new();
    /// report.write_csv(Table::HotKeys, &tally, &mut csv).unwrap();
    /// assert!(csv.starts_with(b"key,key_hex,records,bytes,share,shard,error\nJP,,2,"));
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn write_csv(&self, table: Table, tally: &Tally, out: &mut dyn Write) -> io::Result<()> {
        match table {
            Table::Shards => out.write_all(self.to_csv().as_bytes()),
            Table::Timeline => self.timeline_csv(tally, out),
            Table::Throttles => self.throttles_csv(tally, out),
            Table::HotKeys => self.hot_keys_csv(out),
            Table::ThrottledKeys => self.throttled_keys_csv(out),
        }
    }

    fn timeline_csv(&self, tally: &Tally, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "window_start,shard,id,records,bytes,load,throttled_records,binding_limit")?;
        for moment in moments(tally, &self.projection.limits, &self.projection.conditions) {
            writeln!(
                out,
                "{},{},{},{},{},{},{},{}",
                rfc3339(moment.window_start),
                moment.shard,
                self.id(moment.shard),
                moment.records,
                moment.bytes,
                known(moment.load),
                moment.throttled_records,
                known(moment.binding_limit.map(BindingLimit::name)),
            )?;
        }
        Ok(())
    }

    fn throttles_csv(&self, tally: &Tally, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "window_start,shard,id,records,bytes,throttled_records,binding_limit")?;
        for throttle in throttles(tally, &self.projection.limits, &self.projection.conditions) {
            writeln!(
                out,
                "{},{},{},{},{},{},{}",
                rfc3339(throttle.window_start),
                throttle.shard,
                self.id(throttle.shard),
                throttle.records,
                throttle.bytes,
                throttle.throttled_records,
                throttle.binding_limit.name(),
            )?;
        }
        Ok(())
    }

    fn hot_keys_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "key,key_hex,records,bytes,share,shard,error")?;
        let all = self.input.records.max(1) as f64;
        for key in &self.hot_keys {
            let share = key.records as f64 / all;
            writeln!(out, "{},{share},{},{}", key_fields(key), key.shard, key.error)?;
        }
        Ok(())
    }

    fn throttled_keys_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "shard,id,key,key_hex,records,bytes,share,error")?;
        let keys = |shard: &ThrottledShard, out: &mut dyn Write| {
            shard.keys.iter().try_for_each(|key| {
                let (index, id) = (shard.shard, self.id(shard.shard));
                let share = shard.share(key);
                writeln!(out, "{index},{id},{},{share},{}", key_fields(key), key.error)
            })
        };
        self.throttled_keys.shards.iter().try_for_each(|shard| keys(shard, out))
    }

    /// The id of a shard as a field.
    fn id(&self, index: u32) -> String {
        self.map.shard(index).map_or_else(String::new, |shard| field(&shard.id))
    }
}

/// The fields of a key: its text, its bytes if that is not the whole truth, records and bytes.
fn key_fields(key: &HotKey) -> String {
    let hex = if std::str::from_utf8(&key.key).is_ok() { String::new() } else { hex(&key.key) };
    let text = printable(&key.key);
    format!("{},{hex},{},{}", quoted(text), key.records, key.bytes)
}

/// `bytes` in hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn known(value: Option<impl Display>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// A field of text: escaped if it could disturb a terminal, quoted if it could end the field.
pub(crate) fn field(text: &str) -> String {
    quoted(printable(text.as_bytes()))
}

fn quoted(text: String) -> String {
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}
