//! Hashes of many keys at once.
//!
//! In: anything that is [`Keys`], read where they lie. Out: the top
//! 32 bits of each key's MD5 ([`md5::prefixes`]), which decide nearly every range lookup, the
//! whole digest ([`md5::digests`]), or one of the 32-bit hashes of Kafka's clients ([`murmur2`],
//! [`fnv1a`], [`crc32`] and the rarer [`kafkajs`] and [`java`]).
//!
//! Each algorithm is written once over a small private vector trait and stamped out for each
//! [`Backend`]. This folder is the only place in the crate with `unsafe` in it.

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod backend;
pub mod crc32;
pub mod fnv1a;
pub mod java;
pub mod kafkajs;
pub mod md5;
mod meanwhile;
pub mod murmur2;
mod pack;
mod portable;
pub mod reference;
mod stage;
mod vector;
mod words;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use backend::Backend;

use std::ops::Range;

/// A key where it lies: its first `len` bytes are the key, the rest of `buffer` is whatever
/// follows it in the same allocation.
#[derive(Debug, Clone, Copy)]
pub struct Window<'a> {
    buffer: &'a [u8],
    len: usize,
}

impl<'a> Window<'a> {
    /// The key `buffer[..len]`.
    ///
    /// # Panics
    /// If the buffer is shorter than `len`.
    #[inline(always)]
    pub fn new(buffer: &'a [u8], len: usize) -> Self {
        assert!(len <= buffer.len(), "a key must lie inside its buffer");
        Self { buffer, len }
    }

    /// The key.
    #[inline(always)]
    pub fn key(self) -> &'a [u8] {
        &self.buffer[..self.len]
    }

    /// The key and all readable bytes after it.
    #[inline(always)]
    pub fn buffer(self) -> &'a [u8] {
        self.buffer
    }

    /// Length of the key in bytes.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether the key has no bytes.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// A column of keys, as the lanes see it. `keys` implements this for every Arrow layout.
///
/// The lanes load whole vectors. [`tail`](Keys::tail) tells them how far the memory reaches past a
/// key, so that they can do so without a copy and without ever reading outside the buffer.
pub trait Keys: Sync {
    /// Number of keys.
    fn len(&self) -> usize;

    /// Whether there are no keys.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Length in bytes of key number `i`.
    ///
    /// # Panics
    /// If `i` is not below [`len`](Keys::len).
    fn key_len(&self, i: usize) -> usize;

    /// Key number `i` and all readable bytes after it in the same buffer. Never shorter than
    /// [`key_len`](Keys::key_len). A null is any key; its hash is thrown away.
    ///
    /// # Panics
    /// If `i` is not below [`len`](Keys::len).
    fn tail(&self, i: usize) -> &[u8];

    /// Key number `i` where it lies.
    ///
    /// # Panics
    /// If `i` is not below [`len`](Keys::len).
    #[inline(always)]
    fn window(&self, i: usize) -> Window<'_> {
        Window::new(self.tail(i), self.key_len(i))
    }

    /// The bytes of key number `i`.
    ///
    /// # Panics
    /// If `i` is not below [`len`](Keys::len).
    #[inline(always)]
    fn bytes(&self, i: usize) -> &[u8] {
        &self.tail(i)[..self.key_len(i)]
    }

    /// Writes to `starts` where the keys from `start` on begin in a buffer that they share, and gives
    /// that buffer. `None` where they share none, or none that 32 bits can index. It speeds up
    /// finding them, and must agree with [`tail`](Keys::tail).
    ///
    /// # Panics
    /// If there are not that many keys.
    #[inline(always)]
    fn starts(&self, _start: usize, _starts: &mut [u32]) -> Option<&[u8]> {
        None
    }

    /// Writes the lengths of the keys from `start` on to `lens`; `u32::MAX` for a longer one.
    ///
    /// # Panics
    /// If there are not that many keys.
    #[inline(always)]
    fn key_lens(&self, start: usize, lens: &mut [u32]) {
        for (i, len) in lens.iter_mut().enumerate() {
            *len = u32::try_from(self.key_len(start + i)).unwrap_or(u32::MAX);
        }
    }
}

impl<T: AsRef<[u8]> + Sync> Keys for [T] {
    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    #[inline(always)]
    fn key_len(&self, i: usize) -> usize {
        self[i].as_ref().len()
    }

    #[inline(always)]
    fn tail(&self, i: usize) -> &[u8] {
        self[i].as_ref()
    }
}

/// The shortest and the longest key of a range, in bytes; a by-product of hashing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lengths {
    /// Length of the shortest key.
    pub min: usize,
    /// Length of the longest key.
    pub max: usize,
}

impl Lengths {
    /// The lengths of no keys: a minimum above every maximum.
    pub const NONE: Self = Self { min: usize::MAX, max: 0 };

    /// The lengths of both ranges together.
    #[inline(always)]
    fn with(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// Checks that `out` has one place for each key of `range`, and that the column has them.
fn check_range<K: Keys + ?Sized>(keys: &K, range: &Range<usize>, places: usize) {
    assert!(range.start <= range.end && range.end <= keys.len(), "range outside the column");
    assert_eq!(range.len(), places, "one output place for each key");
}

/// Writes the hash of each key of `range` to `out`, one after another.
#[inline(always)]
fn one_by_one<K: Keys + ?Sized>(
    keys: &K,
    range: Range<usize>,
    out: &mut [u32],
    hash: impl Fn(&[u8]) -> u32,
) -> Lengths {
    let mut lengths = Lengths::NONE;
    for (out, i) in out.iter_mut().zip(range) {
        let key = keys.bytes(i);
        lengths = lengths.with(Lengths { min: key.len(), max: key.len() });
        *out = hash(key);
    }
    lengths
}
