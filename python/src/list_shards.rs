//! The forms in which Python holds an answer of `ListShards`.

use crate::errors::{Failure, Result};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use shardlane::{Error, ErrorKind, ShardMap, ShardState};
use std::path::{Path, PathBuf};

/// The JSON text of `source`: a path to it, the text itself, or the objects it stands for.
pub(crate) fn json(source: &Bound<'_, PyAny>) -> Result<String> {
    if source.is_instance_of::<PyDict>()
        || source.is_instance_of::<PyList>()
        || source.is_instance_of::<PyTuple>()
    {
        // boto3's answers hold datetimes, which matter to no shard map.
        let options = PyDict::new(source.py());
        options.set_item("default", source.py().get_type::<PyString>())?;
        let json = source.py().import("json")?;
        return Ok(json.call_method("dumps", (source,), Some(&options))?.extract()?);
    }
    if let Ok(text) = source.cast::<PyString>() {
        let text = text.to_cow()?;
        if text.trim_start().starts_with(['{', '[']) {
            return Ok(text.into_owned());
        }
    }
    match source.extract::<PathBuf>() {
        Ok(path) => read(&path),
        Err(_) => Err(Failure::unsupported(format!(
            "from_list_shards was given a {}; expected the path of a JSON file, JSON text, or the \
             dict or list of shards that boto3 gives",
            source.get_type().fully_qualified_name()?
        ))),
    }
}

/// The shards of `map` as boto3 would give them.
pub(crate) fn objects<'py>(py: Python<'py>, map: &ShardMap) -> Result<Bound<'py, PyList>> {
    let listed = PyList::empty(py);
    for shard in map.shards() {
        let range = PyDict::new(py);
        range.set_item("StartingHashKey", shard.start.to_string())?;
        range.set_item("EndingHashKey", shard.end.to_string())?;
        let object = PyDict::new(py);
        object.set_item("ShardId", &shard.id)?;
        object.set_item("HashKeyRange", range)?;
        if shard.state == ShardState::Closed {
            // What the number is, a map does not keep; that there is one closes the shard.
            let numbers = PyDict::new(py);
            numbers.set_item("EndingSequenceNumber", "0")?;
            object.set_item("SequenceNumberRange", numbers)?;
        }
        object.set_item("ParentShardId", &shard.parent)?;
        object.set_item("AdjacentParentShardId", &shard.adjacent_parent)?;
        listed.append(object)?;
    }
    Ok(listed)
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| {
        Failure::Core(
            Error::new(
                ErrorKind::Io,
                format!(
                    "cannot read the shard list {}: {error}; make one with: aws kinesis \
                     list-shards --stream-name NAME > list-shards.json",
                    path.display()
                ),
            )
            .with("path", path.display()),
        )
    })
}
