//! Kafka's partitioners: which hash each client's takes, and what it does with keys that are null or
//! empty. Sources and vectors stand in `datasets/vectors/kafka_partitioners.json`.

use super::HashFunction;
use super::modulo::Sign;
use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// A partitioner of a Kafka client, by the client and the name that it has there.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Partitioner {
    /// The Java client's: murmur2 without its sign bit. A null key goes to a partition that sticks
    /// for a while.
    #[default]
    Java,
    /// librdkafka's `random`: any partition.
    RdkafkaRandom,
    /// librdkafka's `consistent`: CRC-32. A null key is hashed as an empty one.
    RdkafkaConsistent,
    /// librdkafka's `consistent_random`, its default: CRC-32, but any partition for null and for
    /// empty keys.
    RdkafkaConsistentRandom,
    /// librdkafka's `murmur2`: the Java client's, but a null key is hashed as an empty one.
    RdkafkaMurmur2,
    /// librdkafka's `murmur2_random`: the Java client's.
    RdkafkaMurmur2Random,
    /// librdkafka's `fnv1a`: the absolute value of FNV-1a. A null key is hashed as an empty one.
    RdkafkaFnv1a,
    /// librdkafka's `fnv1a_random`: the same, but any partition for a null key.
    RdkafkaFnv1aRandom,
    /// Sarama's `NewHashPartitioner`: the absolute value of FNV-1a.
    SaramaHash,
    /// Sarama's `NewReferenceHashPartitioner`: FNV-1a without its sign bit.
    SaramaReference,
    /// Sarama's `NewConsistentCRCHashPartitioner`: CRC-32.
    SaramaCrc32,
    /// kafkajs' `LegacyPartitioner`, the default of its version 1: its own reading of murmur2.
    KafkajsLegacy,
    /// Spring Cloud Stream's default: the absolute value of `String.hashCode`. It needs a key.
    SpringCloudStream,
}

/// What a partitioner does with a key that is null, or empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Odd {
    /// It hashes it; null as if it were empty.
    Hashed,
    /// It sends it anywhere.
    Anywhere,
    /// It throws.
    Refused,
}

/// Other names for the same rule, by the clients that have them.
const ALIASES: [(&str, Partitioner); 22] = [
    ("murmur2", Partitioner::Java),
    ("kafka-python", Partitioner::Java),
    ("aiokafka", Partitioner::Java),
    ("franz-go", Partitioner::Java),
    ("franz-go:sticky-key", Partitioner::Java),
    ("kafkajs", Partitioner::Java),
    ("kafkajs:default", Partitioner::Java),
    ("kafkajs:java-compatible", Partitioner::Java),
    ("kafka-go:murmur2", Partitioner::Java),
    ("sarama:murmur2", Partitioner::Java),
    ("spring-kafka", Partitioner::Java),
    ("rdkafka", Partitioner::RdkafkaConsistentRandom),
    ("librdkafka", Partitioner::RdkafkaConsistentRandom),
    ("confluent-kafka", Partitioner::RdkafkaConsistentRandom),
    ("kafka-go:crc32", Partitioner::RdkafkaConsistentRandom),
    ("random", Partitioner::RdkafkaRandom),
    ("sarama", Partitioner::SaramaHash),
    ("kafka-go:hash", Partitioner::SaramaHash),
    ("franz-go:sarama-compat", Partitioner::SaramaHash),
    ("kafka-go:reference-hash", Partitioner::SaramaReference),
    ("sarama:consistent-crc", Partitioner::SaramaCrc32),
    ("spring", Partitioner::SpringCloudStream),
];

impl Partitioner {
    /// Every partitioner, the Java client's first.
    pub const ALL: [Self; 13] = [
        Self::Java,
        Self::RdkafkaRandom,
        Self::RdkafkaConsistent,
        Self::RdkafkaConsistentRandom,
        Self::RdkafkaMurmur2,
        Self::RdkafkaMurmur2Random,
        Self::RdkafkaFnv1a,
        Self::RdkafkaFnv1aRandom,
        Self::SaramaHash,
        Self::SaramaReference,
        Self::SaramaCrc32,
        Self::KafkajsLegacy,
        Self::SpringCloudStream,
    ];

    /// The partitioner's name: the client, and what it is called there.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Java => "java",
            Self::RdkafkaRandom => "rdkafka:random",
            Self::RdkafkaConsistent => "rdkafka:consistent",
            Self::RdkafkaConsistentRandom => "rdkafka:consistent_random",
            Self::RdkafkaMurmur2 => "rdkafka:murmur2",
            Self::RdkafkaMurmur2Random => "rdkafka:murmur2_random",
            Self::RdkafkaFnv1a => "rdkafka:fnv1a",
            Self::RdkafkaFnv1aRandom => "rdkafka:fnv1a_random",
            Self::SaramaHash => "sarama:hash",
            Self::SaramaReference => "sarama:reference",
            Self::SaramaCrc32 => "sarama:crc32",
            Self::KafkajsLegacy => "kafkajs:legacy",
            Self::SpringCloudStream => "spring-cloud-stream",
        }
    }

    /// Other names for this rule, which [`FromStr`] reads too: `kafka-python` is `java`.
    pub fn aliases(self) -> impl Iterator<Item = &'static str> {
        ALIASES.into_iter().filter(move |(_, of)| *of == self).map(|(alias, _)| alias)
    }

    /// Its hash; `None` if it takes none.
    pub const fn hash(self) -> Option<HashFunction> {
        match self {
            Self::Java | Self::RdkafkaMurmur2 | Self::RdkafkaMurmur2Random => {
                Some(HashFunction::Murmur2)
            }
            Self::RdkafkaConsistent | Self::RdkafkaConsistentRandom | Self::SaramaCrc32 => {
                Some(HashFunction::Crc32)
            }
            Self::RdkafkaFnv1a
            | Self::RdkafkaFnv1aRandom
            | Self::SaramaHash
            | Self::SaramaReference => Some(HashFunction::Fnv1a),
            Self::KafkajsLegacy => Some(HashFunction::KafkajsLegacy),
            Self::SpringCloudStream => Some(HashFunction::JavaString),
            Self::RdkafkaRandom => None,
        }
    }

    /// The partition, of `partitions` of them, of a key whose [`hash`](Self::hash) is `hash`.
    ///
    /// ```
    /// use shardlane::Partitioner;
    /// // 0x80000000 is the least number there is, and clients differ over its absolute value.
    /// assert_eq!(Partitioner::SaramaHash.partition_of(0x8000_0000, 50), 48);
    /// assert_eq!(Partitioner::SaramaReference.partition_of(0x8000_0000, 50), 0);
    /// ```
    pub fn partition_of(self, hash: u32, partitions: u32) -> u32 {
        self.positive(hash) % partitions.max(1)
    }

    /// The number that is divided by the number of partitions, of a key with this hash.
    pub(crate) fn positive(self, hash: u32) -> u32 {
        self.sign().positive(hash)
    }

    /// Whether both send every key that is neither null nor empty to the same partition.
    ///
    /// ```
    /// use shardlane::Partitioner;
    /// assert!(Partitioner::Java.agrees_with(Partitioner::RdkafkaMurmur2));
    /// assert!(!Partitioner::SaramaHash.agrees_with(Partitioner::SaramaReference));
    /// ```
    pub fn agrees_with(self, other: Self) -> bool {
        self.hash().is_some() && self.hash() == other.hash() && self.sign() == other.sign()
    }

    pub(super) const fn sign(self) -> Sign {
        match self {
            Self::Java
            | Self::RdkafkaMurmur2
            | Self::RdkafkaMurmur2Random
            | Self::SaramaReference
            | Self::KafkajsLegacy => Sign::Mask,
            Self::RdkafkaRandom
            | Self::RdkafkaConsistent
            | Self::RdkafkaConsistentRandom
            | Self::SaramaCrc32 => Sign::Unsigned,
            Self::RdkafkaFnv1a | Self::RdkafkaFnv1aRandom | Self::SaramaHash => Sign::Magnitude,
            Self::SpringCloudStream => Sign::MagnitudeOrZero,
        }
    }

    /// What becomes of a null key.
    pub(super) const fn null(self) -> Odd {
        match self {
            Self::RdkafkaConsistent | Self::RdkafkaMurmur2 | Self::RdkafkaFnv1a => Odd::Hashed,
            Self::SpringCloudStream => Odd::Refused,
            _ => Odd::Anywhere,
        }
    }

    /// What becomes of an empty key.
    pub(super) const fn empty(self) -> Odd {
        match self {
            Self::RdkafkaConsistentRandom | Self::RdkafkaRandom => Odd::Anywhere,
            _ => Odd::Hashed,
        }
    }
}

impl fmt::Display for Partitioner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reads a partitioner by its name or by an alias.
///
/// ```
/// use shardlane::Partitioner;
/// assert_eq!("rdkafka:murmur2".parse(), Ok(Partitioner::RdkafkaMurmur2));
/// assert_eq!("kafka-python".parse(), Ok(Partitioner::Java));
/// assert!("md5".parse::<Partitioner>().is_err());
/// ```
impl FromStr for Partitioner {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let named = Self::ALL.into_iter().find(|partitioner| partitioner.name() == name);
        let alias = || ALIASES.into_iter().find(|(alias, _)| *alias == name).map(|(_, of)| of);
        named.or_else(alias).ok_or_else(|| {
            let known = Self::ALL.map(Self::name);
            let near = known
                .into_iter()
                .chain(ALIASES.map(|(alias, _)| alias))
                .map(|known| (strsim::jaro_winkler(name, known), known))
                .filter(|(likeness, _)| *likeness >= 0.8)
                .max_by(|(one, _), (other, _)| one.total_cmp(other));
            let near = near.map_or_else(String::new, |(_, near)| format!("did you mean {near}? "));
            Error::input(format!(
                "there is no partitioner \"{name}\"; {near}type one of {}",
                known.join(", ")
            ))
        })
    }
}
