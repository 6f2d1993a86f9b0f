//! Numbers and text to bytes and back, without trust.

use crate::error::{Error, Result};

/// Bytes being written.
#[derive(Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn flag(&mut self, flag: bool) {
        self.bytes.push(flag.into());
    }

    /// A LEB128 varint: seven bits a byte, the lowest first.
    pub(super) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// A length, and so many bytes.
    pub(super) fn text(&mut self, text: &[u8]) {
        self.number(text.len() as u64);
        self.raw(text);
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Bytes being read.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The next `len` bytes.
    pub(super) fn bytes(&mut self, len: usize) -> Result<&'a [u8]> {
        self.take(len)
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(len).ok_or_else(cut_short)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or_else(cut_short)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(super) fn flag(&mut self) -> Result<bool> {
        match self.array()? {
            [0] => Ok(false),
            [1] => Ok(true),
            [other] => Err(corrupt(format!("a yes or no is {other}"))),
        }
    }

    pub(super) fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                // A last byte of 0 says nothing: the number has a shorter form.
                if byte == 0 && shift > 0 {
                    break;
                }
                return Ok(number);
            }
        }
        Err(corrupt("a number is too long"))
    }

    /// A number that is not 0.
    pub(super) fn positive(&mut self) -> Result<u64> {
        match self.number()? {
            0 => Err(corrupt("a count is 0")),
            number => Ok(number),
        }
    }

    /// How many of something follow that takes `each` bytes or more: never more than there is room
    /// for, so that memory may be taken for so many.
    pub(super) fn count(&mut self, each: usize) -> Result<usize> {
        let number = self.number()?;
        let count = usize::try_from(number).ok();
        count.filter(|count| *count <= self.rest.len() / each).ok_or_else(cut_short)
    }

    /// A length, and so many bytes.
    pub(super) fn text(&mut self) -> Result<&'a [u8]> {
        let len = self.count(1)?;
        self.take(len)
    }

    /// Text that people can read.
    pub(super) fn name(&mut self) -> Result<&'a str> {
        std::str::from_utf8(self.text()?).map_err(|_| corrupt("a name is not UTF-8"))
    }

    /// That nothing is left.
    pub(super) fn finish(self) -> Result<()> {
        match self.rest.len() {
            0 => Ok(()),
            more => Err(corrupt(format!("{more} bytes follow its end"))),
        }
    }
}

/// Bytes with a right checksum that make no sense.
pub(super) fn corrupt(what: impl std::fmt::Display) -> Error {
    Error::corrupt(format!(
        "this tally contradicts itself, so it was not written by to_bytes: {what}"
    ))
}

/// Bytes that end too soon.
pub(super) fn cut_short() -> Error {
    Error::corrupt("this tally is cut short; give all the bytes that to_bytes gave")
}
