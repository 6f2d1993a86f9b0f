//! Splits, merges and resizes of Kinesis streams.

use super::*;
use shardlane::SplitAt;

#[derive(Deserialize)]
struct Reshapes {
    splits: Vec<Split>,
    merges: Vec<Merge>,
    midpoints: Vec<Midpoint>,
    resizes: Vec<Resize>,
}

type Range = (String, String);

#[derive(Deserialize)]
struct Split {
    range: Option<Range>,
    at: Option<String>,
    children: Option<[Range; 2]>,
    refused: Option<String>,
}

#[derive(Deserialize)]
struct Merge {
    ranges: [Range; 2],
    child: Option<Range>,
    refused: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::struct_field_names, reason = "the names are those of the file")]
struct Midpoint {
    range: Range,
    docs_midpoint: String,
    exact_half: String,
}

#[derive(Deserialize)]
struct Resize {
    from: usize,
    to: usize,
    refused: bool,
}

/// A stream with shards of these ranges, and others in the gaps between them.
fn with_ranges(ranges: &[&Range]) -> ShardMap {
    let mut all: Vec<(String, u128, u128)> = Vec::new();
    let mut next = Some(0);
    for (i, (start, end)) in ranges.iter().enumerate() {
        let (start, end) = (number(start), number(end));
        if let Some(gap) = next.filter(|next| *next < start) {
            all.push((format!("gap-before-{i}"), gap, start - 1));
        }
        all.push((format!("given-{i}"), start, end));
        next = end.checked_add(1);
    }
    if let Some(gap) = next {
        all.push(("gap-behind".to_owned(), gap, u128::MAX));
    }
    let shards = all.into_iter().map(|(id, start, end)| Shard {
        id,
        range: Some(HashRange { start, end }),
        state: ShardState::Open,
        parent: None,
        adjacent_parent: None,
    });
    ShardMap::from_shards(System::Kinesis, shards.collect()).unwrap()
}

fn ranges_of(map: &ShardMap, parent: &str) -> Vec<Range> {
    let children = map.open_shards().filter(|shard| shard.parent.as_deref() == Some(parent));
    children.map(|shard| shard.boundaries(System::Kinesis).unwrap()).collect()
}

#[test]
fn splits_are_done_or_refused_as_the_service_does() {
    let vectors: Reshapes = load("kinesis_reshape.json");
    assert_eq!(vectors.splits.len(), 6);
    for vector in &vectors.splits {
        let (map, at) = match (&vector.range, &vector.at) {
            (Some(range), Some(at)) => (with_ranges(&[range]), SplitAt::Value(number(at))),
            // A shard that is closed already.
            _ => (stream(1).split("0", SplitAt::ExactHalf).unwrap(), SplitAt::ExactHalf),
        };
        let id = if vector.range.is_some() { "given-0" } else { "shardId-000000000000" };
        match (map.split(id, at), &vector.refused, &vector.children) {
            (Ok(split), None, Some(children)) => {
                assert_eq!(ranges_of(&split, id), *children);
                let parent = split.shards().iter().find(|shard| shard.id == id).unwrap();
                assert_eq!(parent.state, ShardState::Closed);
                assert_eq!(split.len(), map.len() + 1);
            }
            (Err(error), Some(refused), None) => {
                assert_eq!(error.kind(), shardlane::ErrorKind::InvalidReshape);
                assert!(error.message().contains(refused), "{error}");
            }
            (found, ..) => panic!("{found:?} at {:?}", vector.at),
        }
    }
}

#[test]
fn merges_are_done_or_refused_as_the_service_does() {
    let vectors: Reshapes = load("kinesis_reshape.json");
    assert_eq!(vectors.merges.len(), 2);
    for vector in &vectors.merges {
        let map = with_ranges(&[&vector.ranges[0], &vector.ranges[1]]);
        match (map.merge("given-0", Some("given-1")), &vector.refused, &vector.child) {
            (Ok(merged), None, Some(child)) => {
                assert_eq!(ranges_of(&merged, "given-0"), std::slice::from_ref(child));
                let shard = merged.open_shards().find(|shard| shard.parent.is_some()).unwrap();
                assert_eq!(shard.adjacent_parent.as_deref(), Some("given-1"));
                // Swapped, the pair is refused with the reason.
                let error = map.merge("given-1", Some("given-0")).unwrap_err();
                assert!(error.message().contains("left one has to be named first"), "{error}");
            }
            (Err(error), Some(refused), None) => assert!(error.message().contains(refused)),
            (found, ..) => panic!("{found:?}"),
        }
    }
}

#[test]
fn midpoints_are_those_of_the_guide_or_of_resizing() {
    let vectors: Reshapes = load("kinesis_reshape.json");
    assert_eq!(vectors.midpoints.len(), 1);
    for vector in &vectors.midpoints {
        let map = with_ranges(&[&vector.range]);
        for (at, value) in [
            (SplitAt::DocsMidpoint, &vector.docs_midpoint),
            (SplitAt::ExactHalf, &vector.exact_half),
        ] {
            assert_eq!(ranges_of(&map.split("given-0", at).unwrap(), "given-0")[1].0, *value);
        }
    }
}

#[test]
fn resizes_go_to_half_and_to_twice_and_leave_even_shards() {
    let vectors: Reshapes = load("kinesis_reshape.json");
    assert_eq!(vectors.resizes.len(), 4);
    for vector in &vectors.resizes {
        let resized = stream(vector.from).resize(vector.to);
        assert_eq!(resized.is_err(), vector.refused, "{} to {}", vector.from, vector.to);
    }
    for (from, to) in [(4, 3), (8, 16), (8, 4), (3, 5), (5, 7), (7, 4), (100, 151), (6, 6)] {
        let resized = stream(from).resize(to).unwrap();
        let ranges = |map: &ShardMap| {
            map.open_shards().map(|shard| shard.range.unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(ranges(&resized), ranges(&stream(to)), "{from} to {to}");
        // Every shard can be read after its parents, and each but the oldest has some.
        let order = resized.drain_order().unwrap();
        assert_eq!(order.len(), resized.shards().len());
        for drained in order {
            let number: usize = drained.shard.id[8..].parse().unwrap();
            assert_eq!(drained.after.is_empty(), number < from, "{}", drained.shard.id);
        }
    }
}

#[test]
fn on_demand_streams_are_not_reshaped() {
    let json = r#"{"StreamDescription": {"StreamModeDetails": {"StreamMode": "ON_DEMAND"},
        "Shards": [{"ShardId": "shardId-000000000000", "HashKeyRange": {"StartingHashKey": "0",
        "EndingHashKey": "340282366920938463463374607431768211455"}}]}}"#;
    let map = ShardMap::from_list_shards(json).unwrap();
    for error in [
        map.split("0", SplitAt::ExactHalf).unwrap_err(),
        map.merge("0", None).unwrap_err(),
        map.resize(2).unwrap_err(),
    ] {
        assert!(error.message().starts_with("ValidationException"), "{error}");
    }
}

#[test]
fn a_map_of_an_emulator_is_known_by_its_boundaries() {
    let vectors: Maps = load("kinesis_maps.json");
    for vector in &vectors.not_the_service {
        let step = u128::MAX / vector.shards as u128;
        let ends = (1..vector.shards as u128).map(|i| i * step - 1).chain([u128::MAX]);
        let ranges: Vec<Range> =
            (0u128..).zip(ends).map(|(i, end)| ((i * step).to_string(), end.to_string())).collect();
        assert_eq!(number(&ranges[0].1), number(&vector.first_end));
        let map = with_ranges(&ranges.iter().collect::<Vec<_>>());
        assert_eq!(map.emulator().map(shardlane::Emulator::name), Some("kinesis-mock"));
        assert!(map.to_text().contains("LocalStack"));
        assert_eq!(stream(vector.shards).emulator(), None);
    }
}
