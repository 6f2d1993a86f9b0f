//! The map that the command line names.

use super::arguments::Map;
use super::{Failure, note};
use crate::error::{Error, Result};
use crate::shards::ShardMap;
use std::fs::read_to_string;
use std::io::read_to_string as read_all;
use std::path::{Path, PathBuf};

impl Map {
    /// Makes or reads the map. `inputs` are the other files that the command reads; shards that take
    /// no writes are told of unless it is to be `quiet`.
    pub(super) fn load(&self, inputs: &[PathBuf], quiet: bool) -> Result<ShardMap, Failure> {
        let origin = &self.origin;
        let map = if let Some(shards) = origin.kinesis {
            ShardMap::kinesis(shards, self.even_rule.unwrap_or_default())?
        } else if let Some(partitions) = origin.kafka {
            ShardMap::kafka(partitions, self.partitioner.unwrap_or_default())?
        } else if let Some(partitions) = origin.dynamodb {
            ShardMap::dynamodb(partitions, self.seed.unwrap_or_default())?
        } else if let Some(shards) = origin.sls {
            ShardMap::sls(shards)?
        } else if let Some(path) = &origin.list_shards {
            read(path, inputs, quiet, ShardMap::from_list_shards, LIST_SHARDS)?
        } else if let Some(path) = &origin.sls_shards {
            read(path, inputs, quiet, ShardMap::from_sls_shards, LIST_SLS_SHARDS)?
        } else {
            return Err(Failure::Usage(Error::input(
                "no shard map was given; type --kinesis N, --list-shards FILE, --kafka N, \
                 --dynamodb N, --sls N or --sls-shards FILE",
            )));
        };
        let mut map = map.with_key_length_unit(self.key_length_unit.unwrap_or_default());
        if let Some(mode) = self.capacity_mode {
            map = map.with_capacity_mode(mode);
        }
        if let Some(buckets) = self.buckets {
            map = map.with_buckets(buckets).map_err(Failure::Usage)?;
        }
        Ok(map)
    }
}

/// How to make the files.
const LIST_SHARDS: &str = "aws kinesis list-shards --stream-name NAME > shards.json";
const LIST_SLS_SHARDS: &str =
    "aliyunlog log list_shards --project_name=P --logstore_name=L > shards.json";

fn read(
    path: &Path,
    inputs: &[PathBuf],
    quiet: bool,
    parse: fn(&str) -> Result<ShardMap>,
    advice: &str,
) -> Result<ShardMap, Failure> {
    let is_stdin = |path: &Path| path.as_os_str() == "-";
    let json = if is_stdin(path) {
        if inputs.iter().any(|input| is_stdin(input)) {
            return Err(Failure::Usage(Error::input(
                "both the shard map and the log were to be read from standard input; save one of \
                 them to a file",
            )));
        }
        read_all(std::io::stdin().lock())
    } else {
        read_to_string(path)
    };
    let json = json.map_err(|error| {
        Error::io(format!(
            "the shard map in {} cannot be read: {error}; make one with: {advice}",
            path.display()
        ))
    })?;
    let map = parse(&json).map_err(|error| error.with("file", path.display()))?;
    let closed = map.shards().len() - map.len();
    if closed > 0 {
        note(quiet, &format!("{closed} closed shards in {} take no writes", path.display()));
    }
    Ok(map)
}
