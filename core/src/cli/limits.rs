//! `--limits`: pairs on the command line, or a file.

use super::Failure;
use crate::error::Error;
use crate::limits::Limits;
use std::convert::Infallible;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Limits as they were given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GivenLimits {
    /// `name=value` pairs.
    Pairs(String),
    /// A file of JSON.
    File(PathBuf),
}

impl FromStr for GivenLimits {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let is_file = !text.contains('=') || Path::new(text).exists();
        Ok(if is_file { Self::File(text.into()) } else { Self::Pairs(text.to_owned()) })
    }
}

impl GivenLimits {
    /// The file they are in, if they are in one.
    pub(super) fn file(&self) -> Option<&Path> {
        match self {
            Self::Pairs(_) => None,
            Self::File(path) => Some(path),
        }
    }

    /// `defaults` with these instead.
    pub(super) fn over(&self, defaults: Limits) -> Result<Limits, Failure> {
        let path = match self {
            Self::Pairs(text) => return defaults.with_text(text).map_err(Failure::Usage),
            Self::File(path) => path,
        };
        let json = read_to_string(path).map_err(|error| {
            Error::io(format!(
                "the limits in {} cannot be read: {error}; type a file's name, or pairs such as \
                 records_per_second=1000",
                path.display()
            ))
        })?;
        Ok(defaults.with_json(&json).map_err(|error| error.with("file", path.display()))?)
    }
}
