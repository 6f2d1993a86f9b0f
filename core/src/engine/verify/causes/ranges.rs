//! What goes wrong with ranges of hash values: a map that is older or newer than the log, another
//! number of shards, aggregated records, boundaries that are off by one.

use super::super::super::observed::{Odd, fits};
use super::{Evidence, FITS};
use crate::keys::KeyForm;
use crate::report::{Cause, plural, printable};
use crate::shards::{EvenRule, NO_SHARD, ShardMap, System};
use std::collections::HashMap;

/// Which shard a hash value goes to.
type Rule = Box<dyn Fn(u128) -> u32>;

impl Evidence<'_> {
    /// What is known to go wrong with a stream or a Logstore.
    pub(super) fn of_ranges(&self) -> Vec<Cause> {
        let causes = [
            self.closed(),
            self.unlisted_shards(),
            self.aggregated(),
            self.another_count(),
            self.boundary(),
        ];
        causes.into_iter().flatten().collect()
    }

    /// The records went to shards that are closed now and owned their hash values.
    fn closed(&self) -> Option<Cause> {
        let explains = self.explained(|row| {
            let place = self.meant[row.name as usize] as usize;
            let closed = self.map.shards().get(place).filter(|_| place >= self.map.len());
            let hash = self.hash(row);
            let range = closed.and_then(|shard| shard.range);
            range.is_some_and(|range| (range.start..=range.end).contains(&hash))
        });
        let message = "they were written before a split or a merge: they went to shards that the map \
                       lists as closed and that owned their hash values; verify them with a shard \
                       list of their time (moto goes on writing to closed shards)";
        (explains > 0).then(|| self.sampled("old_records", explains, message.to_owned()))
    }

    /// The log names shards that the map does not list: the map is older than the log if each of
    /// them has a range of its own.
    fn unlisted_shards(&self) -> Option<Cause> {
        let (explains, names) = self.unlisted();
        let example = printable(names.first()?);
        let mut seen: HashMap<u32, (u128, u128)> = HashMap::new();
        for row in self.wrong.iter().filter(|row| self.meant[row.name as usize] == NO_SHARD) {
            let hash = self.hash(row);
            let range = seen.entry(row.name).or_insert((hash, hash));
            *range = (range.0.min(hash), range.1.max(hash));
        }
        let mut ranges: Vec<_> = seen.into_values().collect();
        ranges.sort_unstable();
        let apart = ranges.windows(2).all(|pair| pair[0].1 < pair[1].0);
        let count = plural(names.len() as u64, "shard");
        Some(if apart {
            let message = format!(
                "the map is older than the log: it lacks {count} that the log names, such as \
                 {example}, each with a range of hash values of its own; take a new shard list"
            );
            self.sampled("old_shard_map", explains, message)
        } else {
            let message = format!(
                "the log names {count} that the map does not list, such as {example}: is it a list \
                 of another stream?"
            );
            self.sampled("unlisted_shards", explains, message)
        })
    }

    /// Records that the producer library of Kinesis has packed others into.
    fn aggregated(&self) -> Option<Cause> {
        let explains = self.wrong_odd.aggregated;
        let is_kinesis = self.map.system() == System::Kinesis;
        (explains > 0 && is_kinesis).then(|| Cause {
            code: "aggregated_records",
            message: "their key is \"a\": the Kinesis Producer Library packs records together under \
                      that key and sends them by an explicit hash key, which the service does not give \
                      back; the keys of the records are in the payload (--payload COLUMN)"
                .to_owned(),
            options: None,
            explains,
            of: self.disagreed,
        })
    }

    /// As many even shards as the map does not have, or other buckets, fit.
    fn another_count(&self) -> Option<Cause> {
        let numbers = self.numbers();
        let rows = Self::rows(self.all, &numbers);
        let found = fits(self.map.system(), &[KeyForm::AsItIs], rows, &Odd::default(), None);
        let best = found.first().filter(|best| best.agreement() >= FITS)?;
        if (best.shards, best.buckets) == (self.map.len(), self.map.buckets()) {
            return None;
        }
        let map = best.map().ok()?;
        let explains = self
            .explained(|row| numbers[row.name as usize] == Some(map.shard_of_hash(self.hash(row))));
        let (code, what) = if best.shards == self.map.len() {
            ("buckets", "other buckets")
        } else {
            ("shard_count", "another number of shards")
        };
        let message = format!("{what}: the log fits {}", best.called());
        let cause = self.sampled(code, explains, message);
        Some(Cause { options: Some(best.options()), ..cause })
    }

    /// Hash values at a boundary, which lies elsewhere by another rule of even division.
    fn boundary(&self) -> Option<Cause> {
        if self.map.system() != System::Kinesis {
            return None;
        }
        let shards = self.map.len() as u128;
        let by = |rule: EvenRule| {
            let map = ShardMap::kinesis(self.map.len(), rule).ok();
            move |hash: u128| map.as_ref().map_or(NO_SHARD, |map| map.shard_of_hash(hash))
        };
        let mock = move |hash: u128| (hash / (u128::MAX / shards)).min(shards - 1) as u32;
        let rules: [(&str, Rule); 3] = [
            ("the rule fixed-step (--even-rule fixed-step)", Box::new(by(EvenRule::FixedStep))),
            ("the rule rational (--even-rule rational)", Box::new(by(EvenRule::Rational))),
            ("kinesis-mock, which LocalStack runs (take its shard list)", Box::new(mock)),
        ];
        let (explains, name) = rules
            .into_iter()
            .map(|(name, rule)| {
                let explains =
                    self.explained(|row| self.meant[row.name as usize] == rule(self.hash(row)));
                (explains, name)
            })
            .max_by_key(|(explains, _)| *explains)?;
        let message =
            format!("their hash values lie at a boundary, and the boundaries are those of {name}");
        (explains > 0).then(|| self.sampled("boundary", explains, message))
    }
}
