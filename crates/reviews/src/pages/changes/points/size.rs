//! How large a picture is, by what stands before its pixels.

/// Pixels of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

impl Size {
    /// That of a picture; none of formats that are not read here.
    pub fn of(bytes: &[u8]) -> Option<Size> {
        let begins = |mark: &[u8]| bytes.starts_with(mark);
        if begins(b"\x89PNG\r\n\x1a\n") {
            let (width, height) = (bytes.get(16..20)?, bytes.get(20..24)?);
            return Size::new(big(width), big(height));
        }
        if begins(b"GIF87a") || begins(b"GIF89a") {
            return Size::new(little(bytes.get(6..8)?), little(bytes.get(8..10)?));
        }
        if begins(&[0xff, 0xd8]) {
            return of_jpeg(bytes.get(2..)?);
        }
        match begins(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            true => of_webp(bytes.get(12..)?),
            false => None,
        }
    }

    fn new(width: u32, height: u32) -> Option<Size> {
        (width > 0 && height > 0).then_some(Size { width, height })
    }
}

/// A number whose first byte counts most.
fn big(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| (number << 8) | u32::from(*byte))
}

/// A number whose first byte counts least.
fn little(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, byte| (number << 8) | u32::from(*byte))
}

/// By the segment in which a frame begins.
fn of_jpeg(mut rest: &[u8]) -> Option<Size> {
    while let [0xff, kind, behind @ ..] = rest {
        let is_frame = matches!(kind, 0xc0..=0xcf) && !matches!(kind, 0xc4 | 0xc8 | 0xcc);
        if is_frame {
            return Size::new(big(behind.get(5..7)?), big(behind.get(3..5)?));
        }
        let length = big(behind.get(..2)?).max(2);
        rest = behind.get(usize::try_from(length).ok()?..)?;
    }
    None
}

/// By the first chunk, of whichever of three kinds it is.
fn of_webp(chunk: &[u8]) -> Option<Size> {
    let data = chunk.get(8..)?;
    match chunk.get(..4)? {
        b"VP8X" => Size::new(little(data.get(4..7)?) + 1, little(data.get(7..10)?) + 1),
        b"VP8L" => {
            let bits = little(data.get(1..5)?);
            Size::new((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1)
        }
        b"VP8 " => {
            let side = |bytes| little(bytes) & 0x3fff;
            Size::new(side(data.get(6..8)?), side(data.get(8..10)?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn webp(kind: &[u8], data: &[u8]) -> Vec<u8> {
        [b"RIFF\0\0\0\0WEBP", kind, b"\0\0\0\0", data].concat()
    }

    #[test]
    fn pictures_are_measured() {
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc2\0\x11\x08\0\x1e\0\x28\x03";
        let pictures: [Vec<u8>; 6] = [
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x28\0\0\0\x1e".to_vec(),
            b"GIF89a\x28\0\x1e\0".to_vec(),
            jpeg.to_vec(),
            webp(b"VP8X", b"\0\0\0\0\x27\0\0\x1d\0\0"),
            // 39 and 29, of 14 bits each.
            webp(b"VP8L", b"\x2f\x27\x40\x07\0"),
            webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a\x28\0\x1e\0"),
        ];
        for picture in pictures {
            let size = Some(Size { width: 40, height: 30 });
            assert_eq!(Size::of(&picture), size, "{}", picture.escape_ascii());
            // What is cut off, or damaged, has none.
            for end in 0..picture.len() {
                let cut = Size::of(&picture[..end]);
                assert!(cut.is_none() || cut == size, "{end} of {}", picture.escape_ascii());
            }
        }
        for other in [&b""[..], b"II*\0", b"\xff\xd8\xff\xda\0\x02", b"GIF89a\0\0\x1e\0"] {
            assert_eq!(Size::of(other), None, "{}", other.escape_ascii());
        }
    }
}
