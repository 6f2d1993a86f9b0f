#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| shardlane_fuzz::source_any(bytes));
