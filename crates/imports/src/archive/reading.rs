//! The file as it is read. Of whoever sends one nothing is believed: what is no plain file is
//! refused, and how much comes out of how little, and in how many pieces, is bounded.

use super::format::is_plain;
use flate2::read::MultiGzDecoder;
use std::cell::Cell;
use std::io::{self, Read};
use tar::{Archive, EntryType};

/// Bytes that may come out of anything, and how many of each byte that went in beyond them.
const FREE: u64 = 64 * 1024 * 1024;
const RATIO: u64 = 100;
/// Entries of a file.
const ENTRIES: u64 = 1_000_000;

/// Why a file is refused.
#[derive(Debug)]
pub enum Refused {
    /// It is not what it has to be, in words for whose it is.
    File(String),
    /// Reading it failed, or what was done with it.
    Io(io::Error),
}

/// How much may come out.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Bytes; 0 for any number.
    pub unpacked: u64,
}

impl Bounds {
    /// No more than the ratio.
    pub const NONE: Bounds = Bounds { unpacked: 0 };
}

/// Counts the bytes that are taken.
struct Measured<'m, R> {
    from: R,
    count: &'m Cell<u64>,
}

impl<R: Read> Read for Measured<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(into)?;
        self.count.set(self.count.get() + count as u64);
        Ok(count)
    }
}

/// Ends what comes out of too little, or is too much.
struct Guarded<'m, R> {
    from: R,
    taken: &'m Cell<u64>,
    came: u64,
    bounds: Bounds,
    refused: &'m Cell<bool>,
}

impl<R: Read> Read for Guarded<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(into)?;
        self.came += count as u64;
        let most = FREE.saturating_add(self.taken.get().saturating_mul(RATIO));
        let is_bounded = self.bounds.unpacked > 0;
        if self.came > most || (is_bounded && self.came > self.bounds.unpacked) {
            self.refused.set(true);
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        Ok(count)
    }
}

/// Reads a file entry by entry: of each its name, size and bytes, which need not all be read.
pub fn walk(
    file: impl Read, bounds: Bounds,
    mut each: impl FnMut(&str, u64, &mut dyn Read) -> io::Result<()>,
) -> Result<(), Refused> {
    let (taken, refused) = (Cell::new(0), Cell::new(false));
    let unpacked = Guarded {
        from: MultiGzDecoder::new(Measured { from: file, count: &taken }),
        taken: &taken,
        came: 0,
        bounds,
        refused: &refused,
    };
    let told = |error: io::Error| match refused.get() {
        true => Refused::File("The file unpacks to more than is taken here.".into()),
        false => of_io(error),
    };
    let mut archive = Archive::new(unpacked);
    let mut count = 0;
    // As it stands in the file: extensions, which could be of any length, are not followed.
    for entry in archive.entries().map_err(told)?.raw(true) {
        let mut entry = entry.map_err(told)?;
        count += 1;
        if count > ENTRIES {
            return Err(Refused::File("The file has too many entries.".into()));
        }
        let Some(name) = name_of(entry.header().entry_type(), &entry.path_bytes())? else {
            continue;
        };
        let size = entry.size();
        each(&name, size, &mut entry).map_err(told)?;
    }
    Ok(())
}

/// The name of a file; none of a folder. Anything else is refused.
fn name_of(kind: EntryType, name: &[u8]) -> Result<Option<String>, Refused> {
    let shown = String::from_utf8_lossy(name).into_owned();
    let plain = shown.strip_prefix("./").unwrap_or(&shown);
    let is_plain = |name: &str| is_plain(name) || name.is_empty();
    match kind {
        EntryType::Directory if is_plain(plain.trim_end_matches('/')) => Ok(None),
        EntryType::Regular | EntryType::Continuous if !plain.is_empty() && is_plain(plain) => {
            Ok(Some(plain.to_owned()))
        }
        _ => {
            let shown: String = shown.chars().take(100).collect();
            Err(Refused::File(format!("The file holds {shown:?}, which is no plain file.")))
        }
    }
}

/// What is wrong with the file itself is told; what failed beside it is not its fault.
fn of_io(error: io::Error) -> Refused {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    let is_ours = error.get_ref().is_some_and(|inner| inner.is::<kernel::error::Error>());
    // The library for tar says «other» of headers that are none.
    let is_of_file = matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
        || error.kind() == io::ErrorKind::Other;
    match is_of_file && !is_ours {
        true => Refused::File("The file is damaged or not whole.".into()),
        false => Refused::Io(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;
    use tar::{Builder, Header};

    fn packed(tar: &[u8]) -> Vec<u8> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(tar).expect("packed");
        gzip.finish().expect("packed")
    }

    fn one(kind: EntryType, name: &[u8]) -> Vec<u8> {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        let place = &mut header.as_old_mut().name;
        place[..name.len()].copy_from_slice(name);
        if kind.is_symlink() || kind.is_hard_link() {
            header.set_link_name("x").expect("a link");
        }
        header.set_cksum();
        let mut tar = Builder::new(Vec::new());
        tar.append(&header, io::empty()).expect("added");
        packed(&tar.into_inner().expect("a tar"))
    }

    fn names(file: &[u8]) -> Result<Vec<String>, Refused> {
        let mut names = Vec::new();
        walk(file, Bounds::NONE, |name, _, _| {
            names.push(name.to_owned());
            Ok(())
        })?;
        Ok(names)
    }

    #[test]
    fn plain_files_and_folders_are_taken() {
        assert_eq!(names(&one(EntryType::Regular, b"./a/b.json")).expect("taken"), ["a/b.json"]);
        for folder in [&b"./"[..], b"a/", b"a"] {
            assert!(names(&one(EntryType::Directory, folder)).expect("taken").is_empty());
        }
    }

    #[test]
    fn nothing_else_is() {
        for kind in [
            EntryType::Symlink,
            EntryType::Link,
            EntryType::Char,
            EntryType::Block,
            EntryType::Fifo,
            EntryType::GNUSparse,
            EntryType::GNULongName,
            EntryType::XHeader,
            EntryType::XGlobalHeader,
        ] {
            assert!(matches!(names(&one(kind, b"a")), Err(Refused::File(_))), "{kind:?}");
        }
        for name in [&b"../a"[..], b"/a", b"a/../../b", b"a\\b", b"./", b"\xff"] {
            let refused = names(&one(EntryType::Regular, name));
            assert!(matches!(refused, Err(Refused::File(_))), "{name:?}");
        }
        assert!(matches!(names(b"no gzip at all"), Err(Refused::File(_))));
        let whole = one(EntryType::Regular, b"a");
        let cut = names(&whole[..whole.len() / 2]);
        assert!(matches!(cut, Err(Refused::File(_))));
    }

    #[test]
    fn little_that_becomes_much_is_refused() {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_path("a").expect("a name");
        header.set_size(FREE * 2);
        header.set_cksum();
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(header.as_bytes()).expect("packed");
        let zeroes = vec![0; 1 << 20];
        for _ in 0..(FREE >> 20) * 2 {
            gzip.write_all(&zeroes).expect("packed");
        }
        let bomb = gzip.finish().expect("packed");
        assert!(matches!(names(&bomb), Err(Refused::File(text)) if text.contains("unpacks")));

        let small = one(EntryType::Regular, b"a");
        let refused = walk(small.as_slice(), Bounds { unpacked: 100 }, |_, _, _| Ok(()));
        assert!(matches!(refused, Err(Refused::File(_))));
    }

    #[test]
    fn what_failed_beside_the_file_is_no_fault_of_it() {
        let file = one(EntryType::Regular, b"a");
        let full =
            |_: &str, _: u64, _: &mut dyn Read| Err(io::Error::from(io::ErrorKind::StorageFull));
        assert!(matches!(walk(file.as_slice(), Bounds::NONE, full), Err(Refused::Io(_))));
    }
}
