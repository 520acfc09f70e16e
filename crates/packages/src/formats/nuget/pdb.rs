//! Portable PDB files: the signature that debuggers ask for them by, and the
//! checksum that an executable carries of its own.
//!
//! Sources: the Portable PDB format, which is that of ECMA-335 metadata
//! (partition II, section 24.2.1) with a stream `#Pdb` whose first 20 bytes
//! are the id: 16 of a GUID and 4 of a stamp.

use kernel::error::{Error, Result};
use sha2::{Digest, Sha256};
use std::io::{Read, Seek, SeekFrom};

/// What the metadata of every .NET file begins with.
const MAGIC: &[u8; 4] = b"BSJB";
/// Bytes of the id.
const ID: u64 = 20;
/// Longest version text; the format allows 255.
const MAX_VERSION: u32 = 256;
/// Most streams; there are six kinds.
const MAX_STREAMS: u16 = 32;
/// Longest name of a stream, with the zero behind it.
const MAX_NAME: usize = 32;
/// Where the age of other PDB files stands, portable ones have this.
const AGE: &str = "ffffffff";

/// What a file is found by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The GUID without hyphens, then the age; lower case.
    pub signature: String,
    /// SHA-256 of the file with zeros for its id, lower-case hex.
    pub checksum: String,
}

/// Reads the identity of a file; `name` is what a refusal calls it.
pub fn identify(name: &str, mut file: impl Read + Seek) -> Result<Identity> {
    let Some((at, id)) = find_id(&mut file)? else {
        return Err(Error::BadRequest(format!("{name} is not a portable PDB")));
    };
    Ok(Identity {
        signature: signature(&id),
        checksum: checksum(&mut file, at)?,
    })
}

/// The GUID as it is written: its first three parts are little-endian numbers.
fn signature(id: &[u8; ID as usize]) -> String {
    let order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    let guid: Vec<u8> = order.into_iter().map(|at: usize| id[at]).collect();
    format!("{}{AGE}", hex::encode(guid))
}

/// Where the id is, and its bytes; nothing in other files.
fn find_id(file: &mut (impl Read + Seek)) -> Result<Option<(u64, [u8; ID as usize])>> {
    file.rewind()?;
    let Some(start) = bytes::<16>(file)? else {
        return Ok(None);
    };
    let version = u32::from_le_bytes([start[12], start[13], start[14], start[15]]);
    if &start[..4] != MAGIC || version > MAX_VERSION {
        return Ok(None);
    }
    file.seek(SeekFrom::Current(i64::from(version)))?;
    let Some([_, _, few, many]) = bytes::<4>(file)? else {
        return Ok(None);
    };
    for _ in 0..u16::from_le_bytes([few, many]).min(MAX_STREAMS) {
        let Some(head) = bytes::<8>(file)? else {
            return Ok(None);
        };
        let Some(name) = stream_name(file)? else {
            return Ok(None);
        };
        if name != b"#Pdb" {
            continue;
        }
        let offset = u64::from(u32::from_le_bytes([head[0], head[1], head[2], head[3]]));
        let size = u64::from(u32::from_le_bytes([head[4], head[5], head[6], head[7]]));
        if size < ID {
            return Ok(None);
        }
        file.seek(SeekFrom::Start(offset))?;
        return Ok(bytes(file)?.map(|id| (offset, id)));
    }
    Ok(None)
}

/// The name of a stream, which zeros fill up to four bytes.
fn stream_name(file: &mut impl Read) -> Result<Option<Vec<u8>>> {
    let mut name = Vec::new();
    while name.len() < MAX_NAME {
        let Some(part) = bytes::<4>(file)? else {
            return Ok(None);
        };
        name.extend_from_slice(&part);
        if let Some(end) = name.iter().position(|byte| *byte == 0) {
            name.truncate(end);
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// The next bytes, if there are so many.
fn bytes<const N: usize>(file: &mut impl Read) -> Result<Option<[u8; N]>> {
    let mut bytes = [0; N];
    match file.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn checksum(file: &mut (impl Read + Seek), id_at: u64) -> Result<String> {
    let mut digest = Sha256::new();
    file.rewind()?;
    let mut buffer = vec![0; 64 * 1024];
    let mut at = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(hex::encode(digest.finalize()));
        }
        let end = at + read as u64;
        let (from, to) = (id_at.max(at), (id_at + ID).min(end));
        if from < to {
            buffer[(from - at) as usize..(to - at) as usize].fill(0);
        }
        digest.update(&buffer[..read]);
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// A file with this id; `before` bytes of another stream come first.
    fn portable(id: [u8; 20], before: usize) -> Vec<u8> {
        let mut bytes =
            b"BSJB\x01\x00\x01\x00\x00\x00\x00\x00\x0c\x00\x00\x00PDB v1.0\0\0\0\0".to_vec();
        bytes.extend_from_slice(&[0, 0, 2, 0]);
        let begin = bytes.len() + 8 + 12 + 8 + 8;
        let stream = |bytes: &mut Vec<u8>, at: usize, size: usize, name: &[u8]| {
            bytes.extend_from_slice(&(at as u32).to_le_bytes());
            bytes.extend_from_slice(&(size as u32).to_le_bytes());
            bytes.extend_from_slice(name);
        };
        stream(&mut bytes, begin, before, b"#Strings\0\0\0\0");
        stream(&mut bytes, begin + before, 32, b"#Pdb\0\0\0\0");
        bytes.resize(begin + before, 7);
        bytes.extend_from_slice(&id);
        bytes.extend_from_slice(&[1; 12]);
        bytes
    }

    fn id() -> [u8; 20] {
        std::array::from_fn(|at| at as u8 + 1)
    }

    #[test]
    fn a_portable_file_has_a_signature_and_a_checksum() {
        for before in [0, 5, 65_500, 200_000] {
            let bytes = portable(id(), before);
            let found = identify("a.pdb", Cursor::new(&bytes)).unwrap();
            assert_eq!(found.signature, "0403020106050807090a0b0c0d0e0f10ffffffff");
            let zeroed = portable([0; 20], before);
            assert_eq!(found.checksum, hex::encode(Sha256::digest(&zeroed)));
        }
    }

    #[test]
    fn other_files_are_refused() {
        let whole = portable(id(), 8);
        for end in 0..whole.len() - 12 {
            assert!(identify("a.pdb", Cursor::new(&whole[..end])).is_err(), "{end}");
        }
        for bytes in [&b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0"[..], b"", b"BSJB"] {
            let error = identify("a.pdb", Cursor::new(bytes)).unwrap_err();
            assert!(error.to_string().contains("a.pdb is not a portable PDB"));
        }
        let mut nameless = whole;
        nameless[52..60].fill(b'x');
        assert!(identify("a.pdb", Cursor::new(&nameless)).is_err());
    }
}
