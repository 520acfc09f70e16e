//! Zip archives (wheels, NuGet packages, Go modules).
//!
//! The zip library keeps a record of every entry, so the number of entries is
//! read from the end of the archive before it is asked.

use super::{Bounded, Contents, MAX_ENTRIES, MAX_MEMBER, Wanted, expansion, plain_path, refused};
use kernel::error::{Error, Result};
use std::io::{Read, Seek, SeekFrom};
use zip::ZipArchive;

/// Bytes of the end record without its comment (APPNOTE 4.3.16).
const END: usize = 22;
/// Longest comment after it.
const MAX_COMMENT: usize = 65_535;
/// Bytes of the locator of the 64-bit end record (APPNOTE 4.3.15).
const LOCATOR: usize = 20;
/// Bytes of a directory record without name, extra field and comment.
const RECORD: u64 = 46;

/// Reads the directory of an archive and keeps the members `wanted` says, by
/// their plain path.
pub fn zip<W: Into<Wanted>>(
    mut packed: impl Read + Seek, wanted: impl Fn(&str) -> W,
) -> Result<Contents> {
    let size = packed.seek(SeekFrom::End(0)).map_err(Error::internal)?;
    check_directory(&mut packed, size)?;
    packed.rewind().map_err(Error::internal)?;
    let mut archive = ZipArchive::new(&mut packed).map_err(unreadable)?;
    if archive.is_empty() {
        return Err(refused("the archive is empty".into()));
    }
    let mut contents = Contents::default();
    let mut taken = Vec::new();
    for at in 0..archive.len() {
        let entry = archive.by_index_raw(at).map_err(unreadable)?;
        let path = plain_path(entry.name_raw())?;
        if entry.is_dir() || entry.is_symlink() {
            continue;
        }
        contents.files += 1;
        contents.unpacked = contents.unpacked.saturating_add(entry.size());
        match wanted(&path).into() {
            Wanted::No => {}
            wanted => taken.push((at, path, wanted)),
        }
    }
    if contents.unpacked > expansion(size) {
        return Err(refused("the archive expands to too many bytes".into()));
    }
    for (at, path, wanted) in taken {
        let entry = archive.by_index(at).map_err(unreadable)?;
        contents.add(path, wanted, &mut Bounded::new(entry, MAX_MEMBER + 1))?;
    }
    Ok(contents)
}

fn unreadable(_: zip::result::ZipError) -> Error {
    refused("the archive cannot be read".into())
}

/// Refuses a directory of too many entries, or one larger than that many can
/// need, before anything is kept of it.
fn check_directory(packed: &mut (impl Read + Seek), size: u64) -> Result<()> {
    let not_zip = || refused("the file is not a zip archive".into());
    let from = size.saturating_sub((END + MAX_COMMENT + LOCATOR) as u64);
    packed.seek(SeekFrom::Start(from)).map_err(Error::internal)?;
    let mut tail = Vec::new();
    packed.read_to_end(&mut tail).map_err(Error::internal)?;
    let at = tail.windows(4).rposition(|bytes| bytes == b"PK\x05\x06").ok_or_else(not_zip)?;
    let end = tail.get(at..at + END).ok_or_else(not_zip)?;
    let mut entries = u64::from(u16::from_le_bytes([end[10], end[11]]));
    let mut bytes = u64::from(u32::from_le_bytes([end[12], end[13], end[14], end[15]]));
    let locator = at.checked_sub(LOCATOR).and_then(|at| tail.get(at..at + LOCATOR));
    if let Some(locator) = locator.filter(|bytes| bytes.starts_with(b"PK\x06\x07")) {
        let mut offset = [0; 8];
        offset.copy_from_slice(&locator[8..16]);
        let mut end = [0; 56];
        packed
            .seek(SeekFrom::Start(u64::from_le_bytes(offset)))
            .and_then(|_| packed.read_exact(&mut end))
            .map_err(|_| not_zip())?;
        let mut number = [0; 8];
        number.copy_from_slice(&end[32..40]);
        entries = u64::from_le_bytes(number);
        number.copy_from_slice(&end[40..48]);
        bytes = u64::from_le_bytes(number);
    }
    // Names of a kilobyte on average are far beyond what is real.
    if entries > MAX_ENTRIES || bytes > MAX_ENTRIES * (RECORD + 1024) {
        return Err(refused("the archive has too many entries".into()));
    }
    Ok(())
}

/// Hands the bytes of every member `wanted` says to `visit`, one after the
/// other, of all together at most `most`: for members too large for memory.
/// Checks what [`zip`] checks.
pub fn visit_zip<R: Read + Seek + Send>(
    mut packed: R, wanted: impl Fn(&str) -> bool, most: u64,
    mut visit: impl FnMut(&str, &mut (dyn Read + Send)) -> Result<()>,
) -> Result<()> {
    zip(&mut packed, |_| false)?;
    packed.rewind().map_err(Error::internal)?;
    let mut archive = ZipArchive::new(packed).map_err(unreadable)?;
    let mut room = most;
    for at in 0..archive.len() {
        let entry = archive.by_index(at).map_err(unreadable)?;
        let path = plain_path(entry.name_raw())?;
        if entry.is_dir() || entry.is_symlink() || !wanted(&path) {
            continue;
        }
        let mut bytes = Bounded::new(entry, room);
        visit(&path, &mut bytes)?;
        room = bytes.left;
    }
    Ok(())
}
