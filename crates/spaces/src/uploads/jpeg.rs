//! Photographs without the place they were taken at.
//!
//! A JPEG file is a row of segments (ITU-T T.81 B.1). Those of cameras and
//! editors (APP1: Exif and XMP; APP13: IPTC) hold places, times and serial
//! numbers, so they are cut out as the file passes by. Which way up the picture
//! is stays, in an Exif segment of its own. What follows the picture, another
//! picture or a film with such segments, is cut off.

use bytes::{Bytes, BytesMut};
use futures_util::stream::{self, Stream, StreamExt};
use kernel::error::Result;

const EXIF: &[u8] = b"Exif\0\0";
/// The tag that says which way up a picture is.
const ORIENTATION: u16 = 0x0112;

/// The same bytes, if they are no photograph.
pub(super) fn without_place<S>(body: S) -> impl Stream<Item = Result<Bytes>> + Unpin + Send
where
    S: Stream<Item = Result<Bytes>> + Unpin + Send,
{
    let cleaning = Some((body, Cleaner::default()));
    let cleaned = stream::unfold(cleaning, |cleaning| async {
        let (mut body, mut cleaner) = cleaning?;
        loop {
            match body.next().await {
                Some(Ok(chunk)) => match cleaner.take(&chunk) {
                    ready if ready.is_empty() => continue,
                    ready => return Some((Ok(ready), Some((body, cleaner)))),
                },
                Some(Err(error)) => return Some((Err(error), None)),
                None => return Some((Ok(cleaner.last()), None)),
            }
        }
    });
    Box::pin(cleaned)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Start,
    /// At a marker.
    Marker,
    /// So many bytes of a segment are still to come; a scan follows some.
    Segment(usize, bool),
    /// Among the bytes of the picture.
    Scan,
    /// No photograph, or none that can be read.
    Unknown,
    /// Behind the picture.
    End,
}

struct Cleaner {
    at: At,
    /// What is not decided yet: at most one segment and one chunk.
    held: BytesMut,
    out: BytesMut,
}

impl Default for Cleaner {
    fn default() -> Cleaner {
        Cleaner { at: At::Start, held: BytesMut::new(), out: BytesMut::new() }
    }
}

impl Cleaner {
    /// Takes what arrived; what can go on of it.
    fn take(&mut self, chunk: &[u8]) -> Bytes {
        self.held.extend_from_slice(chunk);
        while self.step() {}
        self.out.split().freeze()
    }

    /// What is left at the end: a segment that was cut off stays behind.
    fn last(&mut self) -> Bytes {
        match self.at {
            At::End => {}
            At::Marker if matches!(self.held[..], [0xff, 0xe1 | 0xed, ..]) => {}
            _ => self.pass(self.held.len()),
        }
        self.out.split().freeze()
    }

    fn pass(&mut self, length: usize) {
        let passed = self.held.split_to(length);
        self.out.extend_from_slice(&passed);
    }

    /// Goes on as far as the bytes at hand decide; whether there is more to do.
    fn step(&mut self) -> bool {
        if self.held.is_empty() {
            return false;
        }
        match self.at {
            At::Start => self.start(),
            At::Marker => self.marker(),
            At::Segment(left, scans) => {
                let now = left.min(self.held.len());
                self.pass(now);
                self.at = match (left - now, scans) {
                    (0, true) => At::Scan,
                    (0, false) => At::Marker,
                    (left, scans) => At::Segment(left, scans),
                };
                true
            }
            At::Scan => self.scan(),
            At::Unknown => {
                self.pass(self.held.len());
                false
            }
            At::End => {
                self.held.clear();
                false
            }
        }
    }

    fn start(&mut self) -> bool {
        match self.held[..] {
            [0xff, 0xd8, 0xff, ..] => {
                self.pass(2);
                self.at = At::Marker;
            }
            [0xff] | [0xff, 0xd8] => return false,
            _ => self.at = At::Unknown,
        }
        true
    }

    fn marker(&mut self) -> bool {
        let length = match self.held[..] {
            [0xff] => return false,
            [0xff, 0xff, ..] => {
                self.pass(1);
                return true;
            }
            [0xff, 0xd9, ..] => {
                self.pass(2);
                self.at = At::End;
                return true;
            }
            [0xff, 0x01 | 0xd0..=0xd7, ..] => {
                self.pass(2);
                return true;
            }
            [0xff, 0x00, ..] => 0,
            [0xff, _] | [0xff, _, _] => return false,
            [0xff, _, high, low, ..] => usize::from(u16::from_be_bytes([high, low])),
            _ => 0,
        };
        if length < 2 {
            self.at = At::Unknown;
            return true;
        }
        let whole = length + 2;
        match self.held[1] {
            0xe1 | 0xed if self.held.len() < whole => return false,
            0xe1 | 0xed => {
                let segment = self.held.split_to(whole);
                if let Some(way) = orientation(&segment[4..]) {
                    self.out.extend_from_slice(&only_orientation(way));
                }
            }
            0xda => self.at = At::Segment(whole, true),
            _ => self.at = At::Segment(whole, false),
        }
        true
    }

    fn scan(&mut self) -> bool {
        let Some(at) = self.held.iter().position(|byte| *byte == 0xff) else {
            self.pass(self.held.len());
            return false;
        };
        self.pass(at);
        match self.held[..] {
            [_] => false,
            // A byte of the picture, or where it can be taken up again.
            [_, 0x00 | 0xd0..=0xd7, ..] => {
                self.pass(2);
                true
            }
            [_, 0xff, ..] => {
                self.pass(1);
                true
            }
            _ => {
                self.at = At::Marker;
                true
            }
        }
    }
}

/// Which way up a picture is, 2 to 8, as the Exif of a segment says.
fn orientation(segment: &[u8]) -> Option<u16> {
    let tiff = segment.strip_prefix(EXIF)?;
    let is_little = match tiff.get(..4)? {
        [b'I', b'I', 42, 0] => true,
        [b'M', b'M', 0, 42] => false,
        _ => return None,
    };
    let short = |at: usize| -> Option<u16> {
        let bytes = [*tiff.get(at)?, *tiff.get(at.checked_add(1)?)?];
        Some(if is_little {
            u16::from_le_bytes(bytes)
        } else {
            u16::from_be_bytes(bytes)
        })
    };
    let long = |at: usize| -> Option<u32> {
        let (one, two) = (u32::from(short(at)?), u32::from(short(at + 2)?));
        Some(if is_little { two << 16 | one } else { one << 16 | two })
    };
    let first = usize::try_from(long(4)?).ok()?;
    let count = usize::from(short(first)?);
    let entries = (0..count).map(|n| first.saturating_add(2 + n * 12));
    let mut found = entries.take_while(|at| *at < tiff.len());
    let entry = found.find(|at| short(*at) == Some(ORIENTATION))?;
    short(entry.saturating_add(8)).filter(|way| (2..=8).contains(way))
}

/// An Exif segment that says which way up a picture is and nothing else.
fn only_orientation(way: u16) -> Vec<u8> {
    let mut segment = vec![0xff, 0xe1, 0, 34];
    segment.extend_from_slice(EXIF);
    segment.extend_from_slice(b"MM\0\x2a\0\0\0\x08\0\x01");
    segment.extend_from_slice(&[0x01, 0x12, 0, 3, 0, 0, 0, 1]);
    segment.extend_from_slice(&way.to_be_bytes());
    segment.extend_from_slice(&[0, 0, 0, 0, 0, 0]);
    segment
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(file: &[u8], size: usize) -> Vec<u8> {
        let mut cleaner = Cleaner::default();
        let mut out: Vec<u8> = Vec::new();
        for chunk in file.chunks(size) {
            out.extend(cleaner.take(chunk));
        }
        out.extend(cleaner.last());
        out
    }

    fn segment(marker: u8, content: &[u8]) -> Vec<u8> {
        let length = u16::try_from(content.len() + 2).expect("a short segment");
        [&[0xff, marker][..], &length.to_be_bytes(), content].concat()
    }

    fn exif(way: u8) -> Vec<u8> {
        let tiff = [
            &b"II\x2a\0\x08\0\0\0\x02\0"[..],
            &[0x0f, 1, 2, 0, 1, 0, 0, 0, b'x', 0, 0, 0],
            &[0x12, 1, 3, 0, 1, 0, 0, 0, way, 0, 0, 0],
            b"\0\0\0\0GPS 51.47 N",
        ];
        segment(0xe1, &[EXIF, &tiff.concat()].concat())
    }

    #[test]
    fn places_go_and_the_picture_stays_as_it_stands() {
        let start = [&[0xff, 0xd8][..], &segment(0xe0, b"JFIF\0")].concat();
        let scan = [&segment(0xda, &[1, 2])[..], &[7, 0xff, 0, 8, 0xff, 0xd3, 9]].concat();
        let more =
            [&segment(0xc4, &[5])[..], &segment(0xda, &[3]), &[6, 0xff, 0xff, 0xd9]].concat();
        let xmp = segment(0xe1, b"http://ns.adobe.com/xap/1.0/\0GPS");
        let iptc = segment(0xed, b"Photoshop 3.0\0GPS");
        let behind = b"\xff\xd8\xff\xe1GPS";
        let file = [&start[..], &exif(6), &xmp, &iptc, &scan, &more, behind].concat();
        let expected = [&start[..], &only_orientation(6), &scan, &more].concat();
        for size in [1, 2, 3, 7, 64, 10_000] {
            assert_eq!(cleaned(&file, size), expected, "{size}");
        }
        assert_eq!(orientation(&only_orientation(6)[4..]), Some(6));
        assert_eq!(only_orientation(6).len(), 36);
        let upright = [&start[..], &exif(1), &scan, &more].concat();
        assert_eq!(cleaned(&upright, 5), [&start[..], &scan, &more].concat());
    }

    #[test]
    fn what_is_no_photograph_passes() {
        for file in [
            &b""[..],
            b"\xff",
            b"\xff\xd8",
            b"\xff\xd8\xfe",
            b"\x89PNG\r\n\x1a\n\xff\xe1\0\x05abc",
            b"\xff\xd8\xff\xe0\0\0rest",
            b"\xff\xd8\xff\0rest",
        ] {
            for size in [1, 4, 100] {
                assert_eq!(cleaned(file, size), file, "{file:?}");
            }
        }
        let cut = [&b"\xff\xd8"[..], &exif(6)[..20]].concat();
        assert_eq!(cleaned(&cut, 3), b"\xff\xd8");
    }

    #[test]
    fn hostile_exif_is_no_trouble() {
        for at in 0..exif(6).len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut segment = exif(6);
                segment[at] = value;
                orientation(&segment[4..]);
                cleaned(&[&b"\xff\xd8"[..], &segment].concat(), 9);
            }
        }
    }
}
