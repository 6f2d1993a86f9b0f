//! The map that the command line names.

use super::arguments::Map;
use super::{Failure, note};
use crate::error::Error;
use crate::shards::ShardMap;
use std::fs::read_to_string;
use std::io::read_to_string as read_all;
use std::path::{Path, PathBuf};

impl Map {
    /// Makes or reads the map. `inputs` are the other files that the command reads; closed shards are
    /// told of unless it is to be `quiet`.
    pub(super) fn load(&self, inputs: &[PathBuf], quiet: bool) -> Result<ShardMap, Failure> {
        let map = match (&self.origin.kinesis, &self.origin.list_shards) {
            (Some(shards), _) => ShardMap::kinesis(*shards, self.even_rule.unwrap_or_default())?,
            (None, Some(path)) => read(path, inputs, quiet)?,
            (None, None) => {
                return Err(Failure::Usage(Error::input(
                    "no shard map was given; type --kinesis N or --list-shards FILE",
                )));
            }
        };
        Ok(map.with_key_length_unit(self.key_length_unit))
    }
}

fn read(path: &Path, inputs: &[PathBuf], quiet: bool) -> Result<ShardMap, Failure> {
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
            "the shard map in {} cannot be read: {error}; make one with: aws kinesis list-shards \
             --stream-name NAME > shards.json",
            path.display()
        ))
    })?;
    let map =
        ShardMap::from_list_shards(&json).map_err(|error| error.with("file", path.display()))?;
    let closed = map.shards().len() - map.len();
    if closed > 0 {
        note(quiet, &format!("{closed} closed shards in {} take no writes", path.display()));
    }
    Ok(map)
}
