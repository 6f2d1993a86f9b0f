//! Rules found out from where keys went.

use super::*;
use proptest::prelude::*;
use shardlane::System;

#[test]
fn every_partitioner_is_told_from_those_that_send_keys_elsewhere() {
    for partitioner in Partitioner::ALL {
        if partitioner == Partitioner::RdkafkaRandom {
            continue;
        }
        let found = Log::of(&kafka(12, partitioner), 0..2_000).infer();
        let best = found.best().unwrap_or_else(|| panic!("{partitioner}: {}", found.verdict()));
        assert_eq!((best.system, best.shards, best.agreement()), (System::Kafka, 12, 1.0));
        let equal: Vec<_> = found.equals().iter().filter_map(|of| of.partitioner).collect();
        assert!(equal.contains(&partitioner), "{partitioner}: {equal:?}");
        assert!(equal.iter().all(|of| of.agrees_with(partitioner)), "{partitioner}: {equal:?}");
    }
}

#[test]
fn null_and_empty_keys_tell_partitioners_apart_that_hash_alike() {
    let with_odd = |partitioner: Partitioner, null: &dyn Fn(usize) -> usize| {
        let mut log = Log::of(&kafka(12, partitioner), 0..1_000);
        for i in 0..50 {
            log.row(None, None, &null(i).to_string());
        }
        log.infer().best().unwrap().partitioner
    };
    // Null is hashed as nothing: 0 by CRC-32, 9 by murmur2.
    assert_eq!(
        with_odd(Partitioner::RdkafkaConsistent, &|_| 0),
        Some(Partitioner::RdkafkaConsistent)
    );
    assert_eq!(with_odd(Partitioner::RdkafkaMurmur2, &|_| 9), Some(Partitioner::RdkafkaMurmur2));
    assert_eq!(with_odd(Partitioner::Java, &|i| i % 12), Some(Partitioner::Java));
}

#[test]
fn even_streams_and_buckets_are_told() {
    let found = Log::of(&kinesis(7), 0..3_000).infer();
    assert_eq!(found.best().unwrap().options(), "--kinesis 7");
    assert!(found.are_ranges && found.shards.len() == 7);
    let map = ShardMap::sls(16).unwrap().with_buckets(4).unwrap();
    let found = Log::of(&map, 0..3_000).infer();
    assert_eq!(found.best().unwrap().buckets, Some(4), "{:?}", found.candidates);
}

#[test]
fn a_stream_that_was_reshaped_shows_as_ranges() {
    let map = kinesis(3).split("1", SplitAt::ExactHalf).unwrap().merge("1", Some("2")).unwrap();
    let map = map.split("2", SplitAt::ExactHalf).unwrap();
    let found = Log::of(&map, 0..3_000).infer();
    assert!(found.are_ranges && found.fits(), "{}", found.verdict());
    let names: Vec<_> = found.shards.iter().map(|shard| shard.name.clone()).collect();
    let expected: Vec<_> = map.open_shards().map(|shard| shard.id.clone().into_bytes()).collect();
    assert_eq!(names, expected, "in order of their ranges");
    for (seen, shard) in found.shards.iter().zip(map.open_shards()) {
        let range = shard.range.unwrap();
        assert!(range.start <= seen.first_hash && seen.last_hash <= range.end);
    }
}

#[test]
fn the_form_of_the_key_is_found_out_as_well() {
    let bytes: Vec<_> = (0..2_000_i32).map(|i| Some(i.to_be_bytes().to_vec())).collect();
    let text: Vec<_> = (0..2_000).map(|i| Some(i.to_string().into_bytes())).collect();
    let log = Log { keys: text, ..Log::routed(&kafka(9, Partitioner::Java), bytes) };
    let best = *log.infer().best().unwrap();
    assert_eq!(best.options(), "--kafka 9 --partitioner java --key-serializer integer");
}

#[test]
fn records_dealt_out_in_turn_fit_nothing_and_it_says_so() {
    let mut log = Log::default();
    for i in 0..3_000 {
        log.row(Some(&format!("user-{}", i % 700)), None, &(i % 6).to_string());
    }
    let found = log.infer();
    assert!(!found.fits() && found.best().is_none(), "{:?}", found.candidates);
    assert!(found.verdict().contains("went to several shards"), "{}", found.verdict());
}

#[test]
fn a_few_keys_fit_many_counts_and_it_says_so() {
    let found = Log::of(&kafka(6, Partitioner::Java), 0..2).infer();
    assert!(found.equals().len() > 1);
    assert!(found.verdict().contains("too few to tell"), "{}", found.verdict());
}

#[test]
fn every_form_of_the_inference_keeps_to_its_own() {
    let found = Log::of(&kinesis(40), 0..5_000).infer();
    for line in found.to_text().lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    let json: serde_json::Value = serde_json::from_str(&found.to_json()).unwrap();
    assert_eq!(json["candidates"][0]["options"], "--kinesis 40");
    assert_eq!(json["shards"].as_array().unwrap().len(), 40);
    assert_eq!(found.to_csv().lines().count(), 1 + found.candidates.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_partitioner_over_any_number_of_partitions_is_found_out(
        partitions in 2_usize..400,
        at in 0_usize..13,
        odd in prop::collection::vec(any::<bool>(), 0..20),
        seed in any::<u32>(),
    ) {
        let partitioner = Partitioner::ALL[at];
        prop_assume!(partitioner != Partitioner::RdkafkaRandom);
        let mut keys: Vec<_> =
            (0..4_000).map(|i| Some(format!("{seed:x}-{i}").into_bytes())).collect();
        keys.extend(odd.iter().map(|is_null| (!is_null).then(Vec::new)));
        let map = kafka(partitions, partitioner);
        let mut log = Log::routed(&map, keys);
        // What the producer sends anywhere goes somewhere.
        for (row, shard) in log.shards.iter_mut().enumerate() {
            shard.get_or_insert_with(|| (row * 7 % partitions).to_string());
        }
        if partitioner == Partitioner::SpringCloudStream {
            log.keys.iter().zip(&mut log.shards).filter(|(key, _)| key.is_none()).for_each(
                |(_, shard)| *shard = None,
            );
        }
        let found = log.infer();
        let best = found.best().unwrap_or_else(|| panic!("{}", found.verdict()));
        prop_assert_eq!(best.shards, partitions);
        prop_assert!(best.partitioner.unwrap().agrees_with(partitioner));
        let equal: Vec<_> = found.equals().iter().filter_map(|of| of.partitioner).collect();
        prop_assert!(
            equal.contains(&partitioner) || odd.len() < 3 || partitions < 4,
            "{:?} of {:?}", partitioner, equal
        );
        prop_assert_eq!(log.verify(&map).agreement(), 1.0);
    }
}
