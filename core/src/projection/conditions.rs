//! Under which conditions a tally is held against limits.

use super::{Model, Reads, Scale};
use crate::error::Result;
use crate::shards::System;

/// Under which conditions a tally is held against limits. A [`Model`] alone is enough: then the
/// log's own traffic is replayed, and what is throttled is dropped.
///
/// ```
/// use shardlane::projection::{Conditions, Model};
/// let once_and_a_half = Conditions { scale: "1.5".parse()?, ..Model::Tumbling.into() };
/// assert!(!once_and_a_half.retry);
/// # Ok::<(), shardlane::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Conditions {
    /// The throttling model.
    pub model: Model,
    /// How many times the log's traffic is replayed. Peaks, throttles, backlogs and headroom are
    /// those of that traffic: its headroom times the scale is the log's own.
    pub scale: Scale,
    /// Whether throttled records are retried, in order and without pause, until they go through.
    pub retry: bool,
    /// Who reads the shards, if that is asked about.
    pub reads: Option<Reads>,
}

impl Conditions {
    /// Checks that they suit `system`.
    ///
    /// # Errors
    /// `InvalidInput` for a bucket, or readers, that its shards do not have.
    pub(crate) fn check(&self, system: System) -> Result<()> {
        self.model.check(system)?;
        self.reads.map_or(Ok(()), |reads| reads.check(system))
    }
}

impl From<Model> for Conditions {
    fn from(model: Model) -> Self {
        Self { model, ..Self::default() }
    }
}
