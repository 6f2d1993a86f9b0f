//! The names of shards in a log, each with a number of its own.

use crate::error::{Error, Result};
use crate::keys::KeyColumn;
use crate::report::printable;
use crate::shards::{MAX_SHARDS, shard_number};
use std::collections::HashMap;

/// The most names: far more than any service has shards in one stream. A column with more of them
/// is one of something else.
const MOST: usize = 1 << 17;

/// The longest name, in bytes.
const LONGEST: usize = 256;

/// Stands for a row that names no shard.
pub(in crate::engine) const NAMELESS: u32 = u32::MAX;

/// The names that have come, in order of their first row.
#[derive(Debug, Default)]
pub(in crate::engine) struct Names {
    numbers: HashMap<Vec<u8>, u32>,
    names: Vec<Vec<u8>>,
}

impl Names {
    /// The number of each row's name; [`NAMELESS`] for a null and for nothing.
    ///
    /// # Errors
    /// `InvalidInput` if these are too many or too long to be names of shards.
    pub(in crate::engine) fn numbers(&mut self, column: &KeyColumn) -> Result<Vec<u32>> {
        // Many rows in a row name the same shard where a log was read shard by shard.
        let mut last: (&[u8], u32) = (b"", NAMELESS);
        (0..column.len())
            .map(|row| {
                let name = column.get(row).unwrap_or_default().trim_ascii();
                if name != last.0 {
                    last = (name, self.number(name)?);
                }
                Ok(last.1)
            })
            .collect()
    }

    fn number(&mut self, name: &[u8]) -> Result<u32> {
        if name.is_empty() {
            return Ok(NAMELESS);
        }
        if let Some(number) = self.numbers.get(name) {
            return Ok(*number);
        }
        let number = self.names.len() as u32;
        if self.names.len() == MOST || name.len() > LONGEST {
            return Err(Error::input(format!(
                "the shard column has more than {MOST} different values, or one of more than \
                 {LONGEST} bytes, so it is not of shards; name another with --shard COLUMN (in \
                 Python: shard=)"
            ))
            .with("found", printable(&name[..name.len().min(LONGEST)])));
        }
        self.numbers.insert(name.to_vec(), number);
        self.names.push(name.to_vec());
        Ok(number)
    }

    /// All names, in order of their numbers.
    pub(in crate::engine) fn all(&self) -> &[Vec<u8>] {
        &self.names
    }
}

/// Of each name, the index that its number is in a stream whose shards are counted from 0; none
/// where it has no number, or one that no shard has.
pub(in crate::engine) fn shard_indices(names: &[Vec<u8>]) -> Vec<Option<u32>> {
    let index = |name: &Vec<u8>| {
        let number = shard_number(name).filter(|number| *number < MAX_SHARDS as u64)?;
        u32::try_from(number).ok()
    };
    names.iter().map(index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::StringArray;

    #[test]
    fn names_are_numbered_as_they_come() {
        let column =
            StringArray::from(vec![Some("b"), Some("b"), None, Some(" a "), Some(""), Some("b")]);
        let mut names = Names::default();
        let numbers = names.numbers(&KeyColumn::try_new(&column).unwrap()).unwrap();
        assert_eq!(numbers, [0, 0, NAMELESS, 1, NAMELESS, 0]);
        assert_eq!(names.all(), [b"b", b"a"]);
    }

    #[test]
    fn a_column_of_something_else_is_refused() {
        let column = StringArray::from_iter_values((0..=MOST).map(|i| format!("order-{i}")));
        let error = Names::default().numbers(&KeyColumn::try_new(&column).unwrap()).unwrap_err();
        assert!(error.message().contains("name another with --shard"), "{error}");
    }
}
