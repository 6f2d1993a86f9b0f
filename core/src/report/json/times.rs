//! What is to be said of the log's times.

use crate::source::{TimeNotes, TimeUnit};
use serde::Serialize;

/// Of numbers their unit, of text how many have a zone.
#[derive(Serialize)]
pub(super) struct Times {
    unit: Option<&'static str>,
    unit_is_guess: bool,
    /// The unit that the numbers look like, if that is another one.
    likely_unit: Option<&'static str>,
    with_zone: u64,
    without_zone: u64,
}

impl Times {
    /// `None` of times that are neither numbers nor text.
    pub(super) fn of(notes: &TimeNotes) -> Option<Self> {
        let is_any = notes.unit.is_some() || notes.zoned > 0 || notes.zoneless > 0;
        is_any.then(|| Self {
            unit: notes.unit.map(TimeUnit::name),
            unit_is_guess: notes.is_guess,
            likely_unit: notes.unlike.map(|(_, unit)| unit.name()),
            with_zone: notes.zoned,
            without_zone: notes.zoneless,
        })
    }
}
