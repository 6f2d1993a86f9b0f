//! A producer routes a batch of a few hundred keys at a time, in its hot path.

use shardlane::arrow::array::{Array, BinaryViewArray, StringArray, StringViewArray};
use shardlane::{EvenRule, KeyColumn, Router, ShardMap};

/// Threads of this process.
#[cfg(target_os = "linux")]
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

fn arrays() -> [Box<dyn Array>; 4] {
    let keys: Vec<String> = (0..500).map(|i| format!("order-{}", i * 7_919)).collect();
    let long: Vec<String> = keys.iter().map(|key| key.repeat(1 + key.len() % 9)).collect();
    [
        Box::new(StringArray::from_iter_values(&keys)),
        Box::new(StringViewArray::from_iter_values(&keys)),
        Box::new(StringArray::from_iter_values(&long)),
        Box::new(BinaryViewArray::from_iter_values(&long)),
    ]
}

#[test]
fn routing_a_batch_of_500_keys_allocates_nothing_and_starts_no_thread() {
    let router = Router::new(ShardMap::kinesis(1024, EvenRule::FixedStep).unwrap());
    // The only test here, so that no other's threads come and go.
    #[cfg(target_os = "linux")]
    let before = threads();
    for array in arrays() {
        let keys = KeyColumn::try_new(array.as_ref()).unwrap();
        let mut shards = [0; 500];
        let found = allocation_counter::measure(|| {
            let rejections = router.route_into(&keys, None, &mut shards).unwrap();
            assert_eq!(rejections.iter().count(), 0);
        });
        assert_eq!(found.count_total, 0, "{}: {found:?}", array.data_type());
        // Which the counter would have seen: a new vector is an allocation.
        let found = allocation_counter::measure(|| assert_eq!(router.route(&keys), shards));
        assert_eq!(found.count_total, 1, "{}: {found:?}", array.data_type());
    }
    #[cfg(target_os = "linux")]
    assert_eq!(threads(), before);
}
