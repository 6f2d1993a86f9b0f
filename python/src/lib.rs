//! The Python module of shardlane: the core's functions on Python's terms, and no logic of its own.
//!
//! Columns come in through the Arrow `PyCapsule` interface without a copy, and go out as objects of
//! `arro3.core`. The interpreter is let go of while the core works. What users import is the
//! package `shardlane`; this is its extension module, `shardlane._shardlane`.

#![expect(
    clippy::doc_markdown,
    clippy::doc_link_with_quotes,
    reason = "the documentation of what Python sees is written for Python's help()"
)]

mod arguments;
mod cli;
mod column;
mod comparison;
mod errors;
mod inference;
mod layout;
mod limits;
mod list;
mod list_shards;
mod map;
mod outputs;
mod progress;
mod projection;
mod reads;
mod replay;
mod route;
mod salt;
mod skew;
mod source;
mod tally;
mod verification;

use pyo3::prelude::*;

/// The extension module behind `shardlane`.
#[pymodule]
mod _shardlane {
    #[pymodule_export]
    use super::cli::cli_main;
    #[pymodule_export]
    use super::comparison::PyComparison;
    #[pymodule_export]
    use super::inference::{PyInference, infer};
    #[pymodule_export]
    use super::limits::PyLimits;
    #[pymodule_export]
    use super::map::PyShardMap;
    #[pymodule_export]
    use super::projection::PyProjection;
    #[pymodule_export]
    use super::reads::PyReads;
    #[pymodule_export]
    use super::replay::PyReplay;
    #[pymodule_export]
    use super::salt::PySalt;
    #[pymodule_export]
    use super::skew::{PySkew, skew};
    #[pymodule_export]
    use super::tally::PyTally;
    #[pymodule_export]
    use super::verification::PyVerification;

    use pyo3::prelude::*;
    use pyo3::types::PyTuple;
    use shardlane::ErrorKind;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        let kinds = ErrorKind::ALL.map(ErrorKind::name);
        module.add("ERROR_KINDS", PyTuple::new(module.py(), kinds)?)
    }
}
