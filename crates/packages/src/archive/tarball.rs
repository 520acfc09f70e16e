//! Tar archives packed with gzip.
//!
//! The tar library joins extension headers to their entry by reading them
//! whole, however large they say they are; so its raw entries are read here
//! and the two extensions that carry names are taken within a cap.

use super::{Bounded, Contents, MAX_ENTRIES, MAX_PATH, expansion, plain_path, refused, unreadable};
use flate2::read::MultiGzDecoder;
use kernel::error::Result;
use std::io::{self, Read};
use tar::{Archive, EntryType, PaxExtensions};

/// Largest extension header, in bytes: names and times take less.
const MAX_HEADER: u64 = 64 * 1024;

/// Reads a whole archive of `size` packed bytes, which has to hold something,
/// and keeps the members `wanted` says, by their plain path.
pub fn tar_gz(packed: impl Read, size: u64, wanted: impl Fn(&str) -> bool) -> Result<Contents> {
    match read(packed, size, wanted)? {
        (0, _) => Err(refused("the archive is empty".into())),
        (_, contents) => Ok(contents),
    }
}

/// Like [`tar_gz`], for formats whose archives may hold nothing.
pub fn any_tar_gz(packed: impl Read, size: u64, wanted: impl Fn(&str) -> bool) -> Result<Contents> {
    Ok(read(packed, size, wanted)?.1)
}

/// How many entries an archive has, and what is kept of them.
fn read(packed: impl Read, size: u64, wanted: impl Fn(&str) -> bool) -> Result<(u64, Contents)> {
    let expanded = Bounded::new(MultiGzDecoder::new(packed), expansion(size));
    let mut archive = Archive::new(expanded);
    let mut contents = Contents::default();
    let (mut seen, mut long_name) = (0, None);
    for entry in archive.entries().map_err(unreadable)?.raw(true) {
        let mut entry = entry.map_err(unreadable)?;
        seen += 1;
        if seen > MAX_ENTRIES {
            return Err(refused("the archive has too many entries".into()));
        }
        match entry.header().entry_type() {
            EntryType::GNULongName => {
                let mut name = header_bytes(&mut entry)?;
                name.retain(|byte| *byte != 0);
                long_name = Some(name);
            }
            EntryType::XHeader => {
                let bytes = header_bytes(&mut entry)?;
                long_name = pax_path(&bytes).or(long_name);
            }
            EntryType::GNULongLink | EntryType::XGlobalHeader => {}
            kind => {
                let name = match long_name.take() {
                    Some(name) => name,
                    None => entry.path_bytes().into_owned(),
                };
                let path = plain_path(&name)?;
                let is_file = matches!(
                    kind,
                    EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse
                );
                if !is_file {
                    continue;
                }
                contents.files += 1;
                contents.unpacked = contents.unpacked.saturating_add(entry.size());
                if kind != EntryType::GNUSparse && wanted(&path) {
                    contents.add(path, &mut entry)?;
                }
            }
        }
    }
    if seen == 0 {
        // Zeros end an archive before they begin one: how many there are tells
        // whether it was made to be empty or to expand.
        io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(unreadable)?;
    }
    Ok((seen, contents))
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

/// The name in an extension header (POSIX.1-2001 pax, keyword `path`).
fn pax_path(bytes: &[u8]) -> Option<Vec<u8>> {
    PaxExtensions::new(bytes)
        .filter_map(std::result::Result::ok)
        .find(|extension| extension.key_bytes() == b"path")
        .map(|extension| extension.value_bytes().to_vec())
        .filter(|path| path.len() <= MAX_PATH + 1)
}
