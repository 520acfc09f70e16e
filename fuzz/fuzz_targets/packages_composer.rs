//! composer.json, and the names of tags and branches.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| packages::formats::composer::hostile(bytes));
