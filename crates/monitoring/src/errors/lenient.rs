//! Parts of an event that may have any type: what does not fit is dropped,
//! never refused, since SDKs of all ages send them (docs/interface/monitoring.md 6.4).
//!
//! Values are taken as they are read, without a tree of them, so a hostile
//! event costs little more memory than its bytes.

use kernel::time::Timestamp;
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;

/// Replaces halves of characters, which readers of JSON refuse: scripts count
/// the two halves apart, and cut long texts between them.
pub fn mend(payload: &mut [u8]) {
    let mut at = 0;
    while let Some(next) = payload
        .get(at..)
        .and_then(|rest| rest.iter().position(|b| *b == b'\\'))
    {
        at += next;
        let (first, second) = (unit(payload, at), unit(payload, at + UNIT));
        match (first, second) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => at += 2 * UNIT,
            (Some(0xD800..=0xDFFF), _) => {
                payload[at + 2..at + UNIT].copy_from_slice(b"fffd");
                at += UNIT;
            }
            _ => at += 2,
        }
    }
}

/// Length of `\uXXXX`.
const UNIT: usize = 6;

/// What is written so at a place.
fn unit(payload: &[u8], at: usize) -> Option<u16> {
    let digits = payload.get(at..at + UNIT)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Text; numbers and booleans become text. Null characters are taken out:
/// databases cannot hold them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text(pub Option<String>);

/// An object; anything else is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Maybe<T>(pub Option<T>);

/// The last `MAX` elements of a list; anything else is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Last<T, const MAX: usize>(pub VecDeque<T>);

/// The last `MAX` objects of a list, bare or in `values`; anything else is
/// empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values<T, const MAX: usize>(pub Last<Maybe<T>, MAX>);

/// The first `MAX` pairs of an object or of a list of pairs, each as text;
/// anything else is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pairs<const MAX: usize>(pub Vec<(String, String)>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Whole(pub Option<i64>);

/// Yes or no.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flag(pub Option<bool>);

/// An instant: RFC 3339, without an offset too, or seconds since 1970 as a
/// number or digits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Instant(pub Option<Timestamp>);

impl Text {
    /// The text unless it is blank.
    pub fn filled(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.trim().is_empty())
    }
}

impl<T> Default for Maybe<T> {
    fn default() -> Self {
        Maybe(None)
    }
}

impl<T, const MAX: usize> Default for Last<T, MAX> {
    fn default() -> Self {
        Last(VecDeque::new())
    }
}

impl<T, const MAX: usize> Default for Values<T, MAX> {
    fn default() -> Self {
        Values(Last::default())
    }
}

impl<T, const MAX: usize> Values<T, MAX> {
    /// What was read, in its order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.0.iter().filter_map(|Maybe(one)| one.as_ref())
    }
}

/// One JSON value as far as it has no parts.
enum Scalar {
    Text(String),
    Whole(i64),
    Real(f64),
    Flag(bool),
    Other,
}

struct Scalars;

macro_rules! scalars {
    ($($visit:ident($ty:ty) => $make:expr;)*) => {
        $(fn $visit<E>(self, value: $ty) -> Result<Scalar, E> {
            let make: fn($ty) -> Scalar = $make;
            Ok(make(value))
        })*
    };
}

/// What visitors of parts do with a list or object that does not fit.
pub(super) fn pass_list<'de, A: SeqAccess<'de>>(mut list: A) -> Result<(), A::Error> {
    while list.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

fn pass_object<'de, A: MapAccess<'de>>(mut object: A) -> Result<(), A::Error> {
    while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

impl<'de> Visitor<'de> for Scalars {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    scalars! {
        visit_str(&str) => |text| Scalar::Text(text.replace('\0', ""));
        visit_i64(i64) => Scalar::Whole;
        visit_u64(u64) => |number| match i64::try_from(number) {
            Ok(number) => Scalar::Whole(number),
            Err(_) => Scalar::Real(number as f64),
        };
        visit_f64(f64) => Scalar::Real;
        visit_bool(bool) => Scalar::Flag;
    }

    fn visit_unit<E>(self) -> Result<Scalar, E> {
        Ok(Scalar::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Scalar, A::Error> {
        pass_list(list)?;
        Ok(Scalar::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Scalar, A::Error> {
        pass_object(object)?;
        Ok(Scalar::Other)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        Ok(Text(match deserializer.deserialize_any(Scalars)? {
            Scalar::Text(text) => Some(text),
            Scalar::Whole(number) => Some(number.to_string()),
            Scalar::Real(number) => Some(number.to_string()),
            Scalar::Flag(flag) => Some(flag.to_string()),
            Scalar::Other => None,
        }))
    }
}

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Whole, D::Error> {
        Ok(Whole(match deserializer.deserialize_any(Scalars)? {
            Scalar::Text(text) => text.trim().parse().ok(),
            Scalar::Whole(number) => Some(number),
            _ => None,
        }))
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Flag, D::Error> {
        Ok(Flag(match deserializer.deserialize_any(Scalars)? {
            Scalar::Flag(flag) => Some(flag),
            _ => None,
        }))
    }
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Instant, D::Error> {
        Ok(Instant(match deserializer.deserialize_any(Scalars)? {
            Scalar::Text(text) => instant_of(text.trim()),
            Scalar::Whole(number) => Timestamp::from_second(number).ok(),
            Scalar::Real(number) => instant_of_seconds(number),
            Scalar::Flag(_) | Scalar::Other => None,
        }))
    }
}

fn instant_of(text: &str) -> Option<Timestamp> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return micros(at.as_microsecond());
    }
    if let Ok(at) = text.parse::<jiff::civil::DateTime>() {
        let at = at.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
        return micros(at.as_microsecond());
    }
    instant_of_seconds(text.parse().ok()?)
}

fn instant_of_seconds(seconds: f64) -> Option<Timestamp> {
    if !seconds.is_finite() {
        return None;
    }
    // Out of range saturates, and is then no instant.
    micros((seconds * 1e6).round() as i64)
}

fn micros(micros: i64) -> Option<Timestamp> {
    Timestamp::from_microsecond(micros).ok()
}

/// The visits of values without parts, for visitors that want parts.
macro_rules! none {
    ($none:expr) => {
        super::lenient::none!($none, no text);
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok($none)
        }
    };
    ($none:expr, no text) => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($none)
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($none)
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($none)
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($none)
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($none)
        }
    };
}
pub(super) use none;

struct Objects<T>(PhantomData<T>);

impl<'de, T: DeserializeOwned> Visitor<'de> for Objects<T> {
    type Value = Maybe<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Maybe<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(object)).map(|value| Maybe(Some(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Maybe<T>, A::Error> {
        pass_list(list)?;
        Ok(Maybe(None))
    }

    none!(Maybe(None));
}

struct Lists<T, const MAX: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for Lists<T, MAX> {
    type Value = Last<T, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut last = VecDeque::new();
        while let Some(one) = list.next_element()? {
            if last.len() == MAX {
                last.pop_front();
            }
            last.push_back(one);
        }
        Ok(Last(last))
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
        pass_object(object)?;
        Ok(Last::default())
    }

    none!(Last::default());
}

struct ValueLists<T, const MAX: usize>(PhantomData<T>);

impl<'de, T: DeserializeOwned, const MAX: usize> Visitor<'de> for ValueLists<T, MAX> {
    type Value = Values<T, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        Last::deserialize(SeqAccessDeserializer::new(list)).map(Values)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut held = Values::default();
        while let Some(Text(key)) = object.next_key()? {
            match key.as_deref() {
                Some("values") => held = Values(object.next_value()?),
                _ => drop(object.next_value::<IgnoredAny>()?),
            }
        }
        Ok(held)
    }

    none!(Values::default());
}

struct PairLists<const MAX: usize>;

impl<'de, const MAX: usize> Visitor<'de> for PairLists<MAX> {
    type Value = Pairs<MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Pairs<MAX>, A::Error> {
        let mut pairs = Vec::new();
        while let Some((Text(key), Text(value))) = object.next_entry()? {
            if let (Some(key), Some(value), true) = (key, value, pairs.len() < MAX) {
                pairs.push((key, value));
            }
        }
        Ok(Pairs(pairs))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Pairs<MAX>, A::Error> {
        let mut pairs = Vec::new();
        while let Some(Last(pair)) = list.next_element::<Last<Text, 2>>()? {
            let mut parts = pair.into_iter().map(|Text(text)| text);
            let both = (parts.next().flatten(), parts.next().flatten());
            if let ((Some(key), Some(value)), true) = (both, pairs.len() < MAX) {
                pairs.push((key, value));
            }
        }
        Ok(Pairs(pairs))
    }

    none!(Pairs::default());
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Objects(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for Last<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Lists(PhantomData))
    }
}

impl<'de, T: DeserializeOwned, const MAX: usize> Deserialize<'de> for Values<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueLists(PhantomData))
    }
}

impl<'de, const MAX: usize> Deserialize<'de> for Pairs<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PairLists)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    #[test]
    fn halves_of_characters_are_replaced_and_nothing_else() {
        for (sent, mended) in [
            (r#"{"a":"cut \ud83d"}"#, r#"{"a":"cut \ufffd"}"#),
            (
                r#"["\ude00 late","\uD83D\ud83d\uDE00"]"#,
                r#"["\ufffd late","\ufffd\ud83d\uDE00"]"#,
            ),
            (
                r#"["\ud83d\u0041","\ud83d\n"]"#,
                r#"["\ufffd\u0041","\ufffd\n"]"#,
            ),
            (
                r#"["\\ud83d","\u00e4 \u+d83"]"#,
                r#"["\\ud83d","\u00e4 \u+d83"]"#,
            ),
            (r"\", r"\"),
            (r"\ud83", r"\ud83"),
            ("", ""),
        ] {
            let mut payload = sent.as_bytes().to_vec();
            mend(&mut payload);
            assert_eq!(String::from_utf8(payload).unwrap(), mended);
        }
    }

    #[test]
    fn what_does_not_fit_is_dropped() {
        let text = |value| from_value::<Text>(value).unwrap().0;
        assert_eq!(text(json!("a\u{0}b")).as_deref(), Some("ab"));
        assert_eq!(text(json!(7)).as_deref(), Some("7"));
        for odd in [json!(null), json!([1]), json!({"a": 1})] {
            assert_eq!(text(odd), None);
        }
        let list = |value| from_value::<Last<Text, 2>>(value).unwrap().0.len();
        assert_eq!(list(json!(["a", "b", "c"])), 2);
        assert_eq!(
            list(json!({"a": 1})) + list(json!("x")) + list(json!(null)),
            0
        );
        let pairs = |value| from_value::<Pairs<2>>(value).unwrap().0;
        let expected = vec![("a".to_owned(), "1".to_owned())];
        assert_eq!(pairs(json!({"a": 1, "b": [2]})), expected);
        assert_eq!(pairs(json!([["a", 1], ["b"], 3])), expected);
    }

    #[test]
    fn instants_have_many_forms() {
        let at = |value| {
            from_value::<Instant>(value)
                .unwrap()
                .0
                .map(|at| at.to_string())
        };
        let expected = Some("2026-01-31T15:10:45.5Z".to_owned());
        for form in [
            json!("2026-01-31T15:10:45.5Z"),
            json!("2026-01-31T16:10:45.5+01:00"),
            json!("2026-01-31T15:10:45.5"),
            json!(1769872245.5),
            json!("1769872245.5"),
        ] {
            assert_eq!(at(form.clone()), expected, "{form}");
        }
        for none in [
            json!("9999-99-99"),
            json!(1e300),
            json!("NaN"),
            json!(true),
            json!(""),
        ] {
            assert_eq!(at(none.clone()), None, "{none}");
        }
    }
}
