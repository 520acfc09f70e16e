//! CycloneDX 1.4, 1.5 and 1.6 in JSON and XML, from strangers. Everything is bounded:
//! bytes, depth, components, relations, texts.

mod json;
mod settle;
mod text;
mod xml;

pub(crate) use json::Few;
pub(crate) use text::{Text, clean, link};

use std::fmt;

use crate::model::{Bom, SpecVersion};

/// How much is read.
#[derive(Debug, Clone)]
pub struct Limits {
    pub bytes: usize,
    pub components: usize,
    /// Deepest nesting of a document.
    pub depth: usize,
    /// Longest text in bytes; longer ones are cut.
    pub text: usize,
    /// Most lines of the kind «this depends on that».
    pub relations: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            bytes: 100 * 1024 * 1024,
            components: 200_000,
            depth: 64,
            text: 8 * 1024,
            relations: 2_000_000,
        }
    }
}

/// What is wrong with a document, in a sentence for users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong(pub String);

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Wrong {}

impl Wrong {
    fn spec() -> Wrong {
        let known = SpecVersion::ALL.map(SpecVersion::text).join(", ");
        Wrong(format!("Unsupported CycloneDX spec version. Must be one of: {known}"))
    }

    fn json(cause: impl fmt::Display) -> Wrong {
        Wrong(format!("Report JSON is invalid: {cause}"))
    }

    fn xml(cause: impl fmt::Display) -> Wrong {
        Wrong(format!("Report XML is invalid: {cause}"))
    }

    fn components(limits: &Limits) -> Wrong {
        Wrong(format!("Report has more than {} components", limits.components))
    }

    fn relations(limits: &Limits) -> Wrong {
        Wrong(format!("Report has more than {} relations of components", limits.relations))
    }

    fn depth(limits: &Limits) -> Wrong {
        Wrong(format!("Report is nested more than {} levels deep", limits.depth))
    }
}

/// Reads a list of components; whether it is JSON or XML its first character says.
///
/// # Errors
///
/// Where it is neither, or not valid, or larger than the limits.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Bom, Wrong> {
    if bytes.len() > limits.bytes {
        return Err(Wrong(format!("Report is larger than {} bytes", limits.bytes)));
    }
    let document = decode(bytes)?;
    match document.trim_start().chars().next() {
        None => Err(Wrong::json("it is empty")),
        Some('<') => xml::read(document, limits),
        Some(_) => json::read(document, limits),
    }
}

/// The text of a document, which has to be UTF-8.
fn decode(bytes: &[u8]) -> Result<&str, Wrong> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let place = match std::str::from_utf8(bytes) {
        // UTF-16 of ASCII letters is valid UTF-8 with a NUL beside each.
        Ok(text) if !text.trim_start().starts_with('\0') && !starts_wide(bytes) => {
            return Ok(text);
        }
        Ok(_) => 0,
        Err(error) => error.valid_up_to(),
    };
    Err(Wrong(format!(
        "Report must be encoded in UTF-8: byte {place} is of another encoding"
    )))
}

fn starts_wide(bytes: &[u8]) -> bool {
    matches!(bytes, [b'{' | b'<', 0, ..])
}

#[cfg(test)]
mod tests;
