//! The content of a file as interfaces send it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;

/// What is said of a text that is none.
pub const NOT_BASE64: &str = "content is not valid base64";

/// The bytes of a text that may be written in base 64, with breaks of lines in it; none
/// if it cannot be read.
pub fn decoded(text: &str, is_base64: bool) -> Option<Bytes> {
    if !is_base64 {
        return Some(Bytes::copy_from_slice(text.as_bytes()));
    }
    let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r' | b' ' | b'\t');
    let kept: Vec<u8> = text.bytes().filter(|byte| !is_break(byte)).collect();
    STANDARD.decode(kept).map(Bytes::from).ok()
}
