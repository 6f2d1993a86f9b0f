//! T-20, T-21 and T-45: records that a producer library put into one.

use super::{load, stream};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use shardlane::keys::aggregate::{delivered, open};

#[derive(Deserialize)]
struct Aggregates {
    aggregates: Vec<Aggregate>,
}

#[derive(Deserialize)]
struct Aggregate {
    id: String,
    data: String,
    shards: usize,
    shard: Option<usize>,
    delivered: Option<usize>,
    delivered_keys: Option<Vec<String>>,
    delivered_shards: Option<Vec<u32>>,
    explicit_hash_key_table: Option<Vec<String>>,
}

fn aggregate(id: &str) -> (Aggregate, Vec<u8>) {
    let all: Aggregates = load("kinesis_aggregates.json");
    let aggregate = all.aggregates.into_iter().find(|one| one.id == id).unwrap();
    let data = BASE64_STANDARD.decode(&aggregate.data).unwrap();
    (aggregate, data)
}

/// The shards that the records within an aggregate belong to.
fn shards(aggregate: &Aggregate, data: &[u8]) -> Vec<u32> {
    let map = stream(aggregate.shards);
    let records = open(data).unwrap();
    records.iter().map(|record| map.shard_of_hash(record.hash().unwrap())).collect()
}

#[test]
fn t_20_records_within_an_aggregate_go_by_their_own_keys() {
    let (vector, data) = aggregate("T-20");
    let keys: Vec<_> = open(&data).unwrap().iter().map(|record| record.key).collect();
    let expected = vector.delivered_keys.clone().unwrap();
    assert_eq!(keys, expected.iter().map(String::as_bytes).collect::<Vec<_>>());
    assert_eq!(Some(shards(&vector, &data)), vector.delivered_shards);
}

#[test]
fn t_21_a_record_outside_the_shard_loses_the_whole_aggregate() {
    let (vector, data) = aggregate("T-21");
    let map = stream(vector.shards);
    let range = map.shards()[vector.shard.unwrap()].range.unwrap();
    let records = open(&data).unwrap();
    assert_eq!(records.len(), 3);
    assert_eq!(delivered(records[..2].to_vec(), range.start..=range.end).len(), 2);
    assert_eq!(Some(delivered(records, range.start..=range.end).len()), vector.delivered);
}

#[test]
fn t_45_a_record_without_a_hash_key_does_not_inherit_another_ones() {
    let (vector, data) = aggregate("T-45");
    let records = open(&data).unwrap();
    let table = vector.explicit_hash_key_table.clone().unwrap();
    assert_eq!(records[0].explicit_hash_key, Some(table[0].as_bytes()));
    assert_eq!(records[1].explicit_hash_key, None);
    assert_eq!(shards(&vector, &data), [0, 3]);
}
