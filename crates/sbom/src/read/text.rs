//! Texts of strangers.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A text without what can hurt a terminal, a log or a table: control characters go, lines
/// become one, and what is longer than the limit is cut. None where nothing is left.
pub(crate) fn clean(text: &str, limit: usize) -> Option<String> {
    let mut kept = String::with_capacity(text.len().min(limit));
    for letter in text.trim().chars() {
        let letter = match letter {
            '\n' | '\r' | '\t' => ' ',
            letter if letter.is_control() => continue,
            letter => letter,
        };
        if kept.len() + letter.len_utf8() > limit {
            break;
        }
        kept.push(letter);
    }
    let trimmed = kept.trim();
    match trimmed.len() {
        0 => None,
        all if all == kept.len() => Some(kept),
        _ => Some(trimmed.to_owned()),
    }
}

/// A link that may be shown as one.
pub(crate) fn link(text: &str, limit: usize) -> Option<String> {
    let text = clean(text, limit)?;
    let lower = text.get(..8).unwrap_or(&text).to_ascii_lowercase();
    let known = lower.starts_with("https://") || lower.starts_with("http://");
    (known && !text.contains([' ', '"', '<', '>'])).then_some(text)
}

/// What stands where a text is expected.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum Text {
    #[default]
    Absent,
    Is(String),
    /// Something else: a number, a list.
    Other,
}

impl Text {
    pub(crate) fn known(self) -> Option<String> {
        match self {
            Text::Is(text) => Some(text),
            Text::Absent | Text::Other => None,
        }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        deserializer.deserialize_any(Any)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E>(self, text: &str) -> Result<Text, E> {
        Ok(Text::Is(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Text, E> {
        Ok(Text::Is(text))
    }

    fn visit_unit<E>(self) -> Result<Text, E> {
        Ok(Text::Absent)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Text, E> {
        Ok(Text::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Text, E> {
        Ok(Text::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Text, E> {
        Ok(Text::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Text, E> {
        Ok(Text::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Text, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Text::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Text::Other)
    }
}
