//! What must hold for any bytes at all, as plain functions: the fuzz targets call them with bytes
//! that a fuzzer finds, and `core/tests/fuzz_seeds.rs` with those under `seeds`.

use shardlane::ShardMap;

/// Reads the answer of `ListShards`. A map that is made owns every hash value exactly once.
///
/// # Panics
/// If it does not.
pub fn list_shards(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let map = match ShardMap::from_list_shards(text) {
        Ok(map) => map,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error says something");
            return;
        }
    };
    let open: Vec<_> = map.open_shards().collect();
    assert_eq!(open.len(), map.len(), "the length is that of the open shards");
    assert_eq!(open[0].start, 0, "the first hash value is owned");
    assert_eq!(open[open.len() - 1].end, u128::MAX, "the last hash value is owned");
    for (index, shard) in (0..).zip(&open) {
        assert_eq!(map.shard_of_hash(shard.start), index, "a range begins with its start");
        assert_eq!(map.shard_of_hash(shard.end), index, "a range ends with its end");
    }
}
