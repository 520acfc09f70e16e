//! The bodies of npm: however they are cut, the same is read of them, and
//! nothing in them ends the program.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| packages::formats::npm::hostile::check(bytes));
