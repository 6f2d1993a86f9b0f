//! The cause that is named is the one that was made.

use super::*;
use shardlane::keys::KeySerializer;

/// The causes by their codes, the likeliest first.
fn codes(found: &Verification) -> Vec<&'static str> {
    found.causes.iter().map(|cause| cause.code).collect()
}

#[track_caller]
fn expect(found: &Verification, code: &str, words: &[&str]) {
    let first = found.causes.first().unwrap_or_else(|| panic!("no cause of {}", found.verdict()));
    assert_eq!(first.code, code, "{:#?}", found.causes);
    let said = format!("{} {}", first.message, first.options.as_deref().unwrap_or_default());
    for word in words {
        assert!(said.contains(word), "no {word:?} in {said}");
    }
    assert!(first.explains <= first.of && first.share() > 0.9, "{first:?}");
}

#[test]
fn another_partitioner_is_named_with_what_to_type() {
    for (true_one, told) in [
        (Partitioner::RdkafkaConsistent, "--kafka 12 --partitioner rdkafka:consistent"),
        (Partitioner::SaramaReference, "--kafka 12 --partitioner sarama:reference"),
        (Partitioner::KafkajsLegacy, "--kafka 12 --partitioner kafkajs:legacy"),
        (Partitioner::SpringCloudStream, "--kafka 12 --partitioner spring-cloud-stream"),
    ] {
        let found = Log::of(&kafka(12, true_one), 0..3_000).verify(&kafka(12, Partitioner::Java));
        expect(&found, "partitioner", &[told]);
    }
}

#[test]
fn another_number_of_partitions_is_named_and_both_at_once() {
    let log = Log::of(&kafka(6, Partitioner::Java), 0..3_000);
    expect(&log.verify(&kafka(12, Partitioner::Java)), "partition_count", &["--kafka 6"]);
    let log = Log::of(&kafka(24, Partitioner::SaramaHash), 0..3_000);
    expect(&log.verify(&kafka(12, Partitioner::Java)), "partitioner_and_count", &["--kafka 24"]);
}

#[test]
fn a_topic_that_grew_half_way_explains_the_rows_before() {
    let (old, new) = (kafka(6, Partitioner::Java), kafka(12, Partitioner::Java));
    let log = Log::of(&old, 0..2_000).and(Log::of(&new, 2_000..4_000));
    let found = log.verify(&new);
    expect(&found, "topic_grew", &["before the topic grew", "java over 6 partitions"]);
    expect(&log.verify(&old), "topic_grew", &["after the topic grew", "java over 12 partitions"]);
}

#[test]
fn a_second_producer_explains_its_own_rows() {
    let java = kafka(12, Partitioner::Java);
    let log = Log::of(&java, 0..4_000)
        .and(Log::of(&kafka(12, Partitioner::RdkafkaConsistent), 4_000..4_400));
    expect(&log.verify(&java), "several_producers", &["rdkafka:consistent"]);
}

#[test]
fn keys_that_were_serialized_otherwise_are_told_by_their_serializer() {
    let topic = kafka(12, Partitioner::Java);
    let text: Vec<_> = (0..3_000_i64).map(|i| Some(i.to_string().into_bytes())).collect();
    let bytes: Vec<_> = (0..3_000_i64).map(|i| Some(i.to_be_bytes().to_vec())).collect();
    let log = Log { keys: text, ..Log::routed(&topic, bytes) };
    expect(&log.verify(&topic), "key_form", &["8 bytes", "--key-serializer long"]);
    assert_eq!(KeySerializer::Long.name(), "long");

    let quoted = |i: usize| Some(format!("\"order-{i}\"").into_bytes());
    let log = Log {
        keys: (0..3_000).map(|i| Some(format!("order-{i}").into_bytes())).collect(),
        ..Log::routed(&kafka(8, Partitioner::Java), (0..3_000).map(quoted).collect())
    };
    expect(&log.verify(&kafka(8, Partitioner::Java)), "key_form", &["JSON"]);
    expect(&log.verify(&kafka(12, Partitioner::Java)), "key_form", &["JSON", "--kafka 8"]);
}

#[test]
fn null_and_empty_keys_that_the_producer_spreads_are_told() {
    let topic = kafka(12, Partitioner::RdkafkaMurmur2);
    let mut log = Log::of(&topic, 0..1_000);
    for i in 0..60 {
        log.row(None, None, &(i % 12).to_string());
    }
    let found = log.verify(&topic);
    assert!(found.disagreed() > 50);
    // The Java client's rule is the same but for these.
    expect(&found, "partitioner", &["--partitioner java"]);
}

#[test]
fn records_of_closed_shards_are_told_from_a_list_that_is_too_new() {
    let old = kinesis(2);
    let new = old.split("0", SplitAt::ExactHalf).unwrap();
    let log = Log::of(&old, 0..1_000).and(Log::of(&new, 1_000..2_000));
    let found = log.verify(&new);
    assert!(found.agreement() > 0.5 && found.disagreed() > 300);
    expect(&found, "old_records", &["before a split or a merge"]);
    expect(&log.verify(&old), "old_shard_map", &["shardId-000000000002", "new shard list"]);
}

#[test]
fn another_number_of_even_shards_is_named() {
    expect(&Log::of(&kinesis(6), 0..2_000).verify(&kinesis(4)), "shard_count", &["--kinesis 6"]);
    let buckets = |buckets| ShardMap::sls(8).unwrap().with_buckets(buckets).unwrap();
    expect(&Log::of(&buckets(4), 0..2_000).verify(&buckets(64)), "buckets", &["--buckets 4"]);
}

#[test]
fn aggregated_records_are_never_taken_for_a_hot_shard() {
    let map = kinesis(8);
    let mut log = Log::of(&map, 0..100);
    for i in 0..1_000 {
        log.row(Some("a"), None, &map.shards()[i % 8].id);
    }
    let found = log.verify(&map);
    assert!(codes(&found).contains(&"aggregated_records"), "{:?}", found.causes);
    let text = found.to_text();
    assert!(text.contains("Kinesis Producer Library"), "{text}");
}

#[test]
fn explicit_hash_keys_that_are_lost_show_as_keys_at_several_shards() {
    let map = kinesis(8);
    let mut log = Log::default();
    for i in 0..4_000 {
        log.row(Some(&format!("user-{}", i % 500)), None, &map.shards()[(i * 7 + i / 500) % 8].id);
    }
    expect(&log.verify(&map), "explicit_hash_keys_lost", &["--explicit-hash-key"]);
}

#[test]
fn hash_values_at_the_boundaries_of_an_emulator_are_told() {
    let map = kinesis(4);
    let mut log = Log::of(&map, 0..100);
    for i in 1..4_u128 {
        // One short of where the service starts shard i.
        let hash = i * (u128::MAX / 4);
        log.row(Some("k"), Some(hash.to_string()), &map.shards()[i as usize].id);
    }
    let found = log.verify(&map);
    assert_eq!(found.disagreed(), 3);
    expect(&found, "boundary", &["kinesis-mock"]);
}

#[test]
fn two_columns_that_know_nothing_of_each_other_agree_by_chance() {
    let map = kafka(16, Partitioner::Java);
    let mut log = Log::of(&map, 0..4_000);
    log.shards = (0..4_000_u64)
        .map(|i| Some((i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60).to_string()))
        .collect();
    expect(&log.verify(&map), "chance", &["is it the right key column"]);
}
