//! New objects, and the pack that they come in (gitformat-pack): the same way as the
//! objects of a push, so that the same is asked of them.

use crate::formats::object_id::ObjectId;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use futures_util::Stream;
use gix::objs::Kind;
use kernel::error::{Error, Result};
use kernel::pipe::{Pipe, pipe};
use std::collections::HashSet;
use std::io::{self, Write};

/// Objects that are made, each once.
#[derive(Debug, Clone, Default)]
pub struct NewObjects {
    seen: HashSet<ObjectId>,
    objects: Vec<(Kind, Bytes)>,
}

impl NewObjects {
    /// Adds an object; its name.
    pub fn add(&mut self, kind: Kind, data: Bytes) -> Result<ObjectId> {
        let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, kind, &data);
        let id = id.map_err(|error| Error::internal(error.to_string()))?.into();
        if self.seen.insert(id) {
            self.objects.push((kind, data));
        }
        Ok(id)
    }

    /// Takes those of others along, each once.
    pub fn append(&mut self, other: NewObjects) -> Result<()> {
        let mut all = other.objects.into_iter();
        all.try_for_each(|(kind, data)| self.add(kind, data).map(drop))
    }

    pub fn len(&self) -> usize {
        self.objects.len()
    }

    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// The pack of them, made as it is read.
    pub fn into_pack(self) -> impl Stream<Item = Result<Bytes>> + Unpin + Send {
        let (out, pieces) = pipe();
        tokio::task::spawn_blocking(move || {
            // Who reads no more has a reason of its own.
            let _ = write(&self.objects, out);
        });
        pieces
    }
}

fn write(objects: &[(Kind, Bytes)], out: Pipe) -> io::Result<()> {
    let mut out = Hashed { hasher: gix::hash::hasher(gix::hash::Kind::Sha1), out };
    let count = u32::try_from(objects.len()).map_err(io::Error::other)?;
    out.write_all(b"PACK\0\0\0\x02")?;
    out.write_all(&count.to_be_bytes())?;
    for (kind, data) in objects {
        out.write_all(&header(*kind, data.len()))?;
        let mut packing = ZlibEncoder::new(&mut out, Compression::fast());
        packing.write_all(data)?;
        packing.finish()?;
    }
    out.end()
}

/// The kind of an object and how long it is, seven bits a byte but for the first.
fn header(kind: Kind, length: usize) -> Vec<u8> {
    let number = match kind {
        Kind::Commit => 1,
        Kind::Tree => 2,
        Kind::Blob => 3,
        Kind::Tag => 4,
    };
    let mut bytes = vec![number << 4 | (length & 0xf) as u8];
    let mut rest = length >> 4;
    while rest > 0 {
        if let Some(last) = bytes.last_mut() {
            *last |= 0x80;
        }
        bytes.push((rest & 0x7f) as u8);
        rest >>= 7;
    }
    bytes
}

/// A pack with the digest of all of it at its end.
struct Hashed {
    hasher: gix::hash::Hasher,
    out: Pipe,
}

impl Hashed {
    fn end(mut self) -> io::Result<()> {
        let digest = self.hasher.try_finalize();
        let digest = digest.map_err(|error| io::Error::other(error.to_string()))?;
        self.out.write_all(digest.as_slice())?;
        self.out.close()
    }
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.hasher.update(bytes);
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_written_as_git_reads_them() {
        assert_eq!(header(Kind::Blob, 0), [0x30]);
        assert_eq!(header(Kind::Commit, 15), [0x1f]);
        assert_eq!(header(Kind::Tree, 16), [0xa0, 0x01]);
        assert_eq!(header(Kind::Tag, 4096), [0xc0, 0x80, 0x02]);
    }

    #[test]
    fn objects_have_the_names_that_git_gives() {
        let mut objects = NewObjects::default();
        let empty = objects.add(Kind::Blob, Bytes::new()).expect("a name");
        assert_eq!(empty.to_string(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(objects.add(Kind::Blob, Bytes::new()).expect("a name"), empty);
        assert_eq!(objects.objects.len(), 1);
    }
}
