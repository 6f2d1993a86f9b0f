//! Utf8View and BinaryView: 16 bytes a row, which hold a short key or point to a long one.

use crate::error::{Error, Result};
use crate::lanes::Keys;
use arrow::array::{Array, GenericByteViewArray};
use arrow::buffer::{Buffer, ScalarBuffer};
use arrow::datatypes::ByteViewType;

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
        let mut views = array.views().clone();
        let buffers = array.data_buffers().to_vec();
        let is_inside = |view: View| {
            view.len() <= INLINE
                || buffers
                    .get(view.buffer())
                    .is_some_and(|buffer| view.offset() + view.len() <= buffer.len())
        };
        if !views.iter().all(|&view| is_inside(View(view))) {
            for (row, &view) in views.iter().enumerate() {
                if !is_inside(View(view)) && !array.is_null(row) {
                    return Err(outside(row, View(view), &buffers));
                }
            }
            // Only null rows point outside, as they may; let them be empty keys.
            let emptied = |&view: &u128| if is_inside(View(view)) { view } else { 0 };
            views = views.iter().map(emptied).collect();
        }
        Ok(Self { views, buffers })
    }
}

/// The error for a view that points outside its column's buffers.
fn outside(row: usize, view: View, buffers: &[Buffer]) -> Error {
    Error::input(
        "a view of the key column points outside the column's own buffers; the producer of this \
         Arrow array is at fault",
    )
    .with("row", row)
    .with(
        "view",
        format!(
            "{} bytes at {} of buffer {} (of {})",
            view.len(),
            view.offset(),
            view.buffer(),
            buffers.len()
        ),
    )
}

impl Keys for Views {
    #[inline(always)]
    fn len(&self) -> usize {
        self.views.len()
    }

    #[inline(always)]
    fn key_len(&self, i: usize) -> usize {
        View(self.views[i]).len()
    }

    #[inline(always)]
    fn tail(&self, i: usize) -> &[u8] {
        let view = View(self.views[i]);
        if view.len() <= INLINE {
            // The key follows the four bytes of its length; the views after it may be read over.
            let bytes: &[u8] = self.views.inner().as_slice();
            &bytes[i * 16 + 4..]
        } else {
            &self.buffers[view.buffer()][view.offset()..]
        }
    }

    /// Where all of the keys are inside their views, or all in one other buffer.
    #[inline(always)]
    fn starts(&self, start: usize, starts: &mut [u32]) -> Option<&[u8]> {
        let views = &self.views[start..start + starts.len()];
        let first = View(*views.first()?);
        // Passes without an early exit, so that they are vectorised.
        let short = |all, view: &u128| all & (View(*view).len() <= INLINE);
        if views.iter().fold(true, short) {
            for (i, start) in starts.iter_mut().enumerate() {
                *start = i as u32 * 16 + 4;
            }
            let bytes: &[u8] = self.views.inner().as_slice();
            return Some(&bytes[start * 16..]);
        }
        let beside = |all, view: &u128| {
            let view = View(*view);
            all & (view.len() > INLINE) & (view.buffer() == first.buffer())
        };
        if !views.iter().fold(true, beside) {
            return None;
        }
        for (start, view) in starts.iter_mut().zip(views) {
            *start = View(*view).offset() as u32;
        }
        Some(&self.buffers[first.buffer()])
    }

    #[inline(always)]
    fn key_lens(&self, start: usize, lens: &mut [u32]) {
        for (len, view) in lens.iter_mut().zip(&self.views[start..]) {
            *len = View(*view).len() as u32;
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
