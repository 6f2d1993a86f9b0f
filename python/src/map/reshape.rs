//! Maps that come from other maps.

use super::PyShardMap;
use crate::arguments::whole;
use crate::errors::{Failure, Result};
use crate::outputs;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyString};
use shardlane::report::arrow::drain_order;
use shardlane::{MAX_SHARDS, ShardMap, SplitAt, System};

#[pymethods]
impl PyShardMap {
    /// The map after a shard is split in two; this one is unchanged.
    ///
    /// The parent stays listed in `shards`, and takes no writes. The children have the next ids
    /// after the highest there is.
    ///
    /// Args:
    ///     shard: Its id, or its index as an int.
    ///     at: The first hash value of the upper child: an int, decimal text for Kinesis, or
    ///         hexadecimal text for Simple Log Service. "docs-midpoint", which is meant by None, is
    ///         where the samples of the Kinesis guide split; "exact-half" is where UpdateShardCount
    ///         does, one further on a range of even size. Simple Log Service halves exactly.
    ///
    /// Raises:
    ///     InvalidReshape: For what the service refuses, with its reason.
    ///     InvalidInput: If there is no such shard, or `at` is no hash value.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> stream = sl.ShardMap.kinesis(2).split("shardId-000000000001", "exact-half")
    ///     >>> stream.shards["share"].to_pylist()
    ///     [0.5, 0.25, 0.25, 0.5]
    #[pyo3(signature = (shard, at=None))]
    fn split(&self, shard: &Bound<'_, PyAny>, at: Option<&Bound<'_, PyAny>>) -> Result<Self> {
        let at = at.map_or(Ok(SplitAt::DocsMidpoint), |at| split_at(self.map(), at))?;
        Ok(Self::of(self.map().split(&name(self.map(), shard)?, at)?))
    }

    /// The map after two neighbouring shards are merged; this one is unchanged.
    ///
    /// Args:
    ///     left: The id or index of the shard with the lower hash values.
    ///     right: The id or index of its right-hand neighbour; None takes that.
    ///
    /// Raises:
    ///     InvalidReshape: For what the service refuses, with its reason.
    ///     InvalidInput: If there is no such shard.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> stream = sl.ShardMap.kinesis(4).merge(0)
    ///     >>> stream.shards["id"].to_pylist()[0], len(stream)
    ///     ('shardId-000000000004', 3)
    #[pyo3(signature = (left, right=None))]
    fn merge(&self, left: &Bound<'_, PyAny>, right: Option<&Bound<'_, PyAny>>) -> Result<Self> {
        let map = self.map();
        let right = right.map(|right| name(map, right)).transpose()?;
        Ok(Self::of(map.merge(&name(map, left)?, right.as_deref())?))
    }

    /// The Kinesis stream after UpdateShardCount to `shards` even shards; this one is unchanged.
    ///
    /// Raises:
    ///     InvalidReshape: For more than twice or less than half of the open shards, more than
    ///         10,000, an on-demand stream, or another system.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> len(sl.ShardMap.kinesis(8).resize(16))
    ///     16
    fn resize(&self, shards: &Bound<'_, PyAny>) -> Result<Self> {
        let count = whole(shards, "shards", 1..=MAX_SHARDS as i128, "resize(8)")?;
        Ok(Self::of(self.map().resize(count)?))
    }

    /// The Kafka topic with `partitions` partitions; this one is unchanged.
    ///
    /// Records that are there stay in their old partition: a key's order holds across the change
    /// only if the old partitions are read to their end first. `compare` tells which keys move.
    ///
    /// Raises:
    ///     InvalidReshape: For fewer partitions, which Kafka refuses, or another system.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> topic = sl.ShardMap.kafka(6)
    ///     >>> topic.shard_of("order-1001"), topic.grow(12).shard_of("order-1001")
    ///     (0, 6)
    fn grow(&self, partitions: &Bound<'_, PyAny>) -> Result<Self> {
        let count = whole(partitions, "partitions", 1..=MAX_SHARDS as i128, "grow(12)")?;
        Ok(Self::of(self.map().grow(count)?))
    }

    /// The map after a closed shard's records have expired; this one is unchanged.
    ///
    /// Raises:
    ///     InvalidReshape: If the shard takes writes.
    ///     InvalidInput: If there is no such shard.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> stream = sl.ShardMap.kinesis(1).split(0).expire("shardId-000000000000")
    ///     >>> stream.shards["state"].to_pylist()
    ///     ['OPEN', 'OPEN', 'EXPIRED']
    fn expire(&self, shard: &Bound<'_, PyAny>) -> Result<Self> {
        Ok(Self::of(self.map().expire(&name(self.map(), shard)?)?))
    }

    /// The order in which a consumer has to read the shards, as an Arrow table.
    ///
    /// Its columns are id, state, after (the ids of the parents that have to be read to their end
    /// first, as a list) and depth. Expired shards are left out.
    ///
    /// Raises:
    ///     InvalidShardMap: If a shard is its own ancestor.
    ///
    /// Examples:
    ///     >>> import shardlane as sl
    ///     >>> sl.ShardMap.kinesis(2).merge(0).drain_order()["after"].to_pylist()[-1]
    ///     ['shardId-000000000000', 'shardId-000000000001']
    fn drain_order<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        outputs::table(py, drain_order(self.map())?)
    }

    /// The emulator whose boundaries the map has, such as "kinesis-mock".
    ///
    /// None for those that the service would have.
    #[getter]
    fn emulator(&self) -> Option<&'static str> {
        self.map().emulator().map(shardlane::Emulator::name)
    }

    /// The Kafka partitioner's name; None for another system.
    #[getter]
    fn partitioner(&self) -> Option<&'static str> {
        self.map().partitioner().map(shardlane::Partitioner::name)
    }
}

/// A shard's name for the core: an index becomes the id.
fn name(map: &ShardMap, shard: &Bound<'_, PyAny>) -> Result<String> {
    if let Ok(text) = shard.cast::<PyString>() {
        return Ok(text.to_cow()?.into_owned());
    }
    let most = map.len() as i128 - 1;
    let index: u32 = whole(shard, "shard", 0..=most, "an index, or an id as text")?;
    Ok(map.shard(index).map(|shard| shard.id.clone()).unwrap_or_default())
}

fn split_at(map: &ShardMap, at: &Bound<'_, PyAny>) -> Result<SplitAt> {
    if at.is_instance_of::<PyInt>() && !at.is_instance_of::<PyBool>() {
        if let Ok(value) = at.extract() {
            return Ok(SplitAt::Value(value));
        }
    } else if let Ok(text) = at.cast::<PyString>() {
        let text = text.to_cow()?;
        match &*text {
            "docs-midpoint" => return Ok(SplitAt::DocsMidpoint),
            "exact-half" => return Ok(SplitAt::ExactHalf),
            text => {
                if let Ok(value) = map.explicit_hash(text.as_bytes()) {
                    return Ok(SplitAt::Value(value));
                }
            }
        }
    }
    let form = match map.system() {
        System::Sls => "1 to 32 hexadecimal digits",
        _ => "decimal text, or an int from 0 to 2**128 - 1",
    };
    Err(Failure::input(format!(
        "at={} was given; type a hash value ({form}), \"docs-midpoint\" or \"exact-half\"",
        at.repr().map_or_else(|_| "something".to_owned(), |text| text.to_string())
    )))
}
