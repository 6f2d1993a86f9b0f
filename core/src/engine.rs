//! The stages put together: columns in, shards, tallies and reports out, on as many threads as
//! asked for.
//!
//! ```
//! use shardlane::arrow::array::StringArray;
//! use shardlane::{EvenRule, KeyColumn, Router, ShardMap};
//!
//! let router = Router::new(ShardMap::kinesis(4, EvenRule::FixedStep)?);
//! let keys = KeyColumn::try_new(&StringArray::from(vec!["order-1001", "JP", "user-1", "日本"]))?;
//! assert_eq!(router.route(&keys), [2, 0, 3, 1]);
//! # Ok::<(), shardlane::Error>(())
//! ```

mod carriage;
mod chunk;
mod compare;
mod counting;
mod hashing;
mod infer;
mod observed;
mod pool;
mod reading;
mod rejections;
mod replay;
mod skew;
mod throttled_keys;
mod verify;

pub use compare::compare;
pub use infer::infer;
pub use reading::Progress;
pub use rejections::Rejections;
pub use replay::{ReplayOptions, replay, tally};
pub use skew::skew;
pub use verify::verify;

use crate::error::{Error, Result};
use crate::keys::{KeyColumn, Visitor};
use crate::lanes::{Backend, Keys, md5};
use crate::shards::{HashFunction, NO_SHARD, ObservedShards, Refusal, ShardMap, System, Verdict};
use crate::source::Batch;
use crate::tally::{Tally, TallyOptions};
use chunk::{ColumnRouter, ROWS};
use pool::Pool;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use throttled_keys::Windows;

/// How a [`Router`] works.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RouterOptions {
    /// Threads to work on: 0 for one a core, 1 for the caller's own.
    pub threads: usize,
    /// The instructions to hash with; the best this CPU has, if not said.
    pub backend: Option<Backend>,
}

/// Routes columns of keys to the shards of one map. Many threads may share one.
#[derive(Debug)]
pub struct Router {
    map: Arc<ShardMap>,
    backend: Backend,
    threads: usize,
    /// Built when a column is first large enough to share; never rayon's global pool, which does
    /// not survive a fork.
    pool: Pool,
    /// Made when a log first says where its records went.
    observed: OnceLock<ObservedShards>,
}

impl Router {
    /// A router for `map` that uses every core.
    pub fn new(map: impl Into<Arc<ShardMap>>) -> Self {
        let backend = Backend::detect();
        Self {
            map: map.into(),
            backend,
            threads: cores(),
            pool: Pool::default(),
            observed: OnceLock::new(),
        }
    }

    /// A router for `map` with options.
    ///
    /// # Errors
    /// `InvalidInput` if this CPU lacks the back end asked for.
    pub fn with_options(map: impl Into<Arc<ShardMap>>, options: &RouterOptions) -> Result<Self> {
        let backend = options.backend.unwrap_or_else(Backend::detect);
        if !backend.is_available() {
            let names: Vec<_> = Backend::available().map(Backend::name).collect();
            return Err(Error::input(format!(
                "this CPU lacks the back end {backend}; it has {}",
                names.join(", ")
            )));
        }
        let threads = if options.threads == 0 { cores() } else { options.threads };
        Ok(Self {
            map: map.into(),
            backend,
            threads,
            pool: Pool::default(),
            observed: OnceLock::new(),
        })
    }

    /// The map it routes by.
    pub fn map(&self) -> &Arc<ShardMap> {
        &self.map
    }

    /// The shard index of one record: of its explicit hash key if it has one, of its key if not.
    /// `None` if it has no shard of its own, since the system spreads such records, and for a null
    /// key that is not hashed.
    ///
    /// # Errors
    /// The reason for which the service would refuse the record.
    ///
    /// ```
    /// use shardlane::{EvenRule, Refusal, Router, ShardMap};
    /// let router = Router::new(ShardMap::kinesis(4, EvenRule::FixedStep)?);
    /// assert_eq!(router.shard_of(Some(b"order-1001"), None), Ok(Some(2)));
    /// assert_eq!(router.shard_of(Some(b"order-1001"), Some(b"0")), Ok(Some(0)));
    /// assert_eq!(router.shard_of(Some(b""), Some(b"0")), Err(Refusal::EmptyKey));
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn shard_of(
        &self,
        key: Option<&[u8]>,
        explicit_hash_key: Option<&[u8]>,
    ) -> Result<Option<u32>, Refusal> {
        let map = &self.map;
        let verdict = map.verdict(key);
        match (verdict, explicit_hash_key) {
            // A null key is null, also where the service refuses it.
            (Verdict::Refused(Refusal::NullKey), _) | (Verdict::Unassigned, None) => Ok(None),
            (Verdict::Refused(reason), _) => Err(reason),
            (_, Some(text)) => Ok(Some(map.shard_of_hash(map.explicit_hash(text)?))),
            (Verdict::Hashed, None) => {
                let hash = hashing::whole(map.hash(), key.unwrap_or_default());
                Ok(Some(map.shard_of_hash(hash)))
            }
        }
    }

    /// The shard index of each key; [`NO_SHARD`](crate::NO_SHARD) for a null, and for a key that
    /// the service would refuse.
    pub fn route(&self, keys: &KeyColumn) -> Vec<u32> {
        let mut shards = vec![0; keys.len()];
        self.run(keys, None, &mut shards);
        shards
    }

    /// Writes the shard index of each row to `shards`: of its explicit hash key where it has one,
    /// of its key elsewhere. Says which rows have no shard, and why.
    ///
    /// # Errors
    /// `InvalidInput` if the columns and `shards` are not all of one length, or explicit hash keys
    /// are given for a system that has none.
    pub fn route_into(
        &self,
        keys: &KeyColumn,
        explicit_hash_keys: Option<&KeyColumn>,
        shards: &mut [u32],
    ) -> Result<Rejections> {
        check_length("the output", shards.len(), keys.len())?;
        if let Some(explicit) = explicit_hash_keys {
            self.map.check_explicit_hash_keys()?;
            check_length("the explicit hash key column", explicit.len(), keys.len())?;
        }
        Ok(self.run(keys, explicit_hash_keys, shards))
    }

    /// The 16-byte MD5 of each key; zeros for a null.
    pub fn digest(&self, keys: &KeyColumn) -> Vec<[u8; 16]> {
        let mut digests = vec![[0; 16]; keys.len()];
        keys.visit(Digest { backend: self.backend, out: &mut digests });
        for (i, digest) in digests.iter_mut().enumerate() {
            if keys.is_null(i) {
                *digest = [0; 16];
            }
        }
        digests
    }

    /// Threads to count on.
    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// The hash of each key, if the system's has 32 bits, as those of Kafka's clients have; 0 for
    /// a null.
    ///
    /// ```
    /// use shardlane::arrow::array::StringArray;
    /// use shardlane::{KeyColumn, Partitioner, Router, ShardMap};
    /// let router = Router::new(ShardMap::kafka(12, Partitioner::Java)?);
    /// let keys = KeyColumn::try_new(&StringArray::from(vec!["abc"]))?;
    /// assert_eq!(router.hashes(&keys), Some(vec![479470107]));
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn hashes(&self, keys: &KeyColumn) -> Option<Vec<u32>> {
        let function = self.map.hash().filter(|function| *function != HashFunction::Md5)?;
        let mut hashes = vec![0; keys.len()];
        keys.visit(Hashes { function, backend: self.backend, out: &mut hashes });
        for (i, hash) in hashes.iter_mut().enumerate() {
            if keys.is_null(i) {
                *hash = 0;
            }
        }
        Some(hashes)
    }

    /// Counts the rows of a batch.
    ///
    /// # Errors
    /// `InvalidInput` if the batch's columns are not all of one length, or the window is not one
    /// that a tally can have.
    pub fn tally(&self, batch: &Batch, options: &TallyOptions) -> Result<(Tally, Rejections)> {
        let mut tally = Tally::new(self.map.clone(), options.clone())?;
        let rejections = self.tally_into(batch, 0, &mut tally)?;
        Ok((tally, rejections))
    }

    /// Counts the rows of a batch into a tally, on the caller's thread. `first_row` is the number
    /// of rows before the batch, for the positions of rows that cannot be used.
    ///
    /// # Errors
    /// `InvalidInput` if the batch's columns are not all of one length.
    pub fn tally_into(
        &self,
        batch: &Batch,
        first_row: u64,
        tally: &mut Tally,
    ) -> Result<Rejections> {
        self.tally_windows(batch, first_row, None, tally)
    }

    /// The same, of the rows of `windows` only, if there are any given.
    fn tally_windows(
        &self,
        batch: &Batch,
        first_row: u64,
        windows: Option<&Windows>,
        tally: &mut Tally,
    ) -> Result<Rejections> {
        let tells =
            windows.is_none() && batch.shards.is_some() && self.map.system() != System::DynamoDb;
        let observed = tells.then(|| self.observed.get_or_init(|| ObservedShards::new(&self.map)));
        chunk::tally_batch(&self.map, self.backend, batch, observed, first_row, windows, tally)
    }

    fn run(
        &self,
        keys: &KeyColumn,
        explicit: Option<&KeyColumn>,
        shards: &mut [u32],
    ) -> Rejections {
        let keys = &*chunk::with_plain_nulls(&self.map, keys);
        let column = ColumnRouter::new(&self.map, self.backend, keys, explicit, NO_SHARD);
        let rows = 0..shards.len();
        // Below some chunks a thread, waking the threads costs more than they save.
        let pieces = self.threads.min(shards.len() / (16 * ROWS));
        let pool = if pieces > 1 { self.pool.threads(self.threads) } else { None };
        let Some(pool) = pool else {
            return keys.visit(Route { column: &column, rows, shards });
        };
        let piece = shards.len().div_ceil(pieces).next_multiple_of(ROWS);
        let mut found: Vec<Rejections> = Vec::new();
        found.resize_with(shards.len().div_ceil(piece), Rejections::default);
        pool.scope(|scope| {
            for ((at, shards), found) in shards.chunks_mut(piece).enumerate().zip(&mut found) {
                let column = &column;
                scope.spawn(move |_| {
                    let start = at * piece;
                    let rows = start..start + shards.len();
                    *found = keys.visit(Route { column, rows, shards });
                });
            }
        });
        found.into_iter().fold(Rejections::default(), Rejections::merged)
    }
}

/// Number of threads that the process may use at once.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn check_length(what: &str, given: usize, expected: usize) -> Result<()> {
    if given == expected {
        return Ok(());
    }
    Err(Error::input(format!("{what} has {given} rows, but the key column has {expected}")))
}

/// Routes some rows of a column.
struct Route<'a, 'b> {
    column: &'a ColumnRouter<'a>,
    rows: Range<usize>,
    shards: &'b mut [u32],
}

impl Visitor for Route<'_, '_> {
    type Output = Rejections;

    fn visit<K: Keys>(self, keys: &K) -> Rejections {
        let mut rejections = Rejections::default();
        let mut prefixes = [0; ROWS];
        for (at, shards) in self.shards.chunks_mut(ROWS).enumerate() {
            let start = self.rows.start + at * ROWS;
            let rows = start..start + shards.len();
            let prefixes = &mut prefixes[..shards.len()];
            self.column.route(keys, rows, prefixes, shards, |row, reason| {
                rejections.add(reason, row as u64);
            });
        }
        rejections
    }
}

/// Hashes a whole column to 32 bits.
struct Hashes<'a> {
    function: HashFunction,
    backend: Backend,
    out: &'a mut [u32],
}

impl Visitor for Hashes<'_> {
    type Output = ();

    fn visit<K: Keys>(self, keys: &K) {
        hashing::prefixes(Some(self.function), self.backend, keys, 0..keys.len(), self.out);
    }
}

/// Hashes a whole column to its digests.
struct Digest<'a> {
    backend: Backend,
    out: &'a mut [[u8; 16]],
}

impl Visitor for Digest<'_> {
    type Output = ();

    fn visit<K: Keys>(self, keys: &K) {
        md5::digests(self.backend, keys, 0..keys.len(), self.out);
    }
}
