//! The vectors of `datasets/vectors`, which the tests of every language read, against the Rust API.

#[path = "vectors/aggregates.rs"]
mod aggregates;
#[path = "vectors/kafka.rs"]
mod kafka;
#[path = "vectors/others.rs"]
mod others;
#[path = "vectors/reshape.rs"]
mod reshape;

use serde::Deserialize;
use shardlane::arrow::array::{ArrayRef, Int64Array, StringArray};
use shardlane::projection::{BindingLimit, project};
use shardlane::source::{Batch, Batches};
use shardlane::{
    EvenRule, HashRange, KeyColumn, KeyLengthUnit, Limits, Model, NO_SHARD, Refusal, Router, Shard,
    ShardMap, ShardState, System, TallyOptions, Verdict,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn datasets(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets").join(file)
}

fn load<T: for<'a> Deserialize<'a>>(file: &str) -> T {
    let path = datasets("vectors").join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn shard_map(file: &str) -> shardlane::Result<ShardMap> {
    let path = datasets("shard_maps").join(file);
    ShardMap::from_list_shards(&std::fs::read_to_string(path).unwrap())
}

fn stream(shards: usize) -> ShardMap {
    ShardMap::kinesis(shards, EvenRule::FixedStep).unwrap()
}

fn column(keys: &[Option<&str>]) -> KeyColumn {
    KeyColumn::try_new(&StringArray::from(keys.to_vec())).unwrap()
}

fn hex(digest: [u8; 16]) -> String {
    format!("{:032x}", u128::from_be_bytes(digest))
}

fn range(map: &ShardMap, index: usize) -> HashRange {
    map.shards()[index].range.unwrap()
}

/// Why `map` refuses a key, if it does.
fn refusal(map: &ShardMap, key: &[u8]) -> Option<Refusal> {
    match map.verdict(Some(key)) {
        Verdict::Refused(reason) => Some(reason),
        _ => None,
    }
}

fn number(text: &str) -> u128 {
    text.parse().unwrap()
}

#[derive(Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names are those of the file")]
struct Routes {
    routes: Vec<Route>,
    columns: Vec<Column>,
    not_this_number: Vec<Misread>,
}

#[derive(Deserialize)]
struct Route {
    key: String,
    md5: String,
    hash: String,
    shards: BTreeMap<String, u32>,
}

#[derive(Deserialize)]
struct Column {
    shards: usize,
    keys: Vec<String>,
    route: Vec<u32>,
}

#[derive(Deserialize)]
struct Misread {
    key: String,
    md5: String,
    hash: String,
    duckdb_md5_number: String,
}

#[test]
fn every_key_has_its_digest_and_goes_to_its_shard() {
    let vectors: Routes = load("kinesis_routes.json");
    assert_eq!(vectors.routes.len(), 10);
    for route in &vectors.routes {
        let keys = column(&[Some(&route.key)]);
        assert_eq!(route.shards.len(), 5, "{}", route.key);
        for (shards, expected) in &route.shards {
            let router = Router::new(stream(shards.parse().unwrap()));
            assert_eq!(router.route(&keys), [*expected], "{} of {shards}", route.key);
            let digest = router.digest(&keys)[0];
            assert_eq!(hex(digest), route.md5, "{}", route.key);
            assert_eq!(u128::from_be_bytes(digest), number(&route.hash), "{}", route.key);
            assert_eq!(router.map().shard_of_hash(number(&route.hash)), *expected);
        }
    }
    for vector in &vectors.columns {
        let keys: Vec<_> = vector.keys.iter().map(|key| Some(key.as_str())).collect();
        assert_eq!(Router::new(stream(vector.shards)).route(&column(&keys)), vector.route);
    }
}

#[test]
fn a_digest_is_one_big_endian_number_unlike_duckdbs() {
    let vectors: Routes = load("kinesis_routes.json");
    for vector in &vectors.not_this_number {
        let digest = Router::new(stream(1)).digest(&column(&[Some(&vector.key)]))[0];
        assert_eq!(hex(digest), vector.md5);
        assert_eq!(u128::from_be_bytes(digest), number(&vector.hash));
        assert_eq!(u128::from_le_bytes(digest), number(&vector.duckdb_md5_number));
    }
}

#[derive(Deserialize)]
struct Maps {
    even: Vec<EvenMap>,
    rules_agree_for: Vec<usize>,
    rules_differ: Vec<Difference>,
    not_the_service: Vec<Emulator>,
    refused: Vec<RefusedMap>,
}

#[derive(Deserialize)]
struct EvenMap {
    shards: usize,
    ranges: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct Difference {
    shards: usize,
    shard: usize,
    start: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Emulator {
    shards: usize,
    first_end: String,
    service_first_end: String,
}

#[derive(Deserialize)]
struct RefusedMap {
    shards: usize,
}

const RULES: [EvenRule; 2] = [EvenRule::FixedStep, EvenRule::Rational];

#[test]
fn even_streams_are_divided_as_the_service_divides_them() {
    let vectors: Maps = load("kinesis_maps.json");
    for vector in &vectors.even {
        for rule in RULES {
            let map = ShardMap::kinesis(vector.shards, rule).unwrap();
            let ranges: Vec<_> = map
                .shards()
                .iter()
                .map(|shard| shard.boundaries(System::Kinesis).unwrap())
                .collect();
            assert_eq!(ranges, vector.ranges, "{} by {}", vector.shards, rule.name());
        }
    }
    for vector in &vectors.not_the_service {
        let end = range(&stream(vector.shards), 0).end;
        assert_eq!(end, number(&vector.service_first_end));
        assert_ne!(end, number(&vector.first_end));
    }
    for vector in &vectors.refused {
        assert!(ShardMap::kinesis(vector.shards, EvenRule::FixedStep).is_err());
    }
}

#[test]
fn the_two_even_rules_agree_for_the_listed_counts_and_for_no_others() {
    let vectors: Maps = load("kinesis_maps.json");
    let map = |shards, rule| ShardMap::kinesis(shards, rule).unwrap();
    let agree = (1..600)
        .filter(|&shards| map(shards, RULES[0]).shards() == map(shards, RULES[1]).shards())
        .collect::<Vec<_>>();
    assert_eq!(agree, vectors.rules_agree_for);
    for vector in &vectors.rules_differ {
        assert_eq!(vector.start.len(), 2);
        for (rule, start) in &vector.start {
            let map = map(vector.shards, rule.parse().unwrap());
            assert_eq!(range(&map, vector.shard).start, number(start), "{rule}");
        }
    }
}

#[derive(Deserialize)]
struct Keys {
    keys: Vec<Key>,
    spellings: Vec<Spelling>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Key {
    text: Option<String>,
    #[serde(default = "one")]
    times: usize,
    code_points: String,
    utf16_units: String,
}

#[derive(Deserialize)]
struct Spelling {
    composed: String,
    decomposed: String,
    composed_md5: String,
    decomposed_md5: String,
}

fn one() -> usize {
    1
}

#[test]
fn the_rule_of_256_characters_follows_the_unit_chosen() {
    let vectors: Keys = load("kinesis_keys.json");
    assert_eq!(vectors.keys.len(), 9);
    for vector in &vectors.keys {
        let key = vector.text.as_ref().map(|text| text.repeat(vector.times));
        let units = [
            (KeyLengthUnit::CodePoints, &vector.code_points),
            (KeyLengthUnit::Utf16Units, &vector.utf16_units),
        ];
        for (unit, expected) in units {
            let router = Router::new(stream(4).with_key_length_unit(unit));
            let mut shards = [0];
            let found = router.route_into(&column(&[key.as_deref()]), None, &mut shards).unwrap();
            let reason = found.iter().next().map_or("accepted", |(reason, ..)| reason.name());
            assert_eq!(reason, expected, "{:?} by {}", vector.text, unit.name());
            assert_eq!(shards[0] == NO_SHARD, expected != "accepted");
        }
    }
}

#[test]
fn two_spellings_of_a_character_are_two_keys() {
    let vectors: Keys = load("kinesis_keys.json");
    for vector in &vectors.spellings {
        let keys = column(&[Some(&vector.composed), Some(&vector.decomposed)]);
        let digests = Router::new(stream(1)).digest(&keys);
        assert_eq!(
            digests.iter().copied().map(hex).collect::<Vec<_>>(),
            [vector.composed_md5.clone(), vector.decomposed_md5.clone()]
        );
        assert_ne!(digests[0], digests[1]);
    }
}

#[derive(Deserialize)]
struct ExplicitHashKeys {
    explicit_hash_keys: Vec<ExplicitHashKey>,
}

#[derive(Deserialize)]
struct ExplicitHashKey {
    text: String,
    shards: Option<usize>,
    shard: Option<u32>,
    refused: Option<String>,
}

#[test]
fn explicit_hash_keys_name_their_shard_or_are_refused() {
    let vectors: ExplicitHashKeys = load("kinesis_explicit_hash_keys.json");
    assert_eq!(vectors.explicit_hash_keys.len(), 16);
    for vector in &vectors.explicit_hash_keys {
        let router = Router::new(stream(vector.shards.unwrap_or(3)));
        let explicit = column(&[Some(&vector.text)]);
        let mut shards = [0];
        let found =
            router.route_into(&column(&[Some("any")]), Some(&explicit), &mut shards).unwrap();
        let reason = found.iter().next().map(|(reason, ..)| reason.name());
        assert_eq!(reason, vector.refused.as_deref(), "{:?}", vector.text);
        assert_eq!(shards[0], vector.shard.unwrap_or(NO_SHARD), "{:?}", vector.text);
    }
}

#[derive(Deserialize)]
struct Loads {
    loads: Vec<Load>,
    needs: Vec<Need>,
}

#[derive(Deserialize)]
struct Load {
    records: Vec<Records>,
    #[serde(default)]
    size_includes_key: bool,
    limits: BTreeMap<String, u64>,
    expect: BTreeMap<String, Expected>,
}

#[derive(Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names are those of the file")]
struct Records {
    at_microseconds: i64,
    records: i64,
    data_bytes: i64,
    key: String,
}

#[derive(Deserialize)]
struct Expected {
    throttled_records: u64,
}

#[derive(Deserialize)]
struct Need {
    records_per_second: f64,
    data_bytes: i64,
    key: String,
    shards_needed: f64,
    binding_limit: String,
}

#[test]
fn loads_are_throttled_as_each_model_says() {
    let vectors: Loads = load("kinesis_limits.json");
    let mut checked = 0;
    for vector in &vectors.loads {
        let keys: ArrayRef =
            Arc::new(StringArray::from_iter_values(vector.records.iter().map(|row| &row.key)));
        let numbers = |value: fn(&Records) -> i64| {
            Some(Int64Array::from_iter_values(vector.records.iter().map(value)).values().clone())
        };
        let keys = Batches::of_keys(vec![keys]).unwrap().next().unwrap().unwrap();
        let batch = Batch {
            bytes: numbers(|row| row.data_bytes),
            times: numbers(|row| row.at_microseconds),
            weights: numbers(|row| row.records),
            operations: None,
            ..keys
        };
        let limits = vector
            .limits
            .iter()
            .try_fold(Limits::kinesis(), |limits, (name, value)| limits.with(name, *value))
            .unwrap();
        for (model, expected) in &vector.expect {
            // What a model gives that this version lacks is there for the one that has it.
            let Ok(model) = model.parse::<Model>() else {
                continue;
            };
            let options = TallyOptions {
                window: model.window(),
                size_includes_key: vector.size_includes_key,
                ..TallyOptions::default()
            };
            let (tally, _) = Router::new(stream(1)).tally(&batch, &options).unwrap();
            let projection = project(&tally, &limits, model).unwrap();
            let throttled = projection.shards[0].throttled_records;
            assert_eq!(throttled, Some(expected.throttled_records), "{model}");
            checked += 1;
        }
    }
    assert!(checked >= vectors.loads.len(), "each load has an answer by `tumbling` at least");
}

#[test]
fn the_number_of_shards_needed_follows_from_the_limit_that_binds() {
    let vectors: Loads = load("kinesis_limits.json");
    for vector in &vectors.needs {
        let keys: ArrayRef = Arc::new(StringArray::from(vec![vector.key.as_str()]));
        let keys = Batches::of_keys(vec![keys]).unwrap().next().unwrap().unwrap();
        let batch = Batch { bytes: Some(vec![vector.data_bytes].into()), ..keys };
        let (tally, _) = Router::new(stream(1)).tally(&batch, &TallyOptions::default()).unwrap();
        let projection = project(&tally, &Limits::kinesis(), Model::Tumbling).unwrap();
        let one_shard = projection.throttle_records_per_second.unwrap();
        assert_eq!((vector.records_per_second / one_shard).ceil(), vector.shards_needed);
        assert_eq!(projection.binding_limit.map(BindingLimit::name), Some(&*vector.binding_limit));
    }
}

#[test]
fn list_shards_and_describe_stream_describe_the_same_three_even_shards() {
    let expected: Vec<_> = stream(3).shards().to_vec();
    for file in ["three_even.json", "three_even_describe_stream.json"] {
        assert_eq!(shard_map(file).unwrap().shards(), expected, "{file}");
    }
}

#[test]
fn closed_parents_stay_listed_and_own_no_keys() {
    let map = shard_map("split_and_merged.json").unwrap();
    assert_eq!(map.system(), System::Kinesis);
    let ids = |state| {
        let of = |shard: &&Shard| shard.state == state;
        map.shards().iter().filter(of).map(|shard| &shard.id[18..]).collect::<Vec<_>>()
    };
    assert_eq!(ids(ShardState::Open), ["03", "04", "05"].map(|id| id));
    assert_eq!(ids(ShardState::Closed), ["00", "01", "02"].map(|id| id));
    let merged = map.shard(2).unwrap();
    assert!(merged.parent.as_ref().is_some_and(|id| id.ends_with("01")));
    assert!(merged.adjacent_parent.as_ref().is_some_and(|id| id.ends_with("02")));
    // T-09: both ends of a range are its own.
    assert_eq!(map.shard_of_hash(range(&map, 0).end), 0);
    assert_eq!(map.shard_of_hash(range(&map, 0).end + 1), 1);
}

#[test]
fn shard_lists_that_do_not_cover_every_hash_value_once_are_refused() {
    let message = |file| shard_map(file).unwrap_err().message().to_owned();
    assert!(message("gap.json").contains(
        "leave out the hash values 113427455640312821154458202477256070485 to \
         226854911280625642308916404954512140969"
    ));
    assert!(message("overlap.json").contains(
        "share the hash values 113427455640312821154458202477256070484 to \
         113427455640312821154458202477256070484"
    ));
    assert!(message("all_closed.json").contains("no shard takes writes"));
    assert!(message("first_page.json").contains("one page of a longer answer"));
}

#[test]
fn bytes_that_are_no_text_do_not_escape_the_length_of_a_key() {
    let map = ShardMap::kinesis(4, EvenRule::FixedStep).unwrap();
    // Continuation bytes alone are no characters of UTF-8, but each is read as one that is broken.
    assert_eq!(refusal(&map, &[0x80; 257]), Some(Refusal::KeyTooLong));
    assert_eq!(refusal(&map, &[0x80; 256]), None);
    assert_eq!(refusal(&map, "\u{e9}".repeat(256).as_bytes()), None);
    assert_eq!(refusal(&map, "\u{e9}".repeat(257).as_bytes()), Some(Refusal::KeyTooLong));
}

#[test]
fn shards_of_a_list_have_ids_of_their_own() {
    let shard = |id: &str, start: u128, end: u128| {
        format!(
            r#"{{"ShardId": "{id}",
                "HashKeyRange": {{"StartingHashKey": "{start}", "EndingHashKey": "{end}"}}}}"#
        )
    };
    let half = u128::MAX / 2;
    let list = |first: &str, second: &str| {
        format!("[{}, {}]", shard(first, 0, half), shard(second, half + 1, u128::MAX))
    };
    let message =
        |json: String| ShardMap::from_list_shards(&json).unwrap_err().message().to_owned();
    assert!(message(list("a", "a")).contains("shard a is listed twice"));
    assert!(message(list("a", "")).contains("empty ShardId"));
    let marked = format!("\u{feff}{}", list("a", "b"));
    assert_eq!(ShardMap::from_list_shards(&marked).unwrap().len(), 2);
}
