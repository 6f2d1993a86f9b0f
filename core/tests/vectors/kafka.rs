//! Kafka's partitioners, serializers and growth, and salts.

use super::*;
use shardlane::Partitioner;
use shardlane::arrow;
use shardlane::arrow::array::{BinaryArray, Int64Array};
use shardlane::engine::compare;
use shardlane::keys::{KeySerializer, SaltRule};
use shardlane::lanes::{crc32, fnv1a, java, kafkajs, murmur2};
use std::ops::ControlFlow;

#[derive(Deserialize)]
struct Hashes {
    hashes: Vec<Hash>,
}

#[derive(Deserialize)]
struct Hash {
    function: String,
    key: String,
    signed: Option<i32>,
    unsigned: Option<u32>,
    after_mask: Option<u32>,
    magnitude: Option<u32>,
}

#[test]
fn hashes_are_those_that_each_client_published() {
    let vectors: Hashes = load("kafka_hashes.json");
    assert_eq!(vectors.hashes.len(), 71);
    for vector in &vectors.hashes {
        let hash = match vector.function.as_str() {
            "murmur2" => murmur2::hash,
            "crc32" => crc32::hash,
            "fnv1a" => fnv1a::hash,
            "kafkajs-legacy" => kafkajs::hash,
            "java-string" => java::hash,
            other => panic!("{other}"),
        };
        let hash = hash(vector.key.as_bytes());
        let signed = hash.cast_signed();
        let found = [
            vector.signed.map(|of| of == signed),
            vector.unsigned.map(|of| of == hash),
            vector.after_mask.map(|of| of == hash & 0x7fff_ffff),
            vector.magnitude.map(|of| of == signed.unsigned_abs()),
        ];
        let what = format!("{} of {:?} is {hash:#x} ({signed})", vector.function, vector.key);
        assert_eq!(found.into_iter().flatten().collect::<Vec<_>>(), [true], "{what}");
    }
}

#[derive(Deserialize)]
struct Partitioners {
    routes: Vec<KafkaRoute>,
}

#[derive(Deserialize)]
struct KafkaRoute {
    partitioner: String,
    key: Option<String>,
    key_hex: Option<String>,
    partitions: usize,
    partition: Option<u32>,
}

impl KafkaRoute {
    fn bytes(&self) -> Option<Vec<u8>> {
        let hex = self.key_hex.as_deref().map(|hex| {
            (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        });
        hex.map(Iterator::collect).or_else(|| self.key.clone().map(String::into_bytes))
    }
}

#[test]
fn keys_go_to_the_partitions_that_each_client_sends_them_to() {
    let vectors: Partitioners = load("kafka_partitioners.json");
    assert_eq!(vectors.routes.len(), 90);
    for vector in &vectors.routes {
        let partitioner: Partitioner = vector.partitioner.parse().unwrap();
        let router = Router::new(ShardMap::kafka(vector.partitions, partitioner).unwrap());
        let key = vector.bytes();
        let what = format!("{:?} of {} by {partitioner}", vector.key, vector.partitions);
        assert_eq!(router.shard_of(key.as_deref(), None), Ok(vector.partition), "{what}");
        // As a column, beside other keys and with something in the place of the null.
        let keys: BinaryArray =
            [Some(b"x".to_vec()), key, None, Some(vec![b'y'; 300])].into_iter().collect();
        let routed = router.route(&KeyColumn::try_new(&keys).unwrap());
        let expected = vector.partition.unwrap_or(NO_SHARD);
        assert_eq!(routed[1], expected, "{what}, in a column");
        let null = router.shard_of(None, None).unwrap().unwrap_or(NO_SHARD);
        assert_eq!(routed[2], null, "null by {partitioner}");
    }
}

#[derive(Deserialize)]
struct Serializers {
    values: Vec<Serialized>,
}

#[derive(Deserialize)]
struct Serialized {
    value: i64,
    serializer: String,
    partitions: usize,
    partition: u32,
}

#[test]
fn the_same_number_is_another_key_by_each_serializer() {
    let vectors: Serializers = load("kafka_serializers.json");
    assert_eq!(vectors.values.len(), 6);
    for vector in &vectors.values {
        let serializer: KeySerializer = vector.serializer.parse().unwrap();
        let map = ShardMap::kafka(vector.partitions, Partitioner::Java).unwrap();
        let router = Router::new(map);
        let numbers = Int64Array::from(vec![vector.value]);
        let text = StringArray::from(vec![vector.value.to_string()]);
        let columns: [&dyn arrow::array::Array; 2] = [&numbers, &text];
        for column in columns {
            let keys = serializer.serialize(column).unwrap();
            assert_eq!(router.route(&keys), [vector.partition], "{serializer}");
        }
    }
}

#[derive(Deserialize)]
struct Growths {
    growths: Vec<Growth>,
}

#[derive(Deserialize)]
struct Growth {
    from: usize,
    to: usize,
    theory: [f64; 2],
    moved_of_10000: Option<u64>,
}

#[test]
fn as_many_keys_move_as_theory_and_murmur2_say() {
    let vectors: Growths = load("kafka_growth.json");
    assert_eq!(vectors.growths.len(), 6);
    let orders: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..10_000).map(|i| format!("order-{i}"))));
    for vector in &vectors.growths {
        let before = ShardMap::kafka(vector.from, Partitioner::Java).unwrap();
        let after = before.grow(vector.to).unwrap();
        let mut log = Batches::of_keys(vec![orders.clone()]).unwrap();
        let go_on = &mut |_| ControlFlow::Continue(());
        let found = compare(before, after, &mut log, go_on).unwrap();
        let [part, whole] = vector.theory;
        assert!((found.theory - part / whole).abs() < 1e-12, "{}", found.theory);
        assert_eq!((found.keys.all, found.records.all), (10_000, 10_000));
        assert_eq!(found.keys.moved, found.records.moved);
        assert!(vector.moved_of_10000.is_none_or(|moved| moved == found.keys.moved));
        assert!((found.keys.share() - found.theory).abs() < 0.02);
        let flows: u64 = found.flows.iter().map(|flow| flow.keys).sum();
        assert_eq!(flows, found.keys.moved);
        if vector.to == 2 * vector.from {
            let from = vector.from as u32;
            let doubled = |flow: &shardlane::report::Flow| {
                flow.to == flow.from.map(|partition| partition + from)
            };
            assert!(found.flows.iter().all(doubled));
        }
    }
}

#[derive(Deserialize)]
struct Salts {
    buckets: Vec<Bucket>,
}

#[derive(Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names are those of the file")]
struct Bucket {
    rule: String,
    value: String,
    buckets: u32,
    bucket: u32,
}

#[test]
fn salts_come_from_the_buckets_of_their_rules() {
    let vectors: Salts = load("salts.json");
    assert_eq!(vectors.buckets.len(), 8);
    for vector in &vectors.buckets {
        let rule: SaltRule = vector.rule.parse().unwrap();
        let bucket = rule.bucket(vector.value.as_bytes(), vector.buckets);
        assert_eq!(bucket, vector.bucket, "{rule} of {}", vector.value);
    }
}
