//! Logs: files, Arrow streams, frames, and iterables of batches, as the core's sources.

mod again;

use crate::column::{has_arrow, next, reader};
use crate::errors::{Failure, Result};
use crate::list;
use crate::progress::Raised;
use again::Again;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyList, PyString, PyTuple};
use pyo3_arrow::ffi::{ArrayIterator, ArrayReader};
use shardlane::arrow::array::{Array, ArrayRef, AsArray};
use shardlane::arrow::datatypes::{DataType, Field, FieldRef, Schema};
use shardlane::arrow::record_batch::RecordBatch;
use shardlane::source::{Batches, Columns, Source, open};
use shardlane::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of the only column of data that has no names.
const KEY: &str = "key";

/// A log from one path or several, or whatever [`data`] takes.
pub(crate) fn log(
    value: &Bound<'_, PyAny>,
    columns: &Columns,
    raised: &Raised,
) -> Result<Box<dyn Source>> {
    if let Some(paths) = paths(value)? {
        // Opening looks into every file.
        return Ok(value.py().detach(|| open(&paths, columns))?);
    }
    let source = data(value, columns, raised, "source")?;
    if is_iterator(value) {
        return Ok(source);
    }
    let (value, columns, raised) = (value.clone().unbind(), columns.clone(), raised.clone());
    Ok(Box::new(Again { source, value, columns, raised }))
}

/// A log from a path, a list of `Path` objects, or whatever [`data`] takes: a list of text is keys.
pub(crate) fn keys_or_log(
    value: &Bound<'_, PyAny>,
    columns: &Columns,
    raised: &Raised,
) -> Result<Box<dyn Source>> {
    let text = first_of(value).and_then(|first| first.cast_into::<PyString>().ok());
    if let Some(text) = &text
        && text.to_cow().is_ok_and(|text| Path::new(&*text).is_file())
    {
        return Err(Failure::input(format!(
            "a list of text is one of keys, but {} is a file; give a list of pathlib.Path objects",
            text.repr()?
        )));
    }
    if text.is_some() {
        data(value, columns, raised, "source")
    } else {
        log(value, columns, raised)
    }
}

/// A log in memory: Arrow data, an iterable of it, or a list of keys. `argument` is its name.
pub(crate) fn data(
    value: &Bound<'_, PyAny>,
    columns: &Columns,
    raised: &Raised,
    argument: &str,
) -> Result<Box<dyn Source>> {
    if has_arrow(value)? {
        return batches(reader(value, argument)?, columns, None);
    }
    if let Some(first) = first_of(value)
        && has_arrow(&first)?
    {
        let rest = value.try_iter()?;
        return many(rest, columns, raised);
    }
    if is_iterator(value) {
        return many(value.try_iter()?, columns, raised);
    }
    let keys = list::of_keys(value, argument)?;
    let array = list::binary_array(&keys, argument, columns.key_serializer.is_some())?;
    let reader = ArrayIterator::new(
        [Ok(array.clone())],
        Arc::new(Field::new(KEY, array.data_type().clone(), true)),
    );
    batches(Box::new(reader), columns, None)
}

/// The paths that `value` is, if it is paths.
fn paths(value: &Bound<'_, PyAny>) -> Result<Option<Vec<PathBuf>>> {
    let path = |value: &Bound<'_, PyAny>| -> Option<PathBuf> {
        let is_path = !value.is_instance_of::<PyBytes>()
            && (value.is_instance_of::<PyString>() || value.hasattr("__fspath__").unwrap_or(false));
        is_path.then(|| value.extract().ok()).flatten()
    };
    if let Some(path) = path(value) {
        return Ok(Some(vec![path]));
    }
    let is_list = value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
    if !is_list || value.len()? == 0 || path(&value.get_item(0)?).is_none() {
        return Ok(None);
    }
    let paths = value.try_iter()?.map(|element| {
        let element = element?;
        path(&element).ok_or_else(|| {
            Failure::unsupported(format!(
                "source is a list of paths, but one of them is {}; give paths only",
                element.repr().map_or_else(|_| "something".to_owned(), |text| text.to_string())
            ))
        })
    });
    paths.collect::<Result<_>>().map(Some)
}

/// The first element of a list or tuple.
fn first_of<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let is_list = value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
    is_list.then(|| value.get_item(0).ok()).flatten()
}

fn is_iterator(value: &Bound<'_, PyAny>) -> bool {
    value.hasattr("__next__").unwrap_or(false)
}

/// An iterable of batches, frames or streams, one after another.
fn many(
    mut values: Bound<'_, PyIterator>,
    columns: &Columns,
    raised: &Raised,
) -> Result<Box<dyn Source>> {
    let Some(first) = values.next().transpose()? else {
        return Err(Failure::input(
            "the iterable of batches is empty; expected at least one Arrow batch or frame",
        ));
    };
    let reader = reader_of(&first)?;
    let rest = Rest { values: values.unbind(), field: reader.field(), raised: raised.clone() };
    batches(reader, columns, Some(rest))
}

fn reader_of(value: &Bound<'_, PyAny>) -> Result<Box<dyn ArrayReader + Send>> {
    if !has_arrow(value)? {
        return Err(Failure::unsupported(format!(
            "the iterable gave a {}; expected Arrow batches or frames (pyarrow, polars, pandas 3, \
             arro3, nanoarrow)",
            value.get_type().fully_qualified_name()?
        )));
    }
    reader(value, "a batch of the iterable")
}

/// The core's source over `reader`, and then over the `rest`.
fn batches(
    reader: Box<dyn ArrayReader + Send>,
    columns: &Columns,
    rest: Option<Rest>,
) -> Result<Box<dyn Source>> {
    let field = reader.field();
    let (schema, columns) = match field.data_type() {
        DataType::Struct(fields) => (Schema::new(fields.clone()), columns.clone()),
        kind => {
            // What the bytes stand for is in the metadata.
            let metadata = field.metadata().clone();
            let key = Field::new(KEY, kind.clone(), true).with_metadata(metadata);
            (Schema::new(vec![key]), Columns { key: Some(KEY.to_owned()), ..columns.clone() })
        }
    };
    let input = Input { reader: Some(reader), rest };
    Ok(Box::new(Batches::new(&schema, input, &columns)?))
}

/// Arrays as record batches.
struct Input {
    reader: Option<Box<dyn ArrayReader + Send>>,
    rest: Option<Rest>,
}

impl Iterator for Input {
    type Item = shardlane::Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(array) = next(self.reader.as_mut()?.as_mut()) {
                return Some(array.map_err(Error::from).and_then(record_batch));
            }
            match self.rest.as_mut()?.next_reader() {
                None => return None,
                Some(Ok(reader)) => self.reader = Some(reader),
                Some(Err(error)) => return Some(Err(error)),
            }
        }
    }
}

/// The values of an iterable that are still to come.
struct Rest {
    values: Py<PyIterator>,
    /// What each of them has to hold.
    field: FieldRef,
    raised: Raised,
}

impl Rest {
    fn next_reader(&mut self) -> Option<shardlane::Result<Box<dyn ArrayReader + Send>>> {
        let next = Python::attach(|py| -> Result<_> {
            let value = self.values.bind(py).clone().next().transpose()?;
            value.map(|value| reader_of(&value)).transpose()
        });
        match next {
            Ok(None) => None,
            Ok(Some(reader)) if reader.field().data_type() == self.field.data_type() => {
                Some(Ok(reader))
            }
            Ok(Some(reader)) => Some(Err(Error::new(
                ErrorKind::InvalidInput,
                "the batches of the iterable differ in their columns; give all of them those of \
                 the first",
            )
            .with("the first", self.field.data_type())
            .with("this one", reader.field().data_type()))),
            Err(Failure::Core(error)) => Some(Err(error)),
            Err(Failure::Python(error)) => {
                self.raised.keep(error);
                Some(Err(Error::new(ErrorKind::Cancelled, "the iterable of batches raised")))
            }
        }
    }
}

/// One array as a record batch: its fields, or itself as the only column.
fn record_batch(array: ArrayRef) -> shardlane::Result<RecordBatch> {
    let Some(fields) = array.as_struct_opt() else {
        let field = Field::new(KEY, array.data_type().clone(), true);
        return Ok(RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![array])?);
    };
    if fields.null_count() > 0 {
        return Err(Error::new(
            ErrorKind::UnsupportedType,
            "the table has rows that are null as a whole; drop them first",
        ));
    }
    Ok(RecordBatch::from(fields))
}
