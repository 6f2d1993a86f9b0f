//! Files one after another, as one log.

use super::columns::{Unnamed, assign};
use super::format::{ENOUGH, Format};
use super::{Batch, Block, Columns, Source, Taken, csv, json, parquet};
use crate::error::{Error, Result};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

/// The name that stands for standard input.
const STDIN: &str = "-";

/// Bytes of any file or stream.
type Bytes = Box<dyn Read + Send>;

/// Opens Parquet, CSV and JSON files to be read one after another; `-` is standard input, which
/// cannot be Parquet. What a file is, its content tells, not its name. Every file is looked into right away,
/// so that a wrong name is an error now and not after an hour.
///
/// CSV needs a header row; its rows that are broken are counted in
/// [`broken_rows`](Batch::broken_rows). All files need the columns that the first one gave.
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
    let all: Vec<PathBuf> = paths.iter().map(|path| path.as_ref().to_owned()).collect();
    let mut paths = all.iter().map(PathBuf::as_path);
    if paths.clone().filter(|path| path.as_os_str() == STDIN).count() > 1 {
        return Err(Error::input(
            "standard input (-) is named more than once, but it can be read only once",
        ));
    }
    let Some(first) = paths.next() else {
        return Err(Error::input(
            "no file was given; name at least one Parquet, CSV or JSON file, or - for standard input",
        ));
    };
    let first = Opened::new(first, columns, Unnamed::Guess)?;
    let mut files = Files {
        taken: first.taken,
        columns: first.columns,
        bytes_before: 0,
        bytes_total: first.bytes,
        rows_total: first.rows,
        bytes_now: first.bytes,
        paths: first.bytes.map(|_| all.clone()),
        current: Some(first.reader),
        block: None,
        waiting: VecDeque::new(),
    };
    for path in paths {
        let next = Opened::new(path, &files.columns, Unnamed::LeaveOut)?;
        files.bytes_total = add(files.bytes_total, next.bytes);
        files.rows_total = add(files.rows_total, next.rows);
        if next.bytes.is_none() {
            files.paths = None;
        }
        // A stream cannot be opened twice; a file can, and so many files need not be open at once.
        files.waiting.push_back(match next.bytes {
            Some(_) => Waiting::File(path.to_owned()),
            None => Waiting::Stream(Box::new(next.reader)),
        });
    }
    Ok(Box::new(files))
}

/// The sum, if both are known.
fn add(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a?.checked_add(b?)
}

/// A file that has been looked into.
struct Opened {
    reader: Reader,
    taken: Taken,
    /// The columns taken, by name.
    columns: Columns,
    /// Its length; `None` if it is a stream.
    bytes: Option<u64>,
    /// Its rows, if it tells.
    rows: Option<u64>,
}

/// The rows of one file.
enum Reader {
    Parquet(Box<parquet::Rows>),
    Csv(Box<csv::Rows<Bytes>>),
    Json(Box<json::Rows>),
}

impl Opened {
    fn new(path: &Path, columns: &Columns, unnamed: Unnamed) -> Result<Self> {
        if path.as_os_str() == STDIN {
            return Self::stream(Box::new(std::io::stdin()), "standard input", columns, unnamed);
        }
        let input = path.display().to_string();
        let failed = |error: std::io::Error| {
            Error::io(format!(
                "{input} cannot be opened: {error}; expected a Parquet, CSV or JSON file, or - \
                 for standard input"
            ))
        };
        let file = File::open(path).map_err(failed)?;
        let about = file.metadata().map_err(failed)?;
        if about.is_dir() {
            return Err(Error::input(format!(
                "{input} is a directory; name the files in it, for example {}",
                path.join("*.parquet").display()
            )));
        }
        if !about.is_file() {
            return Self::stream(Box::new(file), &input, columns, unnamed);
        }
        let start = start_of(&mut (&file), &input)?;
        match Format::of(&start, &input)? {
            Format::Parquet => {
                let footer = parquet::Footer::read(file, &input)?;
                let roles = assign(footer.schema(), columns, unnamed, &input)?;
                Ok(Self {
                    taken: roles.taken.clone(),
                    columns: roles.as_columns(),
                    bytes: Some(about.len()),
                    rows: Some(footer.rows_total()),
                    reader: Reader::Parquet(Box::new(footer.rows(roles))),
                })
            }
            Format::Csv => {
                Self::csv(start, Box::new(file), &input, columns, unnamed, Some(about.len()))
            }
            Format::Json => {
                Self::json(start, Box::new(file), &input, columns, unnamed, Some(about.len()))
            }
        }
    }

    /// Looks into bytes that come only once.
    fn stream(mut stream: Bytes, input: &str, columns: &Columns, unnamed: Unnamed) -> Result<Self> {
        let start = start_of(&mut stream, input)?;
        match Format::of(&start, input)? {
            Format::Parquet => Err(Error::input(format!(
                "{input} is Parquet, which has to be read from its end, but it is a stream; save it \
                 to a file and name that"
            ))),
            Format::Csv => Self::csv(start, stream, input, columns, unnamed, None),
            Format::Json => Self::json(start, stream, input, columns, unnamed, None),
        }
    }

    fn csv(
        start: Vec<u8>,
        rest: Bytes,
        input: &str,
        columns: &Columns,
        unnamed: Unnamed,
        bytes: Option<u64>,
    ) -> Result<Self> {
        let whole: Bytes = Box::new(Cursor::new(start).chain(rest));
        let header = csv::Header::read(whole, input)?;
        let roles = assign(header.schema(), columns, unnamed, input)?;
        Ok(Self {
            taken: roles.taken.clone(),
            columns: roles.as_columns(),
            bytes,
            rows: None,
            reader: Reader::Csv(Box::new(header.rows(roles))),
        })
    }

    fn json(
        start: Vec<u8>,
        rest: Bytes,
        input: &str,
        columns: &Columns,
        unnamed: Unnamed,
        bytes: Option<u64>,
    ) -> Result<Self> {
        let whole: Bytes = Box::new(Cursor::new(start).chain(rest));
        let rows = json::Rows::open(whole, columns, unnamed, input)?;
        Ok(Self {
            taken: rows.roles().taken.clone(),
            columns: rows.roles().as_columns(),
            bytes,
            rows: None,
            reader: Reader::Json(Box::new(rows)),
        })
    }
}

/// The first bytes of `input`: enough to tell its format.
fn start_of(input: &mut impl Read, name: &str) -> Result<Vec<u8>> {
    let mut start = Vec::with_capacity(ENOUGH);
    input
        .take(ENOUGH as u64)
        .read_to_end(&mut start)
        .map_err(|error| Error::io(format!("{name} cannot be read: {error}")))?;
    Ok(start)
}

/// A file that is yet to be read.
enum Waiting {
    File(PathBuf),
    Stream(Box<Reader>),
}

/// Files one after another.
struct Files {
    taken: Taken,
    columns: Columns,
    /// All of them; `None` if one is a stream, which cannot be read again.
    paths: Option<Vec<PathBuf>>,
    current: Option<Reader>,
    /// What is left of the block whose batches are being given out.
    block: Option<Block>,
    waiting: VecDeque<Waiting>,
    /// Length of the files that have been read.
    bytes_before: u64,
    /// Length of the file that is being read, unless it is a stream.
    bytes_now: Option<u64>,
    bytes_total: Option<u64>,
    rows_total: Option<u64>,
}

impl Files {
    /// Goes on to the next file, if there is one.
    fn advance(&mut self) -> Result<()> {
        self.bytes_before = self.bytes_read();
        self.current = None;
        match self.waiting.pop_front() {
            Some(Waiting::File(path)) => {
                let next = Opened::new(&path, &self.columns, Unnamed::LeaveOut)?;
                self.bytes_now = next.bytes;
                self.current = Some(next.reader);
            }
            Some(Waiting::Stream(reader)) => {
                self.bytes_now = None;
                self.current = Some(*reader);
            }
            None => {}
        }
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
            let block = match self.current.as_mut()? {
                Reader::Parquet(rows) => rows.next_block(),
                Reader::Csv(rows) => rows.next_block(),
                Reader::Json(rows) => rows.next_block(),
            };
            match block {
                Some(Ok(block)) => return Some(Ok(block)),
                Some(Err(error)) => {
                    self.current = None;
                    return Some(Err(error));
                }
                None => {
                    if let Err(error) = self.advance() {
                        return Some(Err(error));
                    }
                }
            }
        }
    }

    fn reopen(&self) -> Option<Result<Box<dyn Source>>> {
        let paths = self.paths.as_ref()?;
        let again = open(paths, &self.columns);
        Some(again)
    }

    /// Of a Parquet file, the same part of its bytes as of its rows.
    fn bytes_read(&self) -> u64 {
        let now = match &self.current {
            Some(Reader::Csv(rows)) => rows.bytes_read(),
            Some(Reader::Json(rows)) => rows.bytes_read(),
            Some(Reader::Parquet(rows)) => {
                (rows.part_read() * self.bytes_now.unwrap_or(0) as f64) as u64
            }
            None => 0,
        };
        self.bytes_before.saturating_add(now)
    }

    fn bytes_total(&self) -> Option<u64> {
        self.bytes_total
    }

    fn rows_total(&self) -> Option<u64> {
        self.rows_total
    }
}
