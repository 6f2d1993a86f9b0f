//! FixedSizeBinary: values end to end, all of one length.

use crate::error::{Error, Result};
use crate::lanes::Keys;
use arrow::array::{Array, FixedSizeBinaryArray};
use arrow::buffer::Buffer;

/// Keys of one length that lie end to end in one buffer.
#[derive(Debug, Clone)]
pub struct Fixed {
    values: Buffer,
    width: usize,
    len: usize,
}

impl Fixed {
    /// Takes the array's buffer.
    ///
    /// # Errors
    /// `InvalidInput` if the buffer is shorter than the rows need.
    pub fn try_new(array: &FixedSizeBinaryArray) -> Result<Self> {
        let width = usize::try_from(array.value_length()).unwrap_or(0);
        let values = array.values().clone();
        if width.checked_mul(array.len()).is_none_or(|needed| needed > values.len()) {
            return Err(Error::input(format!(
                "the key column claims {} values of {width} bytes, but its buffer has {} bytes; \
                 the producer of this Arrow array is at fault",
                array.len(),
                values.len()
            )));
        }
        Ok(Self { values, width, len: array.len() })
    }
}

impl Keys for Fixed {
    #[inline(always)]
    fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    fn key_len(&self, _: usize) -> usize {
        self.width
    }

    #[inline(always)]
    fn starts(&self, start: usize, starts: &mut [u32]) -> Option<&[u8]> {
        u32::try_from(starts.len().checked_mul(self.width)?).ok()?;
        let width = self.width as u32;
        for (i, start) in starts.iter_mut().enumerate() {
            *start = i as u32 * width;
        }
        Some(&self.values[start * self.width..])
    }

    #[inline(always)]
    fn tail(&self, i: usize) -> &[u8] {
        &self.values[i * self.width..]
    }
}
