//! Parquet: only the columns taken are read, and a row group is a block, which any thread can read.
//!
//! Keys come in the cheapest layout that the row group allows. Where every page of the key column
//! is encoded by a dictionary, the batches share that dictionary as it lies in the file, so that
//! each distinct key is hashed once a batch. Elsewhere keys are views into the pages: nothing is
//! copied. A column that begins with a dictionary and goes on without is read as views too, since a
//! dictionary would have to be made anew by hashing every value.

mod positioned;

use super::columns::Roles;
use super::{BYTES, Batch, Block, ROWS};
use crate::error::{Error, Result};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::basic::{Encoding, LogicalType};
use parquet::errors::ParquetError;
use positioned::Positioned;
use std::fs::File;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A Parquet file whose footer has been read.
pub(super) struct Footer {
    file: Positioned,
    metadata: ArrowReaderMetadata,
    input: String,
}

impl Footer {
    /// Reads the footer; `input` is what errors call the file.
    ///
    /// # Errors
    /// `InvalidInput` if the file is not whole.
    pub(super) fn read(file: File, input: &str) -> Result<Self> {
        let file = Positioned::new(file)
            .map_err(|error| Error::io(format!("{input} cannot be read: {error}")))?;
        let load = |options| guarded(input, || ArrowReaderMetadata::load(&file, options));
        // Beside the columns some writers store an Arrow schema, and some of those have types that
        // cannot be read, of columns that may not even be needed. The columns tell enough.
        let metadata = load(ArrowReaderOptions::new()).or_else(|error| {
            load(ArrowReaderOptions::new().with_skip_arrow_metadata(true)).map_err(|_| error)
        })?;
        Ok(Self { file, metadata, input: input.to_owned() })
    }

    /// The columns.
    pub(super) fn schema(&self) -> &Schema {
        self.metadata.schema()
    }

    /// Number of rows.
    pub(super) fn rows_total(&self) -> u64 {
        let rows = self.metadata.metadata().file_metadata().num_rows();
        u64::try_from(rows).unwrap_or(0)
    }

    /// The rows, of the columns taken.
    pub(super) fn rows(self, roles: Roles) -> Rows {
        let parquet = self.metadata.parquet_schema();
        let names = roles.names();
        let leaves: Vec<usize> = (0..parquet.num_columns())
            .filter(|&leaf| names.contains(&parquet.get_column_root(leaf).name()))
            .collect();
        let key = leaves
            .iter()
            .copied()
            .find(|&leaf| parquet.get_column_root(leaf).name() == roles.taken.key);
        let kind = self.schema().field(roles.key).data_type();
        // Of text and bytes alone: the reader makes no dictionaries of other logical types.
        let is_plain = key.is_some_and(|leaf| {
            matches!(parquet.column(leaf).logical_type_ref(), None | Some(LogicalType::String))
        });
        let as_dictionary = dictionary_of(kind)
            .filter(|_| is_plain)
            .and_then(|kind| self.with_key_as(roles.key, &kind));
        let as_views = views_of(kind).and_then(|kind| self.with_key_as(roles.key, &kind));
        Rows {
            projection: ProjectionMask::leaves(parquet, leaves.iter().copied()),
            row_groups: 0..self.metadata.metadata().num_row_groups(),
            as_dictionary,
            as_views,
            file: self,
            key,
            leaves,
            roles,
            given_out: 0,
        }
    }

    /// The same file with its key column read as another type, if the reader can.
    fn with_key_as(&self, key: usize, kind: &DataType) -> Option<ArrowReaderMetadata> {
        let with_type = |(at, field): (usize, &Arc<Field>)| {
            if at == key {
                Arc::new(field.as_ref().clone().with_data_type(kind.clone()))
            } else {
                field.clone()
            }
        };
        let fields: Vec<_> = self.schema().fields().iter().enumerate().map(with_type).collect();
        let schema: SchemaRef =
            Arc::new(Schema::new_with_metadata(fields, self.schema().metadata().clone()));
        let options = ArrowReaderOptions::new().with_schema(schema);
        ArrowReaderMetadata::try_new(self.metadata.metadata().clone(), options).ok()
    }
}

/// The values' type of a dictionary, the type itself elsewhere.
fn value_type(kind: &DataType) -> &DataType {
    match kind {
        DataType::Dictionary(_, values) => values,
        kind => kind,
    }
}

/// A dictionary of such keys.
fn dictionary_of(kind: &DataType) -> Option<DataType> {
    let values = match value_type(kind) {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => DataType::Utf8,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => DataType::Binary,
        _ => return None,
    };
    Some(DataType::Dictionary(Box::new(DataType::Int32), Box::new(values)))
}

/// Views of such keys.
fn views_of(kind: &DataType) -> Option<DataType> {
    match value_type(kind) {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(DataType::Utf8View),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
            Some(DataType::BinaryView)
        }
        _ => None,
    }
}

/// The row groups of a Parquet file.
pub(super) struct Rows {
    file: Footer,
    projection: ProjectionMask,
    as_dictionary: Option<ArrowReaderMetadata>,
    as_views: Option<ArrowReaderMetadata>,
    roles: Roles,
    /// The key's column among all that hold values.
    key: Option<usize>,
    /// The columns taken among all that hold values.
    leaves: Vec<usize>,
    row_groups: Range<usize>,
    given_out: u64,
}

impl Rows {
    /// The part of the file's rows that has been given out, from 0 to 1.
    pub(super) fn part_read(&self) -> f64 {
        self.given_out as f64 / self.file.rows_total().max(1) as f64
    }

    /// The next row group; `None` at the end.
    pub(super) fn next_block(&mut self) -> Option<Result<Block>> {
        let group = self.row_groups.next()?;
        let rows = self.file.metadata.metadata().row_group(group).num_rows();
        self.given_out += u64::try_from(rows).unwrap_or(0);
        let opened = self.open(group);
        if opened.is_err() {
            self.row_groups = 0..0;
        }
        Some(opened.map(Block::of))
    }

    /// A row group, and where it has the columns.
    fn open(&self, group: usize) -> Result<RowGroup> {
        let layout =
            if self.is_dictionary_throughout(group) { &self.as_dictionary } else { &self.as_views };
        let metadata = layout.as_ref().unwrap_or(&self.file.metadata).clone();
        let file = self.file.file.clone();
        let reader = guarded(&self.file.input, || {
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata)
                .with_row_groups(vec![group])
                .with_projection(self.projection.clone())
                .with_batch_size(self.batch_rows(group))
                .build()
        })?;
        let schema = arrow::array::RecordBatchReader::schema(&reader);
        let roles = self.roles.within(&schema)?;
        Ok(RowGroup { reader: Some(reader), roles, input: self.file.input.clone() })
    }

    /// Whether every data page of the key column in a row group is encoded by a dictionary.
    fn is_dictionary_throughout(&self, group: usize) -> bool {
        let group = self.file.metadata.metadata().row_group(group);
        self.key.is_some_and(|key| {
            group.column(key).page_encoding_stats_mask().is_some_and(|pages| {
                pages.is_only(Encoding::RLE_DICTIONARY) || pages.is_only(Encoding::PLAIN_DICTIONARY)
            })
        })
    }

    /// Rows to read at once: fewer if they are long.
    fn batch_rows(&self, group: usize) -> usize {
        let group = self.file.metadata.metadata().row_group(group);
        let bytes = self.leaves.iter().map(|&leaf| group.column(leaf).uncompressed_size());
        let bytes = bytes.fold(0u64, |sum, size| sum.saturating_add(size.try_into().unwrap_or(0)));
        let rows = u64::try_from(group.num_rows()).unwrap_or(0).max(1);
        let fit = BYTES as u64 / bytes.div_ceil(rows).max(1);
        usize::try_from(fit).unwrap_or(ROWS).clamp(1, ROWS)
    }
}

/// The rows of one row group, in batches.
struct RowGroup {
    /// None after a fault, since what follows it is not to be trusted.
    reader: Option<ParquetRecordBatchReader>,
    roles: Roles,
    input: String,
}

impl Iterator for RowGroup {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        let reader = self.reader.as_mut()?;
        let batch = guarded(&self.input, || Ok(reader.next().transpose()?));
        let batch = batch.and_then(|batch| batch.map(|batch| self.roles.take(&batch)).transpose());
        if batch.is_err() {
            self.reader = None;
        }
        batch.transpose()
    }
}

/// Does some reading of the file called `input`.
///
/// The Parquet reader panics over some damaged files, such as one whose pages hold fewer rows than
/// they say (`a_parquet_file_with_any_byte_changed_never_panics` finds them). Such a file is an
/// error like any other; the reader, which may be half-way through anything, is dropped then.
fn guarded<T>(input: &str, read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T> {
    let found = match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(read)) => return Ok(read),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "the Parquet reader gave up".to_owned(),
    };
    Err(Error::input(format!(
        "{input} begins as Parquet does but cannot be read: it is cut short or damaged; copy or \
         write it again"
    ))
    .with("found", found))
}
