//! Values as statements take and give them, the same for both engines.

use crate::{Error, Result};
use jiff::{Timestamp, civil::Date};
use serde::{Serialize, de::DeserializeOwned};

/// One parameter or one cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A null; parameters carry the type the engine should assume.
    Null(Type),
    /// A boolean; SQLite keeps 0 and 1.
    Bool(bool),
    /// A 64-bit integer.
    Int(i64),
    /// A finite double.
    Real(f64),
    /// Text without NUL characters.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// An instant in whole microseconds; SQLite keeps the count since 1970.
    Time(Timestamp),
    /// JSON, kept as text in SQLite and `jsonb` in PostgreSQL.
    Json(serde_json::Value),
    /// A list for `in_list`, never a column.
    Ints(Vec<i64>),
    /// A list for `in_list`, never a column.
    Texts(Vec<String>),
}

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// `boolean`
    Bool,
    /// `bigint`
    Int,
    /// `double precision`
    Real,
    /// `text`
    Text,
    /// `bytea`
    Bytes,
    /// `timestamptz`
    Time,
    /// `jsonb`
    Json,
    /// A list of `bigint`.
    Ints,
    /// A list of `text`.
    Texts,
}

/// A serde value stored as JSON.
///
/// Its serialised form must have only string keys, as JSON demands; a value
/// that breaks this is a mistake in the program and panics when bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

/// What can be a parameter.
pub trait IntoValue {
    /// The type a null of this kind has.
    const TYPE: Type;
    /// The parameter.
    fn into_value(self) -> Value;
}

/// What can be read from a cell.
pub trait FromValue: Sized {
    /// Converts a cell, or says which type it had.
    fn from_value(value: Value) -> Result<Self>;
}

/// A statement's parameters, in order: `()`, a tuple, a vector or an array.
pub trait Params {
    /// The parameters as values.
    fn into_values(self) -> Vec<Value>;
}

/// The instant cut to whole microseconds, the precision both engines keep.
pub(crate) fn whole_micros(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(time)
}

impl Value {
    /// The type the engine is told.
    pub fn kind(&self) -> Type {
        match self {
            Value::Null(kind) => *kind,
            Value::Bool(_) => Type::Bool,
            Value::Int(_) => Type::Int,
            Value::Real(_) => Type::Real,
            Value::Text(_) => Type::Text,
            Value::Bytes(_) => Type::Bytes,
            Value::Time(_) => Type::Time,
            Value::Json(_) => Type::Json,
            Value::Ints(_) => Type::Ints,
            Value::Texts(_) => Type::Texts,
        }
    }

    /// Refuses what one of the engines cannot keep, so both refuse alike.
    pub(crate) fn check(&self) -> Result<()> {
        let storable = match self {
            Value::Real(number) => number.is_finite(),
            Value::Text(text) => !text.contains('\0'),
            Value::Texts(texts) => !texts.iter().any(|text| text.contains('\0')),
            Value::Json(json) => !json_has_nul(json),
            _ => true,
        };
        match storable {
            true => Ok(()),
            false => Err(Error::mismatch("a NUL character or a number that is not finite")),
        }
    }
}

fn json_has_nul(json: &serde_json::Value) -> bool {
    match json {
        serde_json::Value::String(text) => text.contains('\0'),
        serde_json::Value::Array(items) => items.iter().any(json_has_nul),
        serde_json::Value::Object(fields) => {
            fields.iter().any(|(key, value)| key.contains('\0') || json_has_nul(value))
        }
        _ => false,
    }
}

macro_rules! into_value {
    ($($from:ty, $kind:ident, |$value:ident| $inner:expr;)*) => {$(
        impl IntoValue for $from {
            const TYPE: Type = Type::$kind;
            fn into_value(self) -> Value {
                let $value = self;
                Value::$kind($inner)
            }
        }
    )*};
}

into_value! {
    bool, Bool, |v| v;
    i64, Int, |v| v;
    i32, Int, |v| v.into();
    u32, Int, |v| v.into();
    f64, Real, |v| v;
    &str, Text, |v| v.to_owned();
    String, Text, |v| v;
    Date, Text, |v| v.to_string();
    Vec<u8>, Bytes, |v| v;
    &[u8], Bytes, |v| v.to_vec();
    Timestamp, Time, |v| whole_micros(v);
    serde_json::Value, Json, |v| v;
    Vec<i64>, Ints, |v| v;
    &[i64], Ints, |v| v.to_vec();
    Vec<String>, Texts, |v| v;
    &[String], Texts, |v| v.to_vec();
}

impl<T: Serialize> IntoValue for Json<T> {
    const TYPE: Type = Type::Json;
    fn into_value(self) -> Value {
        let json = serde_json::to_value(self.0);
        Value::Json(json.expect("stored types serialise with string keys"))
    }
}

impl<T: IntoValue> IntoValue for Option<T> {
    const TYPE: Type = T::TYPE;
    fn into_value(self) -> Value {
        self.map_or(Value::Null(T::TYPE), T::into_value)
    }
}

impl<T: IntoValue + Clone> IntoValue for &T {
    const TYPE: Type = T::TYPE;
    fn into_value(self) -> Value {
        self.clone().into_value()
    }
}

impl IntoValue for Value {
    const TYPE: Type = Type::Text;
    fn into_value(self) -> Value {
        self
    }
}

impl FromValue for Value {
    fn from_value(value: Value) -> Result<Self> {
        Ok(value)
    }
}

fn unexpected<T>(wanted: &str, value: &Value) -> Result<T> {
    let found = match value {
        Value::Null(_) => "null".to_owned(),
        other => format!("{:?}", other.kind()).to_lowercase(),
    };
    Err(Error::mismatch(format!("{wanted} wanted, {found} found")))
}

macro_rules! from_value {
    ($($to:ty, $wanted:literal, { $($pattern:pat $(if $guard:expr)? => $inner:expr),* $(,)? })*) => {$(
        impl FromValue for $to {
            fn from_value(value: Value) -> Result<Self> {
                match value {
                    $($pattern $(if $guard)? => Ok($inner),)*
                    other => unexpected($wanted, &other),
                }
            }
        }
    )*};
}

from_value! {
    bool, "boolean", { Value::Bool(v) => v, Value::Int(v @ 0..=1) => v == 1 }
    i64, "integer", { Value::Int(v) => v }
    f64, "number", { Value::Real(v) => v, Value::Int(v) => v as f64 }
    String, "text", { Value::Text(v) => v }
    Vec<u8>, "bytes", { Value::Bytes(v) => v }
}

impl FromValue for i32 {
    fn from_value(value: Value) -> Result<Self> {
        let wide = i64::from_value(value)?;
        wide.try_into().map_err(|_| Error::mismatch("integer above 32 bits"))
    }
}

impl FromValue for u32 {
    fn from_value(value: Value) -> Result<Self> {
        let wide = i64::from_value(value)?;
        wide.try_into().map_err(|_| Error::mismatch("integer outside 32 unsigned bits"))
    }
}

impl FromValue for Timestamp {
    fn from_value(value: Value) -> Result<Self> {
        match value {
            Value::Time(time) => Ok(time),
            Value::Int(micros) => Timestamp::from_microsecond(micros)
                .map_err(|_| Error::mismatch("time out of range")),
            other => unexpected("time", &other),
        }
    }
}

impl FromValue for Date {
    fn from_value(value: Value) -> Result<Self> {
        let text = String::from_value(value)?;
        text.parse()
            .map_err(|_| Error::mismatch(format!("date wanted, {text:?} found")))
    }
}

impl FromValue for serde_json::Value {
    fn from_value(value: Value) -> Result<Self> {
        Json::from_value(value).map(|json| json.0)
    }
}

impl<T: DeserializeOwned> FromValue for Json<T> {
    fn from_value(value: Value) -> Result<Self> {
        let read = match value {
            Value::Json(json) => serde_json::from_value(json),
            Value::Text(text) => serde_json::from_str(&text),
            other => return unexpected("json", &other),
        };
        read.map(Json).map_err(|error| Error::mismatch(format!("json: {error}")))
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: Value) -> Result<Self> {
        match value {
            Value::Null(_) => Ok(None),
            value => T::from_value(value).map(Some),
        }
    }
}

impl Params for () {
    fn into_values(self) -> Vec<Value> {
        Vec::new()
    }
}

impl Params for Vec<Value> {
    fn into_values(self) -> Vec<Value> {
        self
    }
}

impl<const N: usize> Params for [Value; N] {
    fn into_values(self) -> Vec<Value> {
        self.into()
    }
}

macro_rules! tuple_params {
    ($first:ident $($rest:ident)*) => {
        impl<$first: IntoValue, $($rest: IntoValue),*> Params for ($first, $($rest,)*) {
            #[allow(non_snake_case)]
            fn into_values(self) -> Vec<Value> {
                let ($first, $($rest,)*) = self;
                vec![$first.into_value(), $($rest.into_value()),*]
            }
        }
        tuple_params!($($rest)*);
    };
    () => {};
}

tuple_params!(A B C D E F G H I J K L M N O P Q);
