//! Chart.yaml.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| packages::formats::helm::chart::hostile(bytes));
