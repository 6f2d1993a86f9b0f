//! Apache Kafka: what a partition takes depends on brokers and consumers, so that there is no limit
//! unless one is given.

use super::Limits;
use crate::shards::System;

impl Limits {
    /// No limits: Kafka itself has none for a partition. What one of yours can take, or one
    /// consumer can read, is measured, and given with [`with`](Self::with).
    ///
    /// ```
    /// use shardlane::Limits;
    /// assert_eq!(Limits::kafka().iter().count(), 0);
    /// let measured = Limits::kafka().with("records_per_second", 5_000)?;
    /// assert_eq!(measured.records_per_second().unwrap().value, 5_000);
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn kafka() -> Self {
        Self::none(System::Kafka)
    }
}
