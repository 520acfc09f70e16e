//! How things are named in addresses.

use crate::http::params::{Param, Unusable};
use serde_json::{Value, json};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A group, project or user in a path: a number, or a full path or name.
///
/// Digits alone are always an id (docs/interface/identity.md 8.5), so a namespace named
/// `42` is reached by its id only.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Reference {
    /// A numeric id.
    Id(i64),
    /// A full path (`acme/tools/anvil`) or a user name.
    Path(String),
}

impl Param for Reference {
    fn parse(value: &Value) -> Result<Self, Unusable> {
        match value {
            Value::Number(number) => number.as_i64().map(Reference::Id).ok_or(Unusable::Invalid),
            Value::String(text) if text.is_empty() => Err(Unusable::Empty),
            Value::String(text) if text.bytes().all(|b| b.is_ascii_digit()) => {
                // Beyond 64 bits there is no such row; -1 never exists.
                Ok(Reference::Id(text.parse().unwrap_or(-1)))
            }
            Value::String(text) => Ok(Reference::Path(text.clone())),
            _ => Err(Unusable::Invalid),
        }
    }

    fn schema() -> Value {
        json!({"type": "string", "description": "Numeric id, or full path with / as %2F"})
    }
}

/// Case-folded form under which names are compared and kept unique.
///
/// Folding happens here, never in SQL: the engines' `lower` differ.
pub fn fold(text: &str) -> String {
    text.to_lowercase()
}

/// What is left of a text where small letters of ASCII, digits and single dashes may stand:
/// `Crème brûlée!` is `creme-brulee`.
pub fn slug(text: &str) -> String {
    let plain = text.nfkd().filter(|letter| !is_combining_mark(*letter));
    let mut slug = String::new();
    for letter in plain.flat_map(char::to_lowercase) {
        match letter.is_ascii_alphanumeric() || letter == '_' {
            true => slug.push(letter),
            false if !slug.is_empty() && !slug.ends_with('-') => slug.push('-'),
            false => {}
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}
