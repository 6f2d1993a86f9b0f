//! A map within a tally's bytes: the system's name, and then
//!
//! | system | form |
//! | --- | --- |
//! | kinesis | key length unit, capacity mode, shards |
//! | kafka | partitioner, number of partitions |
//! | dynamodb | seed, number of partitions |
//! | sls | buckets or 0, shards |
//!
//! Shards are their number, and of each: state, id, start and end as 16 bytes, parent, adjacent
//! parent.

use super::wire::{Reader, Writer, corrupt};
use crate::error::{Error, Result};
use crate::shards::{
    CapacityMode, HashRange, KeyLengthUnit, MAX_SHARDS, Partitioner, Shard, ShardMap, ShardState,
    System,
};

/// The states by the number that they are written as.
const STATES: [ShardState; 3] = [ShardState::Closed, ShardState::Open, ShardState::Expired];

pub(super) fn write(out: &mut Writer, map: &ShardMap) {
    out.text(map.system().name().as_bytes());
    match map.system() {
        System::Kinesis => {
            out.text(map.key_length_unit().unwrap_or_default().name().as_bytes());
            out.text(map.capacity_mode().unwrap_or_default().name().as_bytes());
            write_shards(out, map);
        }
        System::Kafka => {
            out.text(map.partitioner().unwrap_or_default().name().as_bytes());
            out.number(map.len() as u64);
        }
        System::DynamoDb => {
            out.number(map.seed().unwrap_or_default().into());
            out.number(map.len() as u64);
        }
        System::Sls => {
            out.number(map.buckets().unwrap_or_default().into());
            write_shards(out, map);
        }
    }
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<ShardMap> {
    let unusable = |error: Error| corrupt(error.message());
    let system: System = reader.name()?.parse().map_err(unusable)?;
    match system {
        System::Kinesis => {
            let unit: KeyLengthUnit = reader.name()?.parse().map_err(unusable)?;
            let mode: CapacityMode = reader.name()?.parse().map_err(unusable)?;
            let map = read_shards(reader, system)?;
            Ok(map.with_key_length_unit(unit).with_capacity_mode(mode))
        }
        System::Kafka => {
            let name = reader.name()?;
            let partitioner: Partitioner = name.parse().map_err(unusable)?;
            if partitioner.name() != name {
                return Err(corrupt("its partitioner is written by an alias"));
            }
            ShardMap::kafka(read_count(reader)?, partitioner).map_err(unusable)
        }
        System::DynamoDb => {
            let seed =
                u32::try_from(reader.number()?).map_err(|_| corrupt("its seed is too large"))?;
            ShardMap::dynamodb(read_count(reader)?, seed).map_err(unusable)
        }
        System::Sls => {
            let buckets = u32::try_from(reader.number()?);
            let buckets = buckets.map_err(|_| corrupt("it has too many buckets"))?;
            let map = read_shards(reader, system)?;
            if buckets == 0 { Ok(map) } else { map.with_buckets(buckets).map_err(unusable) }
        }
    }
}

/// A number of partitions, each of which has its totals further on.
fn read_count(reader: &mut Reader<'_>) -> Result<usize> {
    let count = reader.count(2)?;
    if count > MAX_SHARDS { Err(corrupt("it has too many partitions")) } else { Ok(count) }
}

fn write_shards(out: &mut Writer, map: &ShardMap) {
    out.number(map.shards().len() as u64);
    for shard in map.shards() {
        let state = STATES.iter().position(|state| *state == shard.state);
        out.number(state.unwrap_or_default() as u64);
        out.text(shard.id.as_bytes());
        let HashRange { start, end } = shard.range.unwrap_or(HashRange::ALL);
        out.raw(&start.to_le_bytes());
        out.raw(&end.to_le_bytes());
        for parent in [&shard.parent, &shard.adjacent_parent] {
            out.flag(parent.is_some());
            if let Some(parent) = parent {
                out.text(parent.as_bytes());
            }
        }
    }
}

fn read_shards(reader: &mut Reader<'_>, system: System) -> Result<ShardMap> {
    let mut shards = Vec::new();
    for _ in 0..reader.count(36)? {
        let state = usize::try_from(reader.number()?).ok();
        let state = state.and_then(|state| STATES.get(state)).copied();
        let state = state.ok_or_else(|| corrupt("a shard is in no known state"))?;
        let id = reader.name()?.to_owned();
        let (start, end) =
            (u128::from_le_bytes(reader.array()?), u128::from_le_bytes(reader.array()?));
        let mut parent = || -> Result<Option<String>> {
            Ok(if reader.flag()? { Some(reader.name()?.to_owned()) } else { None })
        };
        let (parent, adjacent_parent) = (parent()?, parent()?);
        let range = Some(HashRange { start, end });
        shards.push(Shard { id, range, state, parent, adjacent_parent });
    }
    let map =
        ShardMap::from_shards(system, shards.clone()).map_err(|error| corrupt(error.message()))?;
    if map.shards() != shards {
        return Err(corrupt("its shards are out of order"));
    }
    Ok(map)
}
