//! The table of shards as CSV, one line for each, as RFC 4180 has it.

use super::Report;
use super::instant::rfc3339;
use super::printable::printable;
use crate::projection::BindingLimit;
use std::fmt::{Display, Write};

/// The columns, named as in the JSON.
const HEAD: &str = "index,id,records,bytes,share,peak_records_per_second,peak_bytes_per_second,\
                    throttled_records,throttled_seconds,first_throttle,binding_limit,headroom,\
                    spread_records_estimate,spread_bytes_estimate,read_units,write_units\n";

impl Report {
    /// The shards as CSV with a head line, in order of index. What is not known is empty.
    pub fn to_csv(&self) -> String {
        let mut text = HEAD.to_owned();
        for shard in &self.projection.shards {
            let id = self.map.shard(shard.index).map_or("", |shard| &shard.id);
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                shard.index,
                field(id),
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
            );
        }
        text
    }
}

fn known(value: Option<impl Display>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// A field of text: escaped if it could disturb a terminal, quoted if it could end the field.
pub(crate) fn field(text: &str) -> String {
    let text = printable(text.as_bytes());
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}
