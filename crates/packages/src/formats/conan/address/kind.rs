//! What the files of a revision are called, and what they are.

use super::RevisionPath;
use crate::archive::Packing;
use crate::rules::names;

/// Longest path of a metadata file, in bytes, and most parts of it.
const MAX_PATH: usize = 1024;
const MAX_PARTS: usize = 32;

/// How archives are packed, by what ends their names.
const PACKED: [(&str, Packing); 3] =
    [("gz", Packing::Gzip), ("xz", Packing::Xz), ("zst", Packing::Zstd)];

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `conanfile.py`.
    Source,
    /// `conanmanifest.txt`, which clients send last.
    Manifest,
    /// `conaninfo.txt`.
    Info,
    Archive(Packing),
    /// Below `metadata/`, whose files may change.
    Metadata,
}

/// The file that a revision is complete with.
pub const MANIFEST: &str = "conanmanifest.txt";
/// The file that tells what a binary package is made for.
pub const INFO: &str = "conaninfo.txt";

/// What the file of this path is, if there may be one.
pub fn kind(place: &RevisionPath, path: &str) -> Option<Kind> {
    let archives: &[&str] = match place.binary {
        Some(_) => &["conan_package.t"],
        None => &["conan_export.t", "conan_sources.t"],
    };
    match path {
        MANIFEST => return Some(Kind::Manifest),
        INFO if place.binary.is_some() => return Some(Kind::Info),
        "conanfile.py" if place.binary.is_none() => return Some(Kind::Source),
        _ => {}
    }
    if let Some(rest) = path.strip_prefix("metadata/") {
        return is_metadata(rest).then_some(Kind::Metadata);
    }
    let ending = archives.iter().find_map(|stem| path.strip_prefix(stem))?;
    let packed = PACKED.iter().find(|(name, _)| *name == ending)?;
    Some(Kind::Archive(packed.1))
}

/// The names of one archive, however it is packed; of other files the name.
pub fn alternatives(kind: Kind, path: &str) -> Vec<String> {
    match (kind, path.rsplit_once(".t")) {
        (Kind::Archive(_), Some((stem, _))) => {
            let name = |(ending, _): &(&str, Packing)| format!("{stem}.t{ending}");
            PACKED.iter().map(name).collect()
        }
        _ => vec![path.to_owned()],
    }
}

/// The name a file is stored under.
pub fn stored(path: &str) -> String {
    names::encoded(path)
}

fn is_metadata(path: &str) -> bool {
    let is_part = |part: &str| {
        let is_plain = |c: char| !c.is_control() && c != '\\';
        !matches!(part, "" | "." | "..")
            && part.len() <= names::MAX_NAME
            && part.chars().all(is_plain)
    };
    path.len() <= MAX_PATH && path.split('/').count() <= MAX_PARTS && path.split('/').all(is_part)
}
