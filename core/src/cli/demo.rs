//! `shardlane demo`: what a key choice does, on data that comes with the program.

use super::arguments::Demo;
use super::output::Output;
use super::{FINE, Failure};
use crate::engine::{ReplayOptions, replay};
use crate::report::{Keyed, Report, grouped, side_by_side};
use crate::shards::{EvenRule, ShardMap};
use crate::source::{Columns, open_bytes};
use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The flights that left New York's three airports in 2013: `datasets/README.md` says where
/// they come from.
const FLIGHTS: &[u8] = include_bytes!("../../samples/flights.parquet");

/// Replays the flights twice, keyed by carrier and by aircraft, and compares.
pub(super) fn run(arguments: &Demo) -> Result<i32, Failure> {
    let map = Arc::new(ShardMap::kinesis(arguments.kinesis, EvenRule::default())?);
    let carrier = keyed_by(&map, "carrier")?;
    let tailnum = keyed_by(&map, "tailnum")?;

    let mut text = format!(
        "The {} flights that left New York in 2013, each one record, on a Kinesis stream of {}\n\
         shards. Key the records by carrier, or by tail number (the aircraft)?\n\n",
        grouped(carrier.input.rows),
        map.len(),
    );
    text.push_str(&side_by_side(
        Keyed { key: "carrier", report: &carrier },
        Keyed { key: "tailnum", report: &tailnum },
    ));
    for (key, report) in [("carrier", &carrier), ("tailnum", &tailnum)] {
        let left_out = report.input.rows - report.input.records.min(report.input.rows);
        if left_out > 0 {
            let left_out = grouped(left_out);
            // Writing to a string cannot fail.
            let _ =
                writeln!(text, "({left_out} flights have no {key}, so no key, and are left out.)");
        }
    }
    text.push_str(
        "\nNow with a log of yours, Parquet, CSV or JSON:\n  \
         shardlane replay --kinesis 8 FILE --key COLUMN --bytes COLUMN --time COLUMN\n",
    );
    Output::open(None)?.print(&text)?;
    Ok(FINE)
}

/// The report on the flights under one key.
fn keyed_by(map: &Arc<ShardMap>, key: &str) -> Result<Report, Failure> {
    let columns = Columns { key: Some(key.to_owned()), ..Columns::default() };
    let mut source = open_bytes(FLIGHTS, "the sample of flights", &columns)?;
    let whole = &mut |_| ControlFlow::Continue(());
    let (_, report) = replay(map.clone(), &mut *source, &ReplayOptions::default(), whole)?;
    Ok(report)
}
