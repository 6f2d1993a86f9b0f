//! What goes wrong with a topic: another partitioner, another number of partitions, or both.

use super::super::super::observed::{Odd, fits};
use super::{Evidence, FITS, form_message};
use crate::keys::KeyForm;
use crate::report::{Candidate, Cause, grouped, plural};
use crate::shards::System;

/// Sampled keys that a rule for some of the rows only has to be tried on, at least.
const FEW: usize = 8;

impl Evidence<'_> {
    /// What is known to go wrong with a topic.
    pub(super) fn of_kafka(&self) -> Vec<Cause> {
        let numbers = self.numbers();
        let all = Self::rows(self.all, &numbers);
        let plain = fits(System::Kafka, &[KeyForm::AsItIs], all, self.odd, None);
        let own = plain.iter().find(|candidate| self.is_own(candidate));
        let own = own.map_or(0.0, Candidate::agreement);
        let best = plain.first().filter(|best| best.agreement() > own);
        if let Some(best) = best.filter(|best| best.agreement() >= FITS) {
            return vec![self.another_rule(best)];
        }
        let mut found = Vec::new();
        found.extend(self.keyless());
        let forms = fits(System::Kafka, &KeyForm::ALL[1..], all, self.odd, None);
        let form = forms.first().filter(|form| form.agreement() >= FITS && !self.is_own(form));
        if let Some(form) = form {
            let message = format!("{}; and {}", form_message(form.form), fitting(form));
            let cause = self.sampled("key_form", self.explained_by(form), message);
            found.push(Cause { options: Some(form.options()), ..cause });
        }
        found.extend(self.a_part());
        found
    }

    /// Whether this is the map itself.
    fn is_own(&self, candidate: &Candidate) -> bool {
        candidate.partitioner == self.map.partitioner() && candidate.shards == self.map.len()
    }

    /// How many of the sampled keys that disagree go where they went by another rule.
    fn explained_by(&self, candidate: &Candidate) -> u64 {
        let numbers = self.numbers();
        let Ok(map) = candidate.map() else { return 0 };
        self.explained(|row| {
            let Some(key) = candidate.form.hashed(&row.key) else { return false };
            let hash = super::hashing::whole(map.hash(), &key);
            numbers[row.name as usize] == Some(map.shard_of_hash(hash))
        })
    }

    /// Another rule fits the whole log.
    fn another_rule(&self, best: &Candidate) -> Cause {
        let is_count = best.shards != self.map.len();
        let is_rule = match (best.partitioner, self.map.partitioner()) {
            (Some(best), Some(own)) if is_count => !best.agrees_with(own),
            (best, own) => best != own,
        };
        let (code, what) = match (is_rule, is_count) {
            (true, true) => {
                ("partitioner_and_count", "another partitioner over another number of partitions")
            }
            (true, false) => ("partitioner", "another partitioner"),
            (false, _) => ("partition_count", "another number of partitions"),
        };
        let message = format!("{what}: {}", fitting(best));
        if self.wrong.is_empty() {
            // Only keys that are null or empty disagree.
            let explains = self.wrong_odd.null + self.wrong_odd.empty;
            let options = Some(best.options());
            return Cause { code, message, options, explains, of: self.disagreed };
        }
        let cause = self.sampled(code, self.explained_by(best), message);
        Cause { options: Some(best.options()), ..cause }
    }

    /// Keys that are null or empty did not go where the partitioner hashes them to.
    fn keyless(&self) -> Option<Cause> {
        let explains = self.wrong_odd.null + self.wrong_odd.empty;
        let by = self.map.partitioner().map_or("the partitioner", |by| by.name());
        (explains > 0).then(|| Cause {
            code: "keyless",
            message: format!(
                "{} with a null or an empty key, which {by} hashes, but the producer spreads \
                 (is an empty field of the log a null key?)",
                plural(explains, "row")
            ),
            options: None,
            explains,
            of: self.disagreed,
        })
    }

    /// Another rule fits the rows that disagree, but not the others.
    fn a_part(&self) -> Option<Cause> {
        let numbers = self.numbers();
        let wrong = Self::rows(self.wrong, &numbers);
        let found = fits(System::Kafka, &[KeyForm::AsItIs], wrong, &Odd::default(), None);
        let best = found.first().filter(|_| self.wrong.len() >= FEW)?;
        let is_rule = best
            .partitioner
            .zip(self.map.partitioner())
            .is_some_and(|(best, own)| !best.agrees_with(own));
        let (code, what) = match (is_rule, best.shards < self.map.len()) {
            (true, _) => ("several_producers", "they come from another producer"),
            (false, true) => ("topic_grew", "they were written before the topic grew"),
            (false, false) => ("topic_grew", "they were written after the topic grew"),
        };
        let message = format!("{what}: of the rows that disagree, {}", fitting(best));
        let cause = self.sampled(code, best.agreed, message);
        Some(Cause { options: Some(best.options()), ..cause })
    }
}

/// What a rule that fits is.
fn fitting(candidate: &Candidate) -> String {
    format!(
        "{} of {} sampled keys go by {}",
        grouped(candidate.agreed),
        grouped(candidate.rows),
        candidate.called()
    )
}
