//! Which rule sends a log's keys where the log says that they went, when nobody knows.

mod json;
mod text;

use super::number::{grouped, percent, plural};
use super::verification::exact_percent;
use crate::error::Result;
use crate::keys::KeyForm;
use crate::shards::{EvenRule, Partitioner, ShardMap, System};
use crate::source::Taken;
use std::fmt::Write;

/// The part of the keys that a rule has to send where they went to be said to fit.
const FITS: f64 = 0.9;

/// A rule, over a number of shards, that may be the one that a log's producers followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The system whose rule it is.
    pub system: System,
    /// The partitioner, of a Kafka topic.
    pub partitioner: Option<Partitioner>,
    /// The buckets, of a Logstore whose producers have such.
    pub buckets: Option<u32>,
    /// How many shards.
    pub shards: usize,
    /// What was hashed, if not the key as the log shows it.
    pub form: KeyForm,
    /// How many of the keys it sends where they went.
    pub agreed: u64,
    /// How many keys it was tried on.
    pub rows: u64,
}

impl Candidate {
    /// The part of the keys that it sends where they went, from 0 to 1.
    pub fn agreement(&self) -> f64 {
        if self.rows == 0 { 0.0 } else { self.agreed as f64 / self.rows as f64 }
    }

    /// The map that it stands for.
    ///
    /// # Errors
    /// `InvalidShardMap` if there can be no map of so many shards.
    pub fn map(&self) -> Result<ShardMap> {
        match (self.system, self.partitioner) {
            (System::Kafka, Some(partitioner)) => ShardMap::kafka(self.shards, partitioner),
            (System::Sls, _) => {
                let map = ShardMap::sls(self.shards)?;
                self.buckets.map_or(Ok(map.clone()), |buckets| map.with_buckets(buckets))
            }
            _ => ShardMap::kinesis(self.shards, EvenRule::FixedStep),
        }
    }

    /// What it is called in a sentence: `java over 12 partitions`.
    pub fn called(&self) -> String {
        let shards = plural(self.shards as u64, self.system.shard_word());
        match (self.partitioner, self.buckets) {
            (Some(partitioner), _) => format!("{partitioner} over {shards}"),
            (None, Some(buckets)) => format!("MD5 in {buckets} buckets over {shards}"),
            (None, None) => format!("MD5 over {shards} of even ranges"),
        }
    }

    /// What to type for its map: `--kafka 12 --partitioner java`.
    pub fn options(&self) -> String {
        let mut text = format!("--{} {}", self.system, self.shards);
        // Writing to a string cannot fail.
        if let Some(partitioner) = self.partitioner {
            let _ = write!(text, " --partitioner {partitioner}");
        }
        if let Some(buckets) = self.buckets {
            let _ = write!(text, " --buckets {buckets}");
        }
        if let Some(serializer) = self.form.serializer() {
            let _ = write!(text, " --key-serializer {serializer}");
        }
        text
    }
}

/// A shard that a log names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenShard {
    /// What the log calls it.
    pub name: Vec<u8>,
    /// Rows that went to it.
    pub rows: u64,
    /// The lowest MD5 of its keys, or the lowest explicit hash key.
    pub first_hash: u128,
    /// The highest.
    pub last_hash: u128,
}

/// What can be told of the placement of a log's keys.
#[derive(Debug, Clone)]
pub struct Inference {
    /// The columns that were taken.
    pub columns: Taken,
    /// Rows read.
    pub rows: u64,
    /// Rows with a key that name a shard.
    pub observed: u64,
    /// Rows that name a shard and have no key.
    pub keyless: u64,
    /// Keys in the sample that rules were tried on; one that went to several shards counts for each.
    pub sampled: u64,
    /// Sampled keys that went to more than one shard.
    pub at_several: u64,
    /// The rules that fit best, the best first.
    pub candidates: Vec<Candidate>,
    /// The shards, in order of the lowest hash.
    pub shards: Vec<SeenShard>,
    /// Whether each shard's hashes lie in a range that no other shard's lie in.
    pub are_ranges: bool,
}

impl Inference {
    /// The rule that fits, if one does: the first candidate, of nine keys in ten at least.
    pub fn best(&self) -> Option<&Candidate> {
        self.candidates.first().filter(|best| best.agreement() >= FITS)
    }

    /// Whether anything is known of the placement: a rule fits, or each shard has a range of its own.
    pub fn fits(&self) -> bool {
        self.best().is_some() || self.are_ranges
    }

    /// The candidates that fit exactly as well as the best one.
    pub fn equals(&self) -> &[Candidate] {
        let Some(best) = self.candidates.first() else { return &[] };
        let is_equal =
            |candidate: &&Candidate| (candidate.agreed, candidate.rows) == (best.agreed, best.rows);
        let equal = self.candidates.iter().take_while(is_equal).count();
        &self.candidates[..equal]
    }

    /// What was found, in sentences.
    pub fn verdict(&self) -> String {
        let Some(best) = self.best() else {
            let closest = self.candidates.first().map_or_else(String::new, |closest| {
                format!(
                    " The closest is {}, for {} of the keys.",
                    closest.called(),
                    percent(closest.agreement())
                )
            });
            return if self.are_ranges {
                "Each shard has a range of MD5 values of its own: a Kinesis stream, or a Logstore of \
                 Simple Log Service, whose shards are not even. Its shard list tells the exact ends."
                    .to_owned()
            } else if self.at_several > 0 {
                format!(
                    "No rule that is known fits: {} of the sampled keys went to several shards, so \
                     that keys alone do not decide.{closest}",
                    grouped(self.at_several)
                )
            } else {
                format!("No rule that is known fits.{closest}")
            };
        };
        let mut text = format!(
            "{} of {}: {} go where it sends them ({} of {}).",
            best.system.whole(),
            best.called(),
            if best.agreed == best.rows {
                "all keys".to_owned()
            } else {
                exact_percent(best.agreement())
            },
            grouped(best.agreed),
            plural(best.rows, "sampled key"),
        );
        if best.form != KeyForm::AsItIs {
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                " What is hashed is another form of the key: {}.",
                best.form.explanation()
            );
        }
        let (alike, elsewhere): (Vec<&Candidate>, Vec<&Candidate>) =
            self.equals()[1..].iter().partition(|other| other.system == best.system);
        let counts = alike.iter().filter(|other| other.shards != best.shards).count();
        if counts > 0 {
            let fit = if counts == 1 { "count fits" } else { "counts fit" };
            let _ = write!(
                text,
                " {counts} other {fit} as well: these keys are too few to tell them apart."
            );
        } else if !alike.is_empty() {
            let names = alike.iter().filter_map(|other| other.partitioner).map(Partitioner::name);
            let _ = write!(
                text,
                " {} would send these keys alike, and differ over null and empty ones.",
                names.collect::<Vec<_>>().join(", ")
            );
        }
        if elsewhere.iter().any(|other| other.system == System::Sls) {
            text.push_str(
                " A Logstore of Simple Log Service, with buckets or without, fits as well.",
            );
        }
        text
    }
}
