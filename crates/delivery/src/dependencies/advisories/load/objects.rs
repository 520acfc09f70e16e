//! The objects of a file: one, those of a list, those of lines, or the files of an archive.

use crate::dependencies::advisories::model::{MOST_BYTES, MOST_OF_ONE};
use kernel::error::Result;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use zip::ZipArchive;

/// Files of an archive that are looked at.
const MOST_ENTRIES: usize = 1_000_000;

/// What is read one after the other; an error is said of one, and others may follow.
pub enum Objects {
    Text(Text<BufReader<File>>),
    Archive {
        archive: Box<ZipArchive<BufReader<File>>>,
        next: usize,
        /// Bytes that may still be unpacked.
        left: u64,
    },
    /// There are none, for this reason if it was not said yet.
    Nothing(Option<String>),
}

impl Objects {
    pub fn open(mut file: File) -> Result<Objects> {
        let mut start = [0; 4];
        file.rewind()?;
        let read = file.read(&mut start)?;
        file.rewind()?;
        let file = BufReader::new(file);
        if start.get(..read) != Some(b"PK\x03\x04".as_slice()) {
            return Ok(Objects::Text(Text { reader: file, is_over: false }));
        }
        let nothing = |text: &str| Objects::Nothing(Some(text.to_owned()));
        Ok(match ZipArchive::new(file) {
            Ok(archive) if archive.len() > MOST_ENTRIES => {
                nothing("The archive has too many files.")
            }
            Ok(archive) => {
                Objects::Archive { archive: Box::new(archive), next: 0, left: 4 * MOST_BYTES }
            }
            Err(_) => nothing("The archive cannot be read."),
        })
    }
}

impl Iterator for Objects {
    type Item = std::result::Result<Vec<u8>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Objects::Text(text) => text.next(),
            Objects::Nothing(reason) => reason.take().map(Err),
            Objects::Archive { archive, next, left } => {
                while *next < archive.len() {
                    *next += 1;
                    if let Some(found) = entry(archive, *next - 1, left) {
                        return Some(found);
                    }
                }
                None
            }
        }
    }
}

/// A file of an archive; none where it is no advisory by its name.
fn entry(
    archive: &mut ZipArchive<BufReader<File>>, index: usize, left: &mut u64,
) -> Option<std::result::Result<Vec<u8>, String>> {
    let Ok(entry) = archive.by_index(index) else {
        return Some(Err("A file of the archive cannot be read.".into()));
    };
    let is_json = entry.name().is_ok_and(|name| name.ends_with(".json"));
    if !entry.is_file() || !is_json {
        return None;
    }
    let most = (MOST_OF_ONE as u64).min(*left);
    let mut bytes = Vec::new();
    if entry.take(most + 1).read_to_end(&mut bytes).is_err() {
        return Some(Err("A file of the archive is damaged.".into()));
    }
    *left = left.saturating_sub(bytes.len() as u64);
    match bytes.len() as u64 > most {
        true => Some(Err("A file of the archive is too large.".into())),
        false => Some(Ok(bytes)),
    }
}

/// Objects of a text, whatever stands between them.
pub struct Text<R> {
    reader: R,
    is_over: bool,
}

/// Where in an object the reader is.
#[derive(Default)]
struct Within {
    depth: usize,
    in_text: bool,
    escaped: bool,
}

impl Within {
    /// Takes the next byte; whether the object ends with it.
    fn step(&mut self, byte: u8) -> bool {
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' if self.in_text => self.escaped = true,
            b'"' => self.in_text = !self.in_text,
            b'{' if !self.in_text => self.depth += 1,
            b'}' if !self.in_text => {
                self.depth -= 1;
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }
}

impl<R: BufRead> Text<R> {
    /// Goes to where an object begins; what else stands there is an error.
    fn begin(&mut self) -> std::result::Result<bool, String> {
        loop {
            let buffer = self.reader.fill_buf().map_err(|_| unreadable())?;
            if buffer.is_empty() {
                return Ok(false);
            }
            let between = |byte: &u8| {
                byte.is_ascii_whitespace()
                    || matches!(byte, b',' | b'[' | b']' | 0xef | 0xbb | 0xbf)
            };
            let skipped = buffer.iter().take_while(|byte| between(byte)).count();
            let next = buffer.get(skipped).copied();
            self.reader.consume(skipped);
            match next {
                Some(b'{') => return Ok(true),
                Some(_) => return Err("The file has something else than objects of JSON.".into()),
                None => {}
            }
        }
    }

    fn object(&mut self) -> std::result::Result<Vec<u8>, String> {
        let (mut object, mut within) = (Vec::new(), Within::default());
        loop {
            let buffer = self.reader.fill_buf().map_err(|_| unreadable())?;
            if buffer.is_empty() {
                return Err("The file ends within an object.".into());
            }
            let end = buffer.iter().position(|byte| within.step(*byte));
            let taken = end.map_or(buffer.len(), |end| end + 1);
            if object.len() <= MOST_OF_ONE {
                object.extend(buffer.iter().take(taken));
            }
            self.reader.consume(taken);
            if end.is_some() {
                return match object.len() > MOST_OF_ONE {
                    true => Err("An advisory is too large.".into()),
                    false => Ok(object),
                };
            }
        }
    }

    fn next(&mut self) -> Option<std::result::Result<Vec<u8>, String>> {
        if self.is_over {
            return None;
        }
        match self.begin() {
            Ok(true) => Some(self.object()),
            Ok(false) => None,
            Err(reason) => {
                self.is_over = true;
                Some(Err(reason))
            }
        }
    }
}

fn unreadable() -> String {
    "The file cannot be read.".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<std::result::Result<String, String>> {
        // A buffer that ends within everything.
        let reader = BufReader::with_capacity(3, text.as_bytes());
        let mut text = Text { reader, is_over: false };
        let next = || text.next();
        let all = std::iter::from_fn(next).take(20);
        all.map(|one| one.map(|bytes| String::from_utf8(bytes).unwrap())).collect()
    }

    #[test]
    fn objects_are_found_in_lists_and_lines() {
        let one = r#"{"a":"}\"{","b":{"c":[]}}"#;
        for text in [
            one.to_owned(),
            format!("[{one}]"),
            format!("{one}\n{one}\n"),
            format!("\u{feff}[\n{one} , {one}]"),
        ] {
            let found = read(&text);
            assert!(!found.is_empty() && found.iter().all(|it| it.as_deref() == Ok(one)), "{text}");
        }
        assert!(read(" [ ] ").is_empty());
    }

    #[test]
    fn what_is_no_object_ends_it() {
        assert_eq!(read("{} x {}").len(), 2);
        assert_eq!(read("{\"a\":1").first(), Some(&Err("The file ends within an object.".into())));
    }
}
