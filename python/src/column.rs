//! One column of keys, from whatever Python holds it in.

use crate::errors::{Failure, Result};
use crate::list;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3_arrow::ffi::{ArrayIterator, ArrayReader};
use pyo3_arrow::input::AnyArray;
use shardlane::KeyColumn;
use shardlane::arrow::array::{Array, ArrayRef, AsArray, new_empty_array, new_null_array};
use shardlane::arrow::datatypes::{DataType, Field, Fields};
use shardlane::arrow::error::ArrowError;
use shardlane::keys::KeySerializer;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A column as a queue of arrays, of which rows are taken from the front.
pub(crate) struct Column {
    arrays: Arrays,
    /// Which field of each array to take, if they are structs.
    field: Option<usize>,
    /// What is left of the array in front.
    front: Option<ArrayRef>,
    /// How values become keys, if they are not keys already.
    serializer: Option<KeySerializer>,
}

/// Where the arrays come from.
enum Arrays {
    Stream(Box<dyn ArrayReader + Send>),
    Given(Option<ArrayRef>),
}

impl Column {
    /// Opens `value`, the argument called `argument`, taking the column called `name` if it is a
    /// table.
    pub(crate) fn open(
        value: &Bound<'_, PyAny>,
        name: Option<&str>,
        argument: &str,
        serializer: Option<KeySerializer>,
    ) -> Result<Self> {
        if !has_arrow(value)? {
            let listed = list::of_keys(value, argument)?;
            if let Some(name) = name {
                return Err(Failure::input(format!(
                    "column=\"{name}\" was given, but {argument} is a single column; leave column \
                     out"
                )));
            }
            let array = list::binary_array(&listed, argument, serializer.is_some())?;
            let arrays = Arrays::Given(Some(array));
            return Ok(Self { arrays, field: None, front: None, serializer });
        }
        let reader = reader(value, argument)?;
        let field = reader.field();
        let (field, data_type) = match field.data_type() {
            DataType::Struct(fields) => {
                let at = choose(fields, name, argument)?;
                check_field(&fields[at], argument, serializer)?;
                (Some(at), fields[at].data_type().clone())
            }
            other if name.is_some() => {
                return Err(Failure::input(format!(
                    "column=\"{}\" was given, but {argument} is a single column of {other}; leave \
                     column out",
                    name.unwrap_or_default()
                )));
            }
            other => {
                check_field(&field, argument, serializer)?;
                (None, other.clone())
            }
        };
        // A wrong type is an error even when no rows follow.
        if data_type != DataType::Null {
            made(&new_empty_array(&data_type), serializer)
                .map_err(|error| Failure::from(error).with("argument", argument))?;
        }
        Ok(Self { arrays: Arrays::Stream(reader), field, front: None, serializer })
    }

    /// How many rows can be taken at once; `None` at the end of the column.
    pub(crate) fn ready(&mut self) -> Result<Option<usize>> {
        loop {
            if let Some(front) = self.front.as_ref().filter(|front| !front.is_empty()) {
                return Ok(Some(front.len()));
            }
            let next = match &mut self.arrays {
                Arrays::Stream(reader) => next(reader.as_mut()).transpose()?,
                Arrays::Given(array) => array.take(),
            };
            match next {
                None => return Ok(None),
                Some(array) => self.front = Some(self.keys_of(array)?),
            }
        }
    }

    /// Takes the next `rows` rows, of those that are [`ready`](Self::ready).
    pub(crate) fn take(&mut self, rows: usize) -> Result<KeyColumn> {
        let Some(front) = self.front.take() else {
            return Ok(KeyColumn::try_new(new_empty_array(&DataType::Utf8).as_ref())?);
        };
        if rows == front.len() {
            return Ok(made(&front, self.serializer)?);
        }
        let taken = front.slice(0, rows);
        self.front = Some(front.slice(rows, front.len() - rows));
        Ok(made(&taken, self.serializer)?)
    }

    /// Counts the rows that are left, and drops them.
    pub(crate) fn count_rest(mut self) -> Result<usize> {
        let mut rows = 0;
        while let Some(ready) = self.ready()? {
            rows += ready;
            self.front = None;
        }
        Ok(rows)
    }

    /// The keys within one array of the stream.
    fn keys_of(&self, array: ArrayRef) -> Result<ArrayRef> {
        let keys = match self.field {
            None => array,
            Some(_) if array.null_count() > 0 => {
                return Err(Failure::unsupported(
                    "the table has rows that are null as a whole; pass the key column by itself, \
                     for example keys=frame[\"user_id\"]",
                ));
            }
            Some(at) => array.as_struct().column(at).clone(),
        };
        // A column without a single value has no type of its own in most libraries.
        Ok(match keys.data_type() {
            DataType::Null => new_null_array(&DataType::Utf8, keys.len()),
            _ => keys,
        })
    }
}

/// Whether `value` speaks Arrow.
pub(crate) fn has_arrow(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(value.hasattr("__arrow_c_array__")? || value.hasattr("__arrow_c_stream__")?)
}

/// The arrays of the argument called `argument`, which speaks Arrow.
pub(crate) fn reader(
    value: &Bound<'_, PyAny>,
    argument: &str,
) -> Result<Box<dyn ArrayReader + Send>> {
    refuse_objects(value, argument)?;
    let import = || value.extract::<AnyArray>().and_then(AnyArray::into_reader);
    let imported = catch_unwind(AssertUnwindSafe(import)).map_err(|_| {
        Failure::input(format!(
            "{argument} breaks the rules of the Arrow C data interface; the producer of this Arrow \
             data is at fault"
        ))
    })?;
    let reader = imported.map_err(|raised| {
        // What Arrow says of types that it does not know; whatever else the object raised stays.
        if raised.get_type(value.py()).is(value.py().get_type::<PyValueError>()) {
            Failure::unsupported(format!(
                "{argument} cannot be read as Arrow data: {raised}; if another column is the cause, \
                 pass only those that are needed, for example frame.select(\"user_id\")"
            ))
        } else {
            Failure::Python(raised)
        }
    })?;
    if *reader.field().data_type() != DataType::Null {
        return Ok(reader);
    }
    // A column without a single value has no type of its own in most libraries, and polars exports
    // such a one in a form that cannot be read.
    let nulls = new_null_array(&DataType::Utf8, value.len()?);
    let field = Field::new("key", DataType::Utf8, true);
    Ok(Box::new(ArrayIterator::new([Ok(nulls)], Arc::new(field))))
}

/// Refuses polars columns of Python objects, which polars exports as addresses in memory, under a
/// type that bytes have.
fn refuse_objects(value: &Bound<'_, PyAny>, argument: &str) -> Result<()> {
    let module = value.get_type().module()?;
    if !module.to_cow()?.starts_with("polars") {
        return Ok(());
    }
    let is_object = |kind: Bound<'_, PyAny>| -> PyResult<bool> {
        Ok(kind.str()?.to_cow()?.starts_with("Object"))
    };
    let advice = "cast it to text the way the producer writes its keys, or leave it out";
    if let Ok(kind) = value.getattr("dtype") {
        if is_object(kind)? {
            return Err(Failure::unsupported(format!(
                "{argument} is a column of Python objects; {advice}"
            )));
        }
    } else if let Ok(schema) = value.getattr("schema") {
        for column in schema.call_method0("items")?.try_iter()? {
            let (name, kind): (String, Bound<'_, PyAny>) = column?.extract()?;
            if is_object(kind)? {
                return Err(Failure::unsupported(format!(
                    "the column \"{name}\" of {argument} holds Python objects; {advice}"
                )));
            }
        }
    }
    Ok(())
}

/// The next array of a stream. Arrow panics over some arrays that break its own rules; after that
/// the stream is not read on.
pub(crate) fn next(
    reader: &mut (dyn ArrayReader + Send),
) -> Option<std::result::Result<ArrayRef, ArrowError>> {
    catch_unwind(AssertUnwindSafe(|| reader.next())).unwrap_or_else(|_| {
        Some(Err(ArrowError::CDataInterface(
            "the producer of this Arrow data breaks the rules of its C interface".to_owned(),
        )))
    })
}

/// The keys of an array, or those that a serializer makes of its values.
fn made(array: &ArrayRef, serializer: Option<KeySerializer>) -> shardlane::Result<KeyColumn> {
    match serializer {
        Some(serializer) => serializer.serialize(array.as_ref()),
        None => KeyColumn::try_new(array.as_ref()),
    }
}

fn check_field(field: &Field, argument: &str, serializer: Option<KeySerializer>) -> Result<()> {
    if serializer.is_some() {
        return Ok(());
    }
    KeyColumn::check_field(field).map_err(|error| Failure::from(error).with("argument", argument))
}

/// Which of a table's columns holds the keys.
fn choose(fields: &Fields, name: Option<&str>, argument: &str) -> Result<usize> {
    let names = || {
        let names: Vec<_> = fields.iter().map(|field| format!("\"{}\"", field.name())).collect();
        names.join(", ")
    };
    match name {
        Some(name) => {
            let mut places = (0..fields.len()).filter(|&at| fields[at].name() == name);
            match (places.next(), places.next()) {
                (Some(at), None) => Ok(at),
                (Some(_), Some(_)) => Err(Failure::input(format!(
                    "{argument} has more than one column \"{name}\"; rename one of them"
                ))),
                (None, _) => Err(Failure::input(format!(
                    "there is no column \"{name}\" in {argument}; its columns are {}",
                    names()
                ))),
            }
        }
        None if fields.len() == 1 => Ok(0),
        None => Err(Failure::input(format!(
            "{argument} is a table with {} columns; say which one holds the keys, for example \
             column=\"user_id\"; its columns are {}",
            fields.len(),
            names()
        ))),
    }
}
