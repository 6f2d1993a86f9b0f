//! A tally as bytes: one form only, and nothing but that form is read.

use super::*;
use shardlane::tally::Totals;
use shardlane::{ErrorKind, HashRange, Refusal, Shard, ShardState, System};

/// A tally with something in every part, on a map with closed shards.
fn full() -> Tally {
    let mut shards: Vec<Shard> = map().shards().to_vec();
    shards[1].parent = Some("shardId-000000000009".to_owned());
    shards[1].adjacent_parent = Some("shardId-000000000010".to_owned());
    shards.push(Shard {
        id: "shardId-000000000009".to_owned(),
        range: Some(HashRange { start: 5, end: 9 }),
        state: ShardState::Closed,
        parent: None,
        adjacent_parent: None,
    });
    let map = ShardMap::from_shards(System::Kinesis, shards).unwrap();
    let mut tally = Tally::new(map, TallyOptions::default()).unwrap();
    let rows: Vec<_> = [(-7_000_000, "a", 0), (0, "b", 1), (1, "b", 3), (9_000_000, "日本", 3)]
        .into_iter()
        .map(|(time, key, shard)| Row { time, size: 300, ..row(key, shard) })
        .collect();
    add(&mut tally, &rows, ALL);
    tally.reject(Refusal::KeyTooLong, 3);
    tally.reject(Refusal::BrokenRow, 1);
    tally
}

/// The same bytes with a checksum that is right again.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 16;
    let checksum = reference::digest(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum);
    bytes
}

fn refused(bytes: &[u8]) -> String {
    let error = Tally::from_bytes(bytes).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CorruptTally);
    error.to_string()
}

#[test]
fn a_tally_comes_back_as_it_was() {
    let tally = full();
    let again = Tally::from_bytes(&tally.to_bytes()).unwrap();
    assert_eq!(again.map(), tally.map());
    assert_eq!(again.options(), tally.options());
    assert_eq!(again.totals(), tally.totals());
    assert_eq!(again.cells().collect::<Vec<_>>(), tally.cells().collect::<Vec<_>>());
    assert_eq!(again.hot_keys(9), tally.hot_keys(9));
    assert_eq!(again.rejected().collect::<Vec<_>>(), tally.rejected().collect::<Vec<_>>());
    assert_eq!(again.unassigned(), Totals::default());
    assert_eq!((again.first_time(), again.last_time()), (Some(-7_000_000), Some(9_000_000)));
    assert_eq!(again.to_bytes(), tally.to_bytes());
}

proptest! {
    #[test]
    fn any_tally_comes_back_and_merges_as_before(
        one in any_rows(60),
        other in any_rows(60),
        columns in any_columns(),
    ) {
        let (mut one, other) = (tally_of(&one, columns), tally_of(&other, columns));
        let mut again = Tally::from_bytes(&one.to_bytes()).unwrap();
        prop_assert_eq!(again.to_bytes(), one.to_bytes());
        one.merge(&other).unwrap();
        again.merge(&Tally::from_bytes(&other.to_bytes()).unwrap()).unwrap();
        prop_assert_eq!(again.to_bytes(), one.to_bytes());
    }

    #[test]
    fn the_order_of_rows_does_not_show(
        (rows, shuffled) in any_rows(60).prop_flat_map(|rows| {
            (Just(rows.clone()), Just(rows).prop_shuffle())
        }),
        columns in any_columns(),
    ) {
        prop_assert_eq!(tally_of(&rows, columns).to_bytes(), tally_of(&shuffled, columns).to_bytes());
    }

    #[test]
    fn bytes_with_a_right_checksum_and_wrong_content_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = full().to_bytes();
        for (at, byte) in &changes {
            let at = at.index(bytes.len() - 16);
            bytes[at] = *byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len() - 16) + 16);
        }
        match Tally::from_bytes(&sealed(bytes)) {
            // Whatever is taken for a tally is one, in its only form.
            Ok(tally) => {
                let written = tally.to_bytes();
                prop_assert_eq!(Tally::from_bytes(&written).unwrap().to_bytes(), written);
            }
            Err(error) => prop_assert_eq!(error.kind(), ErrorKind::CorruptTally),
        }
    }

    #[test]
    fn noise_is_refused(noise in prop::collection::vec(any::<u8>(), 0..200)) {
        refused(&noise);
        refused(&sealed([b"shardtly\x02".to_vec(), noise, vec![0; 16]].concat()));
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    let bytes = full().to_bytes();
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        refused(&flipped);
    }
}

#[test]
fn every_cut_and_every_byte_too_many_is_noticed() {
    let bytes = full().to_bytes();
    for len in 0..bytes.len() {
        refused(&bytes[..len]);
    }
    refused(&[bytes.as_slice(), &[0]].concat());
    let mut longer = bytes;
    longer.insert(longer.len() - 16, 0);
    assert!(refused(&sealed(longer)).contains("1 bytes follow its end"));
}

#[test]
fn a_message_says_what_is_wrong() {
    assert!(refused(b"").contains("these 0 bytes are not a tally"));
    assert!(refused(b"PAR1 and so on").contains("give what to_bytes gave"));
    assert!(refused(b"shardtly").contains("cut short"));
    let mut newer = full().to_bytes();
    newer[8] = 99;
    assert!(refused(&newer).contains("version 99 of its format"));
}

#[test]
fn counts_beyond_the_bytes_at_hand_take_no_memory() {
    // After the magic, the version, the names of system, unit and mode: the number of shards.
    let names = ["kinesis", "code-points", "provisioned"];
    let at = 8 + 1 + names.iter().map(|name| 1 + name.len()).sum::<usize>();
    let mut bytes = full().to_bytes();
    assert_eq!(bytes[at], 5, "shards");
    bytes.splice(at..=at, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
    assert!(refused(&sealed(bytes)).contains("cut short"));
}
