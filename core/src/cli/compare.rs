//! `shardlane compare`: what moves when one map takes the place of another.

use super::arguments::{Compare, Format, To};
use super::output::{Output, check_apart};
use super::progress::Bar;
use super::{FINE, Failure, INTERRUPTED, note};
use crate::engine::compare;
use crate::error::Error;
use crate::report::grouped;
use crate::shards::{ShardMap, SplitAt, System};
use crate::source::open;
use std::ops::ControlFlow;
use std::path::Path;

/// Compares the two maps over the log.
pub(super) fn run(arguments: &Compare, stop: &dyn Fn() -> bool) -> Result<i32, Failure> {
    let paths = &arguments.files.paths;
    let inputs = paths.iter().map(|path| &**path).chain(arguments.map.origin.file());
    let outputs: Vec<&Path> = arguments.output.output.iter().map(|path| &**path).collect();
    check_apart(&inputs.collect::<Vec<&Path>>(), &outputs)?;
    let before = arguments.map.load(paths, arguments.quiet)?;
    let after = arguments.to.reshape(&before)?;
    let mut source = open(paths, &arguments.columns.columns())?;
    let bar = Bar::new(arguments.quiet);
    let (mut interrupted, mut rows) = (false, 0);
    let found = compare(before, after, &mut *source, &mut |progress| {
        bar.show(&progress);
        rows = progress.rows;
        interrupted = stop();
        if interrupted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    bar.finish();
    if interrupted {
        let rows = grouped(rows);
        note(false, &format!("interrupted after {rows} rows; the comparison covers these only"));
    }
    let text = match arguments.format {
        Format::Text => found.to_text(),
        Format::Json => found.to_json(),
        Format::Csv => found.to_csv(),
    };
    match Output::open(arguments.output.output.as_deref())?.finish_with(&text) {
        Ok(()) | Err(Failure::Closed) => Ok(if interrupted { INTERRUPTED } else { FINE }),
        Err(failure) => Err(failure),
    }
}

impl To {
    /// The other map, made of `before`.
    fn reshape(&self, before: &ShardMap) -> Result<ShardMap, Failure> {
        let mut map = before.clone();
        if let Some(partitioner) = self.to_partitioner {
            if map.system() != System::Kafka {
                return Err(Failure::Usage(Error::input(format!(
                    "--to-partitioner was given for a {}; only Kafka has partitioners",
                    map.system().whole()
                ))));
            }
            map = ShardMap::kafka(map.len(), partitioner)?;
        }
        if let Some(partitions) = self.grow {
            map = map.grow(partitions)?;
        }
        if let Some(shards) = self.resize {
            map = map.resize(shards)?;
        }
        for split in &self.split {
            let (shard, at) =
                split.split_once('@').map_or((&**split, None), |(shard, at)| (shard, Some(at)));
            let at = match at {
                None | Some("docs-midpoint") => SplitAt::DocsMidpoint,
                Some("exact-half") => SplitAt::ExactHalf,
                Some(text) => SplitAt::Value(map.explicit_hash(text.as_bytes()).map_err(|_| {
                    Failure::Usage(Error::input(format!(
                        "--split {split} names no hash value after the @; type one as the service \
                         writes it, docs-midpoint or exact-half"
                    )))
                })?),
            };
            map = map.split(shard, at)?;
        }
        for merge in &self.merge {
            let (left, right) =
                merge.split_once(',').map_or((&**merge, None), |(left, right)| (left, Some(right)));
            map = map.merge(left, right)?;
        }
        if let Some(seed) = self.to_seed {
            if map.system() != System::DynamoDb {
                return Err(Failure::Usage(Error::input(
                    "--to-seed was given without --dynamodb; only simulated placements have seeds",
                )));
            }
            map = ShardMap::dynamodb(map.len(), seed)?;
        }
        if let Some(partitions) = self.to_partitions {
            map = match (map.partitioner(), map.seed()) {
                (_, Some(seed)) => ShardMap::dynamodb(partitions, seed)?,
                _ => {
                    return Err(Failure::Usage(Error::input(
                        "--to-partitions goes with --dynamodb; type --grow for Kafka, --resize for \
                         Kinesis",
                    )));
                }
            };
        }
        if map == *before {
            return Err(Failure::Usage(Error::input(
                "both maps are the same; type --grow N, --resize N, --split SHARD, --merge SHARD, \
                 --to-partitioner NAME, --to-partitions N or --to-seed S",
            )));
        }
        Ok(map)
    }
}
