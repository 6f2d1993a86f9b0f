//! What one would write without shardlane: a scalar MD5 of each key, a binary search over 128-bit
//! range starts, and two counters.

use arrow::array::StringArray;
use md5::{Digest, Md5};
use shardlane::ShardMap;
use std::ops::Range;

/// The MD5 of `key` by the crate `md-5`, as a big-endian number.
#[inline]
pub fn hash(key: &[u8]) -> u128 {
    u128::from_be_bytes(Md5::digest(key).into())
}

/// The MD5 of `key` by the assembly of the crate `md5-asm`, as a big-endian number. The padding is
/// ours: that crate has only the compression.
#[cfg(all(target_arch = "x86_64", not(windows)))]
#[inline]
pub fn hash_asm(key: &[u8]) -> u128 {
    let mut state = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let (blocks, rest) = key.as_chunks::<64>();
    md5_asm::compress(&mut state, blocks);
    let mut tail = [[0; 64]; 2];
    let end = if rest.len() < 56 { 64 } else { 128 };
    let bytes = tail.as_flattened_mut();
    bytes[..rest.len()].copy_from_slice(rest);
    bytes[rest.len()] = 0x80;
    bytes[end - 8..end].copy_from_slice(&(key.len() as u64 * 8).to_le_bytes());
    md5_asm::compress(&mut state, &tail[..end / 64]);
    state.iter().fold(0, |hash, word| hash << 32 | u128::from(word.swap_bytes()))
}

/// The first hash value of each shard of `map`.
pub fn starts(map: &ShardMap) -> Vec<u128> {
    map.open_shards().filter_map(|shard| shard.range).map(|range| range.start).collect()
}

/// The range that `hash` falls in.
#[inline]
pub fn shard_of(starts: &[u128], hash: u128) -> u32 {
    (starts.partition_point(|&start| start <= hash) - 1) as u32
}

/// Writes the top 32 bits of the hash of each row to `out`.
///
/// # Panics
/// If there are not that many rows.
pub fn prefixes(keys: &StringArray, rows: Range<usize>, out: &mut [u32], hash: fn(&[u8]) -> u128) {
    for (row, out) in rows.zip(out) {
        *out = (hash(keys.value(row).as_bytes()) >> 96) as u32;
    }
}

/// Writes the top 32 bits of the MD5 of each row, by `md-5`, to `out`. Apart from
/// [`prefixes`] so that the digest can be inlined.
///
/// # Panics
/// If there are not that many rows.
pub fn md5_prefixes(keys: &StringArray, rows: Range<usize>, out: &mut [u32]) {
    for (row, out) in rows.zip(out) {
        *out = (hash(keys.value(row).as_bytes()) >> 96) as u32;
    }
}

/// Writes the shard of each row to `out`.
///
/// # Panics
/// If there are not that many rows.
pub fn route(keys: &StringArray, starts: &[u128], rows: Range<usize>, out: &mut [u32]) {
    for (row, out) in rows.zip(out) {
        *out = shard_of(starts, hash(keys.value(row).as_bytes()));
    }
}

/// Adds the records and key bytes of each row to its shard's counters.
///
/// # Panics
/// If there are not that many rows, or fewer counters than ranges.
pub fn tally(keys: &StringArray, starts: &[u128], rows: Range<usize>, counters: &mut [[u64; 2]]) {
    for row in rows {
        let key = keys.value(row).as_bytes();
        let [records, bytes] = &mut counters[shard_of(starts, hash(key)) as usize];
        *records += 1;
        *bytes += key.len() as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(all(target_arch = "x86_64", not(windows)))]
    fn the_assembly_agrees_with_the_crate() {
        let key = [b'k'; 300];
        for len in 0..key.len() {
            assert_eq!(hash_asm(&key[..len]), hash(&key[..len]), "of {len} bytes");
        }
    }
}
