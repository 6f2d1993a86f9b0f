//! Capacity units of `DynamoDB` against what a partition gives: reads and writes each for itself, or
//! as parts of one whole.

use super::conditions::Conditions;
use super::headroom::{Steady, steady};
use super::load::{Load, combined, merged};
use super::queue::Backlog;
use super::rules::Rules;
use super::{BindingLimit, Model, ShardProjection, Throttle, windows};
use crate::limits::{Limit, Limits, UnitRule};
use crate::tally::{Cell, Tally, Totals};
use std::collections::BTreeMap;

/// One of the measures that a partition is held to. The bytes of its load are units in some scale,
/// and so are those of its limits.
struct Measure {
    load: Load,
    cells: Vec<Cell>,
    limits: Limits,
    rules: Rules,
    name: BindingLimit,
}

/// The measures of a tally's units, as `limits` say.
fn measures(units: [&Tally; 2], limits: &Limits, conditions: &Conditions) -> Vec<Measure> {
    let measure = |load: Load, cells, half_units, name| {
        let limits = Limits::of_half_units(half_units);
        let rules = Rules::of(&limits, conditions.model, load.window);
        Measure { load, cells, limits, rules, name }
    };
    let [read, write] = [limits.read_units_per_second(), limits.write_units_per_second()]
        .map(|limit| limit.map(|limit| limit.value));
    if limits.unit_rule() == UnitRule::LinearCombination
        && let (Some(read), Some(write)) = (read, write)
    {
        // reads / read + writes / write <= 1, without fractions.
        let (load, cells) = combined(units, write, read);
        return vec![measure(load, cells, read.saturating_mul(write), BindingLimit::CombinedUnits)];
    }
    let [reads, writes] = units;
    [(reads, read, BindingLimit::ReadUnits), (writes, write, BindingLimit::WriteUnits)]
        .into_iter()
        .filter_map(|(tally, limit, name)| {
            Some(measure(Load::of(tally), tally.cells().collect(), limit?, name))
        })
        .collect()
}

/// The measures of the table as a whole, where its capacity is told. It keeps some of what it does
/// not use, and no partition of it.
fn table_measures(units: [&Tally; 2], limits: &Limits, conditions: &Conditions) -> Vec<Measure> {
    let [reads, writes] = units;
    let capacities = [
        (reads, limits.table_read_units_per_second(), BindingLimit::ReadUnits),
        (writes, limits.table_write_units_per_second(), BindingLimit::WriteUnits),
    ];
    let measure = |(tally, limit, name): (&Tally, Option<&Limit>, _)| {
        let limits = Limits::of_half_units(limit?.value);
        let load = Load::of(tally).into_one();
        let rules = Rules::of_table(&limits, conditions.model, load.window);
        Some(Measure { load, cells: merged(tally.cells()), limits, rules, name })
    };
    capacities.into_iter().filter_map(measure).collect()
}

/// Each partition's load against its limits.
pub(super) fn project(
    tally: &Tally,
    units: [&Tally; 2],
    limits: &Limits,
    conditions: &Conditions,
) -> Vec<ShardProjection> {
    let cells: Vec<_> = tally.cells().collect();
    let measures = measures(units, limits, conditions);
    let [reads, writes] = units.map(|tally| tally.totals().iter());
    let mut shards = against(&measures, &Load::of(tally), &cells, tally, conditions);
    for ((shard, reads), writes) in shards.iter_mut().zip(reads).zip(writes) {
        shard.read_units = Some(reads.bytes as f64 / 2.0);
        shard.write_units = Some(writes.bytes as f64 / 2.0);
    }
    shards
}

/// The whole table's load against its capacity; `None` if that is not told.
pub(super) fn project_table(
    tally: &Tally,
    units: [&Tally; 2],
    limits: &Limits,
    conditions: &Conditions,
) -> Option<ShardProjection> {
    let measures = table_measures(units, limits, conditions);
    if measures.is_empty() {
        return None;
    }
    let (load, cells) = (Load::of(tally).into_one(), merged(tally.cells()));
    against(&measures, &load, &cells, tally, conditions).into_iter().next()
}

/// A load against measures of its units.
fn against(
    measures: &[Measure],
    load: &Load,
    cells: &[Cell],
    tally: &Tally,
    conditions: &Conditions,
) -> Vec<ShardProjection> {
    let plain = Conditions { retry: false, ..*conditions };
    let unlimited = Rules::default();
    let all = || cells.iter().copied();
    let mut shards = windows::project(load, all, tally, &unlimited, &plain);
    let seconds = load.window.as_secs_f64();
    for measure in measures {
        let cells = || measure.cells.iter().copied();
        let found = windows::project(&measure.load, cells, tally, &measure.rules, conditions);
        for (shard, of) in shards.iter_mut().zip(found) {
            let is_nearer = match (of.headroom, shard.headroom) {
                (Some(of), Some(so_far)) => of < so_far,
                (of, so_far) => so_far.is_none() && (of.is_some() || shard.binding_limit.is_none()),
            };
            if is_nearer {
                shard.headroom = of.headroom;
                shard.binding_limit = of.binding_limit.map(|_| measure.name);
            }
            shard.backlog = match (shard.backlog, of.backlog) {
                (Some(one), Some(other)) => Some(together(one, other)),
                (one, other) => one.or(other),
            };
        }
    }
    let mut windows = vec![0_u64; shards.len()];
    for throttle in merged_throttles(measures, cells, tally, conditions) {
        let index = throttle.shard as usize;
        let Some(shard) = shards.get_mut(index) else { continue };
        windows[index] += 1;
        let so_far = shard.throttled_records.unwrap_or(0);
        shard.throttled_records = Some(so_far.saturating_add(throttle.throttled_records));
        shard.throttled_seconds = Some(windows[index] as f64 * seconds);
        shard.first_throttle.get_or_insert(throttle.window_start);
    }
    shards
}

/// What waits for reads and what waits for writes. Both at their most is the most of both, or more.
fn together(one: Backlog, other: Backlog) -> Backlog {
    Backlog {
        max_records: one.max_records.saturating_add(other.max_records),
        max_bytes: one.max_bytes.saturating_add(other.max_bytes),
        max_delay: one.max_delay.max(other.max_delay),
        drained: one.drained.max(other.drained),
        records_at_end: one.records_at_end.saturating_add(other.records_at_end),
    }
}

/// The windows in which a partition was over a limit, in order of time and then of partition. Of two
/// limits, the one that more records are over is named.
pub(super) fn throttles(
    tally: &Tally,
    units: [&Tally; 2],
    limits: &Limits,
    conditions: &Conditions,
) -> impl Iterator<Item = Throttle> + use<> {
    let cells: Vec<_> = tally.cells().collect();
    merged_throttles(&measures(units, limits, conditions), &cells, tally, conditions).into_iter()
}

/// The windows over any of the measures; `cells` are the log's own.
fn merged_throttles(
    measures: &[Measure],
    cells: &[Cell],
    tally: &Tally,
    conditions: &Conditions,
) -> Vec<Throttle> {
    let mut found: BTreeMap<(i64, u32), Throttle> = BTreeMap::new();
    for Measure { cells, rules, name, .. } in measures {
        let cells = cells.iter().copied();
        for throttle in windows::throttles(cells, tally, *rules, conditions) {
            let throttle = Throttle { binding_limit: *name, ..throttle };
            let place = (throttle.window_start, throttle.shard);
            found
                .entry(place)
                .and_modify(|so_far| {
                    if throttle.throttled_records > so_far.throttled_records {
                        so_far.binding_limit = *name;
                    }
                    so_far.throttled_records =
                        so_far.throttled_records.saturating_add(throttle.throttled_records);
                })
                .or_insert(throttle);
        }
    }
    // What came in bytes is the log's own.
    if !found.is_empty() {
        for cell in cells {
            let place = (tally.start_of(cell.window), cell.shard);
            if let Some(throttle) = found.get_mut(&place) {
                throttle.records = conditions.scale.of(cell.records);
                throttle.bytes = conditions.scale.of(cell.bytes);
            }
        }
    }
    found.into_values().collect()
}

/// How full each partition is in each window, as a part of the limit that it is nearest to.
pub(super) fn loads(
    units: [&Tally; 2],
    limits: &Limits,
    conditions: &Conditions,
) -> BTreeMap<(i64, u32), (f64, BindingLimit)> {
    let plain = Conditions { model: Model::Tumbling, ..*conditions };
    let mut loads: BTreeMap<(i64, u32), (f64, BindingLimit)> = BTreeMap::new();
    for Measure { cells, rules, name, .. } in measures(units, limits, &plain) {
        for cell in cells {
            let load = Totals { records: cell.records, bytes: cell.bytes };
            let Some((times, _)) = rules.fits(load, conditions.scale) else { continue };
            let place = loads.entry((cell.window, cell.shard)).or_insert((0.0, name));
            if 1.0 / times > place.0 {
                *place = (1.0 / times, name);
            }
        }
    }
    loads
}

/// The steady rate at which the first partition meets a limit.
pub(super) fn steady_rate(tally: &Tally, units: [&Tally; 2], limits: &Limits) -> Option<Steady> {
    let rate = |measure: Measure| {
        let rules = Rules::of_a_second(&measure.limits);
        let steady = steady(&measure.load, tally.records(), &rules)?;
        Some(Steady { limit: measure.name, ..steady })
    };
    let conditions = Conditions::default();
    measures(units, limits, &conditions).into_iter().filter_map(rate).reduce(|first, next| {
        if next.records_per_second < first.records_per_second { next } else { first }
    })
}
