//! Which function turns a key into the number that decides.

/// A hash of a key. [`crate::lanes`] computes it; a map only says which one it needs.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HashFunction {
    /// MD5, read as one big-endian number of 128 bits.
    Md5,
    /// The 32-bit murmur2 of Kafka's Java client.
    Murmur2,
    /// CRC-32 with the polynomial of zlib.
    Crc32,
    /// The 32-bit FNV-1a.
    Fnv1a,
    /// What version 1 of kafkajs took for murmur2.
    KafkajsLegacy,
    /// `String.hashCode` of Java, over UTF-16 units.
    JavaString,
}

impl HashFunction {
    /// The function's name in reports, such as `md5`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Md5 => "md5",
            Self::Murmur2 => "murmur2",
            Self::Crc32 => "crc32",
            Self::Fnv1a => "fnv1a",
            Self::KafkajsLegacy => "kafkajs-legacy",
            Self::JavaString => "java-string",
        }
    }
}
