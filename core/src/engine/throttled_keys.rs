//! Which keys filled the shards while they were over a limit: a second reading of the log, of which
//! only the windows count that the first one found.

use super::counting::count;
use super::reading::Progress;
use super::replay::ReplayOptions;
use super::{Router, RouterOptions};
use crate::error::Result;
use crate::projection::{Projection, throttles};
use crate::report::{SecondReading, ThrottledKeys, ThrottledShard};
use crate::shards::NO_SHARD;
use crate::source::Source;
use crate::tally::{HotKey, MISSING, Tally};
use std::cmp::Reverse;
use std::ops::ControlFlow;

/// Finds the keys of the windows in which shards were over a limit. `source` has been read once and
/// is read again from its start; that this fails does not take away what is known already.
pub(super) fn throttled_keys(
    source: &dyn Source,
    first: &First<'_>,
    options: &ReplayOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> ThrottledKeys {
    let found = throttles(first.tally, &first.projection.limits, &first.projection.conditions);
    let mut keys =
        ThrottledKeys { reading: SecondReading::NotNeeded, shards: ThrottledShard::of(found) };
    if keys.shards.is_empty() || options.tally.top == 0 {
        return keys;
    }
    keys.reading = if options.read_once {
        SecondReading::TurnedOff
    } else if first.interrupted {
        SecondReading::Interrupted
    } else {
        match source.reopen() {
            None => SecondReading::Once,
            Some(again) => again
                .and_then(|mut again| read(&mut *again, first, options, progress, &mut keys.shards))
                .unwrap_or_else(|error| SecondReading::Failed(error.to_string())),
        }
    };
    keys
}

/// What the first reading found.
pub(super) struct First<'a> {
    pub(super) tally: &'a Tally,
    pub(super) projection: &'a Projection,
    pub(super) rows: u64,
    pub(super) interrupted: bool,
}

/// Reads the log again, from its start, and gives each of `shards` its keys.
fn read(
    source: &mut dyn Source,
    first: &First<'_>,
    options: &ReplayOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    shards: &mut [ThrottledShard],
) -> Result<SecondReading> {
    let router_options = RouterOptions { threads: options.threads, backend: None };
    let router = Router::with_options(first.tally.map().clone(), &router_options)?;
    let windows = Windows::over_a_limit(first.tally, first.projection);
    // What is wrong with a row has been said.
    let options = ReplayOptions { strict: false, ..options.clone() };
    let mut interrupted = false;
    let counted = count(&router, source, &options, Some(&windows), &mut |so_far| {
        let answer = progress(Progress { is_second: true, ..so_far });
        interrupted = answer.is_break();
        answer
    })?;
    if interrupted {
        return Ok(SecondReading::Interrupted);
    }
    if counted.rows != first.rows {
        return Ok(SecondReading::Changed);
    }
    let top = options.tally.top;
    // The keys are counted in order of records, so that those with the most bytes may be anywhere.
    let by_bytes = shards.iter().any(ThrottledShard::is_by_bytes);
    let most = if by_bytes { usize::MAX } else { top };
    let mut keys = counted.tally.hot_keys_by_shard(most);
    for shard in shards {
        let keys = keys.get_mut(shard.shard as usize).map(std::mem::take).unwrap_or_default();
        shard.keys = hottest(keys, shard.is_by_bytes(), top);
    }
    Ok(SecondReading::Done)
}

/// The `top` hottest of `keys`, which are in order of records.
fn hottest(mut keys: Vec<HotKey>, by_bytes: bool, top: usize) -> Vec<HotKey> {
    if by_bytes {
        keys.sort_by_key(|key| Reverse(key.bytes));
    }
    keys.truncate(top);
    keys
}

/// The windows in which shards were over a limit.
pub(super) struct Windows {
    /// Length in microseconds.
    length: i64,
    /// Numbers of windows with shards, in order.
    found: Vec<(i64, u32)>,
}

impl Windows {
    fn over_a_limit(tally: &Tally, projection: &Projection) -> Self {
        let length = i64::try_from(tally.window().as_micros()).unwrap_or(i64::MAX).max(1);
        let found = throttles(tally, &projection.limits, &projection.conditions)
            .map(|throttle| (throttle.window_start.div_euclid(length), throttle.shard))
            .collect();
        Self { length, found }
    }

    /// Those of window number `first` to window number `last`.
    fn between(&self, first: i64, last: i64) -> &[(i64, u32)] {
        let from = self.found.partition_point(|(window, _)| *window < first);
        let to = self.found.partition_point(|(window, _)| *window <= last);
        self.found.get(from..to).unwrap_or_default()
    }

    /// Whether some of `times` may lie in such a window: asked before the trouble of hashing.
    pub(super) fn may_have(&self, times: &[i64]) -> bool {
        // Without a branch, so that it is vectorised. [`MISSING`] is before all times.
        let (first, last) = times.iter().fold((i64::MAX, MISSING), |(first, last), &time| {
            (first.min(if time == MISSING { i64::MAX } else { time }), last.max(time))
        });
        last != MISSING
            && !self.between(first.div_euclid(self.length), last.div_euclid(self.length)).is_empty()
    }

    /// Takes the shard from each row that was not in its shard while that was over a limit.
    pub(super) fn keep(&self, times: &[i64], shards: &mut [u32]) {
        let mut now: Option<(i64, &[(i64, u32)])> = None;
        for (&time, shard) in times.iter().zip(shards) {
            let window = time.div_euclid(self.length);
            // The rows of a window mostly come together.
            let of = match now {
                Some((same, of)) if same == window => of,
                _ => self.between(window, window),
            };
            now = Some((window, of));
            if of.binary_search(&(window, *shard)).is_err() {
                *shard = NO_SHARD;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn exactly_the_rows_of_the_windows_keep_their_shards(
            found in prop::collection::btree_set((-3i64..3, 0u32..4), 0..8),
            rows in prop::collection::vec((prop_oneof![-30i64..30, Just(MISSING)], 0u32..4), 0..40),
        ) {
            let windows = Windows { length: 10, found: found.iter().copied().collect() };
            let (times, mut shards): (Vec<_>, Vec<_>) = rows.iter().copied().unzip();
            windows.keep(&times, &mut shards);
            let kept = |time: i64, shard| found.contains(&(time.div_euclid(10), shard));
            for ((time, before), after) in rows.iter().zip(&shards) {
                let expected = if kept(*time, *before) { *before } else { NO_SHARD };
                prop_assert_eq!(*after, expected);
            }
            if shards.iter().any(|shard| *shard != NO_SHARD) {
                prop_assert!(windows.may_have(&times));
            }
        }
    }
}
