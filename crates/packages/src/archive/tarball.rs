//! Tar archives.
//!
//! The tar library joins extension headers to their entry by reading them
//! whole, however large they say they are; so its raw entries are read here
//! and the two extensions that carry names are taken within a cap.

use super::{
    Bounded, Contents, MAX_ENTRIES, MAX_PATH, Packing, Wanted, expansion, plain_path, refused,
    unreadable,
};
use kernel::error::Result;
use sha2::{Digest, Sha256};
use std::io::{self, Read, Write};
use tar::{Archive, EntryType, Header, PaxExtensions};

/// Largest extension header, in bytes: names and times take less.
const MAX_HEADER: u64 = 64 * 1024;

/// Reads a whole archive of `size` bytes packed with gzip, which has to hold
/// something, and keeps the members `wanted` says, by their plain path.
pub fn tar_gz<W: Into<Wanted>>(
    packed: impl Read, size: u64, wanted: impl Fn(&str) -> W,
) -> Result<Contents> {
    let mut contents = Contents::default();
    let unpacked = Packing::Gzip.unpack(packed);
    let entries = read(unpacked, size, |entry, bytes| {
        if !entry.is_file() {
            return Ok(());
        }
        contents.files += 1;
        let size = entry.header.entry_size().map_err(unreadable)?;
        contents.unpacked = contents.unpacked.saturating_add(size);
        if entry.kind() == EntryType::GNUSparse {
            return Ok(());
        }
        match wanted(&entry.path).into() {
            Wanted::No => Ok(()),
            wanted => contents.add(entry.path, wanted, bytes),
        }
    })?;
    if entries == 0 {
        return Err(refused("the archive is empty".into()));
    }
    Ok(contents)
}

/// What an archive of `size` packed bytes holds, if anything, as a digest:
/// names, kinds, contents, targets of links and who may execute, in their
/// order. When and by whom it was packed makes no difference.
pub fn tar_digest(packed: impl Read, size: u64, packing: Packing) -> Result<String> {
    let mut all = Sha256::new();
    read(packing.unpack(packed), size, |entry, bytes| {
        let mut content = Digesting(Sha256::new());
        io::copy(bytes, &mut content).map_err(unreadable)?;
        // Of sparse files the header tells where their parts belong.
        let map: &[u8] = match entry.kind() {
            EntryType::GNUSparse => entry.header.as_bytes(),
            _ => &[],
        };
        let executed = entry.header.mode().unwrap_or(0) & 0o111;
        let parts: [&[u8]; 6] = [
            entry.path.as_bytes(),
            &[entry.kind().as_byte()],
            &entry.link,
            &executed.to_be_bytes(),
            map,
            &content.0.finalize(),
        ];
        for part in parts {
            all.update((part.len() as u64).to_be_bytes());
            all.update(part);
        }
        Ok(())
    })?;
    Ok(hex::encode(all.finalize()))
}

struct Digesting(Sha256);

impl Write for Digesting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct ArchiveEntry {
    path: String,
    /// What it leads to, if it is a link.
    link: Vec<u8>,
    header: Header,
}

impl ArchiveEntry {
    fn kind(&self) -> EntryType {
        self.header.entry_type()
    }

    fn is_file(&self) -> bool {
        matches!(self.kind(), EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse)
    }
}

/// Shows every entry of an archive of `size` packed bytes, and its bytes; how
/// many there are.
fn read(
    unpacked: impl Read, size: u64,
    mut visit: impl FnMut(ArchiveEntry, &mut dyn Read) -> Result<()>,
) -> Result<u64> {
    let mut archive = Archive::new(Bounded::new(unpacked, expansion(size)));
    let (mut seen, mut long_name, mut long_link) = (0, None, None);
    for entry in archive.entries().map_err(unreadable)?.raw(true) {
        let mut entry = entry.map_err(unreadable)?;
        seen += 1;
        if seen > MAX_ENTRIES {
            return Err(refused("the archive has too many entries".into()));
        }
        match entry.header().entry_type() {
            EntryType::GNULongName => long_name = Some(header_name(&mut entry)?),
            EntryType::GNULongLink => long_link = Some(header_name(&mut entry)?),
            EntryType::XHeader => {
                let bytes = header_bytes(&mut entry)?;
                long_name = pax_path(&bytes, b"path").or(long_name);
                long_link = pax_path(&bytes, b"linkpath").or(long_link);
            }
            EntryType::XGlobalHeader => {}
            _ => {
                let name = match long_name.take() {
                    Some(name) => name,
                    None => entry.path_bytes().into_owned(),
                };
                let link = match long_link.take() {
                    Some(link) => link,
                    None => entry.link_name_bytes().unwrap_or_default().into_owned(),
                };
                let found = ArchiveEntry {
                    path: plain_path(&name)?,
                    link,
                    header: entry.header().clone(),
                };
                visit(found, &mut entry)?;
            }
        }
    }
    if seen == 0 {
        // Zeros end an archive before they begin one: how many there are tells
        // whether it was made to be empty or to expand.
        io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(unreadable)?;
    }
    Ok(seen)
}

/// A name that has an entry of its own, which ends with a zero.
fn header_name(entry: &mut impl Read) -> Result<Vec<u8>> {
    let mut name = header_bytes(entry)?;
    name.retain(|byte| *byte != 0);
    Ok(name)
}

fn header_bytes(entry: &mut impl Read) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = entry.take(MAX_HEADER + 1).read_to_end(&mut bytes);
    read.map_err(unreadable)?;
    if bytes.len() as u64 > MAX_HEADER {
        return Err(refused("the archive has a header that is too large".into()));
    }
    Ok(bytes)
}

/// A path in an extension header (POSIX.1-2001 pax, keywords `path` and
/// `linkpath`).
fn pax_path(bytes: &[u8], keyword: &[u8]) -> Option<Vec<u8>> {
    PaxExtensions::new(bytes)
        .filter_map(std::result::Result::ok)
        .find(|extension| extension.key_bytes() == keyword)
        .map(|extension| extension.value_bytes().to_vec())
        .filter(|path| path.len() <= MAX_PATH + 1)
}
