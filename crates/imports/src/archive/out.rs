//! The file as it is written: a tar within a gzip of several members, so that what is packed
//! already, or may be anything, is stored as it is.

use super::format::{END, End, List};
use flate2::Compression;
use flate2::write::GzEncoder;
use kernel::time::Timestamp;
use serde::Serialize;
use std::io::{self, Read, Write};
use tar::{Builder, EntryType, Header};

/// Bytes of a part of a list: it is held until it is full, since its length comes first.
const PART: usize = 4 * 1024 * 1024;

/// A gzip whose members are packed or not.
struct Gzip<W: Write> {
    /// None only while one member ends and the next begins.
    member: Option<GzEncoder<W>>,
    is_packed: bool,
}

impl<W: Write> Gzip<W> {
    fn new(to: W) -> Gzip<W> {
        Gzip {
            member: Some(GzEncoder::new(to, Compression::default())),
            is_packed: true,
        }
    }

    /// Begins another member where what comes is of the other kind.
    fn pack(&mut self, is_packed: bool) -> io::Result<()> {
        if self.is_packed == is_packed {
            return Ok(());
        }
        let to = self.take()?;
        let level = if is_packed {
            Compression::default()
        } else {
            Compression::none()
        };
        self.member = Some(GzEncoder::new(to, level));
        self.is_packed = is_packed;
        Ok(())
    }

    fn take(&mut self) -> io::Result<W> {
        self.member.take().ok_or_else(broken)?.finish()
    }
}

fn broken() -> io::Error {
    io::Error::from(io::ErrorKind::BrokenPipe)
}

impl<W: Write> Write for Gzip<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.member.as_mut().ok_or_else(broken)?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.member.as_mut().ok_or_else(broken)?.flush()
    }
}

/// The file, open for its next entry.
pub struct Out<W: Write> {
    tar: Builder<Gzip<W>>,
    at: Timestamp,
    end: End,
}

impl<W: Write> Out<W> {
    /// Begins one whose entries were all changed then.
    pub fn begin(to: W, at: Timestamp) -> Out<W> {
        Out { tar: Builder::new(Gzip::new(to)), at, end: End::default() }
    }

    fn header(&self, size: u64) -> Header {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(0o644);
        header.set_size(size);
        header.set_mtime(u64::try_from(self.at.as_second()).unwrap_or_default());
        header
    }

    /// An entry of a small text.
    pub fn text(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.tar.get_mut().pack(true)?;
        let mut header = self.header(bytes.len() as u64);
        self.tar.append_data(&mut header, name, bytes)?;
        self.end.entries += 1;
        Ok(())
    }

    /// An entry of bytes of this number, whatever they are.
    ///
    /// # Errors
    ///
    /// `UnexpectedEof` where there are fewer: the file is no good then.
    pub fn bytes(&mut self, name: &str, size: u64, from: impl Read) -> io::Result<()> {
        self.tar.get_mut().pack(false)?;
        let mut header = self.header(size);
        let mut counted = Counted { from: from.take(size), count: 0 };
        self.tar.append_data(&mut header, name, &mut counted)?;
        self.end.entries += 1;
        match counted.count == size {
            true => Ok(()),
            false => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
        }
    }

    /// Begins a list.
    pub fn list(&mut self, list: List) -> Lines<'_, W> {
        Lines { out: self, list, number: 0, part: Vec::new() }
    }

    /// Ends the file; how many lines the lists have.
    pub fn finish(mut self) -> io::Result<W> {
        let end = serde_json::to_vec(&self.end)?;
        self.text(END, &end)?;
        self.tar.into_inner()?.take()
    }
}

/// A list as it is written, part by part.
pub struct Lines<'o, W: Write> {
    out: &'o mut Out<W>,
    list: List,
    number: u32,
    part: Vec<u8>,
}

impl<W: Write> Lines<'_, W> {
    /// Adds a line.
    pub fn line(&mut self, thing: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.part, thing)?;
        self.part.push(b'\n');
        *self.out.end.lines.entry(self.list.as_str().to_owned()).or_default() += 1;
        match self.part.len() >= PART {
            true => self.hand_on(),
            false => Ok(()),
        }
    }

    /// Writes what is left.
    pub fn finish(mut self) -> io::Result<()> {
        match self.part.is_empty() {
            true => Ok(()),
            false => self.hand_on(),
        }
    }

    fn hand_on(&mut self) -> io::Result<()> {
        self.number += 1;
        let part = std::mem::take(&mut self.part);
        self.out.text(&self.list.part(self.number), &part)
    }
}

/// Counts what is read.
struct Counted<R> {
    from: R,
    count: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(into)?;
        self.count += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::reading::{self, Bounds};
    use serde_json::json;

    fn at() -> Timestamp {
        "2031-05-06T07:08:09Z".parse().expect("a time")
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut out = Out::begin(Vec::new(), at());
        out.text("tenon-project.json", b"{}").expect("written");
        let mut lines = out.list(List::Issues);
        let long = "x".repeat(PART);
        for number in 1..=3 {
            lines.line(&json!({"number": number, "title": long})).expect("written");
        }
        lines.finish().expect("written");
        out.list(List::Notes).finish().expect("written");
        let random: Vec<u8> =
            (0..100_000u32).flat_map(|n| n.wrapping_mul(n).to_le_bytes()).collect();
        out.bytes("lfs/x", random.len() as u64, random.as_slice()).expect("written");
        let file = out.finish().expect("written");

        let mut found = Vec::new();
        let walked = reading::walk(file.as_slice(), Bounds::NONE, |name, size, from| {
            let mut bytes = Vec::new();
            from.read_to_end(&mut bytes)?;
            assert_eq!(bytes.len() as u64, size);
            found.push((name.to_owned(), bytes));
            Ok(())
        });
        walked.expect("a good file");
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "tenon-project.json",
                "issues-000001.ndjson",
                "issues-000002.ndjson",
                "issues-000003.ndjson",
                "lfs/x",
                "end.json",
            ]
        );
        assert_eq!(found[4].1, random);
        let end: End = serde_json::from_slice(&found[5].1).expect("an end");
        assert_eq!((end.entries, end.lines.get("issues")), (5, Some(&3)));
    }

    #[test]
    fn a_source_that_ends_early_is_told() {
        let mut out = Out::begin(Vec::new(), at());
        let error = out.bytes("lfs/x", 10, &b"short"[..]).expect_err("too short");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}
