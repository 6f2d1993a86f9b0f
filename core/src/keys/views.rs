//! Utf8View and BinaryView: 16 bytes a row, which hold a short key or point to a long one.

use crate::error::{Error, Result};
use crate::lanes::{Keys, Window};
use arrow::array::{Array, GenericByteViewArray};
use arrow::buffer::{Buffer, ScalarBuffer};
use arrow::datatypes::ByteViewType;
use std::ops::Range;

/// The longest key that lies inside its view.
const INLINE: usize = 12;

/// Keys inside 16-byte views, or in the buffers that the views point to.
#[derive(Debug, Clone)]
pub struct Views {
    views: ScalarBuffer<u128>,
    buffers: Vec<Buffer>,
}

impl Views {
    /// Takes the array's buffers, after checking every view that is not null.
    ///
    /// # Errors
    /// `InvalidInput` if a view names a buffer that is not there, or bytes outside it.
    pub fn try_new<T: ByteViewType + ?Sized>(array: &GenericByteViewArray<T>) -> Result<Self> {
        let column = Self {
            views: array.views().clone(),
            buffers: array.data_buffers().iter().cloned().collect(),
        };
        let valid = |row: usize| {
            let view = View(column.views[row]);
            view.len() <= INLINE
                || column
                    .buffers
                    .get(view.buffer())
                    .is_some_and(|buffer| view.offset() + view.len() <= buffer.len())
        };
        match (0..array.len()).find(|&row| !valid(row) && !array.is_null(row)) {
            None => Ok(column),
            Some(row) => {
                let view = View(column.views[row]);
                Err(Error::input(
                    "a view of the key column points outside the column's own buffers; the \
                     producer of this Arrow array is at fault",
                )
                .with("row", row)
                .with("view", format!(
                    "{} bytes at {} of buffer {} (of {})",
                    view.len(),
                    view.offset(),
                    view.buffer(),
                    column.buffers.len()
                )))
            }
        }
    }
}

impl Keys for Views {
    #[inline(always)]
    fn len(&self) -> usize {
        self.views.len()
    }

    #[inline(always)]
    fn window(&self, i: usize) -> Window<'_> {
        let view = View(self.views[i]);
        if view.len() <= INLINE {
            // The key follows the four bytes of its length; the views after it may be read over.
            let bytes: &[u8] = self.views.inner().as_slice();
            return Window::new(&bytes[i * 16 + 4..], view.len());
        }
        // A null row's view is not checked, and need not point anywhere.
        let bytes = self.buffers.get(view.buffer()).and_then(|buffer| buffer.get(view.offset()..));
        match bytes {
            Some(bytes) if view.len() <= bytes.len() => Window::new(bytes, view.len()),
            _ => Window::new(&[], 0),
        }
    }

    #[inline]
    fn lengths(&self, range: Range<usize>, lengths: &mut [u32]) {
        // A null row's view is not checked, and neither is its length: any will do.
        for (view, length) in self.views[range].iter().zip(lengths) {
            *length = View(*view).len() as u32;
        }
    }
}

/// The little-endian fields of one view.
#[derive(Clone, Copy)]
struct View(u128);

impl View {
    #[inline(always)]
    fn len(self) -> usize {
        self.0 as u32 as usize
    }

    #[inline(always)]
    fn buffer(self) -> usize {
        (self.0 >> 64) as u32 as usize
    }

    #[inline(always)]
    fn offset(self) -> usize {
        (self.0 >> 96) as u32 as usize
    }
}
