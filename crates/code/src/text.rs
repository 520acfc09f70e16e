//! Files as texts: whatever their bytes are, letters and lines that can be shown.

use std::borrow::Cow;

/// Bytes that tell whether a file is a text.
const LOOKED_AT: usize = 8000;

/// Whether bytes are a text, as git has it: no zero at their beginning.
pub fn is_text(content: &[u8]) -> bool {
    !content[..content.len().min(LOOKED_AT)].contains(&0)
}

/// The letters of a file; none where it is no text. What is not UTF-8 is taken for
/// Latin-1, unless a mark at its beginning says that it is UTF-16.
pub fn letters(content: &[u8]) -> Option<Cow<'_, str>> {
    let wide = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = rest.chunks_exact(2).map(|two| unit([two[0], two[1]])).collect();
        Some(String::from_utf16_lossy(&units).into())
    };
    match content {
        [0xff, 0xfe, rest @ ..] => return wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => return wide(rest, u16::from_be_bytes),
        _ if !is_text(content) => return None,
        _ => {}
    }
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
    match std::str::from_utf8(content) {
        Ok(text) => Some(text.into()),
        Err(_) => Some(content.iter().copied().map(char::from).collect::<String>().into()),
    }
}

/// The lines of a text without their ends, whichever these are. What follows the last
/// end is a line if it is not empty.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let end = if text.contains('\n') { '\n' } else { '\r' };
    let whole = text.strip_suffix(end).unwrap_or(text);
    let lines = whole.split(end).map(|line| line.strip_suffix('\r').unwrap_or(line));
    lines.take(if text.is_empty() { 0 } else { usize::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_read_in_whatever_they_were_written() {
        for (bytes, text) in [
            ("für".as_bytes(), Some("für")),
            (b"f\xfcr", Some("für")),
            (b"\xef\xbb\xbfa", Some("a")),
            (b"\xff\xfea\0\xfc\0", Some("aü")),
            (b"\xfe\xff\0a\0\xfc", Some("aü")),
            (b"a\0b", None),
            (b"", Some("")),
        ] {
            assert_eq!(letters(bytes).as_deref(), text, "{bytes:?}");
        }
    }

    #[test]
    fn lines_end_as_they_were_ended() {
        let all = |text| lines(text).collect::<Vec<_>>();
        for (text, expected) in [
            ("", &[][..]),
            ("a", &["a"]),
            ("a\n", &["a"]),
            ("a\r\nb\r\n", &["a", "b"]),
            ("a\rb\r", &["a", "b"]),
            ("\n\n", &["", ""]),
            ("a\n\nb", &["a", "", "b"]),
        ] {
            assert_eq!(all(text), expected, "{text:?}");
        }
    }
}
