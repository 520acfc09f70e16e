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

/// A gzip-compressed tar file of these entries, whose names are not looked at.
pub fn tar_gz<B: AsRef<[u8]>>(entries: &[(&str, B)]) -> Vec<u8> {
    let packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let mut builder = tar::Builder::new(packed);
    for (name, bytes) in entries {
        let bytes = bytes.as_ref();
        let mut header = tar::Header::new_old();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        builder.append(&header, bytes).expect("a new entry");
    }
    let packed = builder.into_inner().expect("a tar file");
    packed.finish().expect("a gzip file")
}
