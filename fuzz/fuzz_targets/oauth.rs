//! Parameters of authorization and token requests.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| identity::oauth::hostile::check(bytes));
