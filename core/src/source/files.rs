//! Files one after another, as one log.

use super::columns::Unnamed;
use super::opened::{Opened, STDIN, Unopened, Why};
use super::paths::files;
use super::{Batch, Block, Columns, Source, Taken, Written};
use crate::error::{Error, Result};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// Opens files to be read one after another, folders and patterns as the files that they
/// [stand for](super::files); `-` is standard input. What a file is and how it is
/// compressed, its content tells, not its name, unless [`Layout`](super::Layout) does. Every file is
/// looked into right away, so that a wrong name is an error now and not after an hour.
///
/// Rows that are broken are counted in [`broken_rows`](Batch::broken_rows). All files need the
/// columns that the first one gave; one that lacks them is left out, and the
/// [`faults`](Source::faults) tell so, as they do of compressed bytes that end early or are damaged.
///
/// # Errors
/// `InvalidInput` if no path is given, a file is empty, of another kind or damaged, or a column is
/// missing; `UnsupportedType` if a column's type cannot hold what it is to hold; `Io` if a file
/// cannot be opened or read.
///
/// ```no_run
/// use shardlane::source::{Columns, open};
/// let source = open(&["monday.parquet", "tuesday.parquet"], &Columns::default())?;
/// println!("{} rows by {}", source.rows_total().unwrap(), source.taken().key);
/// # Ok::<(), shardlane::Error>(())
/// ```
pub fn open(paths: &[impl AsRef<Path>], columns: &Columns) -> Result<Box<dyn Source>> {
    let all = files(paths)?;
    let paths = all.iter().map(PathBuf::as_path);
    if paths.clone().filter(|path| path.as_os_str() == STDIN).count() > 1 {
        return Err(Error::input(
            "standard input (-) is named more than once, but it can be read only once",
        ));
    }
    columns.layout.check()?;
    let mut log: Option<Files> = None;
    let mut left_out = Vec::new();
    let mut unopened = None;
    for path in paths {
        let (columns, unnamed) = match &log {
            Some(log) => (&log.columns, Unnamed::LeaveOut),
            None => (columns, Unnamed::Guess),
        };
        match Opened::new(path, columns, unnamed) {
            Ok(opened) => match &mut log {
                Some(log) => log.add(path, opened),
                None => log = Some(Files::new(&all, opened)),
            },
            Err(Unopened { error, why: Why::Wrong }) => return Err(error),
            Err(Unopened { error, why }) => {
                if why == Why::Unfit {
                    left_out.push(format!("left out: {}", error.message()));
                }
                unopened.get_or_insert(error);
            }
        }
    }
    match (log, unopened) {
        (Some(mut log), _) => {
            log.faults = left_out;
            Ok(Box::new(log))
        }
        (None, Some(error)) => Err(error),
        (None, None) => Err(Error::input(
            "no file was given; name at least one file with a log, or - for standard input",
        )),
    }
}

/// The sum, if both are known.
fn add(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a?.checked_add(b?)
}

/// A file that is yet to be read.
enum Waiting {
    File(PathBuf),
    Stream(Box<Opened>),
}

/// Files one after another.
struct Files {
    taken: Taken,
    columns: Columns,
    /// All of them; `None` if one is a stream, which cannot be read again.
    paths: Option<Vec<PathBuf>>,
    current: Option<Box<Opened>>,
    /// What is left of the block whose batches are being given out.
    block: Option<Block>,
    waiting: VecDeque<Waiting>,
    /// Length of the files that have been read.
    bytes_before: u64,
    bytes_total: Option<u64>,
    rows_total: Option<u64>,
    written: Vec<Written>,
    faults: Vec<String>,
}

impl Files {
    /// The files `all`, of which the first is open.
    fn new(all: &[PathBuf], first: Opened) -> Self {
        Self {
            taken: first.taken.clone(),
            columns: first.columns.clone(),
            paths: first.bytes.map(|_| all.to_vec()),
            block: None,
            waiting: VecDeque::new(),
            bytes_before: 0,
            bytes_total: first.bytes,
            rows_total: first.rows,
            written: vec![first.written.clone()],
            faults: Vec::new(),
            current: Some(Box::new(first)),
        }
    }

    /// Adds the next file.
    fn add(&mut self, path: &Path, next: Opened) {
        self.bytes_total = add(self.bytes_total, next.bytes);
        self.rows_total = add(self.rows_total, next.rows);
        match self.written.iter_mut().find(|written| written.is_like(&next.written)) {
            Some(written) => written.files += 1,
            None => self.written.push(next.written.clone()),
        }
        // A stream cannot be opened twice; a file can, and so many files need not be open at once.
        self.waiting.push_back(if next.bytes.is_some() {
            Waiting::File(path.to_owned())
        } else {
            self.paths = None;
            Waiting::Stream(Box::new(next))
        });
    }

    /// Goes on to the next file, if there is one.
    fn advance(&mut self) -> Result<()> {
        self.bytes_before = self.bytes_read();
        self.current = match self.waiting.pop_front() {
            None => None,
            Some(Waiting::Stream(opened)) => Some(opened),
            Some(Waiting::File(path)) => {
                let opened = Opened::new(&path, &self.columns, Unnamed::LeaveOut);
                Some(Box::new(opened.map_err(|unopened| unopened.error)?))
            }
        };
        Ok(())
    }
}

impl Iterator for Files {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.block.as_mut().and_then(Iterator::next) {
                Some(Ok(batch)) => return Some(Ok(batch)),
                Some(Err(error)) => {
                    // The count would be of a part of the log, so that no more is to follow.
                    (self.block, self.current) = (None, None);
                    return Some(Err(error));
                }
                None => match self.next_block()? {
                    Ok(block) => self.block = Some(block),
                    Err(error) => return Some(Err(error)),
                },
            }
        }
    }
}

impl Source for Files {
    fn taken(&self) -> &Taken {
        &self.taken
    }

    fn next_block(&mut self) -> Option<Result<Block>> {
        loop {
            let current = self.current.as_mut()?;
            match current.next_block() {
                Some(Ok(block)) => return Some(Ok(block)),
                Some(Err(error)) => {
                    // What came before a fault is counted, and so are the other files.
                    let Some(fault) = current.fault() else {
                        self.current = None;
                        return Some(Err(error));
                    };
                    self.faults.push(fault);
                }
                None => {}
            }
            if let Err(error) = self.advance() {
                return Some(Err(error));
            }
        }
    }

    fn reopen(&self) -> Option<Result<Box<dyn Source>>> {
        let paths = self.paths.as_ref()?;
        let again = open(paths, &self.columns);
        Some(again)
    }

    fn written(&self) -> &[Written] {
        &self.written
    }

    fn faults(&self) -> &[String] {
        &self.faults
    }

    fn bytes_read(&self) -> u64 {
        let now = self.current.as_ref().map_or(0, |current| current.bytes_read());
        self.bytes_before.saturating_add(now)
    }

    fn bytes_total(&self) -> Option<u64> {
        self.bytes_total
    }

    fn rows_total(&self) -> Option<u64> {
        self.rows_total
    }
}
