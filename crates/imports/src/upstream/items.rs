//! The things of a page, each read by itself: one that is not as expected does not spoil the
//! others.

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// Things of one page.
const MOST: usize = crate::run::Page::MOST;
/// Letters of a key.
const MOST_KEY: usize = 100;
/// The character zero, as JSON writes it.
const NUL: &str = "\\u0000";

/// The things of a list, and what could not be read of it.
#[derive(Debug)]
pub struct Items<T>(pub Vec<Result<T, Unreadable>>);

/// A thing that is not as expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// What it is called there, as far as it says so.
    pub key: String,
    pub reason: String,
}

/// What things may be called by.
#[derive(Deserialize)]
struct Named {
    number: Option<Value>,
    id: Option<Value>,
    name: Option<Value>,
}

impl Unreadable {
    fn of(raw: &str, error: &serde_json::Error) -> Unreadable {
        let named = serde_json::from_str::<Named>(raw).ok();
        let named = named.and_then(|named| named.number.or(named.id).or(named.name));
        let key = match named {
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::String(text)) => text.chars().take(MOST_KEY).collect(),
            // What says nothing of itself is told from others like it all the same.
            _ => hex::encode(&Sha256::digest(raw)[..6]),
        };
        Unreadable { key, reason: error.to_string() }
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Items<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Items<T>, D::Error> {
        from.deserialize_seq(Each(PhantomData))
    }
}

/// The text without the character that no database takes.
fn plain(raw: &str) -> Cow<'_, str> {
    match raw.contains(NUL) {
        true => Cow::Owned(raw.replace(NUL, "\\ufffd")),
        false => Cow::Borrowed(raw),
    }
}

struct Each<T>(PhantomData<T>);

impl<'de, T: DeserializeOwned> Visitor<'de> for Each<T> {
    type Value = Items<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Items<T>, A::Error> {
        let mut items = Vec::new();
        while let Some(raw) = list.next_element::<Box<RawValue>>()? {
            if items.len() == MOST {
                return Err(A::Error::custom("a page with too many things"));
            }
            let read = serde_json::from_str(&plain(raw.get()));
            items.push(read.map_err(|error| Unreadable::of(raw.get(), &error)));
        }
        Ok(Items(items))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Thing {
        id: i64,
        title: String,
    }

    #[test]
    fn one_that_is_wrong_spoils_no_other() {
        let text = r#"[{"id": 1, "title": "a"}, {"id": 2}, {"number": 3, "id": {}}, 4,
            {"id": 5, "title": "e", "more": [[]]}]"#;
        let Items(read) = serde_json::from_str::<Items<Thing>>(text).expect("a list");
        let keys: Vec<&str> = read
            .iter()
            .filter_map(|one| one.as_ref().err())
            .map(|one| one.key.as_str())
            .collect();
        assert_eq!(keys[..2], ["2", "3"]);
        assert_eq!((keys.len(), keys[2].len()), (3, 12));
        let ids: Vec<i64> = read.iter().filter_map(|one| Some(one.as_ref().ok()?.id)).collect();
        assert_eq!(ids, [1, 5]);
        assert!(serde_json::from_str::<Items<Thing>>("{}").is_err());
    }

    #[test]
    fn the_character_zero_is_replaced() {
        let text = r#"[{"id": 1, "title": "a\u0000b"}]"#;
        let Items(read) = serde_json::from_str::<Items<Thing>>(text).expect("a list");
        let title = read.into_iter().flatten().next().map(|thing| thing.title);
        assert_eq!(title.as_deref(), Some("a\u{fffd}b"));
    }

    #[test]
    fn a_page_is_bounded() {
        let text = format!("[{}0]", "0,".repeat(MOST));
        assert!(serde_json::from_str::<Items<i64>>(&text).is_err());
        let text = format!("[{}0]", "0,".repeat(MOST - 1));
        assert_eq!(serde_json::from_str::<Items<i64>>(&text).expect("a list").0.len(), MOST);
    }
}
