//! How much more fits: rates against limits.

use super::BindingLimit;
use super::load::Load;
use super::rules::{Rule, Rules, ratio};
use super::scale::Scale;
use crate::tally::{Cell, Totals};

/// The steady rate at which the first shard meets a limit.
pub(super) struct Steady {
    /// Records a second of the whole stream.
    pub(super) records_per_second: f64,
    /// The shard that meets the limit.
    pub(super) shard: u32,
    /// The limit that it meets.
    pub(super) limit: BindingLimit,
}

/// At which steady rate of the whole stream, with these shares and sizes, the first shard meets a
/// limit; `None` if nothing was counted or nothing is limited. Of several shards that meet theirs
/// together, the one with the lowest index.
/// `records` is what the whole stream took, and the rules are a second's.
pub(super) fn steady(load: &Load, records: u64, rules: &Rules) -> Option<Steady> {
    (0u32..)
        .zip(load.totals.iter().zip(&load.spread))
        .filter_map(|(shard, (totals, spread))| {
            let (times, limit) = rules.fits(totals.plus(*spread), Scale::ONE)?;
            Some(Steady { records_per_second: records as f64 * times, shard, limit })
        })
        .reduce(
            |first, next| {
                if next.records_per_second < first.records_per_second { next } else { first }
            },
        )
}

/// How many times a shard's load fits, and the limit that it meets.
type Fits = Option<(f64, BindingLimit)>;

/// How many times each shard's windows fit buckets that start full, to a millionth: the largest
/// scale at which nothing finds a bucket empty. `peaks` is how many times each shard's busiest
/// window alone fits, and no more fits than that.
///
/// Between a moment at which a bucket is full and a later one, no more can pass than it held and
/// got meanwhile. So where a scale is too large, some such interval shows by how much, and the
/// scale that this interval allows is tried next. Scales only fall, and the one left is right for
/// every interval.
pub(super) fn of_buckets<C: Iterator<Item = Cell>>(
    rules: &Rules,
    peaks: Vec<Fits>,
    cells: impl Fn() -> C,
    scale: Scale,
) -> Vec<Fits> {
    // More than the scale fits more than once; the trial is of the log's own traffic.
    let parts = |times: f64| Scale::of_parts((times * scale.parts() as f64) as u64);
    let mut shards: Vec<_> = peaks
        .into_iter()
        .map(|fits| Shard { fits, trial: fits.map(|(times, _)| Trial::new(parts(times), rules)) })
        .collect();
    while shards.iter().any(|shard| shard.trial.is_some()) {
        for cell in cells() {
            let shard = shards.get_mut(cell.shard as usize);
            if let Some(trial) = shard.and_then(|shard| shard.trial.as_mut()) {
                trial.add(rules, &cell);
            }
        }
        for shard in &mut shards {
            let Some(trial) = shard.trial.take() else { continue };
            let of = |bucket: &Bucket, limit| bucket.worst.map(|worst| (worst, limit));
            let worst =
                [of(&trial.records, BindingLimit::Records), of(&trial.bytes, BindingLimit::Bytes)];
            let nearest = worst
                .into_iter()
                .flatten()
                .min_by(|(one, _), (other, _)| one.parts().cmp(&other.parts()));
            if let Some((interval, limit)) = nearest {
                let load = interval.load.saturating_mul(scale.parts().into());
                shard.fits = Some((ratio(interval.allowed, load), limit));
                let next = interval.parts();
                shard.trial = (next < trial.scale).then(|| Trial::new(next, rules));
            }
        }
    }
    shards.into_iter().map(|shard| shard.fits).collect()
}

/// A shard, and the scale that is tried with it until one fits.
struct Shard {
    fits: Fits,
    trial: Option<Trial>,
}

/// A shard's buckets at some scale.
struct Trial {
    scale: Scale,
    records: Bucket,
    bytes: Bucket,
}

impl Trial {
    fn new(scale: Scale, rules: &Rules) -> Self {
        let bucket = |rule: Option<Rule>| Bucket::new(rule.map_or(0, |rule| rule.capacity));
        Self { scale, records: bucket(rules.records), bytes: bucket(rules.bytes) }
    }

    fn add(&mut self, rules: &Rules, cell: &Cell) {
        let Totals { records, bytes } = Totals { records: cell.records, bytes: cell.bytes };
        let buckets =
            [(&mut self.records, rules.records, records), (&mut self.bytes, rules.bytes, bytes)];
        for (bucket, rule, load) in buckets {
            if let Some(rule) = rule {
                bucket.add(rule, cell.window, load, self.scale);
            }
        }
    }
}

/// One bucket, which may owe tokens.
struct Bucket {
    level: i128,
    window: Option<i64>,
    /// Since it was last full.
    since: Interval,
    /// The interval at whose end it owes the most.
    worst: Option<Interval>,
    owed: i128,
}

/// What a bucket held and got in a time, and the load that came then.
#[derive(Debug, Clone, Copy)]
struct Interval {
    allowed: u128,
    load: u128,
}

impl Interval {
    /// The largest scale that fits.
    fn parts(&self) -> Scale {
        let parts = self.allowed / self.load.max(1);
        Scale::of_parts(u64::try_from(parts).unwrap_or(u64::MAX))
    }
}

impl Bucket {
    fn new(capacity: u128) -> Self {
        Self {
            level: signed(capacity),
            window: None,
            since: Interval { allowed: capacity, load: 0 },
            worst: None,
            owed: 0,
        }
    }

    fn add(&mut self, rule: Rule, window: i64, load: u64, scale: Scale) {
        if let Some(last) = self.window.replace(window) {
            let more = rule.refill.saturating_mul(window.abs_diff(last).into());
            self.level = self.level.saturating_add(signed(more));
            self.since.allowed = self.since.allowed.saturating_add(more);
            if self.level >= signed(rule.capacity) {
                self.level = signed(rule.capacity);
                self.since = Interval { allowed: rule.capacity, load: 0 };
            }
        }
        let spent = u128::from(load) * u128::from(scale.parts());
        self.level = self.level.saturating_sub(signed(spent));
        self.since.load += u128::from(load);
        if self.level < self.owed {
            self.owed = self.level;
            self.worst = Some(self.since);
        }
    }
}

/// More than any bucket holds stays what it is.
fn signed(parts: u128) -> i128 {
    i128::try_from(parts).unwrap_or(i128::MAX)
}
