//! Archives of every packing, whole and inside a gzip of ours.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| packages::archive::hostile(bytes));
