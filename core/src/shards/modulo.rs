//! A 32-bit hash modulo the number of partitions, by each client's rule for hashes that are
//! negative as Java sees them.

/// What is done with a hash before it is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Sign {
    /// The topmost bit is taken off: Java's `toPositive`.
    Mask,
    /// Nothing: the hash is unsigned.
    Unsigned,
    /// Its absolute value as a signed number; that of the least one is 2^31.
    Magnitude,
    /// The same, but the least one counts as 0.
    MagnitudeOrZero,
}

impl Sign {
    /// The number that is divided.
    #[inline(always)]
    pub(super) fn positive(self, hash: u32) -> u32 {
        match self {
            Self::Mask => mask(hash),
            Self::Unsigned => hash,
            Self::Magnitude => magnitude(hash),
            Self::MagnitudeOrZero => magnitude_or_zero(hash),
        }
    }
}

/// A number of partitions and the rule for reaching them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Modulo {
    partitions: u32,
    sign: Sign,
    /// 2^64 divided by the number of partitions, rounded up: with it a remainder takes two
    /// multiplications (Lemire, Kaser and Kurz, "Faster remainder by direct computation", 2019).
    inverse: u64,
}

impl Modulo {
    /// The rule for `partitions` partitions, at least 1.
    pub(super) fn new(partitions: u32, sign: Sign) -> Self {
        // For a single partition 2^64 wraps to 0, and with it every remainder is 0, as it should.
        let inverse = (u64::MAX / u64::from(partitions)).wrapping_add(1);
        Self { partitions, sign, inverse }
    }

    /// The partition of one hash.
    #[inline]
    pub(super) fn place(self, hash: u32) -> u32 {
        self.remainder(self.sign.positive(hash))
    }

    /// The partition of each hash.
    #[inline]
    pub(super) fn place_all(self, hashes: &[u32], shards: &mut [u32]) {
        match self.sign {
            Sign::Mask => self.each(hashes, shards, mask),
            Sign::Unsigned => self.each(hashes, shards, |hash| hash),
            Sign::Magnitude => self.each(hashes, shards, magnitude),
            Sign::MagnitudeOrZero => self.each(hashes, shards, magnitude_or_zero),
        }
    }

    #[inline(always)]
    fn each(self, hashes: &[u32], shards: &mut [u32], positive: impl Fn(u32) -> u32) {
        for (shard, hash) in shards.iter_mut().zip(hashes) {
            *shard = self.remainder(positive(*hash));
        }
    }

    #[inline(always)]
    fn remainder(self, number: u32) -> u32 {
        let fraction = self.inverse.wrapping_mul(number.into());
        ((u128::from(fraction) * u128::from(self.partitions)) >> 64) as u32
    }
}

#[inline(always)]
fn mask(hash: u32) -> u32 {
    hash & 0x7fff_ffff
}

#[inline(always)]
fn magnitude(hash: u32) -> u32 {
    hash.cast_signed().unsigned_abs()
}

#[inline(always)]
fn magnitude_or_zero(hash: u32) -> u32 {
    magnitude(hash) & 0x7fff_ffff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainders_are_those_of_division() {
        let numbers = [0, 1, 2, 6, 7, 99, 1 << 16, (1 << 31) - 1, 1 << 31, u32::MAX - 1, u32::MAX];
        for partitions in [1, 2, 3, 6, 7, 12, 100, 1000, 65_537, 1 << 20] {
            let modulo = Modulo::new(partitions, Sign::Unsigned);
            for number in numbers {
                assert_eq!(modulo.place(number), number % partitions, "{number} % {partitions}");
            }
        }
    }

    #[test]
    fn the_least_number_goes_where_each_client_sends_it() {
        let place = |sign| Modulo::new(50, sign).place(0x8000_0000);
        assert_eq!(place(Sign::Mask), 0);
        assert_eq!(place(Sign::Unsigned), 48);
        assert_eq!(place(Sign::Magnitude), 48);
        assert_eq!(place(Sign::MagnitudeOrZero), 0);
    }
}
