//! `shardlane shards`: the map itself.

use super::arguments::{Format, Shards};
use super::output::{Output, check_apart};
use super::{FINE, Failure};
use std::path::Path;

/// Prints the shards of a map.
pub(super) fn run(arguments: &Shards) -> Result<i32, Failure> {
    let inputs: Vec<&Path> = arguments.map.origin.file().into_iter().collect();
    let outputs: Vec<&Path> = arguments.output.output.iter().map(|path| &**path).collect();
    check_apart(&inputs, &outputs)?;
    let map = arguments.to.reshape(&arguments.map.load(&[], true)?)?;
    let text = match arguments.format {
        format if arguments.drain_order => map.drain_order_in(format == Format::Json)?,
        Format::Text => map.to_text(),
        Format::Json => map.to_json(),
        Format::Csv => map.to_csv(),
    };
    Output::open(arguments.output.output.as_deref())?.print(&text)?;
    Ok(FINE)
}
