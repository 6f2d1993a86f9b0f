//! Seeded key columns: the same seed gives the same keys on every machine.
//!
//! ```
//! use shardlane_benches::keys::{Shape, column};
//! let keys = column(Shape::Uuid, 2, 1);
//! assert_eq!(keys.value(0).len(), 36);
//! assert_eq!(keys, column(Shape::Uuid, 2, 1));
//! ```

use arrow::array::{Array, DictionaryArray, Int32Array, StringArray};
use arrow::buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::Int32Type;
use rand::{Rng, RngExt, SeedableRng};
use rand_distr::{LogNormal, Zipf};
use rand_pcg::Pcg64Mcg;
use std::fmt::{self, Write};
use std::sync::Arc;

/// What a random key is spelt with: base 32, as in RFC 4648.
const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The lengths of the keys of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// All keys of that many bytes.
    Fixed(usize),
    /// Random UUIDs as text, 36 bytes.
    Uuid,
    /// Lengths spread evenly over 8 to 40 bytes.
    Mix,
}

impl Shape {
    /// Every shape that is measured.
    pub const ALL: [Self; 7] = [
        Self::Fixed(8),
        Self::Fixed(16),
        Self::Fixed(20),
        Self::Uuid,
        Self::Fixed(64),
        Self::Fixed(300),
        Self::Mix,
    ];
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(bytes) => write!(f, "{bytes}B"),
            Self::Uuid => f.write_str("36B"),
            Self::Mix => f.write_str("mix"),
        }
    }
}

/// A generator for `seed`.
fn generator(seed: u64) -> Pcg64Mcg {
    Pcg64Mcg::seed_from_u64(seed)
}

/// Text and where each key in it ends, on the way to an Arrow column.
#[derive(Default)]
struct Builder {
    text: String,
    lengths: Vec<usize>,
}

impl Builder {
    /// Adds a key of `len` random letters.
    fn letters(&mut self, random: &mut impl Rng, len: usize) {
        let mut bits = 0u64;
        for i in 0..len {
            if i % 12 == 0 {
                bits = random.random();
            }
            self.text.push(char::from(LETTERS[(bits & 31) as usize]));
            bits >>= 5;
        }
        self.lengths.push(len);
    }

    /// Adds a random UUID of version 4.
    fn uuid(&mut self, random: &mut impl Rng) {
        let bits: u128 = random.random();
        let bits = bits & !(0xf << 76) & !(0x3 << 62) | (0x4 << 76) | (0x2 << 62);
        let (a, b, c) = (bits >> 96, bits >> 80 & 0xffff, bits >> 64 & 0xffff);
        let (d, e) = (bits >> 48 & 0xffff, bits & 0xffff_ffff_ffff);
        write!(self.text, "{a:08x}-{b:04x}-{c:04x}-{d:04x}-{e:012x}").expect("a String grows");
        self.lengths.push(36);
    }

    /// The column.
    fn finish(self) -> StringArray {
        let offsets = OffsetBuffer::from_lengths(self.lengths);
        StringArray::new(offsets, Buffer::from(self.text.into_bytes()), None)
    }
}

/// A column of `len` random keys, which are distinct but for chance.
pub fn column(shape: Shape, len: usize, seed: u64) -> StringArray {
    let mut random = generator(seed);
    let mut keys = Builder::default();
    for _ in 0..len {
        match shape {
            Shape::Fixed(bytes) => keys.letters(&mut random, bytes),
            Shape::Uuid => keys.uuid(&mut random),
            Shape::Mix => {
                let bytes = random.random_range(8..=40);
                keys.letters(&mut random, bytes);
            }
        }
    }
    keys.finish()
}

/// A column of `len` keys drawn from `distinct` keys of 20 bytes by Zipf's law: the r-th most
/// frequent comes in proportion to `r^-exponent`.
///
/// # Panics
/// If `distinct` is 0 or `exponent` is negative.
pub fn zipf(distinct: usize, exponent: f64, len: usize, seed: u64) -> StringArray {
    let pool = column(Shape::Fixed(20), distinct, seed);
    let law = Zipf::new(distinct as f64, exponent).expect("a law over at least one key");
    let mut random = generator(seed ^ 1);
    let mut keys = Builder::default();
    for _ in 0..len {
        let rank = (random.sample(law) as usize).clamp(1, distinct);
        let key = pool.value(rank - 1);
        keys.text.push_str(key);
        keys.lengths.push(key.len());
    }
    keys.finish()
}

/// A dictionary column of `len` rows over `values` keys of 20 bytes, and the same rows as plain
/// text.
///
/// # Panics
/// If `values` is 0.
pub fn dictionary(
    values: usize,
    len: usize,
    seed: u64,
) -> (DictionaryArray<Int32Type>, StringArray) {
    let pool = column(Shape::Fixed(20), values, seed);
    let mut random = generator(seed ^ 1);
    let indices: Int32Array =
        (0..len).map(|_| Some(random.random_range(0..values) as i32)).collect();
    let mut plain = Builder::default();
    for index in indices.values() {
        let key = pool.value(*index as usize);
        plain.text.push_str(key);
        plain.lengths.push(key.len());
    }
    // A second array without a null buffer, as a producer without nulls makes it.
    let indices = Int32Array::new(indices.values().clone(), None);
    (DictionaryArray::new(indices, Arc::new(pool) as Arc<dyn Array>), plain.finish())
}

/// `len` payload sizes in bytes: a log-normal law with median 512, at most 1 MB.
///
/// # Panics
/// Never: the law is a constant.
pub fn sizes(len: usize, seed: u64) -> ScalarBuffer<i64> {
    let law = LogNormal::new(512f64.ln(), 1.0).expect("a log-normal law");
    let mut random = generator(seed);
    (0..len).map(|_| random.sample(law).min(1_000_000.0) as i64).collect()
}

/// `len` rising times, `per_second` to a second, in microseconds since 1970-01-01T00:00:00Z.
pub fn times(len: usize, per_second: i64) -> ScalarBuffer<i64> {
    (0..len as i64).map(|row| 1_800_000_000_000_000 + row * 1_000_000 / per_second).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_the_lengths_of_their_shape() {
        for shape in Shape::ALL {
            let keys = column(shape, 500, 7);
            let lengths = || keys.iter().flatten().map(str::len);
            let expected = match shape {
                Shape::Fixed(bytes) => (bytes, bytes),
                Shape::Uuid => (36, 36),
                Shape::Mix => (8, 40),
            };
            assert_eq!((lengths().min(), lengths().max()), (Some(expected.0), Some(expected.1)));
        }
    }

    #[test]
    fn the_first_key_of_a_zipf_column_is_the_most_frequent() {
        let keys = zipf(100, 1.1, 10_000, 3);
        let pool = column(Shape::Fixed(20), 100, 3);
        let count = |key: &str| keys.iter().flatten().filter(|k| *k == key).count();
        assert!(count(pool.value(0)) > 2 * count(pool.value(3)));
    }

    #[test]
    fn a_dictionary_says_the_same_as_its_plain_twin() {
        let (dictionary, plain) = dictionary(10, 1_000, 5);
        let dictionary = dictionary.downcast_dict::<StringArray>().unwrap();
        assert!(dictionary.into_iter().eq(plain.iter()));
    }
}
