//! What a window allows and a bucket holds, in millionths of a record or byte.
//!
//! A limit of so many a second allows as many millionths a microsecond, so that windows of any
//! length are reckoned without fractions; and a load that is replayed a [`Scale`] of times is a
//! whole number of millionths, too. A load that is exactly the limit therefore fits exactly.

use super::model::{KEPT, Model};
use super::scale::Scale;
use super::{BindingLimit, Bursts};
use crate::limits::{Limit, Limits};
use crate::tally::Totals;
use std::time::Duration;

/// Millionths of one record or byte.
pub(super) const PARTS: u128 = super::scale::PARTS as u128;

/// One limit as a bucket of tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    /// What a window adds.
    pub(super) refill: u128,
    /// The most that it holds; at least what a window adds.
    pub(super) capacity: u128,
}

impl Rule {
    /// A bucket that holds `burst`, or a window's allowance if that is more.
    pub(super) fn new(per_second: u64, burst: u64, window: Duration) -> Self {
        let refill = u128::from(per_second).saturating_mul(window.as_micros());
        Self { refill, capacity: refill.max(u128::from(burst) * PARTS) }
    }
}

/// The limits of a shard, for records and for bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rules {
    pub(super) records: Option<Rule>,
    pub(super) bytes: Option<Rule>,
}

impl Rules {
    /// Those of each shard under `model`.
    pub(super) fn of(limits: &Limits, model: Model, window: Duration) -> Self {
        let bursts = match model {
            // A bucket that is full again with every window makes windows that stand alone.
            Model::Tumbling => [Some(0); 2],
            Model::TokenBucket(bursts) => bursts.of_shard(limits),
        };
        Self::with_bursts(limits, bursts.map(Option::unwrap_or_default), window)
    }

    /// Those of a table that keeps what it does not use of some seconds' capacity.
    pub(super) fn of_table(limits: &Limits, model: Model, window: Duration) -> Self {
        let kept = match model {
            Model::Tumbling => 0,
            Model::TokenBucket(Bursts { table_seconds, .. }) => table_seconds.unwrap_or(KEPT),
        };
        let rule = |limit: &Limit| {
            let Rule { refill, .. } = Rule::new(limit.value, 0, window);
            let kept = u128::from(limit.value).saturating_mul(u128::from(kept) * PARTS);
            Rule { refill, capacity: refill.saturating_add(kept) }
        };
        Self {
            records: limits.records_per_second().map(rule),
            bytes: limits.bytes_per_second().map(rule),
        }
    }

    /// A second's allowance and no more.
    pub(super) fn of_a_second(limits: &Limits) -> Self {
        Self::with_bursts(limits, [0; 2], Duration::from_secs(1))
    }

    fn with_bursts(limits: &Limits, [records, bytes]: [u64; 2], window: Duration) -> Self {
        let rule =
            |limit: Option<&Limit>, burst| limit.map(|limit| Rule::new(limit.value, burst, window));
        Self {
            records: rule(limits.records_per_second(), records),
            bytes: rule(limits.bytes_per_second(), bytes),
        }
    }

    /// How many times `load` would fit full buckets, and the limit that it meets; `None` for no
    /// load or no limits. Of two limits met together, records.
    pub(super) fn fits(&self, load: Totals, scale: Scale) -> Option<(f64, BindingLimit)> {
        let times = |rule: Option<Rule>, load: u64, which| {
            let load = u128::from(load) * u128::from(scale.parts());
            rule.filter(|_| load > 0).map(|rule| (ratio(rule.capacity, load), which))
        };
        let by_records = times(self.records, load.records, BindingLimit::Records);
        let by_bytes = times(self.bytes, load.bytes, BindingLimit::Bytes);
        match (by_records, by_bytes) {
            (Some(records), Some(bytes)) => Some(if bytes.0 < records.0 { bytes } else { records }),
            (one, other) => one.or(other),
        }
    }
}

/// `allowed` divided by `load`, below 1 exactly if it is less.
pub(super) fn ratio(allowed: u128, load: u128) -> f64 {
    let ratio = allowed as f64 / load as f64;
    match allowed.cmp(&load) {
        std::cmp::Ordering::Less => ratio.min(1.0_f64.next_down()),
        _ => ratio.max(1.0),
    }
}

/// `parts` of a load of `of`, in what the same load has of `other`, rounded down: how many
/// records a number of bytes is, or the other way round. The mean size of a load is a fraction, so
/// it is not reckoned with.
pub(super) fn converted(parts: u128, of: u64, other: u64) -> u128 {
    let (of, other) = (u128::from(of.max(1)), u128::from(other));
    (parts / of).saturating_mul(other).saturating_add(parts % of * other / of)
}

/// The same, rounded up.
pub(super) fn converted_up(parts: u128, of: u64, other: u64) -> u128 {
    let (of, other) = (u128::from(of.max(1)), u128::from(other));
    (parts / of).saturating_mul(other).saturating_add((parts % of * other).div_ceil(of))
}

/// Millionths as whole ones; what is begun counts.
pub(super) fn whole(parts: u128) -> u64 {
    u64::try_from(parts.div_ceil(PARTS)).unwrap_or(u64::MAX)
}
