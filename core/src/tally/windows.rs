//! Which window a time lies in, for rows that mostly come in order of time.

use crate::shards::NO_SHARD;

/// The windows of a log: all of one length, numbered from the one that begins at 1970-01-01.
#[derive(Debug, Clone)]
pub(super) struct Windows {
    /// Length in microseconds.
    length: i64,
    /// The window last looked at, and the first and the last time in it. A window is often longer
    /// than the log's next thousand rows, so that a division for each row would be wasted.
    number: i64,
    first: i64,
    last: i64,
    /// The earliest and the latest time of any row counted.
    seen: Option<(i64, i64)>,
}

impl Windows {
    /// Windows of `length` microseconds, at least 1.
    pub(super) fn new(length: i64) -> Self {
        let mut windows = Self { length, number: 0, first: 0, last: 0, seen: None };
        windows.turn_to(0);
        windows
    }

    /// Length of a window in microseconds.
    pub(super) fn length(&self) -> i64 {
        self.length
    }

    /// The earliest and the latest time.
    pub(super) fn seen(&self) -> Option<(i64, i64)> {
        self.seen
    }

    /// Takes note of the times from `first` to `last`.
    pub(super) fn see(&mut self, first: i64, last: i64) {
        let (earliest, latest) = self.seen.unwrap_or((first, last));
        self.seen = Some((earliest.min(first), latest.max(last)));
    }

    /// The window of the first row that has a shard, and how many rows from the start lie in it;
    /// rows without a shard lie in any. `None` if no row has a shard.
    #[inline]
    pub(super) fn run(&mut self, times: &[i64], shards: &[u32]) -> Option<(i64, usize)> {
        let start = shards.iter().position(|&shard| shard != NO_SHARD)?;
        if times[start] < self.first || times[start] > self.last {
            self.turn_to(times[start]);
        }
        let span = self.last.wrapping_sub(self.first) as u64;
        let (mut earliest, mut latest) = (span, 0);
        let mut len = start;
        for (&time, &shard) in times[start..].iter().zip(&shards[start..]) {
            // Wraps to more than the span for a time before the window.
            let since = time.wrapping_sub(self.first) as u64;
            if shard != NO_SHARD {
                if since > span {
                    break;
                }
                earliest = earliest.min(since);
                latest = latest.max(since);
            }
            len += 1;
        }
        let time = |since: u64| self.first.wrapping_add(since as i64);
        self.see(time(earliest), time(latest));
        Some((self.number, len))
    }

    /// Looks at the window of `time`.
    #[cold]
    fn turn_to(&mut self, time: i64) {
        self.number = time.div_euclid(self.length);
        // The outermost windows reach further than times can.
        self.first = self.number.checked_mul(self.length).unwrap_or(i64::MIN);
        let end = (self.number + 1).checked_mul(self.length);
        self.last = end.map_or(i64::MAX, |end| end - 1);
    }
}
