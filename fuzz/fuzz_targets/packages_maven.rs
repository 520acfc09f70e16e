//! Addresses and documents of a Maven repository, from whoever may publish.

#![no_main]

use libfuzzer_sys::fuzz_target;
use packages::formats::maven::{Address, metadata};

fuzz_target!(|data: &[u8]| {
    let _ = metadata::refuse_dtd("maven-metadata.xml", data);
    let text = String::from_utf8_lossy(data);
    let _ = Address::parse(&text);
    let left = metadata::keep_versions(&text, |version| version.len() % 2 == 0, "1");
    if let metadata::Left::Document(document) = left {
        let again = metadata::keep_versions(&document, |version| version.len() % 2 == 0, "1");
        assert_eq!(again, metadata::Left::Same);
    }
});
