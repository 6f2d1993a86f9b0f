//! Logs that say where their records went, held against maps, and the maps that they fit.

#[path = "verify/causes.rs"]
mod causes;
#[path = "verify/infer.rs"]
mod infer;

use shardlane::arrow::array::{ArrayRef, BinaryArray, RecordBatch, StringArray};
use shardlane::engine::{infer, verify};
use shardlane::report::{Inference, Naming, Verification};
use shardlane::source::{Batches, Columns, Source, Wanted};
use shardlane::{Error, EvenRule, Partitioner, Router, ShardMap, SplitAt};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Keys, explicit hash keys, and the shards that they went to.
#[derive(Debug, Clone, Default)]
struct Log {
    keys: Vec<Option<Vec<u8>>>,
    explicit: Vec<Option<String>>,
    shards: Vec<Option<String>>,
}

impl Log {
    /// The keys `order-0` and so on, where `map` sends them.
    fn of(map: &ShardMap, keys: std::ops::Range<usize>) -> Self {
        Self::routed(map, keys.map(|i| Some(format!("order-{i}").into_bytes())).collect())
    }

    fn routed(map: &ShardMap, keys: Vec<Option<Vec<u8>>>) -> Self {
        let router = Router::new(map.clone());
        let id = |key: &Option<Vec<u8>>| {
            let index = router.shard_of(key.as_deref(), None).ok()??;
            Some(map.shards()[index as usize].id.clone())
        };
        let shards = keys.iter().map(id).collect();
        Self { explicit: vec![None; keys.len()], keys, shards }
    }

    fn and(mut self, other: Self) -> Self {
        self.keys.extend(other.keys);
        self.explicit.extend(other.explicit);
        self.shards.extend(other.shards);
        self
    }

    fn row(&mut self, key: Option<&str>, explicit: Option<String>, shard: &str) {
        self.keys.push(key.map(|key| key.as_bytes().to_vec()));
        self.explicit.push(explicit);
        self.shards.push(Some(shard.to_owned()));
    }

    fn source(&self) -> Box<dyn Source> {
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            ("key", Arc::new(self.keys.iter().map(Option::as_deref).collect::<BinaryArray>())),
            ("shard", Arc::new(self.shards.iter().map(Option::as_deref).collect::<StringArray>())),
        ];
        if self.explicit.iter().any(Option::is_some) {
            let explicit: StringArray = self.explicit.iter().map(Option::as_deref).collect();
            columns.push(("explicit_hash_key", Arc::new(explicit)));
        }
        let batch = RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().map(|(name, array)| (name, array, true)),
        );
        let batch = batch.unwrap();
        let wanted = Columns { wanted: Wanted::Shards, ..Columns::default() };
        let batches = [Ok::<_, Error>(batch.clone())];
        Box::new(Batches::new(&batch.schema(), batches, &wanted).unwrap())
    }

    fn verify(&self, map: &ShardMap) -> Verification {
        verify(map.clone(), &mut *self.source(), &mut |_| ControlFlow::Continue(())).unwrap()
    }

    fn infer(&self) -> Inference {
        infer(&mut *self.source(), &mut |_| ControlFlow::Continue(())).unwrap()
    }
}

fn kafka(partitions: usize, partitioner: Partitioner) -> ShardMap {
    ShardMap::kafka(partitions, partitioner).unwrap()
}

fn kinesis(shards: usize) -> ShardMap {
    ShardMap::kinesis(shards, EvenRule::FixedStep).unwrap()
}

#[test]
fn a_log_of_the_map_agrees_in_every_row() {
    let maps = [kafka(12, Partitioner::Java), kinesis(7), ShardMap::sls(16).unwrap()];
    for map in maps {
        let found = Log::of(&map, 0..5_000).verify(&map);
        assert_eq!((found.compared, found.agreed, found.agreement()), (5_000, 5_000, 1.0));
        assert!(
            found.causes.is_empty() && found.pairs.is_empty() && found.disagreements.is_empty()
        );
    }
}

#[test]
fn rows_that_cannot_be_compared_are_counted_and_not_held_against_the_map() {
    let map = kinesis(4);
    let mut log = Log::of(&map, 0..10);
    log.shards[3] = None;
    log.row(None, None, "shardId-000000000000");
    log.row(Some(""), None, "shardId-000000000000");
    let found = log.verify(&map);
    assert_eq!((found.rows, found.compared, found.agreed, found.unobserved), (12, 9, 9, 1));
    let rejected: Vec<_> = found
        .rejected
        .iter()
        .map(|of| (of.reason.name(), of.count, of.first_rows.clone()))
        .collect();
    assert_eq!(rejected, [("null_key", 1, vec![11]), ("empty_key", 1, vec![12])]);

    let topic = kafka(4, Partitioner::Java);
    let mut log = Log::of(&topic, 0..10);
    log.row(None, None, "2");
    let found = log.verify(&topic);
    assert_eq!((found.compared, found.agreed, found.unassigned), (10, 10, 1));
}

#[test]
fn the_first_rows_that_disagree_are_shown_and_all_are_counted_by_pair() {
    let map = kafka(4, Partitioner::Java);
    let mut log = Log::of(&map, 0..100);
    for row in (5..100).step_by(5) {
        let partition: usize = log.shards[row].as_deref().unwrap().parse().unwrap();
        log.shards[row] = Some(((partition + 1) % 4).to_string());
    }
    let found = log.verify(&map);
    assert_eq!((found.disagreed(), found.disagreements.len()), (19, 10));
    let first = &found.disagreements[0];
    assert_eq!((first.row, first.key.as_deref()), (6, Some(&b"order-5"[..])));
    assert_eq!(found.pairs.iter().map(|pair| pair.rows).sum::<u64>(), 19);
    assert!(found.pairs.is_sorted_by(|one, other| one.rows >= other.rows));
    for pair in &found.pairs {
        let observed: u32 = str::from_utf8(&pair.observed).unwrap().parse().unwrap();
        assert_eq!(observed, (pair.predicted + 1) % 4);
    }
}

#[test]
fn shards_are_matched_by_id_by_number_and_by_index() {
    // Open shards 2, 3 and 1; shard 0 is closed.
    let map = kinesis(2).split("0", SplitAt::ExactHalf).unwrap();
    let log = Log::of(&map, 0..1_000);
    assert_eq!(log.verify(&map).naming, Naming::Id);
    let number = |id: &Option<String>| {
        id.as_deref()
            .map(|id| id.trim_start_matches("shardId-0").trim_start_matches('0').to_owned())
    };
    let numbered = Log { shards: log.shards.iter().map(number).collect(), ..log.clone() };
    let found = numbered.verify(&map);
    assert_eq!((found.naming, found.agreement()), (Naming::Id, 1.0));
    let indices: Vec<&str> = map.open_shards().map(|shard| shard.id.as_str()).collect();
    let index = |id: &Option<String>| {
        let id = id.as_deref()?;
        indices.iter().position(|open| *open == id).map(|index| index.to_string())
    };
    let indexed = Log { shards: log.shards.iter().map(index).collect(), ..log };
    let found = indexed.verify(&map);
    assert_eq!((found.naming, found.agreement()), (Naming::Index, 1.0));
    assert!(found.to_text().contains("by their index"), "{}", found.to_text());
}

#[test]
fn explicit_hash_keys_decide_where_the_log_has_them() {
    let map = kinesis(4);
    let mut log = Log::default();
    for i in 0..100_u128 {
        let hash = i * (u128::MAX / 100);
        let shard = &map.shards()[map.shard_of_hash(hash) as usize].id;
        log.row(Some("a"), Some(hash.to_string()), shard);
    }
    assert_eq!(log.verify(&map).agreement(), 1.0);
}

#[test]
fn what_cannot_be_verified_is_an_error_with_advice() {
    let fails = |log: &Log, map: ShardMap| {
        let progress = &mut |_| ControlFlow::Continue(());
        verify(map, &mut *log.source(), progress).unwrap_err().message().to_owned()
    };
    let topic = kafka(4, Partitioner::Java);
    let log = Log::of(&topic, 0..3);
    let message = fails(&log, ShardMap::dynamodb(4, 0).unwrap());
    assert!(message.contains("simulated"), "{message}");
    let nameless = Log { shards: vec![None; 3], ..log.clone() };
    let message = fails(&nameless, topic.clone());
    assert!(message.contains("of 3 rows, 3 name no shard"), "{message}");
    assert!(fails(&Log::default(), topic.clone()).contains("no rows"));
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let mut source = Batches::of_keys(vec![keys]).unwrap();
    let message = verify(topic, &mut source, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert!(message.message().contains("--shard COLUMN"), "{message}");
}

#[test]
fn every_form_of_the_report_keeps_to_its_own() {
    let map = kafka(4, Partitioner::Java);
    let mut log = Log::of(&map, 0..2_000);
    for shard in &mut log.shards[..500] {
        *shard = Some("sha\u{1b}[2Jrd,\"".repeat(20));
    }
    log.keys[0] = Some("日本語\r\n".repeat(60).into_bytes());
    let found = log.verify(&map);
    for line in found.to_text().lines() {
        assert!(unicode_width::UnicodeWidthStr::width(line) <= 100, "{line}");
        assert!(!line.contains('\u{1b}'), "{line}");
    }
    let json: serde_json::Value = serde_json::from_str(&found.to_json()).unwrap();
    assert_eq!(json["compared"], 2_000);
    assert_eq!(json["pairs"].as_array().unwrap().len(), found.pairs.len());
    assert_eq!(found.to_csv().lines().count(), 1 + found.pairs.len());
}
