//! What a report comes down to, in sentences: which shard throttles first, when, at which rate and
//! by which limit; and what to bear in mind when reading it. What to be warned of is told apart.

use super::Report;
use super::doubts::of_times;
use super::fullest::called;
use super::instant::rfc3339;
use super::number::{count, grouped, percent, plural, rate, seconds, times};
use super::printable::{fitted, printable};
use super::verification::exact_percent;
use super::waiting::sentences;
use crate::limits::Limits;
use crate::projection::{BindingLimit, Model, Scale, ShardProjection};
use crate::shards::System;
use std::time::Duration;

/// Columns of a key in a sentence.
const KEY: usize = 48;

/// The verdict, a sentence or two for each question that the input can answer.
pub(super) fn verdict(report: &Report) -> Vec<String> {
    if report.input.records == 0 {
        return vec![
            "No record went to a shard, so there is nothing to hold against limits.".into(),
        ];
    }
    let told = in_its_windows(report).into_iter().chain(main_key(report));
    told.chain(sentences(report)).chain(steady(report)).collect()
}

/// Whether something throttles, as far as is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Fine,
    Over,
    Unknown,
}

/// The verdict in a few words.
pub(super) fn in_short(report: &Report) -> (Tone, String) {
    let projection = &report.projection;
    let word = report.map.system().shard_word();
    let shards = plural(report.map.len() as u64, word);
    let over = projection.shards.iter().filter(|shard| is_throttled(shard)).count();
    if report.input.records == 0 {
        (Tone::Unknown, format!("No record went to a {word}"))
    } else if over > 0 {
        (Tone::Over, format!("{} of {shards} would have throttled", grouped(over as u64)))
    } else if projection.stream.as_ref().is_some_and(is_throttled) {
        let whole = report.map.system().whole();
        (Tone::Over, format!("No {word} would have throttled, but the {whole} as a whole would"))
    } else if report.input.first_time.is_some() && projection.headroom.is_some_and(|of| of >= 1.0) {
        (Tone::Fine, format!("None of {shards} would have throttled"))
    } else if let Some(rate_of_all) = projection.throttle_records_per_second {
        let text = format!("Throttles from {} records/s on", rate(rate_of_all));
        (Tone::Unknown, text)
    } else {
        let most = projection.shards.iter().map(|shard| shard.share).fold(0.0, f64::max);
        (Tone::Unknown, format!("The fullest of {shards} takes {}", percent(most)))
    }
}

/// What happened in the log's own time.
fn in_its_windows(report: &Report) -> Option<String> {
    report.input.first_time?;
    let projection = &report.projection;
    let first = projection
        .shards
        .iter()
        .filter_map(|shard| Some((shard.first_throttle?, shard)))
        .min_by_key(|(time, shard)| (*time, std::cmp::Reverse(shard.throttled_records)));
    let least = projection.headroom?;
    let scale = projection.conditions.scale;
    let scaled = (scale != Scale::ONE).then(|| format!("At {scale} times the log's traffic"));
    let Some((time, first)) = first else {
        let busiest = projection.shards.iter().find(|shard| shard.headroom == Some(least))?;
        return Some(format!(
            "{}: in its busiest {}, {} could take {} the traffic{}.",
            match &scaled {
                Some(scaled) => format!("{scaled}, nothing throttles"),
                None => "Nothing throttles".to_owned(),
            },
            match projection.conditions.model {
                Model::TokenBucket(_) => "time",
                _ => "window",
            },
            called(&report.map, busiest.index),
            times(least),
            by_limit(&projection.limits, busiest.binding_limit, ", limited by its "),
        ));
    };
    let throttled = total(projection.shards.iter().filter_map(|shard| shard.throttled_records));
    let over = projection.shards.iter().filter(|shard| is_throttled(shard)).count();
    let records = scale.of(report.input.records);
    Some(format!(
        "{}{} throttles first, at {}{}. In all, {} of {} ({}) {}, on {} of {}; the traffic would \
         have to be cut to {} to fit.",
        scaled.map_or_else(String::new, |scaled| format!("{scaled}, ")),
        called(&report.map, first.index),
        rfc3339(time),
        by_limit(&projection.limits, first.binding_limit, ", by its "),
        grouped(throttled),
        plural(records, "record"),
        percent(throttled as f64 / records as f64),
        if projection.conditions.retry { "have to be retried" } else { "are over a limit" },
        grouped(over as u64),
        plural(report.map.len() as u64, report.map.system().shard_word()),
        times(least),
    ))
}

/// Which key the shard that throttles most was full of.
fn main_key(report: &Report) -> Option<String> {
    let shard = report.throttled_keys.shards.first()?;
    let key = shard.keys.first()?;
    Some(format!(
        "While {} was over its limit, {} of its {} came from one key, {}.",
        called(&report.map, shard.shard),
        percent(shard.share(key)),
        if shard.is_by_bytes() { "bytes" } else { "records" },
        fitted(&printable(&key.key), KEY),
    ))
}

/// What would happen at a steady rate with these shares and sizes.
fn steady(report: &Report) -> Option<String> {
    let projection = &report.projection;
    let (all, shard) = (projection.throttle_records_per_second?, projection.shard?);
    let even = even_rate(report).filter(|even| *even > all * 1.005).map(|even| {
        format!("; spread evenly, the same shards would take {} records/s", rate(even))
    });
    Some(format!(
        "At a steady rate, with these shares and sizes, {} is the first to throttle, at {} \
         records/s in all{}{}.",
        called(&report.map, shard),
        rate(all),
        by_limit(&projection.limits, projection.binding_limit, ", by its "),
        even.unwrap_or_default(),
    ))
}

/// The rate of the whole stream at which even shares of records of the mean size would meet a
/// limit; `None` without limits or records.
pub(super) fn even_rate(report: &Report) -> Option<f64> {
    let limits = &report.projection.limits;
    let shards = report.map.len() as f64;
    let mean = report.input.bytes as f64 / report.input.records as f64;
    let by_records = limits.records_per_second().map(|limit| limit.value as f64);
    let by_bytes = limits.bytes_per_second().map(|limit| limit.value as f64 / mean);
    let least = by_records.into_iter().chain(by_bytes).reduce(f64::min)?;
    least.is_finite().then_some(least * shards)
}

/// The sum, or the largest number there is: weights can claim any number of records.
pub(super) fn total(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

/// Whether records of the shard are over a limit.
pub(super) fn is_throttled(shard: &ShardProjection) -> bool {
    shard.throttled_records.is_some_and(|records| records > 0)
}

/// `lead` and the limit in words, such as `1,000 records/s`; nothing if it is not known.
fn by_limit(limits: &Limits, binding: Option<BindingLimit>, lead: &str) -> String {
    let (limit, unit) = match binding {
        Some(BindingLimit::Records) => (limits.records_per_second(), "record"),
        Some(BindingLimit::Bytes) => (limits.bytes_per_second(), "byte"),
        Some(BindingLimit::ReadUnits) => (limits.read_units_per_second(), "read unit"),
        Some(BindingLimit::WriteUnits) => (limits.write_units_per_second(), "write unit"),
        Some(BindingLimit::CombinedUnits) => {
            return format!("{lead}read and write units together");
        }
        None => (None, ""),
    };
    limit.map_or_else(String::new, |limit| format!("{lead}{}/s", plural(limit.value, unit)))
}

/// What windows hide, and what is not known of how the service measures a second.
fn of_windows(report: &Report) -> Vec<String> {
    let mut notes = Vec::new();
    let limited = report.projection.limits.iter().next().is_some();
    if report.input.first_time.is_none() || !limited {
        return notes;
    }
    if report.window > Duration::from_secs(1) {
        notes.push(format!(
            "windows of {} s average shorter bursts away: the limits are per second, so peaks and \
             throttles may be higher than shown (--window 1s)",
            seconds(report.window)
        ));
    }
    notes.push(match report.projection.conditions.model {
        Model::TokenBucket(_) => "the service does not say how it measures a second; the buckets \
             of the model token-bucket start full, and the records of a window are taken to come at \
             its start"
            .to_owned(),
        model => format!(
            "the service does not say how it measures a second; the model {model} takes each \
             window alone"
        ),
    });
    notes
}

/// What to bear in mind: what the input could not tell, and what the model leaves open.
pub(super) fn notes(report: &Report) -> Vec<String> {
    let input = &report.input;
    let mut notes = input.faults.clone();
    if let Some(agreement) = input.agreement {
        notes.push(format!(
            "the log's own shard column agrees with this map for {} of {}",
            exact_percent(agreement.share()),
            plural(agreement.compared, "row")
        ));
    }
    if input.aggregated_records > 0 {
        notes.push(format!(
            "{} came as several in one, of which there are {}: each is counted by its own key, and \
             the limit of records counts those that came, {} in all",
            plural(input.carried_records + input.aggregated_records, "record"),
            grouped(input.aggregated_records),
            grouped(input.records.saturating_sub(input.carried_records))
        ));
    }
    if input.unassigned > 0 {
        notes.push(format!(
            "{} without a {} of their own are in no one's count; what each would get if they were \
             spread evenly is an estimate, which peaks and throttles count in",
            plural(input.unassigned, "record"),
            report.map.system().shard_word()
        ));
    }
    if let Some(stream) = &report.projection.stream {
        notes.push(match (stream.throttled_records, stream.first_throttle) {
            (Some(records), Some(time)) => format!(
                "the whole {} is over its own limit, {} from {} on: {} in all",
                if report.map.system() == System::DynamoDb { "table" } else { "stream" },
                if report.projection.shards.iter().any(is_throttled) { "too," } else { "though" },
                rfc3339(time),
                plural(records, "record")
            ),
            _ if report.map.system() == System::DynamoDb => "the whole table has a capacity of \
                  its own, which the headroom counts in"
                .to_owned(),
            _ => "the whole stream has a limit of its own, which the headroom counts in; an \
                  on-demand one grows to twice its highest rate of the last 30 days"
                .to_owned(),
        });
    }
    if report.map.seed().is_some() && input.columns.operation.is_none() {
        notes.push(
            "no operation column: every request counts as a read unless told otherwise \
             (--operation write, --operation-column COLUMN; operation= and operation_column= in \
             Python)"
                .into(),
        );
    }
    if let Some(seed) = report.map.seed() {
        notes.push(format!(
            "the placement is simulated (seed {seed}): the service's hash is not public; try other \
             seeds"
        ));
    }
    if report.projection.conditions.scale != Scale::ONE {
        notes.push(format!(
            "peaks, throttles and headroom are those of {} times the log's traffic; records and \
             bytes are the log's own",
            report.projection.conditions.scale
        ));
    }
    if let Some(emulator) = report.map.emulator() {
        notes.push(emulator.explanation().to_owned());
    }
    notes.extend(report.throttled_keys.reading.explanation());
    notes.extend(of_times(input));
    if input.out_of_order > 0 {
        notes.push(format!(
            "{} earlier than the row above, {} s behind at most; windows go by time, so nothing is \
             lost by that",
            if input.out_of_order == 1 {
                "1 row is".to_owned()
            } else {
                format!("{} rows are", count(input.out_of_order))
            },
            rate(input.max_lateness.as_secs_f64())
        ));
    }
    notes.extend(of_windows(report));
    notes
}
