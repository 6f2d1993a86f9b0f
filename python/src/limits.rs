//! `Limits`: what each shard may take.

use crate::arguments::whole;
use crate::errors::Result;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use shardlane::{Limits, Operation};

/// What each shard of a system may take: a dated profile, any value of which can be overridden.
///
/// Examples:
///     >>> import shardlane as sl
///     >>> sl.Limits.kinesis()
///     Limits(kinesis, records_per_second=1000, bytes_per_second=1048576)
///     >>> sl.Limits.kinesis(bytes_per_second=1_000_000).sources["bytes_per_second"]
///     'given'
#[pyclass(name = "Limits", module = "shardlane", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct PyLimits(Limits);

/// What limits are made of again: system, values as JSON, rule of units.
type Parts = (&'static str, String, &'static str);

impl PyLimits {
    pub(crate) fn limits(&self) -> &Limits {
        &self.0
    }

    pub(crate) fn of(limits: Limits) -> Self {
        Self(limits)
    }
}

#[pymethods]
impl PyLimits {
    /// The limits of a provisioned Kinesis shard.
    ///
    /// Writes are 1,000 records and 1,048,576 bytes a second, partition keys included; reads, which
    /// count where a replay is told who reads, 2,097,152 bytes and five calls a second.
    ///
    /// Args:
    ///     records_per_second: Records a second, instead of the profile's.
    ///     bytes_per_second: Bytes a second, instead of the profile's; 1_000_000 for who reads
    ///         the service's "1 MB" so.
    ///     read_bytes_per_second: Bytes a second that consumers share, instead of the profile's.
    ///     reads_per_second: Calls a second that consumers share, instead of the profile's.
    ///
    /// Raises:
    ///     InvalidInput: For a value that is not a whole number of 1 or more.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> sl.Limits.kinesis(bytes_per_second=1_000_000).bytes_per_second
    ///     1000000
    #[classmethod]
    #[pyo3(signature = (
        *, records_per_second=None, bytes_per_second=None, read_bytes_per_second=None,
        reads_per_second=None
    ))]
    fn kinesis(
        _class: &Bound<'_, PyType>,
        records_per_second: Option<&Bound<'_, PyAny>>,
        bytes_per_second: Option<&Bound<'_, PyAny>>,
        read_bytes_per_second: Option<&Bound<'_, PyAny>>,
        reads_per_second: Option<&Bound<'_, PyAny>>,
    ) -> Result<Self> {
        with(
            Limits::kinesis(),
            [
                ("records_per_second", records_per_second),
                ("bytes_per_second", bytes_per_second),
                ("read_bytes_per_second", read_bytes_per_second),
                ("reads_per_second", reads_per_second),
            ],
        )
    }

    /// The write limits of an on-demand Kinesis stream: those of each shard, and of the whole stream.
    ///
    /// A new one takes 4,000 records and 4 MiB a second. The service grows it to twice its highest
    /// rate of the last 30 days, and promises nothing to traffic that more than doubles within 15
    /// minutes. A map with capacity_mode="on-demand" is held to these limits by itself.
    ///
    /// Args:
    ///     peak_bytes_per_second: That highest rate, for a stream that is not new.
    ///
    /// Raises:
    ///     InvalidInput: For a value that is not a whole number of 1 or more.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> sl.Limits.kinesis_on_demand(peak_bytes_per_second=10 * 2**20).stream_bytes_per_second
    ///     20971520
    #[classmethod]
    #[pyo3(signature = (*, peak_bytes_per_second=None))]
    fn kinesis_on_demand(
        _class: &Bound<'_, PyType>,
        peak_bytes_per_second: Option<&Bound<'_, PyAny>>,
    ) -> Result<Self> {
        let name = "peak_bytes_per_second";
        let peak = peak_bytes_per_second
            .map(|peak| {
                whole(peak, name, 1..=i128::from(u64::MAX), "peak_bytes_per_second=1000000")
            })
            .transpose()?;
        Ok(Self(Limits::kinesis_on_demand(peak)))
    }

    /// What a Kafka partition, or one consumer of it, can take: nothing is limited unless given.
    ///
    /// Args:
    ///     records_per_second: Records a second.
    ///     bytes_per_second: Bytes a second, keys included.
    ///
    /// Raises:
    ///     InvalidInput: For a value that is not a whole number of 1 or more.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> sl.Limits.kafka(records_per_second=5_000)
    ///     Limits(kafka, records_per_second=5000)
    #[classmethod]
    #[pyo3(signature = (*, records_per_second=None, bytes_per_second=None))]
    fn kafka(
        _class: &Bound<'_, PyType>,
        records_per_second: Option<&Bound<'_, PyAny>>,
        bytes_per_second: Option<&Bound<'_, PyAny>>,
    ) -> Result<Self> {
        with(
            Limits::kafka(),
            [("records_per_second", records_per_second), ("bytes_per_second", bytes_per_second)],
        )
    }

    /// What a DynamoDB partition gives: 3,000 read units and 1,000 write units a second.
    ///
    /// Args:
    ///     read_units_per_second: Read units a second, instead of the profile's.
    ///     write_units_per_second: Write units a second, instead of the profile's.
    ///     unit_rule: How the two go together, on which the service's pages disagree:
    ///         "independent", or "linear-combination" of one allowance.
    ///     table_read_units_per_second: Read units a second of the whole table, if it is provisioned;
    ///         under the model "token-bucket" it keeps 300 seconds of what it does not use.
    ///     table_write_units_per_second: Write units a second of the whole table.
    ///
    /// Raises:
    ///     InvalidInput: For a value that is not a whole number of 1 or more, or an unknown rule.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> sl.Limits.dynamodb(unit_rule="linear-combination").read_units_per_second
    ///     3000
    #[classmethod]
    #[pyo3(signature = (
        *, read_units_per_second=None, write_units_per_second=None, unit_rule="independent",
        table_read_units_per_second=None, table_write_units_per_second=None
    ))]
    fn dynamodb(
        _class: &Bound<'_, PyType>,
        read_units_per_second: Option<&Bound<'_, PyAny>>,
        write_units_per_second: Option<&Bound<'_, PyAny>>,
        unit_rule: &str,
        table_read_units_per_second: Option<&Bound<'_, PyAny>>,
        table_write_units_per_second: Option<&Bound<'_, PyAny>>,
    ) -> Result<Self> {
        with(
            Limits::dynamodb().with_unit_rule(unit_rule.parse()?),
            [
                ("read_units_per_second", read_units_per_second),
                ("write_units_per_second", write_units_per_second),
                ("table_read_units_per_second", table_read_units_per_second),
                ("table_write_units_per_second", table_write_units_per_second),
            ],
        )
    }

    /// How long a rested DynamoDB table takes a steady load above its capacity.
    ///
    /// Up to 300 seconds of unused capacity are kept, as a best effort; no burst lifts a partition
    /// above its own limit.
    ///
    /// Args:
    ///     capacity: Units a second that the table has.
    ///     load: Units a second that it is asked for.
    ///
    /// Returns:
    ///     Seconds until it throttles; None if it never does.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> sl.Limits.burst_seconds(150, 200)
    ///     900.0
    #[staticmethod]
    fn burst_seconds(capacity: f64, load: f64) -> Option<f64> {
        shardlane::limits::burst_seconds(capacity, load)
    }

    /// The capacity units of one DynamoDB request.
    ///
    /// Args:
    ///     operation: "read", "eventual-read", "transactional-read", "write",
    ///         "transactional-write", or the service's own name, such as "PutItem".
    ///     bytes: The item's size, attribute names and keys included.
    ///
    /// Raises:
    ///     InvalidInput: For an unknown operation, or a size that is not a whole number.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> sl.Limits.capacity_units("eventual-read", 20 * 1024)
    ///     2.5
    #[staticmethod]
    fn capacity_units(operation: &str, bytes: &Bound<'_, PyAny>) -> Result<f64> {
        let operation: Operation = operation.parse()?;
        Ok(operation.units(whole(bytes, "bytes", 0..=i128::from(u64::MAX), "bytes=4096")?))
    }

    /// The soft write limits of a shard of Simple Log Service: 500 writes and 5 MiB a second.
    ///
    /// Args:
    ///     records_per_second: Writes a second, instead of the profile's.
    ///     bytes_per_second: Bytes a second, instead of the profile's.
    ///
    /// Raises:
    ///     InvalidInput: For a value that is not a whole number of 1 or more.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> sl.Limits.sls().records_per_second
    ///     500
    #[classmethod]
    #[pyo3(signature = (*, records_per_second=None, bytes_per_second=None))]
    fn sls(
        _class: &Bound<'_, PyType>,
        records_per_second: Option<&Bound<'_, PyAny>>,
        bytes_per_second: Option<&Bound<'_, PyAny>>,
    ) -> Result<Self> {
        with(
            Limits::sls(),
            [("records_per_second", records_per_second), ("bytes_per_second", bytes_per_second)],
        )
    }

    /// The system whose shards are limited, such as "kinesis".
    #[getter]
    fn system(&self) -> &'static str {
        self.0.system().name()
    }

    /// Records a second that a shard takes, or None if that is not limited.
    #[getter]
    fn records_per_second(&self) -> Option<u64> {
        self.0.records_per_second().map(|limit| limit.value)
    }

    /// Bytes a second that a shard takes, or None if that is not limited.
    #[getter]
    fn bytes_per_second(&self) -> Option<u64> {
        self.0.bytes_per_second().map(|limit| limit.value)
    }

    /// Read units a second that a DynamoDB partition gives, or None if that is not limited.
    #[getter]
    fn read_units_per_second(&self) -> Option<u64> {
        self.0.read_units_per_second().map(|limit| limit.value)
    }

    /// Write units a second that a DynamoDB partition takes, or None if that is not limited.
    #[getter]
    fn write_units_per_second(&self) -> Option<u64> {
        self.0.write_units_per_second().map(|limit| limit.value)
    }

    /// Records a second that a whole stream takes, or None if that is not limited.
    #[getter]
    fn stream_records_per_second(&self) -> Option<u64> {
        self.0.stream_records_per_second().map(|limit| limit.value)
    }

    /// Bytes a second that a whole stream takes, or None if that is not limited.
    #[getter]
    fn stream_bytes_per_second(&self) -> Option<u64> {
        self.0.stream_bytes_per_second().map(|limit| limit.value)
    }

    /// Read units a second of a whole DynamoDB table, or None if that is not told.
    #[getter]
    fn table_read_units_per_second(&self) -> Option<u64> {
        self.0.table_read_units_per_second().map(|limit| limit.value)
    }

    /// Write units a second of a whole DynamoDB table, or None if that is not told.
    #[getter]
    fn table_write_units_per_second(&self) -> Option<u64> {
        self.0.table_write_units_per_second().map(|limit| limit.value)
    }

    /// Bytes a second that the consumers of a Kinesis shard share, or None if that is not limited.
    #[getter]
    fn read_bytes_per_second(&self) -> Option<u64> {
        self.0.read_bytes_per_second().map(|limit| limit.value)
    }

    /// Calls a second that the consumers of a Kinesis shard share, or None if that is not limited.
    #[getter]
    fn reads_per_second(&self) -> Option<u64> {
        self.0.reads_per_second().map(|limit| limit.value)
    }

    /// Where each limit comes from, by its name: a page and the day it was read, or "given".
    #[getter]
    fn sources<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let sources = PyDict::new(py);
        for (name, limit) in self.0.iter().chain(self.0.of_reads()) {
            let source = match &*limit.date {
                "" => limit.source.to_string(),
                date => format!("{} (read {date})", limit.source),
            };
            sources.set_item(name, source)?;
        }
        Ok(sources)
    }

    /// For pickle and copy: the values, which count as given from then on.
    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<(Bound<'py, PyAny>, Parts)> {
        let restore = py.get_type::<Self>().getattr("_restore")?;
        Ok((restore, (self.system(), self.0.to_json(), self.0.unit_rule().name())))
    }

    #[classmethod]
    fn _restore(_class: &Bound<'_, PyType>, system: &str, json: &str, rule: &str) -> Result<Self> {
        let limits = Limits::from_json(system.parse()?, json)?;
        Ok(Self(limits.with_unit_rule(rule.parse()?)))
    }

    fn __repr__(&self) -> String {
        let limits: Vec<_> =
            self.0.iter().map(|(name, limit)| format!(", {name}={}", limit.value)).collect();
        format!("Limits({}{})", self.0.system(), limits.concat())
    }
}

/// `limits` with those values that are given.
fn with<const N: usize>(
    mut limits: Limits,
    values: [(&str, Option<&Bound<'_, PyAny>>); N],
) -> Result<PyLimits> {
    for (name, value) in values {
        if let Some(value) = value {
            let example = format!("{name}=1000");
            limits = limits.with(name, whole(value, name, 1..=i128::from(u64::MAX), &example)?)?;
        }
    }
    Ok(PyLimits(limits))
}
