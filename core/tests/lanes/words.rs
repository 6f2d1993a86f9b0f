//! The hashes of Kafka's clients: every back end against readings of their own.

use super::*;
use shardlane::lanes::{crc32, fnv1a, murmur2};

/// murmur2 as Kafka's `Utils.java` writes it, in its own signed arithmetic.
fn murmur2_of_java(data: &[u8]) -> i32 {
    let length = data.len() as i32;
    let m = 0x5bd1_e995_u32 as i32;
    let mut h = 0x9747_b28c_u32 as i32 ^ length;
    for i in 0..length / 4 {
        let byte = |at: i32| i32::from(data[(i * 4 + at) as usize]);
        let mut k = byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
        k = k.wrapping_mul(m);
        k ^= ((k as u32) >> 24) as i32;
        k = k.wrapping_mul(m);
        h = h.wrapping_mul(m);
        h ^= k;
    }
    let tail = (length & !3) as usize;
    if length % 4 == 3 {
        h ^= i32::from(data[tail + 2]) << 16;
    }
    if length % 4 >= 2 {
        h ^= i32::from(data[tail + 1]) << 8;
    }
    if length % 4 >= 1 {
        h ^= i32::from(data[tail]);
        h = h.wrapping_mul(m);
    }
    h ^= ((h as u32) >> 13) as i32;
    h = h.wrapping_mul(m);
    h ^ ((h as u32) >> 15) as i32
}

/// FNV-1a by 64-bit arithmetic with a remainder.
fn fnv1a_by_remainder(data: &[u8]) -> u32 {
    let step = |h: u64, byte: &u8| ((h ^ u64::from(*byte)) * 16_777_619) % (1 << 32);
    data.iter().fold(2_166_136_261, step) as u32
}

/// CRC-32 bit by bit.
fn crc32_by_bits(data: &[u8]) -> u32 {
    let crc = data.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 }
        })
    });
    !crc
}

fn check_words<K: Keys + ?Sized>(keys: &K) {
    let n = keys.len();
    let all = |hash: &dyn Fn(&[u8]) -> u32| (0..n).map(|i| hash(keys.bytes(i))).collect::<Vec<_>>();
    let murmur = all(&|key| murmur2_of_java(key) as u32);
    let fnv = all(&fnv1a_by_remainder);
    let mut found = vec![0xaaaa_aaaa; n];
    for backend in Backend::available() {
        murmur2::hashes(backend, keys, 0..n, &mut found);
        assert_eq!(found, murmur, "{backend}");
        fnv1a::hashes(backend, keys, 0..n, &mut found);
        assert_eq!(found, fnv, "{backend}");
    }
    assert_eq!(all(&murmur2::hash), murmur);
    assert_eq!(all(&fnv1a::hash), fnv);
    crc32::hashes(keys, 0..n, &mut found);
    assert_eq!(found, all(&crc32_by_bits));
}

#[test]
fn hashes_of_words_agree_at_every_length() {
    check_words(&Cut::painted(0..=300));
    check_words(&Cut::painted((0..=300).rev()));
    for len in 0..=80 {
        check_words(&Cut::painted([len; 100]));
    }
    check_words(&EndToEnd(Cut::painted((0..500).map(|i| (i * 7) % 61))));
    for n in 0..=150 {
        check_words(&Cut::painted((0..n).map(|i| (i * 7) % 41)));
    }
}

proptest! {
    #[test]
    fn hashes_of_words_agree_on_any_keys(
        keys in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..70), 0..200),
    ) {
        check_words(keys.as_slice());
    }
}
