//! Which instructions hash the keys, chosen once at run time.

use std::fmt;
use std::sync::OnceLock;

/// The instructions that the lanes use.
///
/// Every back end of the target's architecture is compiled into every build; [`Backend::detect`]
/// picks the widest one that this CPU has, and all of them give the same digests.
///
/// ```
/// use shardlane::lanes::Backend;
/// let best = Backend::detect();
/// assert!(Backend::available().any(|b| b == best));
/// ```
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Backend {
    /// Plain arrays of `u32`; any CPU.
    Portable,
    /// 128-bit vectors, four keys each; every x86-64 CPU.
    #[cfg(target_arch = "x86_64")]
    Sse2,
    /// 256-bit vectors, eight keys each; x86-64 since 2013.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512-bit vectors, sixteen keys each, with a rotate and a three-input logic instruction
    /// (AVX-512 F and BW).
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// 128-bit vectors, four keys each; every 64-bit Arm CPU.
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Backend {
    /// Every back end compiled for this architecture, widest first.
    const COMPILED: &'static [Self] = &[
        #[cfg(target_arch = "x86_64")]
        Self::Avx512,
        #[cfg(target_arch = "x86_64")]
        Self::Avx2,
        #[cfg(target_arch = "x86_64")]
        Self::Sse2,
        #[cfg(target_arch = "aarch64")]
        Self::Neon,
        Self::Portable,
    ];

    /// The fastest back end that this CPU can run. The CPU is asked once per process.
    pub fn detect() -> Self {
        static DETECTED: OnceLock<Backend> = OnceLock::new();
        *DETECTED.get_or_init(|| Self::available().next().unwrap_or(Self::Portable))
    }

    /// All back ends that this CPU can run, widest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::COMPILED.iter().copied().filter(|backend| backend.is_available())
    }

    /// Whether this CPU can run it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Sse2 => is_x86_feature_detected!("sse2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw")
            }
            #[cfg(target_arch = "aarch64")]
            Self::Neon => std::arch::is_aarch64_feature_detected!("neon"),
        }
    }

    /// The back end's name, such as `avx2`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Self::Sse2 => "sse2",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "avx512",
            #[cfg(target_arch = "aarch64")]
            Self::Neon => "neon",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
