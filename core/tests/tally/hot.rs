//! Hot keys: exact while they fit, and within their stated error when they do not.

use super::*;
use shardlane::tally::{HOT_KEY_BYTES, HOT_KEY_CAPACITY, HotKey};

const PLAIN: Columns = Columns { sizes: false, times: false, weights: false };

/// A small generator of the same numbers every time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed ^ (mixed >> 32)
    }

    /// From 0 to 1.
    fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn at_home(key: String) -> Row {
    let shard = home(key.as_bytes());
    row(key, shard)
}

/// Rows whose keys grow rarer with their number: key number k has about its share of 1/k.
fn skewed(rows: usize, keys: f64, seed: u64) -> Vec<Row> {
    let mut numbers = Numbers(seed);
    (0..rows).map(|_| at_home(format!("key-{}", keys.powf(numbers.part()) as u64))).collect()
}

/// Checks what is promised of every key's count.
fn check(found: &[HotKey], truth: impl Fn(&HotKey) -> u64) {
    for key in found {
        let truth = truth(key);
        assert!(key.records <= truth, "{key:?} has only {truth}");
        assert!(truth - key.records <= key.error, "{key:?} has {truth}");
    }
}

fn all_of(tally: &Tally) -> Vec<HotKey> {
    tally.hot_keys(usize::MAX)
}

fn check_all(tally: &Tally, rows: &[Row]) {
    let by_key = plain_sums(rows, PLAIN, |row| row.key.clone());
    let found = all_of(tally);
    check(&found, |hot| by_key[&hot.key].records);
    for (key, totals) in &by_key {
        // Few keys have more than the error, so that few need looking for.
        let listed =
            totals.records <= tally.hot_key_error() || found.iter().any(|hot| hot.key == *key);
        assert!(listed, "{key:?} is missing");
    }

    let by_shard = plain_sums(rows, PLAIN, |row| (row.shard, row.key.clone()));
    for found in tally.hot_keys_by_shard(usize::MAX) {
        check(&found, |hot| by_shard[&(hot.shard, hot.key.clone())].records);
    }
}

#[test]
fn counts_are_exact_as_long_as_the_keys_fit() {
    let mut rows: Vec<_> = (0..HOT_KEY_CAPACITY).map(|i| at_home(format!("key-{i}"))).collect();
    rows.extend((0..100).flat_map(|i| (0..i).map(move |_| at_home(format!("key-{i}")))));
    let mut tally = tally_of(&rows, PLAIN);
    assert_eq!((all_of(&tally).len(), tally.hot_key_error()), (HOT_KEY_CAPACITY, 0));
    let top = tally.hot_keys(2);
    assert_eq!((top[0].key.as_slice(), top[0].records, top[0].bytes), (&b"key-99"[..], 100, 600));
    assert_eq!((top[1].key.as_slice(), top[1].error), (&b"key-98"[..], 0));

    // One more, and the many that came once are forgotten; those that came often stay exact.
    add(&mut tally, &[at_home("one more".to_owned())], PLAIN);
    assert_eq!(tally.hot_key_error(), 1);
    assert_eq!(tally.hot_keys(2), top);
}

#[test]
fn a_skewed_log_of_many_keys_stays_within_its_error() {
    let rows = skewed(400_000, 3e5, 1);
    let tally = tally_of(&rows, PLAIN);
    assert!(tally.hot_key_error() > 0, "the keys were meant not to fit");
    assert!(tally.hot_key_error() <= 2 * rows.len() as u64 / HOT_KEY_CAPACITY as u64);
    check_all(&tally, &rows);
    // The hottest were there from the start.
    assert!(tally.hot_keys(100).iter().all(|hot| hot.error == 0));
}

#[test]
fn keys_that_never_come_twice_stay_within_their_error() {
    let rows: Vec<_> = (0..200_000).map(|i| at_home(format!("once-{i}"))).collect();
    let tally = tally_of(&rows, PLAIN);
    assert!(all_of(&tally).iter().all(|hot| hot.records == 1));
    assert!(tally.hot_key_error() <= 2 * rows.len() as u64 / HOT_KEY_CAPACITY as u64);
}

#[test]
fn keys_that_come_once_push_out_none_that_came_often() {
    // Half of the keys that fit come often and half of them twice: these go when others come.
    let times = |i| if i < HOT_KEY_CAPACITY / 2 { 25 } else { 2 };
    let often = (0..HOT_KEY_CAPACITY).flat_map(|i| vec![at_home(format!("key-{i}")); times(i)]);
    let once = (0..500_000).map(|i| at_home(format!("once-{i}")));
    let tally = tally_of(&often.chain(once).collect::<Vec<_>>(), PLAIN);
    let kept = |hot: &&HotKey| hot.records == 25 && hot.error == 0;
    assert_eq!(all_of(&tally).iter().filter(kept).count(), HOT_KEY_CAPACITY / 2);
}

#[test]
fn a_key_that_turns_hot_late_is_found_and_its_error_covers_what_was_missed() {
    let mut rows = Vec::new();
    for i in 0..150_000 {
        rows.push(at_home(format!("once-{i}")));
        // For the first time when others have been forgotten before.
        if i == 90_000 || i > 149_000 {
            rows.push(at_home("late".to_owned()));
        }
    }
    let tally = tally_of(&rows, PLAIN);
    let hottest = &tally.hot_keys(1)[0];
    assert_eq!(hottest.key, b"late");
    assert!(hottest.error > 0);
    check_all(&tally, &rows);
}

#[test]
fn equally_hot_keys_are_listed_in_order_of_the_key() {
    let tally = tally_of(&["b", "c", "a", "c"].map(|key| row(key, 0)), PLAIN);
    let keys: Vec<_> = tally.hot_keys(9).into_iter().map(|hot| hot.key).collect();
    assert_eq!(keys, [b"c", b"a", b"b"]);
}

#[test]
fn a_key_at_several_shards_is_one_key_of_the_stream() {
    let rows = [("k", 3), ("k", 1), ("k", 3), ("other", 1), ("k", 2)];
    let tally = tally_of(&rows.map(|(key, shard)| row(key, shard)), PLAIN);
    let hottest = &tally.hot_keys(1)[0];
    assert_eq!((hottest.records, hottest.bytes, hottest.shard), (4, 4, 3));
    assert_eq!(tally.hot_keys_of(1, 9).len(), 2);
    assert_eq!(tally.hot_keys_of(1, 9)[0].records, 1);
    let by_shard: Vec<_> = (0..SHARDS as u32).map(|shard| tally.hot_keys_of(shard, 9)).collect();
    assert_eq!(tally.hot_keys_by_shard(9), by_shard);
}

#[test]
fn what_is_forgotten_away_from_home_is_in_the_error() {
    // An explicit hash key sends "strayed" to a foreign shard, once between any two purges.
    let away = (home(b"strayed") + 1) % SHARDS as u32;
    let mut rows = vec![row("strayed", home(b"strayed")); 1000];
    for i in 0..200_000 {
        rows.push(at_home(format!("once-{i}")));
        if i % 50_000 == 0 {
            rows.push(row("strayed", away));
        }
    }
    let tally = tally_of(&rows, PLAIN);
    let hottest = &tally.hot_keys(1)[0];
    assert!(hottest.records < 1004 && hottest.error > 0, "{hottest:?}");
    check_all(&tally, &rows);
}

#[test]
fn hashes_that_all_collide_change_nothing_but_the_time() {
    let rows: Vec<_> = (0..60_000).map(|i| row(format!("key-{}", i % 20_000), 0)).collect();
    let mut tally = empty();
    add_hashed(&mut tally, &rows, PLAIN, |_| 42);
    let found = all_of(&tally);
    assert_eq!((found.len(), tally.hot_key_error()), (20_000, 0));
    assert!(found.iter().all(|hot| hot.records == 3));

    let rows: Vec<_> = (0..100_000).map(|i| row(format!("key-{i}"), 0)).collect();
    add_hashed(&mut tally, &rows, PLAIN, |_| 42);
    let truth = |hot: &HotKey| {
        let number: u64 = std::str::from_utf8(&hot.key[4..]).unwrap().parse().unwrap();
        if number < 20_000 { 4 } else { 1 }
    };
    // Hashes that are not the keys' own make every shard a foreign one.
    check(&all_of(&tally), truth);
}

#[test]
fn long_keys_are_cut_and_told_apart() {
    let long = |last: u8, len: usize| {
        let mut key = vec![b'k'; len];
        key[len - 1] = last;
        key
    };
    let keys = [
        long(1, HOT_KEY_BYTES),
        long(2, HOT_KEY_BYTES),
        long(1, HOT_KEY_BYTES + 1),
        long(2, HOT_KEY_BYTES + 1),
        long(1, 3 << 20),
        long(2, 3 << 20),
    ];
    let rows: Vec<_> = (0..3).flat_map(|_| keys.clone()).map(|key| row(key, 0)).collect();
    let tally = tally_of(&rows, PLAIN);
    let found = all_of(&tally);
    assert_eq!(found.len(), 6);
    assert!(found.iter().all(|hot| hot.records == 3 && hot.key.len() == HOT_KEY_BYTES));
    assert_eq!(found.iter().map(|hot| hot.bytes).max(), Some(3 * (3 << 20)));
    assert_eq!(all_of(&Tally::from_bytes(&tally.to_bytes()).unwrap()), found);
}

#[test]
fn keys_are_told_apart_to_the_last_byte() {
    let mut rows = Vec::new();
    for len in 0..80_usize {
        let painted: Vec<u8> = (0..len).map(|i| (i % 251) as u8).collect();
        rows.push(row(painted.clone(), 0));
        for at in [0, len / 2, len.saturating_sub(1)] {
            let mut other = painted.clone();
            if let Some(byte) = other.get_mut(at) {
                *byte ^= 0x80;
            }
            rows.push(row(other, 0));
        }
    }
    let mut tally = empty();
    add_hashed(&mut tally, &rows, PLAIN, |_| 7);
    let truth = plain_sums(&rows, PLAIN, |row| row.key.clone());
    assert_eq!(all_of(&tally).len(), truth.len());
    check(&all_of(&tally), |hot| truth[&hot.key].records);
}

#[test]
fn no_hot_keys_are_kept_when_none_are_asked_for() {
    let mut tally = Tally::new(map(), TallyOptions { top: 0, ..TallyOptions::default() }).unwrap();
    add(&mut tally, &[row("k", 0)], PLAIN);
    assert_eq!(tally.hot_keys(5), []);
    assert_eq!(tally.hot_keys_by_shard(5), vec![Vec::new(); SHARDS]);
}

#[test]
fn merged_tallies_of_too_many_keys_stay_within_their_error() {
    let parts: Vec<_> = (1..4).map(|seed| skewed(150_000, 2e5, seed)).collect();
    let tallies: Vec<_> = parts.iter().map(|rows| tally_of(rows, PLAIN)).collect();
    let merged = |order: [usize; 3]| {
        let mut tally = empty();
        for &at in &order {
            tally.merge(&tallies[at]).unwrap();
        }
        tally
    };
    let tally = merged([0, 1, 2]);
    assert!(tally.hot_key_error() > 0);
    check_all(&tally, &parts.concat());
    check_all(&merged([2, 0, 1]), &parts.concat());

    let (mut one, mut other) = (tallies[0].clone(), tallies[1].clone());
    one.merge(&tallies[1]).unwrap();
    other.merge(&tallies[0]).unwrap();
    assert_eq!(one.to_bytes(), other.to_bytes());
    // And it still counts.
    add(&mut one, &parts[2], PLAIN);
    check_all(&one, &parts.concat());
    let again = Tally::from_bytes(&one.to_bytes()).unwrap();
    assert_eq!(all_of(&again), all_of(&one));
}
