//! Objects of repositories: commits, tags, folders, and what git tells of differences.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| repositories::hostile::objects(bytes));
