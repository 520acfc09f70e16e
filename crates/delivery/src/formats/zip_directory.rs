//! The list of files at the end of a zip archive, read without the files (PKWARE's
//! APPNOTE 4.3): first where it is, out of the archive's end, then what it says.

use std::ops::Range;

/// Bytes of the end of an archive in which it says where its list is.
pub const END: u64 = 22 + 65_535 + 20 + 56;
/// Bytes of a list that is read.
const LONGEST: u64 = 64 * 1024 * 1024;
/// Files of an archive that are looked at.
const MOST: usize = 200_000;

/// A file or folder of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub path: String,
    /// Bytes of what it holds.
    pub size: u64,
    /// It leads elsewhere.
    pub is_link: bool,
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let part: [u8; N] = bytes.get(at..at.checked_add(N)?)?.try_into().ok()?;
    Some(part.iter().rev().fold(0, |sum, byte| (sum << 8) | u64::from(*byte)))
}

/// Where the list of an archive of this size is; none where its end says nothing, or
/// what cannot be.
pub fn place(end: &[u8], size: u64) -> Option<Range<u64>> {
    let mut places = (0..=end.len().checked_sub(22)?).rev();
    let at = places.find(|at| end[*at..].starts_with(b"PK\x05\x06"))?;
    let (mut length, mut from) = (number::<4>(end, at + 12)?, number::<4>(end, at + 16)?);
    if length == u64::from(u32::MAX) || from == u64::from(u32::MAX) {
        let at = at.checked_sub(20 + 56)?;
        let larger = end.get(at..)?.starts_with(b"PK\x06\x06");
        (length, from) = match larger {
            true => (number::<8>(end, at + 40)?, number::<8>(end, at + 48)?),
            false => return None,
        };
    }
    let to = from.checked_add(length)?;
    (to <= size && length <= LONGEST).then_some(from..to)
}

/// The entries of a list; none where it is none. Names that lead elsewhere are left out.
pub fn entries(list: &[u8]) -> Option<Vec<Entry>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while list.get(at..)?.starts_with(b"PK\x01\x02") && found.len() < MOST {
        let size = number::<4>(list, at + 24)?;
        let [name, extra, comment] = [
            number::<2>(list, at + 28)?,
            number::<2>(list, at + 30)?,
            number::<2>(list, at + 32)?,
        ]
        .map(|length| length as usize);
        let mode = number::<4>(list, at + 38)? >> 16;
        let bytes = list.get(at + 46..at + 46 + name)?;
        if let Ok(path) = std::str::from_utf8(bytes)
            && is_plain(path.strip_suffix('/').unwrap_or(path))
        {
            let is_link = mode & 0o170_000 == 0o120_000;
            found.push(Entry { path: path.to_owned(), size, is_link });
        }
        at += 46 + name + extra + comment;
    }
    Some(found)
}

/// Whether a path names something below where it starts, in one way only.
pub fn is_plain(path: &str) -> bool {
    let is_step = |part: &str| !part.is_empty() && part != "." && part != "..";
    !path.contains(['\0', '\\']) && path.split('/').all(is_step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Cursor, Write};

    fn archive(names: &[&str]) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for name in names {
            zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(name.as_bytes()).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    #[test]
    fn a_list_is_read_without_its_files() {
        let bytes = archive(&["a.txt", "out/b.txt", "../c", "/d"]);
        let size = bytes.len() as u64;
        let place = place(&bytes, size).unwrap();
        assert!(place.start > 0 && place.end < size);
        let all = entries(&bytes[place.start as usize..place.end as usize]).unwrap();
        let names: Vec<_> = all.iter().map(|one| (one.path.as_str(), one.size)).collect();
        assert_eq!(names, [("a.txt", 5), ("out/b.txt", 9)]);
    }

    #[test]
    fn what_is_no_archive_has_no_list() {
        let bytes = archive(&["a"]);
        for size in [0, 1, 20] {
            assert_eq!(place(&bytes[..size], size as u64), None);
        }
        assert_eq!(place(&[0; 100], 100), None);
        // A list behind the end of the archive.
        assert_eq!(place(&bytes, 10), None);
        for cut in 0..bytes.len() {
            let _ = entries(&bytes[cut..]);
            let _ = place(&bytes[cut..], (bytes.len() - cut) as u64);
        }
    }

    #[test]
    fn paths_lead_nowhere_else() {
        for good in ["a", "a/b.txt", "a b/ä"] {
            assert!(is_plain(good), "{good}");
        }
        for bad in ["", "/a", "a//b", "../a", "a/../b", "a/.", "a\\b", "a\0"] {
            assert!(!is_plain(bad), "{bad:?}");
        }
    }
}
