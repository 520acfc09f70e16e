//! What git's programs send: packets, pushes and questions, names of refs.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    repositories::hostile::packets(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        repositories::hostile::name(text);
    }
});
