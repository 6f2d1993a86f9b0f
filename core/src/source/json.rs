//! JSON: one record a line, records one behind the other, in an array, or in the answer of a
//! service.
//!
//! A column is a member, named by its [path](paths); which of them play a part unless they are
//! named follows from the [shape] that the first records have, or from the usual names, those of
//! outer members first. A key that is a number, true or false is the text that the JSON has for it.
//! A member that is absent or null is a null, and so is a key that is an object or an array.
//!
//! What is no JSON is counted as broken, and costs no other record: in a log of lines it ends with
//! its line.

mod item;
mod paths;
mod rows;
mod sample;
mod scan;
mod shape;
mod text;
mod walk;

use super::columns::{Roles, Unnamed, assign};
use super::cutter::{Cut, Cutter, last_line_end};
use super::start::start_of;
use super::{Block, Columns, Format, Wanted};
use crate::error::{Error, Result};
use arrow::datatypes::{DataType, Field, Schema};
use paths::{Found, Paths};
use rows::Plan;
use sample::Names;
use shape::Shape;
use std::cell::Cell;
use std::io::{Cursor, Read};
use std::sync::Arc;
use walk::{Layout, Place, Step, Walk, last_end};

/// Bytes that are looked into to tell the columns.
const SAMPLE: usize = 256 << 10;

/// The records of a JSON text, in blocks.
pub(super) struct Rows {
    cutter: Cutter<Box<dyn Read + Send>>,
    plan: Arc<Plan>,
    place: Place,
    input: String,
    ended: bool,
}

impl Rows {
    /// Looks into a text, which errors call `input`, and decides on its columns.
    ///
    /// # Errors
    /// As [`assign`]; `InvalidInput` if there is no record in it, `Io` if it cannot be read.
    pub(super) fn open(
        from: Box<dyn Read + Send>,
        columns: &Columns,
        unnamed: Unnamed,
        input: &str,
    ) -> Result<Self> {
        let (mut start, rest) = start_of(from, SAMPLE);
        let mark = "\u{feff}".as_bytes();
        if start.starts_with(mark) {
            start.drain(..mark.len());
        }
        let (shape, envelope) = Shape::of(&start);
        let (shape, envelope) = match Shape::of_format(columns.layout.format) {
            None => (shape, envelope),
            Some(Shape::Plain) => (Shape::Plain, None),
            Some(told) => (told, envelope),
        };
        let layout = layout(&start, envelope);
        let names = Names::of(&start, envelope, shape.attributes());
        let roles = roles(&start, shape, envelope, names, columns, unnamed, input)?;
        let whole: Box<dyn Read + Send> = Box::new(Cursor::new(start).chain(rest));
        Ok(Self {
            cutter: Cutter::new(whole),
            plan: Arc::new(Plan::new(roles, shape, layout, envelope)),
            place: Place::Top,
            input: input.to_owned(),
            ended: false,
        })
    }

    /// The columns taken.
    pub(super) fn roles(&self) -> &Roles {
        self.plan.roles()
    }

    /// The format that the records have.
    pub(super) fn format(&self) -> Format {
        self.plan.shape().format()
    }

    /// The next rows; `None` at the end.
    pub(super) fn next_block(&mut self) -> Option<Result<Block>> {
        if self.ended {
            return None;
        }
        let (place, behind) = (self.place, Cell::new(self.place));
        let (layout, envelope) = (self.plan.layout, self.plan.envelope);
        let cut = self.cutter.next(|bytes| match layout {
            Layout::Lines => last_line_end(bytes),
            Layout::Stream => {
                let (end, at_end) = last_end(bytes, layout, envelope, place);
                behind.set(at_end);
                end
            }
        });
        self.place = behind.get();
        self.ended = !matches!(cut, Ok(Some(_)));
        let plan = self.plan.clone();
        let parse = move |cut| match cut {
            Cut::Block(bytes) => Block::new(move || plan.parse(bytes, place)),
            Cut::TooLong => Block::new(move || plan.broken()),
        };
        let cut = cut.map_err(|error| unreadable(&self.input, &error));
        cut.map(|cut| cut.map(parse)).transpose()
    }
}

/// How the records lie in a text: in lines, if one of its first lines is a record by itself, and
/// the text does not begin with one that goes on over several.
fn layout(start: &[u8], envelope: Option<&str>) -> Layout {
    if envelope.is_some() || start.trim_ascii_start().starts_with(b"[") {
        return Layout::Stream;
    }
    let mut walk = Walk::new(start, Layout::Lines, None, Place::Top);
    let mut taken = 0;
    loop {
        let (mut first, mut last) = (0, 0);
        let step = walk.next(|scan| {
            first = scan.at;
            scan.skip()?;
            last = scan.at;
            Ok(())
        });
        match step {
            Step::Record => {
                let spans_lines = start[first..last].contains(&b'\n');
                let rest = start[last..].iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
                return match rest {
                    Some(b'\n') | None if !spans_lines => Layout::Lines,
                    _ => Layout::Stream,
                };
            }
            // A few lines may be broken, such as the first one of the end of a file.
            Step::Broken if taken < 100 => taken += 1,
            Step::Broken => return Layout::Lines,
            Step::CutShort | Step::End => return Layout::Stream,
        }
    }
}

/// Gives the members their parts: those that are named, those that are usual for the shape, and
/// those with usual names.
fn roles(
    start: &[u8],
    shape: Shape,
    envelope: Option<&str>,
    mut names: Vec<String>,
    columns: &Columns,
    unnamed: Unnamed,
    input: &str,
) -> Result<Roles> {
    let mut columns = columns.clone();
    let mut presumed = Vec::new();
    if unnamed == Unnamed::Guess {
        let usual = shape.usual();
        let loads = matches!(columns.wanted, Wanted::All | Wanted::Loads);
        let times = columns.wanted == Wanted::All;
        let shards = matches!(columns.wanted, Wanted::All | Wanted::Shards);
        for (column, name, wanted) in [
            (&mut columns.key, usual.key, true),
            (&mut columns.bytes, usual.size, loads),
            (&mut columns.time, usual.time, times),
            (&mut columns.weight, usual.weight, loads),
            (&mut columns.shard, usual.shard, shards),
        ] {
            let is_there = || has_path(start, shape, envelope, name);
            if column.is_none() && wanted && !name.is_empty() && is_there() {
                presumed.push(name.to_owned());
                *column = Some(name.to_owned());
            }
        }
    }
    let is_usual = columns.key.as_deref() == Some(shape.usual().key);
    if is_usual && shape.carries_payloads() && columns.payload.is_none() {
        let name = shape.usual().size;
        columns.payload = has_path(start, shape, envelope, name).then(|| name.to_owned());
    }
    let salt_by = columns.salt.as_ref().map(|(_, by)| by);
    let named = [
        &columns.key,
        &columns.bytes,
        &columns.time,
        &columns.weight,
        &columns.explicit_hash_key,
        &columns.operation,
        &columns.shard,
        &columns.payload,
    ];
    for name in named.into_iter().flatten().chain(salt_by) {
        // A later part of a log need not have in its first records what the first part had.
        let is_known = unnamed != Unnamed::Guess || has_path(start, shape, envelope, name);
        if is_known && !names.contains(name) {
            names.push(name.clone());
        }
    }
    let unnamed = match unnamed {
        Unnamed::Guess if shape == Shape::Plain => Unnamed::GuessWithin,
        Unnamed::Guess => Unnamed::GuessKey,
        other => other,
    };
    let mut roles = assign(&schema(&names), &columns, unnamed, input)?;
    roles.taken.guessed.splice(0..0, presumed);
    let time = roles.taken.time.as_deref();
    roles.time_unit = roles.time_unit.or_else(|| shape.time_unit(time?));
    // From here on a column's position is the number of its path.
    let taken: Vec<_> = roles.names().into_iter().map(str::to_owned).collect();
    roles.within(&schema(&taken))
}

/// Columns of text.
fn schema(names: &[String]) -> Schema {
    let field = |name: &String| Field::new(name, DataType::Binary, true);
    Schema::new(names.iter().map(field).collect::<Vec<_>>())
}

/// Whether any of the first records has the path.
fn has_path(start: &[u8], shape: Shape, envelope: Option<&str>, name: &str) -> bool {
    let mut paths = Paths::new();
    paths.add(rows::spellings(shape, name).iter().map(String::as_str));
    let mut walk = Walk::new(start, Layout::Stream, envelope, Place::Top);
    loop {
        let mut found = [Found::NOTHING];
        match walk.next(|scan| paths.find(scan, &mut found)) {
            Step::Record if found[0].is_there() => return true,
            Step::Record | Step::Broken => {}
            Step::CutShort | Step::End => return false,
        }
    }
}

/// Reading a file failed half-way.
fn unreadable(input: &str, error: &std::io::Error) -> Error {
    Error::io(format!("reading {input} failed: {error}"))
}
