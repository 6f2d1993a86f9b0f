//! One file that has been looked into: what it is, and which of its columns is what.

use super::codec::{Bytes, Watch, ahead, unpacked};
use super::columns::{Unnamed, assign};
use super::csv::{self, Dialect};
use super::format::{ENOUGH, sniff};
use super::start::start_of;
use super::{Block, Codec, Columns, Format, Taken, Written, ipc, json, lines, parquet};
use crate::error::{Error, Result};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

/// The name that stands for standard input.
pub(super) const STDIN: &str = "-";

/// A file that has been looked into.
pub(super) struct Opened {
    pub(super) reader: Reader,
    pub(super) taken: Taken,
    /// The columns taken, by name.
    pub(super) columns: Columns,
    /// Its length; `None` if it is a stream.
    pub(super) bytes: Option<u64>,
    /// Its rows, if it tells.
    pub(super) rows: Option<u64>,
    pub(super) written: Written,
    watch: Watch,
}

/// The rows of one file.
pub(super) enum Reader {
    Parquet(Box<parquet::Rows>),
    Csv(Box<csv::Rows<Bytes>>),
    Json(Box<json::Rows>),
    Arrow(Box<ipc::Rows>),
    Lines(Box<lines::Rows>),
}

impl Reader {
    /// The next rows; `None` at the end.
    fn next_block(&mut self) -> Option<Result<Block>> {
        match self {
            Self::Parquet(rows) => rows.next_block(),
            Self::Csv(rows) => rows.next_block(),
            Self::Json(rows) => rows.next_block(),
            Self::Arrow(rows) => rows.next_block(),
            Self::Lines(rows) => rows.next_block(),
        }
    }
}

/// Why a file cannot be read.
pub(super) struct Unopened {
    pub(super) error: Error,
    pub(super) why: Why,
}

/// What the other files have to do with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// The log is not what it was said to be.
    Wrong,
    /// There is nothing in it, so that nothing is missing.
    Empty,
    /// The others can be read without it.
    Unfit,
}

impl From<Error> for Unopened {
    fn from(error: Error) -> Self {
        Self { error, why: Why::Wrong }
    }
}

impl Opened {
    /// Looks into the file at `path`, or into standard input.
    pub(super) fn new(path: &Path, columns: &Columns, unnamed: Unnamed) -> Result<Self, Unopened> {
        if path.as_os_str() == STDIN {
            let input = Input { name: "standard input".to_owned(), bytes: None, columns, unnamed };
            return input.open(Box::new(io::stdin()));
        }
        let name = path.display().to_string();
        let failed = |error: io::Error| {
            Error::io(format!(
                "{name} cannot be opened: {error}; expected a file with a log, or - for standard \
                 input"
            ))
        };
        let mut file = File::open(path).map_err(failed)?;
        let about = file.metadata().map_err(failed)?;
        if about.is_dir() {
            return Err(Error::input(format!(
                "{name} is a directory; name the files in it, for example {}",
                path.join("*.parquet").display()
            ))
            .into());
        }
        let bytes = about.is_file().then_some(about.len());
        let input = Input { name, bytes, columns, unnamed };
        if bytes.is_none() {
            return input.open(Box::new(file));
        }
        let mut start = Vec::new();
        let read = (&mut file).take(4).read_to_end(&mut start);
        read.map_err(|error| input.unreadable(&error))?;
        if start == b"PAR1" {
            return input.parquet(file, &start);
        }
        input.open(Box::new(Cursor::new(start).chain(file)))
    }

    /// The next rows; `None` at the end.
    pub(super) fn next_block(&mut self) -> Option<Result<Block>> {
        self.reader.next_block()
    }

    /// What is missing of the file, where reading failed because its compressed bytes are not whole.
    pub(super) fn fault(&self) -> Option<String> {
        let (codec, name) = (self.written.codec, &self.written.input);
        match (&self.reader, self.watch.damage()) {
            (_, Some(damage)) => Some(fault(codec.name(), name, damage)),
            (Reader::Arrow(rows), None) => Some(fault("Arrow data", name, rows.damage()?)),
            _ => None,
        }
    }

    /// Bytes read of it so far: of a Parquet file, the same part of its bytes as of its rows.
    pub(super) fn bytes_read(&self) -> u64 {
        match &self.reader {
            Reader::Parquet(rows) => (rows.part_read() * self.bytes.unwrap_or(0) as f64) as u64,
            _ => self.watch.bytes_read(),
        }
    }
}

/// What is said of compressed bytes that are not whole.
fn fault(what: &str, name: &str, damage: &str) -> String {
    format!("the {what} of {name} {damage}, so that the rows from there on are missing")
}

/// Bytes to be looked into.
struct Input<'a> {
    name: String,
    bytes: Option<u64>,
    columns: &'a Columns,
    unnamed: Unnamed,
}

impl Input<'_> {
    fn unreadable(&self, error: &io::Error) -> Error {
        Error::io(format!("{} cannot be read: {error}", self.name))
    }

    /// Opens a Parquet file, which begins with `start`.
    fn parquet(self, file: File, start: &[u8]) -> Result<Opened, Unopened> {
        let format = sniff(start, self.columns, &self.name)?;
        let footer = parquet::Footer::read(file, &self.name)?;
        let roles = assign(footer.schema(), self.columns, self.unnamed, &self.name);
        let roles = roles.map_err(|error| self.unfit(error))?;
        let rows = Some(footer.rows_total());
        let taken = roles.taken.clone();
        let columns = roles.as_columns();
        let reader = Reader::Parquet(Box::new(footer.rows(roles)));
        let written = self.written(format, Codec::None);
        Ok(self.opened(reader, taken, columns, rows, written, Watch::default()))
    }

    /// Opens bytes that are read from their start.
    fn open(self, bytes: Bytes) -> Result<Opened, Unopened> {
        let (bytes, codec, watch) = unpacked(bytes).map_err(|error| self.unreadable(&error))?;
        let name = self.name.clone();
        self.unpacked(bytes, codec, watch.clone()).map_err(|unopened| match watch.damage() {
            Some(damage) if unopened.why != Why::Unfit => Unopened {
                error: Error::input(format!(
                    "{}, of which there is none before",
                    fault(codec.name(), &name, damage)
                )),
                why: Why::Unfit,
            },
            _ => unopened,
        })
    }

    /// Opens bytes that are what they stand for.
    fn unpacked(self, bytes: Bytes, codec: Codec, watch: Watch) -> Result<Opened, Unopened> {
        let (start, rest) = start_of(bytes, ENOUGH);
        let format = sniff(&start, self.columns, &self.name).map_err(|error| Unopened {
            error,
            why: if start.is_empty() { Why::Empty } else { Why::Wrong },
        })?;
        if format == Format::Parquet {
            let remedy = match codec {
                Codec::None => "it is a stream; save it to a file and name that".to_owned(),
                _ => format!("it is within {codec}; unpack it to a file and name that"),
            };
            return Err(Error::input(format!(
                "{} is Parquet, which has to be read from its end, but {remedy}",
                self.name
            ))
            .into());
        }
        if format == Format::Arrow {
            let whole: Bytes = Box::new(Cursor::new(start).chain(ahead(rest, codec)));
            let rows = ipc::Rows::open(whole, self.columns, self.unnamed, &self.name);
            let rows = rows.map_err(|error| self.unfit(error))?;
            let (taken, columns) = (rows.roles().taken.clone(), rows.roles().as_columns());
            let written = self.written(format, codec);
            return Ok(self.opened(
                Reader::Arrow(Box::new(rows)),
                taken,
                columns,
                None,
                written,
                watch,
            ));
        }
        if format.is_lines() {
            let rest = ahead(rest, codec);
            let rows =
                lines::Rows::open(format, &start, rest, self.columns, self.unnamed, &self.name);
            let rows = rows.map_err(|error| self.unfit(error))?;
            let (taken, columns) = (rows.roles().taken.clone(), rows.roles().as_columns());
            let written = self.written(format, codec);
            let reader = Reader::Lines(Box::new(rows));
            return Ok(self.opened(reader, taken, columns, None, written, watch));
        }
        let dialect = (!format.is_json()).then(|| Dialect::of(&start, self.columns));
        let whole: Bytes = Box::new(Cursor::new(start).chain(ahead(rest, codec)));
        let Some(dialect) = dialect else {
            let rows = json::Rows::open(whole, self.columns, self.unnamed, &self.name);
            let rows = rows.map_err(|error| self.unfit(error))?;
            let (taken, columns) = (rows.roles().taken.clone(), rows.roles().as_columns());
            let written = self.written(rows.format(), codec);
            return Ok(self.opened(
                Reader::Json(Box::new(rows)),
                taken,
                columns,
                None,
                written,
                watch,
            ));
        };
        let header = csv::Header::read(whole, dialect, &self.name)?;
        let roles = assign(header.schema(), self.columns, self.unnamed, &self.name);
        let roles = roles.map_err(|error| self.unfit(error))?;
        let (taken, columns) = (roles.taken.clone(), roles.as_columns());
        let reader = Reader::Csv(Box::new(header.rows(roles)));
        let written = Written { delimiter: Some(dialect.delimiter), ..self.written(format, codec) };
        Ok(self.opened(reader, taken, columns, None, written, watch))
    }

    /// Why the columns of a file are not those of its log: of the first file there is no other to
    /// go by.
    fn unfit(&self, error: Error) -> Unopened {
        let why = if self.unnamed == Unnamed::LeaveOut { Why::Unfit } else { Why::Wrong };
        Unopened { error, why }
    }

    fn written(&self, format: Format, codec: Codec) -> Written {
        Written { format, codec, delimiter: None, input: self.name.clone(), files: 1 }
    }

    fn opened(
        self,
        reader: Reader,
        taken: Taken,
        columns: Columns,
        rows: Option<u64>,
        written: Written,
        watch: Watch,
    ) -> Opened {
        let columns = Columns { layout: self.columns.layout.clone(), ..columns };
        Opened { reader, taken, columns, bytes: self.bytes, rows, written, watch }
    }
}
