//! Paths, versions and go.mod files of Go modules.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| packages::formats::golang::hostile(bytes));
