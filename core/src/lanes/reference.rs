//! MD5 as RFC 1321 tells it, one key at a time: the text to read first, and the oracle of the
//! lanes' tests. It also settles the rare key whose prefix equals a boundary's.

/// The four state words before the first block.
pub(super) const INITIAL: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];

/// `floor(2^32 * |sin(i + 1)|)` for each of the 64 steps.
#[rustfmt::skip]
pub(super) const SINES: [u32; 64] = [
    0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
    0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
    0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
    0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
    0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
    0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
    0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
    0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
];

/// How far each step rotates: four amounts a round, used in turn.
const ROTATIONS: [[u32; 4]; 4] =
    [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// The MD5 of `key`.
///
/// ```
/// let digest = shardlane::lanes::reference::digest(b"abc");
/// assert_eq!(u128::from_be_bytes(digest), 0x900150983cd24fb0d6963f7d28e17f72);
/// ```
pub fn digest(key: &[u8]) -> [u8; 16] {
    let mut state = INITIAL;
    let (blocks, rest) = key.as_chunks::<64>();
    for block in blocks {
        compress(&mut state, block);
    }

    // The rest, the byte 0x80, zeros, and the length in bits in the last eight bytes.
    let mut tail = [0; 128];
    tail[..rest.len()].copy_from_slice(rest);
    tail[rest.len()] = 0x80;
    let end = if rest.len() < 56 { 64 } else { 128 };
    tail[end - 8..end].copy_from_slice(&(key.len() as u64).wrapping_mul(8).to_le_bytes());
    for block in tail[..end].as_chunks::<64>().0 {
        compress(&mut state, block);
    }

    let mut digest = [0; 16];
    for (bytes, word) in digest.as_chunks_mut::<4>().0.iter_mut().zip(state) {
        *bytes = word.to_le_bytes();
    }
    digest
}

/// The MD5 of `key` as the services read it: one big-endian 128-bit number.
///
/// ```
/// assert_eq!(shardlane::lanes::reference::hash(b"a"), 0x0cc175b9c0f1b6a831c399e269772661);
/// ```
pub fn hash(key: &[u8]) -> u128 {
    u128::from_be_bytes(digest(key))
}

/// Works one block of 64 bytes into the state.
fn compress(state: &mut [u32; 4], block: &[u8; 64]) {
    let words: [u32; 16] = std::array::from_fn(|i| u32::from_le_bytes(block.as_chunks::<4>().0[i]));
    let [mut a, mut b, mut c, mut d] = *state;
    for (i, sine) in SINES.into_iter().enumerate() {
        let (mix, word) = match i / 16 {
            0 => ((b & c) | (!b & d), i),
            1 => ((b & d) | (c & !d), (5 * i + 1) % 16),
            2 => (b ^ c ^ d, (3 * i + 5) % 16),
            _ => (c ^ (b | !d), (7 * i) % 16),
        };
        let sum = a.wrapping_add(mix).wrapping_add(sine).wrapping_add(words[word]);
        let next = b.wrapping_add(sum.rotate_left(ROTATIONS[i / 16][i % 4]));
        (a, b, c, d) = (d, next, b, c);
    }
    for (word, add) in state.iter_mut().zip([a, b, c, d]) {
        *word = word.wrapping_add(add);
    }
}
