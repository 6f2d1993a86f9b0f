//! The Python module of shardlane: the core's functions on Python's terms, and no logic of its own.
//!
//! Columns come in through the Arrow `PyCapsule` interface without a copy, and go out as objects of
//! `arro3.core`. The interpreter is let go of while the core works. What users import is the
//! package `shardlane`; this is its extension module, `shardlane._shardlane`.

mod arguments;
mod column;
mod errors;
mod list;
mod list_shards;
mod map;
mod outputs;
mod route;
mod shard_table;

use pyo3::prelude::*;

/// The extension module behind `shardlane`.
#[pymodule]
mod _shardlane {
    #[pymodule_export]
    use super::map::PyShardMap;

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
