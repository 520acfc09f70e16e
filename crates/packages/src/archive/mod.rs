//! Looking into archives that strangers made, without unpacking them.
//!
//! Only the members a format asks for are read, into memory and within caps;
//! nothing is written to disk. Links are ignored. An archive with a name that
//! would leave the folder it is unpacked in is refused as a whole, since a
//! client somewhere may unpack it with less care.

mod packing;
mod tarball;
mod zipped;

pub use packing::Packing;
pub use tarball::{tar_digest, tar_gz};
pub use zipped::{visit_zip, zip};

use kernel::error::{Error, Result};
use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

/// Most entries of an archive.
pub const MAX_ENTRIES: u64 = 50_000;
/// Most bytes of one member that is read.
pub const MAX_MEMBER: u64 = 4 * 1024 * 1024;
/// Most bytes of all members that are read.
const MAX_READ: u64 = 16 * 1024 * 1024;
/// Most bytes an archive may expand to.
const MAX_EXPANDED: u64 = 16 * 1024 * 1024 * 1024;
/// Bytes an archive may expand to however small it is.
const FREE: u64 = 32 * 1024 * 1024;
/// How many times its size it may expand to beyond that. Text packs up to
/// thirty times, what is made to hurt a thousand times.
const MAX_RATIO: u64 = 200;
/// Most parts of a path within an archive.
const MAX_DEPTH: usize = 64;
/// Longest path within an archive, in bytes.
const MAX_PATH: usize = 4096;
/// Longest time spent with one archive.
const MAX_TIME: Duration = Duration::from_secs(60);

/// How much of a member is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    No,
    /// All of it; one that is too large refuses the archive.
    Whole,
    /// At most so many bytes.
    Beginning(u64),
}

impl From<bool> for Wanted {
    fn from(wanted: bool) -> Wanted {
        if wanted { Wanted::Whole } else { Wanted::No }
    }
}

/// What was read of an archive.
#[derive(Debug, Default)]
pub struct Contents {
    /// The members asked for, in the archive's order.
    pub members: Vec<Member>,
    pub files: u64,
    /// Bytes of these files.
    pub unpacked: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its path within the archive, with `/` between parts and no `./` before.
    pub path: String,
    pub bytes: Vec<u8>,
}

impl Contents {
    /// The last member of this path, as unpacking would leave it.
    pub fn member(&self, path: &str) -> Option<&Member> {
        self.members.iter().rev().find(|member| member.path == path)
    }

    /// Adds what is wanted of a member.
    fn add(&mut self, path: String, wanted: Wanted, from: &mut dyn Read) -> Result<()> {
        let held: u64 = self.members.iter().map(|one| one.bytes.len() as u64).sum();
        let room = MAX_MEMBER.min(MAX_READ.saturating_sub(held));
        let mut bytes = Vec::new();
        if let Wanted::Beginning(most) = wanted {
            // What nobody needs leaves room for what is needed.
            let room = most.min((MAX_READ / 2).saturating_sub(held));
            from.take(room).read_to_end(&mut bytes).map_err(unreadable)?;
            self.members.push(Member { path, bytes });
            return Ok(());
        }
        let read = from.take(room + 1).read_to_end(&mut bytes);
        read.map_err(unreadable)?;
        if bytes.len() as u64 > room {
            return Err(refused(format!("{path} in the archive is too large")));
        }
        self.members.push(Member { path, bytes });
        Ok(())
    }
}

/// What holds of every archive, whatever its bytes: it is refused with a
/// reason, or all names in it are plain and no member is larger than may be
/// read. Panics where a promise is broken; the fuzz target and a test below
/// feed it.
pub fn hostile(bytes: &[u8]) {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let written = packed.write_all(bytes).and_then(|()| packed.finish());
    let packed = written.expect("memory can be written");
    for read in [
        tar_gz(bytes, bytes.len() as u64, |_| true),
        tar_gz(&packed[..], packed.len() as u64, |_| true),
        zip(io::Cursor::new(bytes), |_| true),
    ] {
        match read {
            Ok(contents) => {
                for member in contents.members {
                    assert_eq!(plain_path(member.path.as_bytes()).ok(), Some(member.path));
                    assert!(member.bytes.len() as u64 <= MAX_MEMBER);
                }
            }
            Err(error) => assert!(matches!(error, Error::BadRequest(_)), "{error}"),
        }
    }
    for (packing, packed) in
        [(Packing::Gzip, &packed[..]), (Packing::Xz, bytes), (Packing::Zstd, bytes)]
    {
        if let Err(error) = tar_digest(packed, packed.len() as u64, packing) {
            assert!(matches!(error, Error::BadRequest(_)), "{error}");
        }
    }
}

/// Bytes an archive of this size may expand to.
fn expansion(size: u64) -> u64 {
    size.saturating_mul(MAX_RATIO).clamp(FREE, MAX_EXPANDED)
}

/// A path within an archive, made plain; refused where it could lead outside.
fn plain_path(raw: &[u8]) -> Result<String> {
    let unsafe_name = || refused("the archive has an entry with an unsafe name".into());
    if raw.len() > MAX_PATH {
        return Err(unsafe_name());
    }
    let text = std::str::from_utf8(raw).map_err(|_| unsafe_name())?;
    let text = text.replace('\\', "/");
    let is_drive = text.as_bytes().get(1) == Some(&b':');
    if text.starts_with('/') || is_drive || text.contains('\0') {
        return Err(unsafe_name());
    }
    let parts: Vec<&str> =
        text.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.contains(&"..") || parts.len() > MAX_DEPTH {
        return Err(unsafe_name());
    }
    Ok(parts.join("/"))
}

fn refused(reason: String) -> Error {
    Error::BadRequest(reason)
}

/// A failure to read an archive is the archive's, or a cap's, whose text it
/// then carries.
pub(crate) fn unreadable(error: io::Error) -> Error {
    let inner = error.get_ref();
    match inner.and_then(|inner| inner.downcast_ref::<Capped>()) {
        Some(capped) => refused(capped.0.to_owned()),
        None if error.kind() == io::ErrorKind::OutOfMemory => {
            refused("the archive takes too much memory to unpack".into())
        }
        None => refused("the archive cannot be read".into()),
    }
}

/// The text of a cap that was reached.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Capped(&'static str);

/// A reader that stops at a number of bytes and after a time.
struct Bounded<R> {
    inner: R,
    left: u64,
    until: Instant,
}

impl<R> Bounded<R> {
    fn new(inner: R, most: u64) -> Bounded<R> {
        Bounded { inner, left: most, until: Instant::now() + MAX_TIME }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if Instant::now() > self.until {
            return Err(io::Error::other(Capped("the archive takes too long to read")));
        }
        let read = self.inner.read(into)?;
        self.left = match self.left.checked_sub(read as u64) {
            Some(left) => left,
            None => {
                return Err(io::Error::other(Capped("the archive expands to too many bytes")));
            }
        };
        Ok(read)
    }
}

#[cfg(test)]
mod tests;
