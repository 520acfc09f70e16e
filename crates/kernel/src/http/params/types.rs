//! How the usual types are read as parameters.

use super::{Param, Unusable};
use crate::time::{Date, Timestamp};
use serde_json::{Map, Value, json};

impl<T: Param> Param for Option<T> {
    fn parse(value: &Value) -> Result<Self, Unusable> {
        match value {
            Value::Null => Ok(None),
            // A blank field of a form is «not given» unless text is wanted.
            Value::String(text) if text.is_empty() => match T::parse(value) {
                Ok(parsed) => Ok(Some(parsed)),
                Err(_) => Ok(None),
            },
            other => T::parse(other).map(Some),
        }
    }
    fn absent() -> Option<Self> {
        Some(None)
    }
    fn schema() -> Value {
        T::schema()
    }
}

impl Param for String {
    fn parse(value: &Value) -> Result<Self, Unusable> {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            _ => return Err(Unusable::Invalid),
        };
        // PostgreSQL cannot hold NUL in text, so nobody may send it.
        if text.contains('\0') {
            Err(Unusable::Invalid)
        } else {
            Ok(text)
        }
    }
    fn schema() -> Value {
        json!({"type": "string"})
    }
}

/// A text field of a form: empty where it was not sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text(pub String);

impl std::ops::Deref for Text {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Param for Text {
    fn parse(value: &Value) -> Result<Self, Unusable> {
        Option::<String>::parse(value).map(|text| Text(text.unwrap_or_default()))
    }
    fn absent() -> Option<Self> {
        Some(Text::default())
    }
    fn schema() -> Value {
        String::schema()
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text(text)
    }
}

impl Param for i64 {
    fn parse(value: &Value) -> Result<Self, Unusable> {
        match value {
            Value::Number(number) => number.as_i64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
        .ok_or(Unusable::Invalid)
    }
    fn schema() -> Value {
        json!({"type": "integer", "format": "int64"})
    }
}

impl Param for f64 {
    fn parse(value: &Value) -> Result<Self, Unusable> {
        match value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
        .filter(|number: &f64| number.is_finite())
        .ok_or(Unusable::Invalid)
    }
    fn schema() -> Value {
        json!({"type": "number"})
    }
}

impl Param for bool {
    fn parse(value: &Value) -> Result<Self, Unusable> {
        match value {
            Value::Bool(flag) => Ok(*flag),
            Value::Null => Ok(false),
            Value::Number(number) if number.as_i64() == Some(1) => Ok(true),
            Value::Number(number) if number.as_i64() == Some(0) => Ok(false),
            Value::String(text) => match text.to_ascii_lowercase().as_str() {
                "true" | "1" | "on" | "yes" => Ok(true),
                "false" | "0" | "off" | "no" => Ok(false),
                _ => Err(Unusable::Invalid),
            },
            _ => Err(Unusable::Invalid),
        }
    }
    fn schema() -> Value {
        json!({"type": "boolean"})
    }
}

impl Param for Date {
    fn parse(value: &Value) -> Result<Self, Unusable> {
        let text = value.as_str().ok_or(Unusable::Invalid)?;
        let day = text.get(..10).ok_or(Unusable::Invalid)?;
        if text.len() > 10 && text.parse::<Timestamp>().is_err() {
            return Err(Unusable::Invalid);
        }
        day.parse().map_err(|_| Unusable::Invalid)
    }
    fn schema() -> Value {
        json!({"type": "string", "format": "date"})
    }
}

impl Param for Timestamp {
    fn parse(value: &Value) -> Result<Self, Unusable> {
        let text = value.as_str().ok_or(Unusable::Invalid)?;
        if let Ok(at) = text.parse::<Timestamp>() {
            return Timestamp::from_microsecond(at.as_microsecond()).map_err(|_| Unusable::Invalid);
        }
        // A space for «+» in an unescaped offset, and bare dates, are common.
        text.replace(' ', "+")
            .parse()
            .or_else(|_| Date::parse(value).map(crate::time::start_of))
    }
    fn schema() -> Value {
        json!({"type": "string", "format": "date-time"})
    }
}

impl<T: Param> Param for Vec<T> {
    fn parse(value: &Value) -> Result<Self, Unusable> {
        match value {
            Value::Array(items) if is_one_blank(items) => Ok(Vec::new()),
            Value::Array(items) => items.iter().map(T::parse).collect(),
            Value::String(text) if text.is_empty() => Ok(Vec::new()),
            Value::String(text) => text
                .split(',')
                .map(|part| T::parse(&Value::String(part.trim().to_owned())))
                .collect(),
            // `v[0][key]=…` arrives as an object whose keys are indexes.
            Value::Object(items) if items.keys().all(|key| key.parse::<usize>().is_ok()) => {
                let mut indexed: Vec<_> = items.iter().collect();
                indexed.sort_by_key(|(key, _)| key.parse::<usize>().unwrap_or(usize::MAX));
                indexed.into_iter().map(|(_, item)| T::parse(item)).collect()
            }
            Value::Number(_) => T::parse(value).map(|one| vec![one]),
            _ => Err(Unusable::Invalid),
        }
    }
    fn schema() -> Value {
        json!({"type": "array", "items": T::schema()})
    }
}

/// Whether it is `v[]=`: forms have no other way to send an empty list.
fn is_one_blank(items: &[Value]) -> bool {
    matches!(items, [Value::String(one)] if one.is_empty())
}

impl Param for Map<String, Value> {
    fn parse(value: &Value) -> Result<Self, Unusable> {
        value.as_object().cloned().ok_or(Unusable::Invalid)
    }
    fn schema() -> Value {
        json!({"type": "object"})
    }
}
