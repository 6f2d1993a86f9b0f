//! Alibaba Cloud Simple Log Service.

use super::{Limit, Limits};
use crate::shards::System;
use std::borrow::Cow;

/// "Shard" of the help pages: 5 MB/s and 500 writes/s for each shard. All of it is soft: over the
/// limit the service does its best and promises nothing, and pages of other years say other
/// figures (10 MB/s without an index).
const PAGE: &str = "https://www.alibabacloud.com/help/en/sls/product-overview/shard";

/// The day it was read.
const READ: &str = "2026-11-30";

impl Limits {
    /// The write limits of a shard: 500 writes and 5 MiB a second, each row of a log being a write.
    ///
    /// ```
    /// use shardlane::Limits;
    /// assert_eq!(Limits::sls().bytes_per_second().unwrap().value, 5 << 20);
    /// ```
    pub fn sls() -> Self {
        let limit = |value| Limit { value, source: Cow::Borrowed(PAGE), date: Cow::Borrowed(READ) };
        Self {
            records_per_second: Some(limit(500)),
            bytes_per_second: Some(limit(5 << 20)),
            ..Self::none(System::Sls)
        }
    }
}
