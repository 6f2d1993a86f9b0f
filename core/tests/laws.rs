//! Laws that hold for any map, key and reshape.

use proptest::prelude::*;
use shardlane::arrow::array::{ArrayRef, StringArray};
use shardlane::engine::compare;
use shardlane::source::Batches;
use shardlane::{
    EvenRule, HashRange, KeyColumn, Partitioner, Router, ShardMap, ShardState, SplitAt, System,
};
use std::ops::ControlFlow;
use std::sync::Arc;

fn ranges(map: &ShardMap) -> Vec<HashRange> {
    map.open_shards().map(|shard| shard.range.unwrap()).collect()
}

/// A stream or Logstore that was split and merged at random.
fn any_map() -> impl Strategy<Value = ShardMap> {
    let steps = prop::collection::vec((any::<bool>(), any::<u16>()), 0..12);
    (1..9_usize, any::<bool>(), steps).prop_map(|(shards, is_kinesis, steps)| {
        let mut map = if is_kinesis {
            ShardMap::kinesis(shards, EvenRule::Rational).unwrap()
        } else {
            ShardMap::sls(shards).unwrap()
        };
        for (splits, at) in steps {
            let shard = (usize::from(at) % map.len()).to_string();
            let id = map.shards()[usize::from(at) % map.len()].id.clone();
            let name = if is_kinesis { shard } else { id };
            let next =
                if splits { map.split(&name, SplitAt::ExactHalf) } else { map.merge(&name, None) };
            // The last shard cannot be merged.
            map = next.unwrap_or(map);
        }
        map
    })
}

fn any_partitioner() -> impl Strategy<Value = Partitioner> {
    prop::sample::select(Partitioner::ALL.to_vec())
}

proptest! {
    #[test]
    fn every_hash_has_exactly_one_shard(map in any_map(), hash in any::<u128>()) {
        let owners = ranges(&map).into_iter().filter(|range| range.start <= hash && hash <= range.end);
        prop_assert_eq!(owners.count(), 1);
        let owner = map.shards()[map.shard_of_hash(hash) as usize].range.unwrap();
        prop_assert!(owner.start <= hash && hash <= owner.end);
        let mut found = [0];
        map.look_up(&[(hash >> 96) as u32], &mut found, |_| hash);
        prop_assert_eq!(found[0], map.shard_of_hash(hash));
    }

    #[test]
    fn a_split_and_the_merge_of_its_children_leave_the_ranges_as_they_were(
        map in any_map(),
        at in any::<prop::sample::Index>(),
    ) {
        let place = at.index(map.len());
        let id = map.shards()[place].id.clone();
        let Ok(split) = map.split(&id, SplitAt::ExactHalf) else { return Ok(()) };
        prop_assert_eq!(split.len(), map.len() + 1);
        let child = split.shards()[place].id.clone();
        let merged = split.merge(&child, None).unwrap();
        prop_assert_eq!(ranges(&merged), ranges(&map));
        // Nothing is forgotten: the shard, its children, and the child of both.
        prop_assert_eq!(merged.shards().len(), map.shards().len() + 3);
        let order = merged.drain_order().unwrap();
        prop_assert_eq!(order.len(), merged.shards().len());
    }

    #[test]
    fn parents_are_read_before_their_children(map in any_map()) {
        let mut seen = std::collections::HashSet::new();
        for drained in map.drain_order().unwrap() {
            prop_assert!(drained.after.iter().all(|parent| seen.contains(parent)));
            prop_assert!(seen.insert(drained.shard.id.as_str()));
            let is_open = drained.shard.state == ShardState::Open;
            let is_parent = map.shards().iter().any(|child| {
                [&child.parent, &child.adjacent_parent].contains(&&Some(drained.shard.id.clone()))
            });
            prop_assert!(is_open || is_parent);
        }
    }

    #[test]
    fn a_reshaped_map_is_the_same_by_its_bytes_and_by_its_list(map in any_map()) {
        let options = shardlane::TallyOptions::default();
        let tally = shardlane::Tally::new(map.clone(), options).unwrap();
        let again = shardlane::Tally::from_bytes(&tally.to_bytes()).unwrap();
        prop_assert_eq!(&**again.map(), &map);
        if map.system() == System::Sls {
            let json = map.to_json();
            prop_assert!(json.contains("readwrite"));
        }
    }

    #[test]
    fn growing_by_a_whole_factor_moves_a_key_only_by_multiples(
        keys in prop::collection::vec("[a-z0-9-]{0,20}", 1..50),
        partitions in 1..50_usize,
        factor in 2..5_usize,
        partitioner in any_partitioner(),
    ) {
        let topic = ShardMap::kafka(partitions, partitioner).unwrap();
        let grown = topic.grow(partitions * factor).unwrap();
        let column = KeyColumn::try_new(&StringArray::from(keys)).unwrap();
        let (before, after) = (Router::new(topic).route(&column), Router::new(grown).route(&column));
        for (before, after) in before.into_iter().zip(after) {
            prop_assert_eq!(before == shardlane::NO_SHARD, after == shardlane::NO_SHARD);
            if before != shardlane::NO_SHARD {
                prop_assert_eq!(after as usize % partitions, before as usize);
            }
        }
    }

    #[test]
    fn a_column_and_single_keys_go_to_the_same_shards(
        keys in prop::collection::vec(prop::option::of("\\PC{0,60}"), 1..80),
        partitioner in any_partitioner(),
        partitions in 1..200_usize,
        seed in any::<u32>(),
        bits in 0..9_u32,
    ) {
        let column = KeyColumn::try_new(&StringArray::from(keys.clone())).unwrap();
        for map in [
            ShardMap::kafka(partitions, partitioner).unwrap(),
            ShardMap::dynamodb(partitions, seed).unwrap(),
            ShardMap::sls(partitions).unwrap().with_buckets(1 << bits).unwrap(),
            ShardMap::kinesis(partitions, EvenRule::FixedStep).unwrap(),
        ] {
            let router = Router::new(map);
            let routed = router.route(&column);
            for (key, shard) in keys.iter().zip(routed) {
                let alone = router.shard_of(key.as_ref().map(String::as_bytes), None);
                prop_assert_eq!(alone.ok().flatten().unwrap_or(shardlane::NO_SHARD), shard);
            }
        }
    }
}

#[test]
fn the_part_that_moves_comes_near_to_theory() {
    let keys: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..100_000).map(|i| format!("user-{i}"))));
    let kafka = |partitions| ShardMap::kafka(partitions, Partitioner::RdkafkaFnv1a).unwrap();
    let stream = ShardMap::kinesis(6, EvenRule::FixedStep).unwrap();
    let split = stream.split("2", SplitAt::ExactHalf).unwrap();
    let resized = stream.resize(9).unwrap();
    let other = ShardMap::kafka(12, Partitioner::Java).unwrap();
    let pairs = [
        (kafka(12), kafka(18)),
        (kafka(12), other),
        (stream.clone(), split),
        (stream, resized),
        (ShardMap::dynamodb(8, 1).unwrap(), ShardMap::dynamodb(16, 2).unwrap()),
    ];
    for (before, after) in pairs {
        let mut log = Batches::of_keys(vec![keys.clone()]).unwrap();
        let found = compare(before, after, &mut log, &mut |_| ControlFlow::Continue(())).unwrap();
        let (share, theory) = (found.keys.share(), found.theory);
        assert!((share - theory).abs() < 0.01, "{share} and {theory}\n{}", found.to_text());
        assert!(found.keys_are_exact && found.keys.all == 100_000);
    }
}
