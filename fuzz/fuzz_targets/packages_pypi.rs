//! Names, versions and archives of Python packages.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| packages::formats::pypi::hostile::check(bytes));
