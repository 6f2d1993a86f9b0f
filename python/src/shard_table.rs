//! The shards of a map as an Arrow table.

use crate::errors::Result;
use shardlane::arrow::array::{ArrayRef, Float64Array, StringArray, UInt32Array};
use shardlane::arrow::record_batch::RecordBatch;
use shardlane::{Shard, ShardMap};
use std::sync::Arc;

/// One row a shard: those that take writes, with their index and share, then the closed ones.
pub(crate) fn batch(map: &ShardMap) -> Result<RecordBatch> {
    let shards = map.shards();
    let open = |at: usize| at < map.len();
    let text = |of: fn(&Shard) -> Option<String>| -> ArrayRef {
        Arc::new(shards.iter().map(of).collect::<StringArray>())
    };
    let indices: UInt32Array =
        (0u32..).zip(shards).map(|(at, _)| open(at as usize).then_some(at)).collect();
    let shares: Float64Array =
        shards.iter().enumerate().map(|(at, shard)| open(at).then(|| shard.share())).collect();
    Ok(RecordBatch::try_from_iter_with_nullable([
        ("index", Arc::new(indices) as ArrayRef, true),
        ("id", text(|shard| Some(shard.id.clone())), false),
        ("start", text(|shard| Some(shard.start.to_string())), false),
        ("end", text(|shard| Some(shard.end.to_string())), false),
        ("state", text(|shard| Some(shard.state.name().to_owned())), false),
        ("parent", text(|shard| shard.parent.clone()), true),
        ("adjacent_parent", text(|shard| shard.adjacent_parent.clone()), true),
        ("share", Arc::new(shares), true),
    ])?)
}
