//! Parts of an event that may have any type: what does not fit is dropped,
//! never refused, since SDKs of all ages send them (docs/interface/monitoring.md 6.4).
//!
//! Values are taken as they are read, without a tree of them, so a hostile
//! event costs little more memory than its bytes.

use kernel::time::Timestamp;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

/// Replaces halves of characters, which readers of JSON refuse: scripts count
/// the two halves apart, and cut long texts between them.
pub fn mend(payload: &mut [u8]) {
    let mut at = 0;
    while let Some(next) = payload.get(at..).and_then(|rest| rest.iter().position(|b| *b == b'\\'))
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

/// One JSON value as far as it has no parts.
pub enum Scalar {
    /// Without null characters: databases cannot hold them.
    Text(String),
    Whole(i64),
    Real(f64),
    Flag(bool),
}

/// What is read from the forms of values that it knows; others make the
/// default.
pub trait Lenient<'de>: Default {
    fn of_scalar(_: Scalar) -> Self {
        Self::default()
    }

    fn of_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }

    fn of_object<A: MapAccess<'de>>(mut object: A) -> Result<Self, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

pub fn read<'de, T: Lenient<'de>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    from.deserialize_any(AnyForm(PhantomData))
}

/// Has serde read a type by its forms.
macro_rules! lenient {
    ($ty:ident) => { $crate::errors::lenient::lenient!([] $ty); };
    ([$($generics:tt)*] $ty:ty) => {
        impl<'de, $($generics)*> serde::Deserialize<'de> for $ty {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::errors::lenient::read(from)
            }
        }
    };
}
pub(super) use lenient;

struct AnyForm<T>(PhantomData<T>);

macro_rules! scalars {
    ($($visit:ident($ty:ty) => $make:expr;)*) => {
        $(fn $visit<E>(self, value: $ty) -> Result<T, E> {
            let make: fn($ty) -> Scalar = $make;
            Ok(T::of_scalar(make(value)))
        })*
    };
}

impl<'de, T: Lenient<'de>> Visitor<'de> for AnyForm<T> {
    type Value = T;

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

    fn visit_unit<E>(self) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<T, A::Error> {
        T::of_list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<T, A::Error> {
        T::of_object(object)
    }
}

/// Text; numbers and booleans become text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text(pub Option<String>);

lenient!(Text);

impl Lenient<'_> for Text {
    fn of_scalar(sent: Scalar) -> Text {
        Text(Some(match sent {
            Scalar::Text(text) => text,
            Scalar::Whole(number) => number.to_string(),
            Scalar::Real(number) => number.to_string(),
            Scalar::Flag(flag) => flag.to_string(),
        }))
    }
}

impl Text {
    /// The text unless it is blank.
    pub fn filled(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.trim().is_empty())
    }
}

/// Text of at most `MAX` characters; blank is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Short<const MAX: usize>(pub String);

lenient!([const MAX: usize] Short<MAX>);

impl<const MAX: usize> Lenient<'_> for Short<MAX> {
    fn of_scalar(sent: Scalar) -> Self {
        let text = Text::of_scalar(sent);
        let letters = text.filled().unwrap_or_default().chars();
        Short(letters.take(MAX).collect())
    }
}

impl<const MAX: usize> Deref for Short<MAX> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> fmt::Display for Short<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A number, or text that is one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Whole(pub Option<i64>);

lenient!(Whole);

impl Lenient<'_> for Whole {
    fn of_scalar(sent: Scalar) -> Whole {
        Whole(match sent {
            Scalar::Text(text) => text.trim().parse().ok(),
            Scalar::Whole(number) => Some(number),
            _ => None,
        })
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flag(pub Option<bool>);

lenient!(Flag);

impl Lenient<'_> for Flag {
    fn of_scalar(sent: Scalar) -> Flag {
        Flag(match sent {
            Scalar::Flag(flag) => Some(flag),
            _ => None,
        })
    }
}

/// An instant: RFC 3339, without an offset too, or seconds since 1970 as a
/// number or digits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Instant(pub Option<Timestamp>);

lenient!(Instant);

impl Lenient<'_> for Instant {
    fn of_scalar(sent: Scalar) -> Instant {
        Instant(match sent {
            Scalar::Text(text) => instant_of(text.trim()),
            Scalar::Whole(number) => Timestamp::from_second(number).ok(),
            Scalar::Real(number) => instant_of_seconds(number),
            Scalar::Flag(_) => None,
        })
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

/// An object; anything else is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Maybe<T>(pub Option<T>);

lenient!([T: DeserializeOwned + Default] Maybe<T>);

impl<'de, T: DeserializeOwned + Default> Lenient<'de> for Maybe<T> {
    fn of_object<A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(object)).map(|value| Maybe(Some(value)))
    }
}

/// The last `MAX` elements of a list; anything else is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Last<T, const MAX: usize>(pub VecDeque<T>);

lenient!([T: DeserializeOwned + Default, const MAX: usize] Last<T, MAX>);

impl<'de, T: DeserializeOwned + Default, const MAX: usize> Lenient<'de> for Last<T, MAX> {
    fn of_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut last = VecDeque::new();
        while let Some(one) = list.next_element()? {
            if last.len() == MAX {
                last.pop_front();
            }
            last.push_back(one);
        }
        Ok(Last(last))
    }
}

impl<T, const MAX: usize> Last<Maybe<T>, MAX> {
    pub fn into_objects(self) -> Vec<T> {
        self.0.into_iter().filter_map(|Maybe(one)| one).collect()
    }
}

/// The last `MAX` objects of a list, bare or in `values`; anything else is
/// empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values<T, const MAX: usize>(pub Last<Maybe<T>, MAX>);

lenient!([T: DeserializeOwned + Default, const MAX: usize] Values<T, MAX>);

impl<'de, T: DeserializeOwned + Default, const MAX: usize> Lenient<'de> for Values<T, MAX> {
    fn of_list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        Last::of_list(list).map(Values)
    }

    fn of_object<A: MapAccess<'de>>(mut object: A) -> Result<Self, A::Error> {
        let mut held = Values::default();
        while let Some(Text(key)) = object.next_key()? {
            match key.as_deref() {
                Some("values") => held = Values(object.next_value()?),
                _ => drop(object.next_value::<IgnoredAny>()?),
            }
        }
        Ok(held)
    }
}

impl<T, const MAX: usize> Values<T, MAX> {
    pub fn into_vec(self) -> Vec<T> {
        self.0.into_objects()
    }
}

/// The first `MAX` pairs of an object or of a list of pairs, each as text;
/// anything else is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pairs<const MAX: usize>(pub Vec<(String, String)>);

lenient!([const MAX: usize] Pairs<MAX>);

impl<const MAX: usize> Pairs<MAX> {
    fn add(&mut self, pair: (Option<String>, Option<String>)) {
        if let ((Some(key), Some(value)), true) = (pair, self.0.len() < MAX) {
            self.0.push((key, value));
        }
    }
}

impl<'de, const MAX: usize> Lenient<'de> for Pairs<MAX> {
    fn of_object<A: MapAccess<'de>>(mut object: A) -> Result<Self, A::Error> {
        let mut pairs = Pairs::default();
        while let Some((Text(key), Text(value))) = object.next_entry()? {
            pairs.add((key, value));
        }
        Ok(pairs)
    }

    fn of_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut pairs = Pairs::default();
        while let Some(Last(pair)) = list.next_element::<Last<Text, 2>>()? {
            let mut parts = pair.into_iter().map(|Text(text)| text);
            pairs.add((parts.next().flatten(), parts.next().flatten()));
        }
        Ok(pairs)
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
            (r#"["\ud83d\u0041","\ud83d\n"]"#, r#"["\ufffd\u0041","\ufffd\n"]"#),
            (r#"["\\ud83d","\u00e4 \u+d83"]"#, r#"["\\ud83d","\u00e4 \u+d83"]"#),
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
        let short = |value| from_value::<Short<3>>(value).unwrap().0;
        assert_eq!(short(json!("äbcd")), "äbc");
        assert_eq!(short(json!(" \n")) + &short(json!([1])), "");
        let list = |value| from_value::<Last<Text, 2>>(value).unwrap().0.len();
        assert_eq!(list(json!(["a", "b", "c"])), 2);
        assert_eq!(list(json!({"a": 1})) + list(json!("x")) + list(json!(null)), 0);
        let pairs = |value| from_value::<Pairs<2>>(value).unwrap().0;
        let expected = vec![("a".to_owned(), "1".to_owned())];
        assert_eq!(pairs(json!({"a": 1, "b": [2]})), expected);
        assert_eq!(pairs(json!([["a", 1], ["b"], 3])), expected);
    }

    #[test]
    fn instants_have_many_forms() {
        let at = |value| from_value::<Instant>(value).unwrap().0.map(|at| at.to_string());
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
        for none in [json!("9999-99-99"), json!(1e300), json!("NaN"), json!(true), json!("")] {
            assert_eq!(at(none.clone()), None, "{none}");
        }
    }
}
