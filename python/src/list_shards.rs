//! The forms in which Python holds an answer of `ListShards`, of either service.

use crate::errors::{Failure, Result};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use shardlane::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// The JSON text of `source`: a path to it, the text itself, or the objects it stands for.
/// `advice` says how to make such a file.
pub(crate) fn json(source: &Bound<'_, PyAny>, advice: &str) -> Result<String> {
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
        if text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[']) {
            return Ok(text.into_owned());
        }
    }
    match source.extract::<PathBuf>() {
        Ok(path) => read(&path, advice),
        Err(_) => Err(Failure::unsupported(format!(
            "the list of shards is a {}; expected the path of a JSON file, JSON text, or the dict or \
             list of shards that the service's SDK gives",
            source.get_type().fully_qualified_name()?
        ))),
    }
}

fn read(path: &Path, advice: &str) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| {
        Failure::Core(
            Error::new(
                ErrorKind::Io,
                format!(
                    "cannot read the shard list {}: {error}; make one with: {advice}",
                    path.display()
                ),
            )
            .with("path", path.display()),
        )
    })
}
