//! Utf8, LargeUtf8, Binary, LargeBinary: values end to end, with an offset where each begins.

use crate::error::{Error, Result};
use crate::lanes::Keys;
use arrow::array::{GenericByteArray, OffsetSizeTrait};
use arrow::buffer::{Buffer, ScalarBuffer};
use arrow::datatypes::ByteArrayType;

/// Keys that lie end to end in one buffer.
#[derive(Debug, Clone)]
pub struct Offsets<O: OffsetSizeTrait> {
    /// One more than there are keys; never falling, never past the end of `values`.
    offsets: ScalarBuffer<O>,
    values: Buffer,
}

impl<O: OffsetSizeTrait> Offsets<O> {
    /// Takes the array's buffers, after checking every offset.
    ///
    /// # Errors
    /// `InvalidInput` if an offset is negative, below the one before it, or past the values.
    pub fn try_new<T: ByteArrayType<Offset = O>>(array: &GenericByteArray<T>) -> Result<Self> {
        let offsets = array.offsets().inner().clone();
        let values = array.values().clone();
        // One pass without an early exit, so that it is vectorised.
        let rising = offsets.windows(2).fold(true, |rising, pair| rising & (pair[0] <= pair[1]));
        let inside = offsets.first().is_some_and(|first| *first >= O::zero())
            && offsets.last().is_some_and(|last| last.as_usize() <= values.len());
        if rising && inside {
            return Ok(Self { offsets, values });
        }
        let at = offsets.windows(2).position(|pair| pair[0] > pair[1]).map_or(0, |row| row + 1);
        Err(Error::input(format!(
            "the key column's offsets are not valid: they must start at 0 or above, never fall, \
             and end within the {} bytes of its values; the producer of this Arrow array is at fault",
            values.len()
        ))
        .with("first bad offset", at)
        .with("its value", offsets.get(at).map_or(0, |offset| offset.as_usize() as i64)))
    }
}

impl<O: OffsetSizeTrait> Keys for Offsets<O> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    #[inline(always)]
    fn key_len(&self, i: usize) -> usize {
        self.offsets[i + 1].as_usize() - self.offsets[i].as_usize()
    }

    #[inline(always)]
    fn tail(&self, i: usize) -> &[u8] {
        &self.values[self.offsets[i].as_usize()..]
    }

    #[inline(always)]
    fn starts(&self, start: usize, starts: &mut [u32]) -> Option<&[u8]> {
        let offsets = &self.offsets[start..start + starts.len()];
        let (first, last) = (offsets.first()?.as_usize(), offsets.last()?.as_usize());
        // Offsets never fall, so no other is farther from the first.
        u32::try_from(last - first).ok()?;
        for (start, offset) in starts.iter_mut().zip(offsets) {
            *start = (offset.as_usize() - first) as u32;
        }
        Some(&self.values[first..])
    }

    /// Over a slice of the offsets, so that it is vectorised.
    #[inline(always)]
    fn key_lens(&self, start: usize, lens: &mut [u32]) {
        let offsets = &self.offsets[start..=start + lens.len()];
        for (len, pair) in lens.iter_mut().zip(offsets.windows(2)) {
            let (start, end) = (pair[0].as_usize(), pair[1].as_usize());
            // Of 32-bit offsets the difference in 32 bits is right, and twice as fast.
            *len = if size_of::<O>() <= size_of::<u32>() {
                (end as u32).wrapping_sub(start as u32)
            } else {
                (end - start).min(u32::MAX as usize) as u32
            };
        }
    }
}
