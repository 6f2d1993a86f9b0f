//! `Reads`: who reads the shards.

use crate::arguments::whole;
use crate::errors::{Failure, Result};
use pyo3::prelude::*;
use shardlane::projection::{Conditions, Reads, Scale};

/// Who reads the shards: given to a replay, it tells how far readers fall behind.
///
/// Consumers are of a Kinesis stream, where they share what a shard gives unless they have fan-out.
/// A rate is what one consumer takes of each shard or partition, of any system that is read in order.
///
/// Args:
///     consumers: How many consumers read.
///     polls_per_second: How often each of them polls a shard; 1, if not given.
///     fan_out: Whether they have enhanced fan-out, and share nothing.
///     records_per_second: Records a second that one consumer takes of each shard.
///     bytes_per_second: Bytes a second that one consumer takes of each shard.
///
/// Raises:
///     InvalidInput: If neither consumers nor a rate are given, or both are.
///
/// Examples:
///     >>> import shardlane as sl
///     >>> sl.Reads(consumers=3)
///     Reads(consumers=3, polls_per_second=1)
///     >>> sl.Reads(records_per_second=5_000)
///     Reads(records_per_second=5000)
#[pyclass(name = "Reads", module = "shardlane", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct PyReads(Reads);

#[pymethods]
impl PyReads {
    #[new]
    #[pyo3(signature = (
        *, consumers=None, polls_per_second=None, fan_out=false, records_per_second=None,
        bytes_per_second=None
    ))]
    fn new(
        consumers: Option<&Bound<'_, PyAny>>,
        polls_per_second: Option<f64>,
        fan_out: bool,
        records_per_second: Option<&Bound<'_, PyAny>>,
        bytes_per_second: Option<&Bound<'_, PyAny>>,
    ) -> Result<Self> {
        let rate = |value: Option<&Bound<'_, PyAny>>, name: &str| -> Result<Option<u64>> {
            let example = format!("{name}=5000");
            let range = 1..=i128::from(u64::MAX);
            value.map(|value| whole(value, name, range, &example)).transpose()
        };
        let records_per_second = rate(records_per_second, "records_per_second")?;
        let bytes_per_second = rate(bytes_per_second, "bytes_per_second")?;
        let has_rate = records_per_second.is_some() || bytes_per_second.is_some();
        let consumers = consumers
            .map(|value| whole(value, "consumers", 1..=10_000, "consumers=3"))
            .transpose()?;
        match consumers {
            None if has_rate && polls_per_second.is_none() && !fan_out => {
                Ok(Self(Reads::AtRate { records_per_second, bytes_per_second }))
            }
            Some(consumers) if !has_rate && fan_out && polls_per_second.is_none() => {
                Ok(Self(Reads::FanOut { consumers }))
            }
            Some(consumers) if !has_rate && !fan_out => {
                let per_second = polls_per_second.unwrap_or(1.0);
                Ok(Self(Reads::Polls { consumers, per_second }))
            }
            _ => Err(Failure::input(
                "Reads takes either consumers, with polls_per_second or with fan_out=True, or what \
                 one consumer takes: type Reads(consumers=3, polls_per_second=1) or \
                 Reads(records_per_second=5000)"
                    .to_owned(),
            )),
        }
    }

    fn __repr__(&self) -> String {
        let given = match self.0 {
            Reads::Polls { consumers, per_second } => {
                vec![format!("consumers={consumers}"), format!("polls_per_second={per_second}")]
            }
            Reads::FanOut { consumers } => {
                vec![format!("consumers={consumers}"), "fan_out=True".to_owned()]
            }
            Reads::AtRate { records_per_second, bytes_per_second } => {
                let named = [
                    ("records_per_second", records_per_second),
                    ("bytes_per_second", bytes_per_second),
                ];
                let given = named.into_iter().filter_map(|(name, rate)| Some((name, rate?)));
                given.map(|(name, rate)| format!("{name}={rate}")).collect()
            }
            _ => Vec::new(),
        };
        format!("Reads({})", given.join(", "))
    }
}

/// The conditions that keywords say.
pub(crate) fn conditions(
    model: &str,
    scale: f64,
    retry: bool,
    reads: Option<&Bound<'_, PyReads>>,
) -> Result<Conditions> {
    Ok(Conditions {
        model: model.parse()?,
        scale: Scale::new(scale)?,
        retry,
        reads: reads.map(|reads| reads.get().0),
    })
}
