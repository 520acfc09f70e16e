//! Archives as clients make them.

use std::io::{Cursor, Write};

/// A zip file of these entries.
pub fn zip<B: AsRef<[u8]>>(entries: &[(&str, B)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        let options = zip::write::SimpleFileOptions::default();
        writer.start_file(*name, options).expect("a new entry");
        writer.write_all(bytes.as_ref()).expect("written");
    }
    writer.finish().expect("a zip file").into_inner()
}
