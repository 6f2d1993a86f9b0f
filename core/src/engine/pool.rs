//! A router's own threads: made when first needed, and made again in a forked child.
//!
//! A fork copies the memory of a pool but not its threads, so a child that used its parent's pool
//! would wait forever. Python's `multiprocessing` and most web servers fork.

use std::sync::{Arc, RwLock};

/// Threads that belong to one process.
#[derive(Debug, Default)]
pub(super) struct Pool {
    built: RwLock<Option<Built>>,
}

#[derive(Debug, Clone)]
struct Built {
    process: u32,
    /// `None` if the system would not give the threads.
    threads: Option<Arc<rayon::ThreadPool>>,
}

impl Pool {
    /// This process's threads, `count` of them. `None` if the system would not give them, or just
    /// while another caller is making them: the work is then the caller's own.
    ///
    /// Never waits for a lock: whoever held it may not have come along through a fork.
    pub(super) fn threads(&self, count: usize) -> Option<Arc<rayon::ThreadPool>> {
        let process = std::process::id();
        let current = |built: &Option<Built>| built.clone().filter(|of| of.process == process);
        if let Some(built) = current(&*self.built.try_read().ok()?) {
            return built.threads;
        }
        let mut place = self.built.try_write().ok()?;
        if let Some(built) = current(&place) {
            return built.threads;
        }
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(count)
            .thread_name(|i| format!("shardlane-{i}"))
            .build()
            .ok()
            .map(Arc::new);
        // Ending the parent's pool would be talking to threads that are not there.
        std::mem::forget(place.replace(Built { process, threads: threads.clone() }));
        threads
    }
}
