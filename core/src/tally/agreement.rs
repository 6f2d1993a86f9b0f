//! How well a log that says where its records went agrees with the map.

use super::Tally;

/// Rows that name a shard and have one of their own, and how many of these name that one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Agreement {
    /// Rows that name a shard and have one of their own.
    pub compared: u64,
    /// Of these, the rows that went where the map says.
    pub agreed: u64,
}

impl Agreement {
    /// The part that agrees, from 0 to 1.
    pub fn share(self) -> f64 {
        if self.compared == 0 { 0.0 } else { self.agreed as f64 / self.compared as f64 }
    }
}

impl Tally {
    /// Counts rows that were held against what the log says.
    ///
    /// ```
    /// use shardlane::tally::Agreement;
    /// use shardlane::{EvenRule, ShardMap, Tally, TallyOptions};
    /// let map = ShardMap::kinesis(2, EvenRule::FixedStep)?;
    /// let mut tally = Tally::new(map, TallyOptions::default())?;
    /// assert_eq!(tally.agreement(), None);
    /// tally.observe(Agreement { compared: 4, agreed: 3 });
    /// assert_eq!(tally.agreement().unwrap().share(), 0.75);
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn observe(&mut self, more: Agreement) {
        let Agreement { compared, agreed } = &mut self.agreement;
        *compared = compared.saturating_add(more.compared);
        *agreed = agreed.saturating_add(more.agreed).min(*compared);
    }

    /// How well the log agrees with the map; `None` if no row says where it went.
    pub fn agreement(&self) -> Option<Agreement> {
        (self.agreement.compared > 0).then_some(self.agreement)
    }
}
