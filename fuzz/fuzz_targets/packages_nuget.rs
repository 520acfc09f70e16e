//! Descriptions, versions, symbol files and questions of NuGet.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| packages::formats::nuget::hostile::check(bytes));
