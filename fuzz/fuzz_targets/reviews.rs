//! Positions of notes, what differs of files, and suggestions in notes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    reviews::hostile::positions(bytes);
    reviews::hostile::suggestions(bytes);
});
