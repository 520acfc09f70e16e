//! Archives made to hurt whoever opens them.

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use lzma_rust2::{XzOptions, XzWriter};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::Write;

/// Bytes that a bomb of ours expands to: far more than a server may hold.
const BOMB: usize = 1 << 30;
/// Bytes of zeros in one part of a bomb.
const PART: usize = 16 << 20;
/// Entries of an archive with far too many.
const MANY: usize = 1_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    TarGz,
    TarXz,
    TarZstd,
    Zip,
}

impl Packing {
    /// A tar of entries, packed; see [`tar`]. Not for zip.
    pub fn packed(self, entries: &[(&str, u8, &[u8])]) -> Vec<u8> {
        self.pack(&tar(entries))
    }

    /// Packs bytes. What follows one another unpacks as one, but for zip.
    fn pack(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Packing::TarGz => gz(bytes),
            Packing::TarXz => xz(bytes, 1),
            Packing::TarZstd => compress_to_vec(bytes, CompressionLevel::Fastest),
            Packing::Zip => deflated(bytes),
        }
    }
}

/// What is wrong with an archive, and its bytes. `folder` is where the format
/// expects its files.
pub fn archives(packing: Packing, folder: &str) -> Vec<(&'static str, Vec<u8>)> {
    let inside = |name: &str| format!("{folder}/{name}");
    let one = |name: &str| match packing {
        Packing::Zip => zip(&[(name, 0, b"x".as_slice())], 1),
        tar => tar.packed(&[(name, b'0', b"x")]),
    };
    let whole = one(&inside("whole"));
    let link = match packing {
        // The upper half holds the mode of a symbolic link.
        Packing::Zip => zip(&[("../../etc", 0o120_777 << 16, b"/etc".as_slice())], 1),
        tar => tar.packed(&[("../../etc", b'2', b"")]),
    };
    let mut all = vec![
        ("nothing at all", Vec::new()),
        ("no archive", b"\x89PNG\r\n\x1a\n and so on".repeat(100)),
        (
            "another packing",
            match packing {
                Packing::Zip => Packing::TarGz.packed(&[("a", b'0', b"x")]),
                _ => zip(&[("a", 0, b"x".as_slice())], 1),
            },
        ),
        ("half of one", whole[..whole.len() / 2].to_vec()),
        ("a name above", one("../../../tmp/evil")),
        ("a whole path", one("/tmp/evil")),
        ("a drive", one("C:\\evil")),
        ("a path of backslashes", one("..\\..\\evil")),
        ("a link above", link),
        ("a bomb", bomb(packing, &inside("zeros"))),
        ("a million entries", many(packing)),
    ];
    let entry = tar(&[(&inside("whole"), b'0', b"x")]);
    match packing {
        // Level 9 keeps 64 MiB.
        Packing::TarXz => all.push(("much to keep", xz(&entry, 9))),
        // A window of 128 GiB in the header of a frame without bytes.
        Packing::TarZstd => all.push(("much to keep", b"\x28\xb5\x2f\xfd\0\xd8\x01\0\0".to_vec())),
        Packing::TarGz | Packing::Zip => {}
    }
    all
}

/// An old tar of entries: name, type and bytes. Links lead to `/etc/passwd`.
fn tar(entries: &[(&str, u8, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, kind, content) in entries {
        bytes.extend(tar_header(name, *kind, content.len()));
        bytes.extend_from_slice(content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.extend([0; 1024]);
    bytes
}

fn tar_header(name: &str, kind: u8, size: usize) -> [u8; 512] {
    let mut header = tar::Header::new_old();
    header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
    header.as_old_mut().linkname[..11].copy_from_slice(b"/etc/passwd");
    header.as_old_mut().linkflag = [kind];
    header.set_size(size as u64);
    header.set_mode(0o644);
    header.set_cksum();
    *header.as_bytes()
}

/// As small as it can be, so that a bomb of it expands a thousand times.
fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes).expect("memory can be written");
    packed.finish().expect("memory can be written")
}

fn xz(bytes: &[u8], level: u32) -> Vec<u8> {
    let packed = XzWriter::new(Vec::new(), XzOptions::with_preset(level));
    let mut packed = packed.expect("a level of xz");
    packed.write_all(bytes).expect("memory can be written");
    packed.finish().expect("memory can be written")
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes).expect("memory can be written");
    packed.finish().expect("memory can be written")
}

/// A zip of stored entries: name, external attributes and bytes. Each stands
/// `times` in the directory.
fn zip(entries: &[(&str, u32, &[u8])], times: usize) -> Vec<u8> {
    let (mut bytes, mut records) = (Vec::new(), Vec::new());
    for (name, attributes, content) in entries {
        let entry = Entry {
            name,
            method: 0,
            attributes: *attributes,
            packed: content,
            size: content.len(),
        };
        let at = bytes.len();
        bytes.extend(entry.local());
        bytes.extend_from_slice(content);
        records.extend(entry.record(at));
    }
    let count = entries.len() * times;
    ended(bytes, records.repeat(times), count)
}

struct Entry<'e> {
    name: &'e str,
    /// 0 stored, 8 deflated.
    method: u16,
    attributes: u32,
    packed: &'e [u8],
    size: usize,
}

impl Entry<'_> {
    /// What both headers have: APPNOTE 4.3.7 and 4.3.12 from «version needed».
    fn common(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in [20, 0, self.method, 0, 0] {
            bytes.extend(u16::to_le_bytes(number));
        }
        // Readers find a wrong checksum at the end only.
        bytes.extend(0_u32.to_le_bytes());
        for number in [self.packed.len(), self.size] {
            bytes.extend((number as u32).to_le_bytes());
        }
        bytes.extend((self.name.len() as u16).to_le_bytes());
        bytes.extend([0, 0]);
        bytes
    }

    fn local(&self) -> Vec<u8> {
        let mut bytes = b"PK\x03\x04".to_vec();
        bytes.extend(self.common());
        bytes.extend_from_slice(self.name.as_bytes());
        bytes
    }

    fn record(&self, at: usize) -> Vec<u8> {
        // Made on Unix, so that the mode counts.
        let mut bytes = b"PK\x01\x02\x14\x03".to_vec();
        bytes.extend(self.common());
        bytes.extend([0; 6]);
        bytes.extend(self.attributes.to_le_bytes());
        bytes.extend((at as u32).to_le_bytes());
        bytes.extend_from_slice(self.name.as_bytes());
        bytes
    }
}

/// Directory and end of a zip, the end in its 64-bit form where it has to be.
fn ended(mut bytes: Vec<u8>, directory: Vec<u8>, count: usize) -> Vec<u8> {
    let (at, size) = (bytes.len(), directory.len());
    bytes.extend(directory);
    if count > usize::from(u16::MAX) {
        let end = bytes.len() as u64;
        bytes.extend(b"PK\x06\x06");
        bytes.extend(44_u64.to_le_bytes());
        bytes.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        for number in [count, count, size, at] {
            bytes.extend((number as u64).to_le_bytes());
        }
        bytes.extend(b"PK\x06\x07\0\0\0\0");
        bytes.extend(end.to_le_bytes());
        bytes.extend(1_u32.to_le_bytes());
    }
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    let told = u16::try_from(count).unwrap_or(u16::MAX).to_le_bytes();
    bytes.extend(told);
    bytes.extend(told);
    bytes.extend((size as u32).to_le_bytes());
    bytes.extend((at as u32).to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

/// One file of zeros that packs a thousand times.
fn bomb(packing: Packing, name: &str) -> Vec<u8> {
    match packing {
        Packing::Zip => {
            let packed = deflated(&vec![0; BOMB / 8]);
            let entry = Entry {
                name,
                method: 8,
                attributes: 0,
                packed: &packed,
                size: BOMB / 8,
            };
            let mut bytes = entry.local();
            bytes.extend_from_slice(&packed);
            // All entries of the directory are the same bytes.
            ended(bytes, entry.record(0).repeat(64), 64)
        }
        tar => {
            let part = tar.pack(&vec![0; PART]);
            let head = tar.pack(&tar_header(name, b'0', BOMB));
            [head, part.repeat(BOMB / PART)].concat()
        }
    }
}

fn many(packing: Packing) -> Vec<u8> {
    match packing {
        Packing::Zip => zip(&[("a", 0, b"".as_slice())], MANY),
        tar => {
            let some = tar_header("a", b'0', 0).repeat(MANY / 100);
            tar.pack(&some).repeat(100)
        }
    }
}
