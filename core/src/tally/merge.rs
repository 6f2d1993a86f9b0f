//! Two tallies of parts of a log as one of both.

use super::Tally;
use crate::error::{Error, Result};
use crate::shards::{Shard, ShardMap};

impl Tally {
    /// Adds what `other` counted, as if its rows had been added here.
    ///
    /// The order of merging does not matter: not to totals, cells and times, and not to hot keys
    /// as long as they are exact. [`top`](super::TallyOptions::top) becomes the larger one.
    ///
    /// # Errors
    /// `InvalidInput`, with nothing added, if `other` is of another map, has windows of another
    /// length or counts sizes in another way, or if only one of the two counts hot keys.
    ///
    /// ```
    /// use shardlane::{EvenRule, ShardMap, Tally, TallyOptions};
    /// let of = |shards| {
    ///     Tally::new(ShardMap::kinesis(shards, EvenRule::FixedStep)?, TallyOptions::default())
    /// };
    /// let mut tally = of(4)?;
    /// tally.merge(&of(4)?)?;
    /// let error = tally.merge(&of(8)?).unwrap_err();
    /// assert!(error.message().contains("one of 4 shards and one of 8"));
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if let Some(difference) = self.difference(other) {
            return Err(Error::input(format!(
                "these tallies cannot be merged: {difference}; make both with the same map and the \
                 same options"
            )));
        }
        self.options.top = self.options.top.max(other.options.top);
        self.counters.close(&mut self.cells);
        self.counters.add_totals(other.places());
        self.cells.absorb(other.place_cells());
        if let (Some(hot), Some(other)) = (&mut self.hot, &other.hot) {
            hot.merge(other, &self.map);
        }
        if let (Some(units), Some(other)) = (&mut self.units, &other.units) {
            units.merge(other)?;
        }
        self.observe(other.agreement);
        self.merge_carried(other)?;
        for (reason, rows) in other.rejected() {
            self.reject(reason, rows);
        }
        if let Some((first, last)) = other.windows.seen() {
            self.windows.see(first, last);
        }
        Ok(())
    }

    /// Why the two cannot be merged, if they cannot.
    fn difference(&self, other: &Self) -> Option<String> {
        let (ours, theirs) = (&self.options, &other.options);
        if self.map != other.map {
            Some(map_difference(&self.map, &other.map))
        } else if ours.window != theirs.window {
            let (ours, theirs) = (ours.window.as_secs_f64(), theirs.window.as_secs_f64());
            Some(format!("one has windows of {ours} s and the other of {theirs} s"))
        } else if ours.size_includes_key != theirs.size_includes_key {
            Some("the sizes of only one of them include the keys".to_owned())
        } else if (ours.top == 0) != (theirs.top == 0) {
            Some("only one of them counts hot keys (top is 0 in the other)".to_owned())
        } else {
            None
        }
    }
}

/// In what two maps that are not equal differ.
fn map_difference(ours: &ShardMap, theirs: &ShardMap) -> String {
    if ours.system() != theirs.system() {
        return format!("one is of {} and the other of {}", ours.system(), theirs.system());
    }
    if ours.len() != theirs.len() {
        let (ours, theirs) = (ours.len(), theirs.len());
        return format!("they are of two maps, one of {ours} shards and one of {theirs}");
    }
    if let (Some(ours), Some(theirs)) = (ours.key_length_unit(), theirs.key_length_unit())
        && ours != theirs
    {
        let (ours, theirs) = (ours.name(), theirs.name());
        return format!("their maps count the length of keys in {ours} and in {theirs}");
    }
    if let (Some(ours), Some(theirs)) = (ours.partitioner(), theirs.partitioner())
        && ours != theirs
    {
        return format!("one is of the partitioner {ours} and the other of {theirs}");
    }
    let system = ours.system();
    let shown = |shard: &Shard| {
        let range = shard.boundaries(system);
        range.map_or_else(String::new, |(start, end)| format!(" ({start} to {end})"))
    };
    let shards = ours.open_shards().zip(theirs.open_shards());
    match shards.into_iter().find(|(ours, theirs)| ours != theirs) {
        Some((ours, theirs)) => format!(
            "they are of two maps, which differ first at {}{} and {}{}",
            ours.id,
            shown(ours),
            theirs.id,
            shown(theirs)
        ),
        None if ours.shards() != theirs.shards() => {
            "their maps list different closed shards".to_owned()
        }
        None => format!("their maps follow different rules of {system} (seed, buckets or mode)"),
    }
}
