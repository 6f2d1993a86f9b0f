//! Why a log and a map disagree: each thing that is known to go wrong, tested on the rows that do.

mod kafka;
mod ranges;

use super::super::hashing;
use super::super::observed::{Odd, Rows, Sampled, shard_indices};
use crate::keys::KeyForm;
use crate::report::{Cause, percent, plural};
use crate::shards::{NO_SHARD, ShardMap, System};
use std::collections::{HashMap, HashSet};

/// The part of the rows that a cause has to explain to be named.
const LIKELY: f64 = 0.5;

/// The part of the sampled keys that another rule has to send where they went to be the one.
const FITS: f64 = 0.95;

/// The key of records that a producer library has packed others into.
const AGGREGATED: &[u8] = b"a";

/// Rows that disagree and have an odd key.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WrongOdd {
    null: u64,
    empty: u64,
    aggregated: u64,
}

impl WrongOdd {
    /// Takes note of the key of a row that disagrees.
    #[inline]
    pub(super) fn see(&mut self, key: Option<&[u8]>) {
        match key {
            None => self.null += 1,
            Some([]) => self.empty += 1,
            Some(AGGREGATED) => self.aggregated += 1,
            Some(_) => {}
        }
    }
}

/// What the causes are looked for in.
pub(super) struct Evidence<'a> {
    pub(super) map: &'a ShardMap,
    /// The names of shards that the log has.
    pub(super) names: &'a [Vec<u8>],
    /// Of each, the place of its shard in the map, or [`NO_SHARD`].
    pub(super) meant: &'a [u32],
    /// Rows that disagree.
    pub(super) disagreed: u64,
    /// A sample of all keys, and one of those that disagree.
    pub(super) all: &'a [Sampled],
    pub(super) wrong: &'a [Sampled],
    /// Rows with a null or an empty key.
    pub(super) odd: &'a Odd,
    pub(super) wrong_odd: &'a WrongOdd,
}

impl Evidence<'_> {
    /// The likely causes, the likeliest first.
    pub(super) fn causes(&self) -> Vec<Cause> {
        let mut found = match self.map.system() {
            System::Kafka => self.of_kafka(),
            _ => self.of_ranges(),
        };
        found.extend(self.key_form());
        found.retain(|cause| cause.share() >= LIKELY);
        if found.iter().all(|cause| cause.share() < FITS) {
            found.extend(self.not_by_key().filter(|cause| cause.share() >= LIKELY));
        }
        if found.is_empty() {
            found.extend(self.by_chance());
        }
        found.sort_by(|one, other| other.share().total_cmp(&one.share()));
        found
    }

    /// The numbers of the shards that the log names, as the service counts them.
    fn numbers(&self) -> Vec<Option<u32>> {
        shard_indices(self.names)
    }

    /// A sample by those numbers.
    fn rows<'a>(sampled: &'a [Sampled], numbers: &'a [Option<u32>]) -> Rows<'a> {
        Rows { sampled, shards: numbers }
    }

    /// How many of the sampled keys that disagree `explains` says yes to.
    fn explained(&self, explains: impl Fn(&Sampled) -> bool) -> u64 {
        self.wrong.iter().filter(|row| explains(row)).count() as u64
    }

    /// A cause that explains so many of the sampled keys that disagree.
    fn sampled(&self, code: &'static str, explains: u64, message: String) -> Cause {
        Cause { code, message, options: None, explains, of: self.wrong.len() as u64 }
    }

    /// The hash value of a sampled key.
    fn hash(&self, row: &Sampled) -> u128 {
        row.explicit.unwrap_or_else(|| hashing::whole(self.map.hash(), &row.key))
    }

    /// The keys were hashed in another form than the log shows.
    fn key_form(&self) -> Option<Cause> {
        let explains = |form: KeyForm| {
            self.explained(|row| {
                let Some(key) = form.hashed(&row.key).filter(|_| row.explicit.is_none()) else {
                    return false;
                };
                let hash = hashing::whole(self.map.hash(), &key);
                self.meant[row.name as usize] == self.map.shard_of_hash(hash)
            })
        };
        let forms = KeyForm::ALL[1..].iter().map(|form| (explains(*form), *form));
        // Of several that explain as much, the first.
        let (explains, form) = forms.rev().max_by_key(|(explains, _)| *explains)?;
        // One shard in so many is met by chance.
        let chance = 1.0 / self.map.len() as f64;
        let is_more = explains as f64 > 2.0 * chance * self.wrong.len() as f64;
        is_more.then(|| Cause {
            options: form.serializer().map(|serializer| format!("--key-serializer {serializer}")),
            ..self.sampled("key_form", explains, form_message(form))
        })
    }

    /// The same key went to several shards.
    fn not_by_key(&self) -> Option<Cause> {
        let mut shards: HashMap<&[u8], HashSet<u32>> = HashMap::new();
        for row in self.all.iter().chain(self.wrong).filter(|row| row.explicit.is_none()) {
            shards.entry(&row.key).or_default().insert(row.name);
        }
        let explains = self.explained(|row| shards.get(&*row.key).is_some_and(|of| of.len() > 1));
        let (code, why) = match self.map.system() {
            System::Kafka => (
                "not_by_key",
                "the producer names the partition itself or deals records out, or the topic grew \
                 while this log was written",
            ),
            System::Sls => (
                "not_by_key",
                "they were written in load-balance mode or with hash keys that the log does not have \
                 (--explicit-hash-key), or the Logstore was reshaped while this log was written",
            ),
            _ => (
                "explicit_hash_keys_lost",
                "the producer names explicit hash keys, which the service does not give back (if you \
                 have them: --explicit-hash-key COLUMN), or the stream was reshaped while this log \
                 was written",
            ),
        };
        let word = self.map.system().shard_word();
        let message =
            format!("the same keys went to several {word}s, so that keys do not decide: {why}");
        (explains > 0).then(|| self.sampled(code, explains, message))
    }

    /// No more keys agree than any two columns would.
    fn by_chance(&self) -> Option<Cause> {
        let right = |row: &&Sampled| self.meant[row.name as usize] == row.predicted;
        let agreed = self.all.iter().filter(right).count() as f64 / self.all.len().max(1) as f64;
        let is_chance = self.map.len() > 1 && agreed < 2.0 / self.map.len() as f64;
        is_chance.then(|| {
            let word = self.map.system().shard_word();
            let message = format!(
                "no more keys agree ({}) than would by chance on {}, and no rule that is known fits: \
                 is it the right key column, and is the other column one of {word}s?",
                percent(agreed),
                plural(self.map.len() as u64, word)
            );
            self.sampled("chance", self.wrong.len() as u64, message)
        })
    }

    /// The log names shards that the map does not list.
    fn unlisted(&self) -> (u64, Vec<&[u8]>) {
        let rows = self.explained(|row| self.meant[row.name as usize] == NO_SHARD);
        let names = self.names.iter().zip(self.meant);
        (rows, names.filter(|(_, place)| **place == NO_SHARD).map(|(name, _)| &**name).collect())
    }
}

/// What to say of keys that were hashed in another form.
fn form_message(form: KeyForm) -> String {
    let advice =
        if form.serializer().is_some() { "" } else { ": log the key as the producer sends it" };
    format!("the producer hashes another form of the key, {}{advice}", form.explanation())
}
