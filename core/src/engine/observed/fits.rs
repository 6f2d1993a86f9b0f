//! Which rule, over how many shards, sends keys where a log says that they went.
//!
//! A rule makes one number of each key, from which any number of shards follows by a remainder or by
//! a multiplication. So every rule is tried with every number of shards, on a few keys first and, if
//! these go where they should, on all that were sampled.

use super::{NAMELESS, Sampled};
use crate::engine::hashing;
use crate::keys::KeyForm;
use crate::report::Candidate;
use crate::shards::{HashFunction, Partitioner, ShardMap, System, Verdict};
use std::collections::HashMap;

/// Keys of which one in eight has to go where it went for a rule to be tried on any more.
const GLANCE: usize = 32;

/// Keys that a rule is tried on first.
const FIRST: usize = 256;

/// Rules that are tried on all.
const TRIED: usize = 24;

/// Numbers of shards that are tried; where the log itself has more, so many above that.
const SHARDS: u32 = 10_000;

/// The most rows without a key that count beside sampled keys.
const ODD: u64 = 64;

/// Sampled keys, and the number of the shard that each name stands for.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) struct Rows<'a> {
    pub(in crate::engine) sampled: &'a [Sampled],
    /// By the number of the name; names without one are left out.
    pub(in crate::engine) shards: &'a [Option<u32>],
}

/// Where rows with a null key and with an empty one went: how many to each name.
#[derive(Debug, Clone, Default)]
pub(in crate::engine) struct Odd {
    pub(in crate::engine) null: HashMap<u32, u64>,
    pub(in crate::engine) empty: HashMap<u32, u64>,
}

impl Odd {
    /// Takes note of a row without a key, or with an empty one.
    pub(in crate::engine) fn see(&mut self, is_null: bool, name: u32) {
        if name != NAMELESS {
            let of = if is_null { &mut self.null } else { &mut self.empty };
            *of.entry(name).or_default() += 1;
        }
    }
}

/// A rule apart from the number of shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Remainder(Partitioner),
    /// Even ranges of MD5, of which only some top bits are kept if there are buckets.
    Ranges(Option<u32>),
}

impl Way {
    /// One partitioner for each rule of Kafka, and the buckets of Simple Log Service.
    fn of(system: System) -> Vec<Self> {
        match system {
            System::Kafka => {
                let mut ways: Vec<Partitioner> = Vec::new();
                for partitioner in Partitioner::ALL {
                    let is_new = !ways.iter().any(|way| way.agrees_with(partitioner));
                    if is_new && partitioner.hash().is_some() {
                        ways.push(partitioner);
                    }
                }
                ways.into_iter().map(Self::Remainder).collect()
            }
            System::Sls => [None]
                .into_iter()
                .chain((1..=8).map(|bits| Some(1 << bits)))
                .map(Self::Ranges)
                .collect(),
            System::Kinesis => vec![Self::Ranges(None)],
            System::DynamoDb => Vec::new(),
        }
    }

    /// The number that decides: what is divided, or the top 64 bits of the hash value.
    fn point(self, key: &[u8], explicit: Option<u128>) -> Option<u64> {
        match self {
            Self::Remainder(partitioner) => {
                let hash = hashing::whole(partitioner.hash(), key) as u32;
                explicit.is_none().then(|| partitioner.positive(hash).into())
            }
            Self::Ranges(buckets) => {
                let hash = explicit.unwrap_or_else(|| hashing::whole(Some(HashFunction::Md5), key));
                let kept = buckets.map_or(u32::MAX, |buckets| {
                    !u32::MAX.checked_shr(buckets.trailing_zeros()).unwrap_or(0)
                });
                let top = (hash >> 64) as u64;
                Some(if buckets.is_some() { top & (u64::from(kept) << 32) } else { top })
            }
        }
    }

    /// The shard, of `shards`, that a number leads to.
    #[inline(always)]
    fn shard(self, point: u64, shards: u32) -> u32 {
        match self {
            Self::Remainder(_) => (point % u64::from(shards)) as u32,
            Self::Ranges(_) => ((u128::from(point) * u128::from(shards)) >> 64) as u32,
        }
    }
}

/// A rule with what it makes of each row.
struct Probe {
    way: Way,
    form: KeyForm,
    /// The number that decides, and the shard that the row went to. Rows that the rule has no answer
    /// for are not here.
    points: Vec<(u64, u32)>,
}

impl Probe {
    fn new(way: Way, form: KeyForm, rows: Rows<'_>) -> Self {
        let point = |row: &Sampled| {
            let shard = rows.shards.get(row.name as usize).copied().flatten()?;
            Some((way.point(&form.hashed(&row.key)?, row.explicit)?, shard))
        };
        Self { way, form, points: rows.sampled.iter().filter_map(point).collect() }
    }

    /// How many of `points` go where they went if there are so many shards.
    fn agreed(&self, points: &[(u64, u32)], shards: u32) -> u64 {
        let agrees = |(point, shard): &&(u64, u32)| self.way.shard(*point, shards) == *shard;
        points.iter().filter(agrees).count() as u64
    }
}

/// The rules of `system` that send most of the sampled keys where they went, the best first. Of keys
/// in one of `forms`; over `count` shards, or any number.
pub(in crate::engine) fn fits(
    system: System,
    forms: &[KeyForm],
    rows: Rows<'_>,
    odd: &Odd,
    count: Option<u32>,
) -> Vec<Candidate> {
    let highest = rows.sampled.iter().filter_map(|row| rows.shards[row.name as usize]).max();
    let Some(highest) = highest else { return Vec::new() };
    let least = highest.saturating_add(1);
    let counts = match count {
        Some(count) => count.max(1)..=count.max(1),
        None if least < SHARDS => least..=SHARDS,
        None => least..=least.saturating_add(SHARDS),
    };
    let probes: Vec<Probe> = Way::of(system)
        .into_iter()
        .flat_map(|way| forms.iter().map(move |form| Probe::new(way, *form, rows)))
        .collect();
    let mut likely: Vec<(u64, usize, u32)> = Vec::new();
    for (at, probe) in probes.iter().enumerate() {
        let first = &probe.points[..probe.points.len().min(FIRST)];
        let enough = (rows.sampled.len().min(FIRST) as u64).div_ceil(4).max(1);
        for shards in counts.clone() {
            let glance = &first[..first.len().min(GLANCE)];
            if probe.agreed(glance, shards) * 8 < glance.len() as u64 {
                continue;
            }
            let agreed = probe.agreed(first, shards);
            if agreed >= enough {
                likely.push((agreed, at, shards));
            }
        }
    }
    likely.sort_by_key(|&(agreed, at, shards)| (std::cmp::Reverse(agreed), shards, at));
    likely.truncate(TRIED);
    let mut found: Vec<Candidate> = likely
        .into_iter()
        .flat_map(|(_, at, shards)| candidates(&probes[at], shards, system, rows, odd))
        .collect();
    // Stable, so that the simpler of two that are equal stays first.
    found.sort_by(|one, other| {
        let share = other.agreement().total_cmp(&one.agreement());
        share.then(other.rows.cmp(&one.rows)).then(one.shards.cmp(&other.shards))
    });
    found
}

/// What a rule that fits is called: of Kafka, each partitioner that follows it.
fn candidates(
    probe: &Probe,
    shards: u32,
    system: System,
    rows: Rows<'_>,
    odd: &Odd,
) -> Vec<Candidate> {
    let plain = Candidate {
        system,
        partitioner: None,
        buckets: None,
        shards: shards as usize,
        form: probe.form,
        agreed: probe.agreed(&probe.points, shards),
        rows: rows.sampled.len() as u64,
    };
    match probe.way {
        Way::Ranges(buckets) => vec![Candidate { buckets, ..plain }],
        Way::Remainder(rule) => Partitioner::ALL
            .into_iter()
            .filter(|partitioner| partitioner.agrees_with(rule))
            .map(|partitioner| with_odd(plain, partitioner, rows, odd))
            .collect(),
    }
}

/// The same for one partitioner, which says what becomes of null and of empty keys.
fn with_odd(plain: Candidate, partitioner: Partitioner, rows: Rows<'_>, odd: &Odd) -> Candidate {
    let mut found = Candidate { partitioner: Some(partitioner), ..plain };
    // What becomes of these keys does not depend on the number of partitions.
    let Ok(map) = ShardMap::kafka(1, partitioner) else { return found };
    let hash = hashing::whole(map.hash(), b"") as u32;
    let shard = partitioner.partition_of(hash, found.shards as u32);
    for (key, of) in [(None, &odd.null), (Some(&b""[..]), &odd.empty)] {
        let all: u64 = of.values().sum();
        let counted = all.min(ODD);
        let agreed = match map.verdict(key) {
            Verdict::Unassigned => continue,
            Verdict::Refused(_) => 0,
            Verdict::Hashed => {
                let here = |name: &u32| rows.shards[*name as usize] == Some(shard);
                of.iter().filter(|(name, _)| here(name)).map(|(_, rows)| *rows).sum()
            }
        };
        if all > 0 {
            found.agreed += (u128::from(agreed) * u128::from(counted) / u128::from(all)) as u64;
            found.rows += counted;
        }
    }
    found
}
