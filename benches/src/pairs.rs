//! Paired measurements: contenders take turns in one process, so that what disturbs one disturbs
//! all, and only their ratios are believed.
//!
//! The vector probe runs before and after each sample. A sample beside a low probe is dropped, and
//! so is one whose threads had to wait for a core; if fewer than [`ENOUGH`] remain, all are used and
//! the median is marked `*`.

use crate::probe::Probe;
use std::fmt;
use std::path::Path;
use std::time::Instant;

/// Fewer undisturbed samples than this are not trusted.
pub const ENOUGH: usize = 5;

/// A sample is dropped when its threads waited for a core longer than this part of it.
const WAIT: f64 = 0.02;

/// What a sample is measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// CPU time of this thread; wall time where the system does not tell it as a file.
    Thread,
    /// Wall time, for work on more than one thread.
    Wall,
}

/// One of the things that are measured against each other.
pub struct Contender<'a> {
    name: String,
    clock: Clock,
    run: Box<dyn FnMut(usize) + 'a>,
}

impl<'a> Contender<'a> {
    /// Measures `run` on thread CPU time. It is given the number of its turn, to choose its part
    /// of the data by.
    pub fn new(name: &str, run: impl FnMut(usize) + 'a) -> Self {
        Self { name: name.to_owned(), clock: Clock::Thread, run: Box::new(run) }
    }

    /// The same on wall time.
    pub fn on_wall(name: &str, run: impl FnMut(usize) + 'a) -> Self {
        Self { clock: Clock::Wall, ..Self::new(name, run) }
    }
}

/// What was measured of one contender.
#[derive(Debug, Clone)]
pub struct Samples {
    /// The contender's name.
    pub name: String,
    /// Seconds of each sample, and the lower of the two probes beside it; 0 if its threads had to
    /// wait for a core.
    samples: Vec<(f64, f64)>,
}

/// The median of the samples that count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Median {
    /// Seconds.
    pub seconds: f64,
    /// Samples that were not disturbed.
    pub kept: usize,
    /// All samples.
    pub total: usize,
}

impl Median {
    /// Whether too many samples were disturbed, so that all were used.
    pub fn is_marked(self) -> bool {
        self.kept < ENOUGH
    }
}

/// Kept and total samples, `*` if marked.
impl fmt::Display for Median {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}{}", self.kept, self.total, if self.is_marked() { "*" } else { "" })
    }
}

impl Samples {
    /// The median, counting samples whose probes reached `floor`.
    pub fn median(&self, floor: f64) -> Median {
        let quiet = || self.samples.iter().filter(|sample| sample.1 >= floor);
        let (kept, total) = (quiet().count(), self.samples.len());
        let all = kept < ENOUGH;
        let mut seconds: Vec<f64> =
            self.samples.iter().filter(|s| all || s.1 >= floor).map(|s| s.0).collect();
        seconds.sort_by(f64::total_cmp);
        let seconds = match (seconds.len() / 2, seconds.len() % 2) {
            (0, 0) => f64::NAN,
            (half, 0) => f64::midpoint(seconds[half - 1], seconds[half]),
            (half, _) => seconds[half],
        };
        Median { seconds, kept, total }
    }
}

/// Lets each contender run once to warm up and then `rounds` times, one after the other, each
/// round beginning with another one.
pub fn measure(probe: &mut Probe, rounds: usize, mut all: Vec<Contender<'_>>) -> Vec<Samples> {
    for contender in &mut all {
        (contender.run)(0);
    }
    let samples = |contender: &Contender<'_>| Samples {
        name: contender.name.clone(),
        samples: Vec::with_capacity(rounds),
    };
    let mut measured: Vec<Samples> = all.iter().map(samples).collect();
    for round in 0..rounds {
        for turn in 0..all.len() {
            let at = (round + turn) % all.len();
            let Contender { clock, run, .. } = &mut all[at];
            let before = probe.sample();
            let start = Start::now(*clock);
            run(round);
            let (seconds, waited) = start.elapsed();
            let after = probe.sample();
            let quality = if waited { 0.0 } else { before.min(after) };
            measured[at].samples.push((seconds, quality));
        }
    }
    measured
}

/// The moment when a sample began.
struct Start {
    wall: Instant,
    clock: Clock,
    ticks: Option<Ticks>,
}

impl Start {
    fn now(clock: Clock) -> Self {
        let ticks = match clock {
            Clock::Thread => {
                // The kernel brings a thread's ticks up to date when it yields.
                std::thread::yield_now();
                Ticks::of(Path::new(THIS_THREAD))
            }
            Clock::Wall => Ticks::of_all(),
        };
        Self { clock, ticks, wall: Instant::now() }
    }

    /// Seconds since, and whether threads had to wait for a core: wall time would count that, and
    /// whoever had the core left nothing in its caches.
    fn elapsed(&self) -> (f64, bool) {
        let wall = self.wall.elapsed().as_secs_f64();
        let now = match self.clock {
            Clock::Thread => Ticks::of(Path::new(THIS_THREAD)),
            Clock::Wall => Ticks::of_all(),
        };
        let Some((start, now)) = self.ticks.zip(now) else { return (wall, false) };
        let waited = now.waiting.saturating_sub(start.waiting) as f64 / 1e9 > WAIT * wall;
        if self.clock == Clock::Wall {
            return (wall, waited);
        }
        std::thread::yield_now();
        let running = Ticks::of(Path::new(THIS_THREAD)).map_or(now.running, |end| end.running);
        (running.saturating_sub(start.running) as f64 / 1e9, waited)
    }
}

/// Where Linux tells the ticks of the thread that reads.
const THIS_THREAD: &str = "/proc/thread-self/schedstat";

/// Nanoseconds that threads were running, and that they were ready but had no core.
#[derive(Clone, Copy)]
struct Ticks {
    running: u64,
    waiting: u64,
}

impl Ticks {
    /// The ticks in a file of Linux; none on other systems.
    fn of(path: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(path).ok()?;
        let mut numbers = text.split(' ').map(str::parse);
        Some(Self { running: numbers.next()?.ok()?, waiting: numbers.next()?.ok()? })
    }

    /// The ticks of all threads of this process.
    fn of_all() -> Option<Self> {
        let threads = std::fs::read_dir("/proc/self/task").ok()?;
        let all = threads.filter_map(|thread| Self::of(&thread.ok()?.path().join("schedstat")));
        all.reduce(|a, b| Self { running: a.running + b.running, waiting: a.waiting + b.waiting })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(samples: &[(f64, f64)]) -> Samples {
        Samples { name: String::new(), samples: samples.to_vec() }
    }

    #[test]
    fn disturbed_samples_are_dropped() {
        let six = [(1.0, 4.0), (2.0, 4.0), (3.0, 4.0), (4.0, 4.0), (5.0, 4.0), (90.0, 2.0)];
        let median = samples(&six).median(3.7);
        assert_eq!(median, Median { seconds: 3.0, kept: 5, total: 6 });
        assert_eq!(median.to_string(), "5/6");
    }

    #[test]
    fn too_few_quiet_samples_are_marked() {
        let median = samples(&[(1.0, 4.0), (3.0, 2.0)]).median(3.7);
        assert_eq!(median, Median { seconds: 2.0, kept: 1, total: 2 });
        assert_eq!(median.to_string(), "1/2*");
    }

    #[test]
    fn contenders_take_turns() {
        let turns = std::cell::RefCell::new(String::new());
        let all =
            ["a", "b"].map(|name| Contender::new(name, |_| turns.borrow_mut().push_str(name)));
        let measured = measure(&mut Probe::default(), 2, all.into());
        assert_eq!(*turns.borrow(), "ababba");
        assert_eq!(measured[1].median(0.0).total, 2);
    }
}
