//! Pictures that are pictures from the first byte to the last: nothing may
//! stand behind them that another program would read as something else.

/// The ending for a whole picture of a known format.
pub fn ending(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return is_png(&bytes[8..]).then_some("png");
    }
    if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
        return is_jpeg(&bytes[2..]).then_some("jpg");
    }
    if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        return is_gif(&bytes[6..]).is_some().then_some("gif");
    }
    let is_webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    (is_webp && is_riff(bytes)).then_some("webp")
}

/// Chunks to the last, which ends it.
fn is_png(mut rest: &[u8]) -> bool {
    let mut is_first = true;
    while let Some((length, behind)) = rest.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        let Some((kind, behind)) = behind.split_first_chunk::<4>() else {
            return false;
        };
        if is_first && kind != b"IHDR" {
            return false;
        }
        is_first = false;
        // The data, and four bytes to check it by.
        let Some(behind) = length.checked_add(4).and_then(|end| behind.get(end..)) else {
            return false;
        };
        if kind == b"IEND" {
            return behind.is_empty();
        }
        rest = behind;
    }
    false
}

/// Segments to the pixels, and the end mark behind them.
fn is_jpeg(mut rest: &[u8]) -> bool {
    while let [0xff, kind, behind @ ..] = rest {
        let Some((length, _)) = behind.split_first_chunk::<2>() else {
            return false;
        };
        let length = usize::from(u16::from_be_bytes(*length));
        let Some(behind) = behind.get(length.max(2)..) else {
            return false;
        };
        if *kind == 0xda {
            let end = behind.windows(2).position(|pair| pair == [0xff, 0xd9]);
            return end.is_some_and(|end| end + 2 == behind.len());
        }
        rest = behind;
    }
    false
}

/// Blocks to the end mark, with nothing behind.
fn is_gif(rest: &[u8]) -> Option<()> {
    let flags = *rest.get(4)?;
    let mut rest = rest.get(7 + colours(flags)..)?;
    loop {
        let (kind, behind) = rest.split_first()?;
        rest = match kind {
            0x3b => return behind.is_empty().then_some(()),
            0x21 => blocks(behind.get(1..)?)?,
            0x2c => {
                let flags = *behind.get(8)?;
                // Size of its codes, then blocks of them.
                blocks(behind.get(9 + colours(flags) + 1..)?)?
            }
            _ => return None,
        };
    }
}

/// Bytes of the table of colours that flags tell of.
fn colours(flags: u8) -> usize {
    match flags & 0x80 {
        0 => 0,
        _ => 3 << ((flags & 7) + 1),
    }
}

/// What stands behind blocks that each tell their length; an empty one is the
/// last.
fn blocks(mut rest: &[u8]) -> Option<&[u8]> {
    loop {
        let (length, behind) = rest.split_first()?;
        rest = behind.get(usize::from(*length)..)?;
        if *length == 0 {
            return Some(rest);
        }
    }
}

/// Whether it is as long as it says.
fn is_riff(bytes: &[u8]) -> bool {
    let size = bytes.get(4..8).and_then(|size| size.first_chunk::<4>());
    let size = size.map(|size| u32::from_le_bytes(*size) as usize);
    size.is_some_and(|size| size + 8 == bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const GIF: &str = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
    const WEBP: &str = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==";

    fn bytes(text: &str) -> Vec<u8> {
        STANDARD.decode(text).unwrap()
    }

    fn jpeg() -> Vec<u8> {
        let mut bytes = vec![0xff, 0xd8];
        bytes.extend([0xff, 0xe0, 0, 4, 1, 2]);
        bytes.extend([0xff, 0xda, 0, 3, 1, 7, 7, 0xff, 0, 7, 0xff, 0xd9]);
        bytes
    }

    #[test]
    fn whole_pictures_are_known() {
        for (picture, expected) in
            [(bytes(PNG), "png"), (bytes(GIF), "gif"), (bytes(WEBP), "webp"), (jpeg(), "jpg")]
        {
            assert_eq!(ending(&picture), Some(expected));
            let behind = [picture.clone(), b"<script>".to_vec()].concat();
            assert_eq!(ending(&behind), None, "{expected} with something behind");
            for cut in 0..picture.len() {
                assert_eq!(ending(&picture[..cut]), None, "{expected} cut at {cut}");
            }
        }
    }

    #[test]
    fn other_things_are_none() {
        for other in [
            &b"<svg xmlns='http://www.w3.org/2000/svg'/>"[..],
            b"GIF89a=1;alert(1);",
            b"GIF89a/*<script>*/;",
            b"\x89PNG\r\n\x1a\n<html>",
            b"RIFF\x04\0\0\0WAVE",
            b"%PDF-1.7",
            b"",
        ] {
            assert_eq!(ending(other), None, "{other:?}");
        }
    }
}
