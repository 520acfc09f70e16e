//! GPG keys that people paste, and signatures of commits and tags.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| signatures::hostile::keys_and_signatures(bytes));
