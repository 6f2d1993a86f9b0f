//! From what a map asks for to the lanes that compute it.

use crate::lanes::{Backend, Keys, Lengths, crc32, fnv1a, java, kafkajs, md5, murmur2, reference};
use crate::shards::HashFunction;
use std::ops::Range;

/// Writes the hash of each key, of MD5 its top 32 bits, to `out`; zeros if there is no hash.
#[inline]
pub(super) fn prefixes<K: Keys>(
    function: Option<HashFunction>,
    backend: Backend,
    keys: &K,
    range: Range<usize>,
    out: &mut [u32],
) -> Lengths {
    match function {
        Some(HashFunction::Md5) => md5::prefixes(backend, keys, range, out),
        Some(HashFunction::Murmur2) => murmur2::hashes(backend, keys, range, out),
        Some(HashFunction::Fnv1a) => fnv1a::hashes(backend, keys, range, out),
        Some(HashFunction::Crc32) => crc32::hashes(keys, range, out),
        Some(HashFunction::KafkajsLegacy) => kafkajs::hashes(keys, range, out),
        Some(HashFunction::JavaString) => java::hashes(keys, range, out),
        None => {
            out.fill(0);
            Lengths { min: 0, max: usize::MAX }
        }
    }
}

/// The whole hash of one key, in the low bits if it has 32; 0 if there is no hash.
pub(super) fn whole(function: Option<HashFunction>, key: &[u8]) -> u128 {
    match function {
        Some(HashFunction::Md5) => reference::hash(key),
        Some(HashFunction::Murmur2) => murmur2::hash(key).into(),
        Some(HashFunction::Fnv1a) => fnv1a::hash(key).into(),
        Some(HashFunction::Crc32) => crc32::hash(key).into(),
        Some(HashFunction::KafkajsLegacy) => kafkajs::hash(key).into(),
        Some(HashFunction::JavaString) => java::hash(key).into(),
        None => 0,
    }
}
