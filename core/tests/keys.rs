//! Every layout of a column gives the same hashes, wherever in it a key lies.

use md5::{Digest, Md5};
use shardlane::arrow::array::{Array, LargeStringArray, StringArray, StringViewBuilder};
use shardlane::{EvenRule, KeyColumn, Router, ShardMap};

/// The keys as views, whose longer ones lie in buffers of `block` bytes.
fn views(keys: &[String], block: u32) -> Box<dyn Array> {
    let mut views = StringViewBuilder::new().with_fixed_block_size(block);
    for key in keys {
        views.append_value(key);
    }
    Box::new(views.finish())
}

#[test]
fn views_and_offsets_give_the_same_hashes_in_every_slice() {
    let router = Router::new(ShardMap::kinesis(64, EvenRule::FixedStep).unwrap());
    // Inside their views, outside, and both; within one block, and over several.
    for (least, range) in [(0, 13), (12, 1), (13, 1), (13, 40), (5, 30), (40, 100)] {
        let length = |i: usize| least + (i * 7 + i / 3) % range;
        let keys: Vec<String> =
            (0..1_100).map(|i| format!("{i:0>width$}", width = length(i))).collect();
        let columns: [Box<dyn Array>; 5] = [
            Box::new(StringArray::from_iter_values(&keys)),
            Box::new(LargeStringArray::from_iter_values(&keys)),
            views(&keys, 1 << 20),
            views(&keys, 1 << 10),
            views(&keys, 1 << 7),
        ];
        let expected: Vec<[u8; 16]> = keys.iter().map(|key| Md5::digest(key).into()).collect();
        for array in &columns {
            for (from, rows) in [(0, 1_100), (1, 481), (7, 960), (1_000, 100), (1_099, 1)] {
                let column = KeyColumn::try_new(array.slice(from, rows).as_ref()).unwrap();
                let what = format!("{} of {least} to {} bytes", array.data_type(), least + range);
                assert_eq!(router.digest(&column), expected[from..from + rows], "{what}");
                for (i, shard) in router.route(&column).into_iter().enumerate() {
                    let hash = u128::from_be_bytes(expected[from + i]);
                    assert_eq!(shard, router.map().shard_of_hash(hash), "{what}, row {i}");
                }
            }
        }
    }
}
