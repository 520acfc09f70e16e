//! One file out of an archive, which is never unpacked whole.

use crate::formats::zip_directory::is_plain;
use kernel::error::{Error, Result};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use zip::ZipArchive;

/// Bytes of one file that are taken out of an archive.
pub const MOST: u64 = 100 * 1024 * 1024;
/// Entries of an archive that are looked at.
const MOST_ENTRIES: usize = 200_000;

/// The file of this path, if the archive has it: a plain file below its root.
pub fn file(archive: impl Read + Seek, path: &str) -> Result<Option<Vec<u8>>> {
    if !is_plain(path) {
        return Ok(None);
    }
    let Ok(mut archive) = ZipArchive::new(archive) else {
        return Ok(None);
    };
    if archive.len() > MOST_ENTRIES {
        return Err(Error::TooLarge);
    }
    let Ok(entry) = archive.by_name(path) else {
        return Ok(None);
    };
    if !entry.is_file() || entry.is_symlink() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    let unreadable = |_| Error::NotFound("File");
    entry.take(MOST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    match bytes.len() as u64 > MOST {
        true => Err(Error::TooLarge),
        false => Ok(Some(bytes)),
    }
}

/// A file that was fetched, from its start.
pub fn opened(mut file: File) -> Result<BufReader<File>> {
    file.seek(SeekFrom::Start(0))?;
    Ok(BufReader::new(file))
}
