//! Capacity units of `DynamoDB` against what a partition gives: reads and writes each for itself, or
//! as parts of one whole.

use super::headroom::{Steady, fits, steady};
use super::load::{Load, combined};
use super::{BindingLimit, ShardProjection, Throttle, tumbling};
use crate::limits::{Limits, UnitRule};
use crate::tally::{Cell, Tally, Totals};
use std::collections::BTreeMap;

/// One of the measures that a partition is held to. The bytes of its load are units in some scale,
/// and so are those of its limits.
struct Measure {
    load: Load,
    cells: Vec<Cell>,
    limits: Limits,
    name: BindingLimit,
}

/// The measures of a tally's units, as `limits` say.
fn measures(units: [&Tally; 2], limits: &Limits) -> Vec<Measure> {
    let [read, write] = [limits.read_units_per_second(), limits.write_units_per_second()]
        .map(|limit| limit.map(|limit| limit.value));
    if limits.unit_rule() == UnitRule::LinearCombination
        && let (Some(read), Some(write)) = (read, write)
    {
        // reads / read + writes / write <= 1, without fractions.
        let (load, cells) = combined(units, write, read);
        let limits = Limits::of_half_units(read.saturating_mul(write));
        return vec![Measure { load, cells, limits, name: BindingLimit::CombinedUnits }];
    }
    let [reads, writes] = units;
    [(reads, read, BindingLimit::ReadUnits), (writes, write, BindingLimit::WriteUnits)]
        .into_iter()
        .filter_map(|(tally, limit, name)| {
            let limits = Limits::of_half_units(limit?);
            Some(Measure { load: Load::of(tally), cells: tally.cells().collect(), limits, name })
        })
        .collect()
}

/// Each partition's load against its limits.
pub(super) fn project(tally: &Tally, units: [&Tally; 2], limits: &Limits) -> Vec<ShardProjection> {
    let unlimited = Limits::unlimited_units();
    let mut shards = tumbling::project(&Load::of(tally), tally.cells(), tally, &unlimited);
    let seconds = tally.window().as_secs_f64();
    let [reads, writes] = units;
    for ((shard, reads), writes) in shards.iter_mut().zip(reads.totals()).zip(writes.totals()) {
        shard.read_units = Some(reads.bytes as f64 / 2.0);
        shard.write_units = Some(writes.bytes as f64 / 2.0);
        shard.binding_limit = None;
    }
    for measure in measures(units, limits) {
        let cells = measure.cells.iter().copied();
        let found = tumbling::project(&measure.load, cells, tally, &measure.limits);
        for (shard, of) in shards.iter_mut().zip(found) {
            let is_nearer = match (of.headroom, shard.headroom) {
                (Some(of), Some(so_far)) => of < so_far,
                (of, so_far) => so_far.is_none() && (of.is_some() || shard.binding_limit.is_none()),
            };
            if is_nearer {
                shard.headroom = of.headroom;
                shard.binding_limit = of.binding_limit.map(|_| measure.name);
            }
        }
    }
    let mut windows = vec![0_u64; shards.len()];
    for throttle in throttles(tally, units, limits) {
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

/// The windows in which a partition was over a limit, in order of time and then of partition. Of two
/// limits, the one that more records are over is named.
pub(super) fn throttles(
    tally: &Tally,
    units: [&Tally; 2],
    limits: &Limits,
) -> impl Iterator<Item = Throttle> + use<> {
    let mut found: BTreeMap<(i64, u32), Throttle> = BTreeMap::new();
    for Measure { cells, limits, name, .. } in measures(units, limits) {
        for throttle in tumbling::throttles(cells.into_iter(), tally, &limits) {
            let throttle = Throttle { binding_limit: name, ..throttle };
            let place = (throttle.window_start, throttle.shard);
            found
                .entry(place)
                .and_modify(|so_far| {
                    if throttle.throttled_records > so_far.throttled_records {
                        so_far.binding_limit = name;
                    }
                    so_far.records = so_far.records.saturating_add(throttle.records);
                    so_far.throttled_records =
                        so_far.throttled_records.saturating_add(throttle.throttled_records);
                })
                .or_insert(throttle);
        }
    }
    // What came in bytes is the log's own.
    if !found.is_empty() {
        for cell in tally.cells() {
            let place = (tally.start_of(cell.window), cell.shard);
            if let Some(throttle) = found.get_mut(&place) {
                (throttle.records, throttle.bytes) = (cell.records, cell.bytes);
            }
        }
    }
    found.into_values()
}

/// How full each partition is in each window, as a part of the limit that it is nearest to.
pub(super) fn loads(
    units: [&Tally; 2],
    limits: &Limits,
) -> BTreeMap<(i64, u32), (f64, BindingLimit)> {
    let seconds = units[0].window().as_secs();
    let mut loads: BTreeMap<(i64, u32), (f64, BindingLimit)> = BTreeMap::new();
    for Measure { cells, limits, name, .. } in measures(units, limits) {
        for cell in cells {
            let load = Totals { records: cell.records, bytes: cell.bytes };
            let Some((times, _)) = fits(&limits, load, seconds) else { continue };
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
        let all = tally.records();
        let steady = steady(&measure.load, all, &measure.limits)?;
        Some(Steady { limit: measure.name, ..steady })
    };
    measures(units, limits).into_iter().filter_map(rate).reduce(|first, next| {
        if next.records_per_second < first.records_per_second { next } else { first }
    })
}
