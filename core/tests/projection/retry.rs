//! Throttled records that are retried: what waits, and how long.

use super::{Load, of_windows, options, tally_of, under};
use proptest::prelude::*;
use shardlane::projection::{Backlog, Conditions};
use shardlane::{Limits, Model};
use std::collections::VecDeque;
use std::time::Duration;

fn retried(model: Model) -> Conditions {
    Conditions { retry: true, ..model.into() }
}

fn load(seconds: i64, records: i64, size: i64) -> Load {
    Load { shard: 0, time: seconds * 1_000_000, records, size: size - 10 }
}

fn backlog(loads: &[Load]) -> Backlog {
    let tally = tally_of(1, loads, options(1), true);
    under(&tally, &Limits::kinesis(), retried(Model::Tumbling)).shards[0].backlog.unwrap()
}

#[test]
fn what_is_too_much_for_a_second_waits_for_the_next_ones() {
    let loads = [load(0, 2500, 10)];
    let expected = Backlog {
        max_records: 1500,
        max_bytes: 15_000,
        max_delay: Duration::from_secs(2),
        drained: Some(2_000_000),
        records_at_end: 1500,
    };
    assert_eq!(backlog(&loads), expected);
    let tally = tally_of(1, &loads, options(1), true);
    let shard = &under(&tally, &Limits::kinesis(), retried(Model::Tumbling)).shards[0];
    assert_eq!(shard.throttled_records, Some(1500));
    assert_eq!(shard.throttled_seconds, Some(1.0));
    assert_eq!(shard.first_throttle, Some(0));
    assert_eq!(shard.headroom, Some(0.4), "the headroom is that of traffic that never waits");
    assert_eq!(under(&tally, &Limits::kinesis(), Model::Tumbling).shards[0].backlog, None);
}

#[test]
fn what_comes_later_waits_behind_what_came_before() {
    let quiet = backlog(&[load(0, 2500, 10), load(1, 600, 10), load(9, 1, 10)]);
    assert_eq!(quiet.max_delay, Duration::from_secs(2));
    assert_eq!(quiet.drained, Some(3_000_000));
    assert_eq!((quiet.max_records, quiet.records_at_end), (1500, 0));
}

#[test]
fn large_records_wait_for_the_small_ones_before_them() {
    // Three seconds of small records; then three of a mebibyte, one a second.
    let late = backlog(&[load(0, 3000, 10), load(1, 3, 1 << 20), load(6, 1, 10)]);
    assert_eq!(late.drained, Some(5_000_000));
    assert_eq!(late.max_delay, Duration::from_secs(4));
}

#[test]
fn a_bucket_that_is_full_overflows_while_another_is_empty() {
    // Small records take the first second's thousand. A large one then finds no more room for its
    // bytes than one second's, though none were taken before.
    let late = backlog(&[load(0, 1000, 10), load(0, 1000, 2_097), load(5, 1, 10)]);
    assert_eq!(late.max_delay, Duration::from_secs(2));
}

#[test]
fn nothing_waits_where_all_fits() {
    let none = backlog(&[load(0, 1000, 10), load(1, 1000, 10)]);
    assert_eq!(none, Backlog::default());
}

#[test]
fn years_of_waiting_are_reckoned_at_once() {
    let years = backlog(&[load(0, 1_000_000_000_000, 10)]);
    assert_eq!(years.max_delay, Duration::from_secs(999_999_999));
    assert_eq!(years.drained, Some(999_999_999_000_000));
}

/// The same window by window, in millionths, for records of sizes that divide well.
fn plainly(windows: &[(u64, u64)], limits: (u64, u64), bursts: (u64, u64)) -> (u64, u64, u64) {
    let refill = [limits.0, limits.1].map(|limit| u128::from(limit) * 100_000);
    let full = [
        refill[0].max(u128::from(bursts.0) * 1_000_000),
        refill[1].max(u128::from(bursts.1) * 1_000_000),
    ];
    let mut level = full;
    let mut queue: VecDeque<(u64, u128, u64)> = VecDeque::new();
    let (mut most, mut delay, mut at_end) = (0, 0, 0);
    for now in 0.. {
        if let Some(&(records, size)) = windows.get(now as usize)
            && records > 0
        {
            queue.push_back((now, u128::from(records) * 1_000_000, size));
        }
        while let Some((came, left, size)) = queue.front_mut() {
            let through = (*left).min(level[0]).min(level[1] / u128::from(*size));
            level[0] -= through;
            level[1] -= through * u128::from(*size);
            *left -= through;
            if *left > 0 {
                break;
            }
            delay = delay.max(now - *came);
            queue.pop_front();
        }
        let waiting =
            queue.iter().map(|(_, left, _)| left).sum::<u128>().div_ceil(1_000_000) as u64;
        if (now as usize) < windows.len() {
            most = most.max(waiting);
            at_end = waiting;
        }
        if now as usize >= windows.len() && queue.is_empty() {
            return (most, delay, at_end);
        }
        for at in 0..2 {
            level[at] = (level[at] + refill[at]).min(full[at]);
        }
    }
    unreachable!()
}

proptest! {
    #[test]
    fn a_queue_passes_gaps_as_if_each_window_were_looked_at(
        mut windows in prop::collection::vec(
            prop_oneof![2 => Just((0, 10)), 1 => (1..80u64, prop_oneof![Just(10u64), Just(40), Just(200)])],
            1..40,
        ),
        limits in (10..200u64, 100..20_000u64),
        bursts in (1..300u64, 1..30_000u64),
        is_bucket in any::<bool>(),
    ) {
        // The last one shows where the log ends.
        windows.push((1, 10));
        let loads: Vec<_> = (0..)
            .zip(&windows)
            .filter(|(_, (records, _))| *records > 0)
            .map(|(at, (records, size))| Load {
                shard: 0,
                time: at * 100_000,
                records: *records as i64,
                size: *size as i64 - 10,
            })
            .collect();
        let tally = tally_of(1, &loads, of_windows(100), true);
        let limited = Limits::kinesis()
            .with("records_per_second", limits.0).unwrap()
            .with("bytes_per_second", limits.1).unwrap();
        let (model, bursts) = if is_bucket {
            let (records, bytes) = bursts;
            (format!("token-bucket:records_burst={records},bytes_burst={bytes}"), bursts)
        } else {
            ("tumbling".to_owned(), (0, 0))
        };
        let projection = under(&tally, &limited, retried(model.parse().unwrap()));
        let backlog = projection.shards[0].backlog.unwrap();
        let (most, delay, at_end) = plainly(&windows, limits, bursts);
        // A part of a millionth may be rounded away in every window.
        prop_assert!(backlog.max_records.abs_diff(most) <= 1, "{backlog:?} {most}");
        prop_assert!(backlog.records_at_end.abs_diff(at_end) <= 1, "{backlog:?} {at_end}");
        let found = backlog.max_delay.as_millis() as u64 / 100;
        prop_assert!(found.abs_diff(delay) <= 1, "{backlog:?} {delay}");
        // Whoever never waits is never throttled, and the other way round.
        let throttled = projection.shards[0].throttled_records.unwrap();
        prop_assert_eq!(throttled > 0, backlog.max_records > 0);
        prop_assert_eq!(projection.headroom.is_some_and(|times| times < 1.0), throttled > 0);
    }
}
