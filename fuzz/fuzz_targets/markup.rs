//! Texts of people: Markdown, code in it, boxes to tick.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kernel::markup::hostile::check(bytes));
