//! `DynamoDB` and Simple Log Service.

use super::*;
use shardlane::limits::{burst_seconds, estimated_partitions};
use shardlane::report::Fullest;
use shardlane::{ErrorKind, Operation, SplitAt};

#[derive(Deserialize)]
struct Units {
    requests: Vec<Request>,
    bursts: Vec<Burst>,
    partitions: Vec<Partitions>,
}

#[derive(Deserialize)]
struct Request {
    operation: String,
    bytes: u64,
    units: f64,
    most_per_second: Option<f64>,
}

#[derive(Deserialize)]
struct Burst {
    capacity: f64,
    load: f64,
    seconds: f64,
}

#[derive(Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names are those of the file")]
struct Partitions {
    read_units: u64,
    write_units: u64,
    gigabytes: f64,
    partitions: u64,
}

#[test]
fn requests_cost_the_units_of_the_capacity_pages() {
    let vectors: Units = load("dynamodb_units.json");
    assert_eq!(vectors.requests.len(), 13);
    for vector in &vectors.requests {
        let operation: Operation = vector.operation.parse().unwrap();
        assert_eq!(operation.units(vector.bytes), vector.units, "{operation} {}", vector.bytes);
        if let Some(most) = vector.most_per_second {
            let limit = Limits::dynamodb().read_units_per_second().unwrap().value as f64;
            assert_eq!(limit / operation.units(vector.bytes), most);
        }
    }
    for burst in &vectors.bursts {
        assert_eq!(burst_seconds(burst.capacity, burst.load), Some(burst.seconds));
    }
    for of in &vectors.partitions {
        let found = estimated_partitions(of.read_units, of.write_units, of.gigabytes);
        assert_eq!(found, of.partitions);
    }
}

#[derive(Deserialize)]
struct Skews {
    zipf_exponent: f64,
    keys: usize,
    top_key_share: f64,
    skew: Vec<Skewed>,
    derived: Derived,
}

#[derive(Deserialize)]
struct Skewed {
    places: usize,
    expectation: f64,
    brief: f64,
    brief_uniform: f64,
    times_even: f64,
}

#[derive(Deserialize)]
struct Derived {
    places: usize,
    read_units_per_second: f64,
    share: f64,
    throttles_at: f64,
    of_nominal: f64,
    part_of_nominal: f64,
    uniform_share: f64,
    uniform_throttles_at: f64,
    ratio: f64,
    times_even: f64,
}

/// Shares in percent of the fullest place when the key of rank r, from 1, lies at r modulo places.
fn fullest(weights: &[f64], places: usize) -> f64 {
    let mut loads = vec![0.0; places];
    for (rank, weight) in weights.iter().enumerate() {
        loads[(rank + 1) % places] += weight;
    }
    100.0 * loads.iter().copied().fold(0.0, f64::max) / weights.iter().sum::<f64>()
}

fn of_share(places: usize, share: f64) -> Fullest {
    Fullest { places, even: 1.0 / places as f64, median: share, p95: share, seed_0: share }
}

#[test]
fn the_published_skew_follows_from_the_stated_law() {
    let vectors: Skews = load("dynamodb_skew.json");
    let zipf: Vec<f64> =
        (1..=vectors.keys).map(|rank| (rank as f64).powf(-vectors.zipf_exponent)).collect();
    let even = vec![1.0; vectors.keys];
    assert!((100.0 * zipf[0] / zipf.iter().sum::<f64>() - vectors.top_key_share).abs() < 5e-5);
    assert_eq!(vectors.skew.len(), 4);
    for vector in &vectors.skew {
        let share = fullest(&zipf, vector.places);
        assert!((share - vector.expectation).abs() < 5e-5, "{share} of {}", vector.places);
        // The brief drew half a million times: some hundredths of a percent either way.
        assert!((share - vector.brief).abs() < 0.05, "{share} at {}", vector.places);
        assert!((fullest(&even, vector.places) - vector.brief_uniform).abs() < 0.12);
        let times = of_share(vector.places, vector.brief / 100.0).times_even();
        assert!((times - vector.times_even).abs() < 0.05, "{times}");
    }
}

#[test]
fn the_published_throttle_rates_follow_from_the_shares() {
    let derived = load::<Skews>("dynamodb_skew.json").derived;
    let skewed = of_share(derived.places, derived.share);
    let even = of_share(derived.places, derived.uniform_share);
    let limit = derived.read_units_per_second;
    assert_eq!(skewed.throttles_at(limit).round(), derived.throttles_at);
    assert_eq!(even.throttles_at(limit).round(), derived.uniform_throttles_at);
    assert_eq!(limit * derived.places as f64, derived.of_nominal);
    let close = |a: f64, b: f64, within: f64| assert!((a - b).abs() < within, "{a} and {b}");
    close(skewed.throttles_at(limit) / derived.of_nominal, derived.part_of_nominal, 5e-5);
    close(even.throttles_at(limit) / skewed.throttles_at(limit), derived.ratio, 5e-3);
    close(skewed.times_even(), derived.times_even, 5e-3);
}

#[derive(Deserialize)]
struct HashKeys {
    hash_keys: Vec<HashKey>,
}

#[derive(Deserialize)]
struct HashKey {
    text: String,
    shards: usize,
    shard: Option<u32>,
}

#[test]
fn hash_keys_name_shards_by_their_first_digits() {
    let vectors: HashKeys = load("sls_hash_keys.json");
    assert_eq!(vectors.hash_keys.len(), 14);
    for vector in &vectors.hash_keys {
        let router = Router::new(ShardMap::sls(vector.shards).unwrap());
        let found = router.shard_of(None, Some(vector.text.as_bytes()));
        let expected = match vector.shard {
            Some(shard) => Ok(Some(shard)),
            None => Err(Refusal::MalformedExplicitHashKey),
        };
        assert_eq!(found, expected, "{:?}", vector.text);
        // In columns: the key is null, and the hash key alone decides.
        let (keys, texts) = (column(&[None, Some("k")]), column(&[Some(&vector.text), None]));
        let mut shards = [0; 2];
        let rejections = router.route_into(&keys, Some(&texts), &mut shards).unwrap();
        assert_eq!(shards[0], vector.shard.unwrap_or(NO_SHARD), "{:?}", vector.text);
        assert_eq!(rejections.total(), u64::from(vector.shard.is_none()));
        assert_eq!(Ok(Some(shards[1])), router.shard_of(Some(b"k"), None));
    }
}

#[derive(Deserialize)]
struct Buckets {
    adjusted: Vec<Adjusted>,
    refused: Vec<u32>,
}

#[derive(Deserialize)]
struct Adjusted {
    text: String,
    buckets: u32,
    first_byte: String,
}

#[test]
fn producers_keep_the_bits_that_tell_buckets_apart() {
    let vectors: Buckets = load("sls_buckets.json");
    assert_eq!(vectors.adjusted.len(), 19);
    for vector in &vectors.adjusted {
        // Of 256 even shards, the first byte of the hash is the shard.
        let map = ShardMap::sls(256).unwrap().with_buckets(vector.buckets).unwrap();
        let router = Router::new(map);
        let byte = u32::from_str_radix(&vector.first_byte, 16).unwrap();
        assert_eq!(router.shard_of(Some(vector.text.as_bytes()), None), Ok(Some(byte)));
        let routed = router.route(&column(&[Some("other"), Some(&vector.text)]));
        assert_eq!(routed[1], byte, "{} to {} buckets", vector.text, vector.buckets);
    }
    for buckets in vectors.refused {
        let error = ShardMap::sls(4).unwrap().with_buckets(buckets).unwrap_err();
        assert!(error.message().contains("power of two"), "{error}");
    }
}

#[derive(Deserialize)]
struct Reshapes {
    splits: Vec<Split>,
    merges: Vec<Merge>,
    even: Vec<Even>,
}

type Range = (String, String);

#[derive(Deserialize)]
struct Split {
    shards: Vec<Range>,
    at: String,
    children: [Range; 2],
}

#[derive(Deserialize)]
struct Merge {
    shards: usize,
    left: String,
    range: Option<Range>,
    refused: Option<String>,
}

#[derive(Deserialize)]
struct Even {
    shards: usize,
    begins: Vec<String>,
}

#[test]
fn shards_of_a_logstore_split_and_merge_as_the_help_pages_say() {
    let vectors: Reshapes = load("sls_reshape.json");
    for vector in &vectors.splits {
        let (begin, end) = &vector.shards[0];
        let listed = |id: u32, begin: &str, end: &str| {
            serde_json::json!({"shardID": id, "status": "readwrite", "inclusiveBeginKey": begin,
                               "exclusiveEndKey": end, "createTime": 1})
        };
        let json = serde_json::json!([listed(0, &"0".repeat(32), begin), listed(7, begin, end)]);
        let map = ShardMap::from_sls_shards(&json.to_string()).unwrap();
        let at = SplitAt::Value(map.explicit_hash(vector.at.as_bytes()).unwrap());
        let split = map.split("7", at).unwrap();
        let ranges: Vec<_> = split
            .open_shards()
            .filter(|shard| shard.parent.as_deref() == Some("7"))
            .map(|shard| shard.boundaries(System::Sls).unwrap())
            .collect();
        assert_eq!(ranges, vector.children);
        let ids: Vec<_> = split.open_shards().map(|shard| shard.id.as_str()).collect();
        assert_eq!(ids, ["0", "8", "9"]);
        let states = split.shards().iter().map(|shard| shard.state.name(System::Sls));
        assert_eq!(states.collect::<Vec<_>>(), ["readwrite", "readwrite", "readwrite", "readonly"]);
        let error = split.split("7", SplitAt::ExactHalf).unwrap_err();
        assert!(error.message().contains("invalid shard id"), "{error}");
        let error = map.split("7", SplitAt::Value(0)).unwrap_err();
        assert!(error.message().contains("invalid mid hash"), "{error}");
    }
    for vector in &vectors.merges {
        let map = ShardMap::sls(vector.shards).unwrap();
        match (map.merge(&vector.left, None), &vector.range, &vector.refused) {
            (Ok(merged), Some(range), None) => {
                let child = merged.open_shards().find(|shard| shard.parent.is_some()).unwrap();
                assert_eq!(child.boundaries(System::Sls).unwrap(), *range);
                assert_eq!(merged.len(), vector.shards - 1);
            }
            (Err(error), None, Some(refused)) => {
                assert_eq!(error.kind(), ErrorKind::InvalidReshape);
                assert!(error.message().contains(refused), "{error}");
            }
            (found, ..) => panic!("{found:?}"),
        }
    }
    for vector in &vectors.even {
        let map = ShardMap::sls(vector.shards).unwrap();
        let begins = map.open_shards().map(|shard| shard.boundaries(System::Sls).unwrap().0);
        let padded = |begin: &String| format!("{begin:0<32}");
        assert!(begins.eq(vector.begins.iter().map(padded)));
    }
}
