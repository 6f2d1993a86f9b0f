//! When it was worst, and because of which keys.

use super::{Key, id};
use crate::projection::BindingLimit;
use crate::report::instant::rfc3339;
use crate::report::{self, Report};
use serde::Serialize;

/// A minute of the timeline.
#[derive(Serialize)]
pub(super) struct Minute<'a> {
    start: String,
    seconds: f64,
    #[serde(flatten)]
    load: MinuteLoad,
    shards: Vec<ShardMinute<'a>>,
    shards_left_out: usize,
}

#[derive(Serialize)]
struct ShardMinute<'a> {
    index: u32,
    id: &'a str,
    #[serde(flatten)]
    load: MinuteLoad,
    binding_limit: Option<&'static str>,
    windows: Vec<Window>,
}

#[derive(Serialize)]
struct MinuteLoad {
    records: u64,
    bytes: u64,
    throttled_records: u64,
    peak_load: Option<f64>,
}

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the names are those of the JSON")]
struct Window {
    window_start: String,
    records: u64,
    bytes: u64,
    load: Option<f64>,
    throttled_records: u64,
}

/// The keys of throttled windows.
#[derive(Serialize)]
pub(super) struct ThrottledKeys<'a> {
    second_reading: &'static str,
    shards: Vec<ThrottledShard<'a>>,
}

#[derive(Serialize)]
struct ThrottledShard<'a> {
    index: u32,
    id: &'a str,
    throttled_seconds: f64,
    records: u64,
    bytes: u64,
    throttled_records: u64,
    binding_limit: &'static str,
    keys: Vec<Key<'a>>,
}

impl<'a> Minute<'a> {
    pub(super) fn of(report: &'a Report, minute: &report::Minute) -> Self {
        let is_limited = report.timeline.heat.is_limited;
        Self {
            start: rfc3339(minute.start),
            seconds: minute.length as f64 / 1e6,
            load: MinuteLoad::of(&minute.load, is_limited),
            shards: minute
                .shards
                .iter()
                .map(|shard| ShardMinute {
                    index: shard.shard,
                    id: id(report, shard.shard),
                    load: MinuteLoad::of(&shard.load, is_limited),
                    binding_limit: shard.binding_limit.map(BindingLimit::name),
                    windows: shard
                        .windows
                        .iter()
                        .map(|moment| Window {
                            window_start: rfc3339(moment.window_start),
                            records: moment.records,
                            bytes: moment.bytes,
                            load: moment.load,
                            throttled_records: moment.throttled_records,
                        })
                        .collect(),
                })
                .collect(),
            shards_left_out: minute.shards_left_out,
        }
    }
}

impl MinuteLoad {
    fn of(load: &report::Load, is_limited: bool) -> Self {
        Self {
            records: load.records,
            bytes: load.bytes,
            throttled_records: load.throttled_records,
            peak_load: is_limited.then_some(load.peak),
        }
    }
}

impl<'a> ThrottledKeys<'a> {
    pub(super) fn of(report: &'a Report) -> Self {
        let seconds = report.window.as_secs_f64();
        let shards = report.throttled_keys.shards.iter().map(|shard| ThrottledShard {
            index: shard.shard,
            id: id(report, shard.shard),
            throttled_seconds: shard.windows as f64 * seconds,
            records: shard.records,
            bytes: shard.bytes,
            throttled_records: shard.throttled_records,
            binding_limit: shard.binding_limit.name(),
            keys: shard
                .keys
                .iter()
                .map(|key| Key::with_share(key, Some(shard.share(key))))
                .collect(),
        });
        Self { second_reading: report.throttled_keys.reading.name(), shards: shards.collect() }
    }
}
