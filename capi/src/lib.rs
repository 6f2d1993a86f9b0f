//! The C ABI of shardlane.
//!
//! It says which library this is and how it will hash; routing is not part of it yet.
//! `include/shardlane.h` is made from this file: `make header`.

#![allow(
    unsafe_code,
    reason = "the C edge exports unmangled names; nothing here dereferences a pointer"
)]

mod panics;

use std::ffi::{CStr, c_char};

/// The version of the library, for example "0.1.0". The text lives as long as the program.
#[unsafe(no_mangle)]
pub extern "C" fn shardlane_version() -> *const c_char {
    const VERSION: &CStr = text(concat!(env!("CARGO_PKG_VERSION"), "\0"));
    VERSION.as_ptr()
}

/// The instructions that keys are hashed with on this machine, for example "avx2"; "unknown" if
/// they could not be found out. The text lives as long as the program.
#[unsafe(no_mangle)]
pub extern "C" fn shardlane_backend_name() -> *const c_char {
    panics::caught(c"unknown", || name_of(shardlane::lanes::Backend::detect().name())).as_ptr()
}

/// A back end's name as C text.
fn name_of(name: &str) -> &'static CStr {
    const NAMES: [&CStr; 5] = [c"portable", c"sse2", c"avx2", c"avx512", c"neon"];
    NAMES.into_iter().find(|known| known.to_bytes() == name.as_bytes()).unwrap_or(c"unknown")
}

/// Text that ends in its only NUL, checked when it is compiled.
const fn text(with_nul: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(with_nul.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("the text must end in its only NUL"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shardlane::lanes::Backend;

    #[test]
    fn every_back_end_has_a_name_in_c() {
        for backend in Backend::available() {
            assert_eq!(name_of(backend.name()).to_str(), Ok(backend.name()));
        }
    }

    #[test]
    fn a_name_that_c_does_not_know_is_unknown() {
        assert_eq!(name_of("abacus"), c"unknown");
    }
}
