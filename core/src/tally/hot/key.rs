//! A key as it is looked for and kept: its first bytes apart, to be compared as words.

use crate::lanes::{Window, reference};

/// The longest key that is kept whole, in bytes: as long as the longest Kinesis partition key. Of
/// a longer key only so many bytes are kept and reported; it is told from others by its MD5.
pub const HOT_KEY_BYTES: usize = 1024;

/// Bytes of the MD5 that follows a key which is cut.
const DIGEST: usize = 16;

/// Bytes in a head.
pub(super) const HEAD: usize = 24;

/// For each length, the bytes of a head that belong to a key of it.
const MASKS: [[u64; 3]; HEAD + 1] = masks();

/// The first bytes of a key, and zeros after its end. With the key's length they tell all keys of
/// up to [`HEAD`] bytes apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head([u8; HEAD]);

impl Head {
    /// The head of no key.
    pub(super) const EMPTY: Self = Self([0; HEAD]);

    #[inline(always)]
    pub(super) fn of(key: Window<'_>) -> Self {
        let bytes = match key.buffer().first_chunk() {
            Some(bytes) => *bytes,
            None => padded(key.key()),
        };
        let mask = &MASKS[key.len().min(HEAD)];
        let mut head = [0; HEAD];
        for ((out, word), mask) in head.as_chunks_mut().0.iter_mut().zip(words(&bytes)).zip(mask) {
            *out = (word & mask).to_le_bytes();
        }
        Self(head)
    }

    /// Whether both are the same, without a branch for each word.
    #[inline(always)]
    pub(super) fn is(&self, other: &Self) -> bool {
        let ([a, b, c], [x, y, z]) = (words(&self.0), words(&other.0));
        (a ^ x) | (b ^ y) | (c ^ z) == 0
    }

    pub(super) fn bytes(&self) -> &[u8; HEAD] {
        &self.0
    }
}

#[inline(always)]
fn words(bytes: &[u8; HEAD]) -> [u64; 3] {
    let (words, _) = bytes.as_chunks();
    [words[0], words[1], words[2]].map(u64::from_le_bytes)
}

/// The start of a key that ends where its buffer ends.
fn padded(key: &[u8]) -> [u8; HEAD] {
    let mut bytes = [0; HEAD];
    let len = key.len().min(HEAD);
    bytes[..len].copy_from_slice(&key[..len]);
    bytes
}

const fn masks() -> [[u64; 3]; HEAD + 1] {
    let mut masks = [[0; 3]; HEAD + 1];
    let mut len = 1;
    while len <= HEAD {
        masks[len] = masks[len - 1];
        masks[len][(len - 1) / 8] |= 0xff << (8 * ((len - 1) % 8));
        len += 1;
    }
    masks
}

/// A key that is longer than what is kept, as it is kept: cut, and followed by its MD5.
#[cold]
pub(super) fn cut(key: &[u8]) -> Vec<u8> {
    [&key[..HOT_KEY_BYTES], &reference::digest(key)].concat()
}

/// Whether a key can be kept with so many bytes.
pub(super) fn is_kept_length(len: usize) -> bool {
    len <= HOT_KEY_BYTES || len == HOT_KEY_BYTES + DIGEST
}

/// What people see of a key that is kept.
pub(super) fn shown(kept: &[u8]) -> Vec<u8> {
    kept[..kept.len().min(HOT_KEY_BYTES)].to_vec()
}

/// The hash of a key that is kept.
pub(super) fn hash(kept: &[u8]) -> u128 {
    let digest = kept.get(HOT_KEY_BYTES..).and_then(|digest| digest.try_into().ok());
    digest.map_or_else(|| reference::hash(kept), u128::from_be_bytes)
}
