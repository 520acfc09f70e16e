//! conaninfo.txt, conanmanifest.txt and the paths of recipes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| packages::formats::conan::hostile(bytes));
