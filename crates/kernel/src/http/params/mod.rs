//! One reading of parameters, whether they came in the path, the query, a
//! form or JSON (docs/interface/identity.md 8.1).
//!
//! [`params!`](crate::params) declares a struct; each field's type parses and
//! describes itself through [`Param`]. All errors of a request are reported
//! together.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

mod reading;
mod types;

pub use reading::{MAX_DEPTH, insert, parse_form, parse_json};
pub use types::Text;

/// Why a value cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub enum Unusable {
    /// Wrong type: `<name> is invalid`.
    Invalid,
    /// Not one of the allowed values: `<name> does not have a valid value`.
    NotAllowed,
    /// Present but blank where something is needed: `<name> is empty`.
    Empty,
    /// Errors inside a nested value, already complete but for the prefix.
    Nested(Vec<String>),
}

/// A type that can be a parameter.
pub trait Param: Sized {
    /// Reads a value that was sent.
    fn parse(value: &Value) -> Result<Self, Unusable>;
    /// What an absent parameter means; `None` makes it required.
    fn absent() -> Option<Self> {
        None
    }
    /// JSON schema of the value, for OpenAPI.
    fn schema() -> Value;
    /// Reads the field of this name; what is wrong with it is added to `errors`.
    fn read(source: &Source, name: &str, errors: &mut Vec<String>) -> Option<Self> {
        take(source, name, errors)
    }
    /// What it adds to the declared parameters: itself.
    fn declared(name: &'static str, description: &'static str) -> Vec<Field> {
        vec![Field {
            name,
            description,
            schema: Self::schema(),
            required: Self::absent().is_none(),
        }]
    }
}

/// The parameters of another set among those of this one, under their own names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Flat<T>(pub T);

impl<T> std::ops::Deref for Flat<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> std::ops::DerefMut for Flat<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: FromParams> Param for Flat<T> {
    fn parse(value: &Value) -> Result<Self, Unusable> {
        let object = value.as_object().ok_or(Unusable::Invalid)?;
        T::from_params(object).map(Flat).map_err(Unusable::Nested)
    }
    fn schema() -> Value {
        object_schema(&T::fields())
    }
    fn read(source: &Source, _: &str, errors: &mut Vec<String>) -> Option<Self> {
        T::from_params(source).map(Flat).map_err(|inner| errors.extend(inner)).ok()
    }
    fn declared(_: &'static str, _: &'static str) -> Vec<Field> {
        T::fields()
    }
}

/// A set of parameters declared with [`params!`](crate::params).
pub trait FromParams: Sized {
    /// Reads all fields and reports every error at once.
    fn from_params(source: &Map<String, Value>) -> Result<Self, Vec<String>>;
    /// Name, description, schema and requiredness of each field.
    fn fields() -> Vec<Field>;
}

/// One declared parameter, for OpenAPI.
pub struct Field {
    /// Name on the wire.
    pub name: &'static str,
    /// The field's doc comment.
    pub description: &'static str,
    /// Its JSON schema.
    pub schema: Value,
    /// Whether a request without it is refused.
    pub required: bool,
}

/// Declares parameters: `params! { pub struct Create { /// Doc. pub name: String } }`.
///
/// What several sets share is a set of its own, [`Flat`](crate::http::params::Flat) in each:
/// `params! { pub struct Update { pub at: Flat<IssuePath>, pub fields: Flat<IssueInput> } }`.
///
/// A field named like a Rust keyword is written `kind as "type": …`. A set that
/// is also stored or shown derives more, with serde's and schemars' attributes
/// behind the comments of its fields. One with a value, `iid: Option<i64> = None`,
/// is no parameter and begins with that: so a rule's input is a set of parameters
/// that has more than those.
#[macro_export]
macro_rules! params {
    (@wire $field:ident) => { stringify!($field) };
    (@wire $field:ident $wire:literal) => { $wire };
    (@read $source:ident $errors:ident $ty:ty, $wire:expr) => {
        <$ty as $crate::http::params::Param>::read($source, $wire, &mut $errors)
    };
    (@read $source:ident $errors:ident $ty:ty, $wire:expr, $value:expr) => { Some($value) };
    (@declared $ty:ty, $wire:expr, $doc:expr) => {
        <$ty as $crate::http::params::Param>::declared($wire, $doc)
    };
    (@declared $ty:ty, $wire:expr, $doc:expr, $value:expr) => { Vec::new() };
    ($(#[$outer:meta])* $vis:vis struct $name:ident {
        $($(#[doc = $doc:literal])* $(#[serde($($serde:tt)*)])? $(#[schemars($($schema:tt)*)])?
            $fvis:vis $field:ident $(as $wire:literal)? : $ty:ty $(= $value:expr)?),* $(,)?
    }) => {
        $(#[$outer])*
        #[derive(Debug, Clone)]
        $vis struct $name {
            $($(#[doc = $doc])* $(#[serde($($serde)*)])? $(#[schemars($($schema)*)])?
                $fvis $field: $ty),*
        }

        impl $crate::http::params::FromParams for $name {
            fn from_params(
                source: &$crate::http::params::Source,
            ) -> std::result::Result<Self, Vec<String>> {
                let mut errors = Vec::new();
                $(let $field: Option<$ty> = $crate::params!(
                    @read source errors $ty, $crate::params!(@wire $field $($wire)?)
                    $(, $value)?);)*
                match ($($field,)*) {
                    ($(Some($field),)*) if errors.is_empty() => Ok($name { $($field),* }),
                    _ => Err(errors),
                }
            }

            fn fields() -> Vec<$crate::http::params::Field> {
                let declared: Vec<Vec<$crate::http::params::Field>> =
                    vec![$($crate::params!(
                        @declared $ty, $crate::params!(@wire $field $($wire)?),
                        concat!($($doc),*).trim_ascii() $(, $value)?)),*];
                declared.into_iter().flatten().collect()
            }
        }

        impl $crate::http::params::Param for $name {
            fn parse(
                value: &$crate::http::params::Json,
            ) -> std::result::Result<Self, $crate::http::params::Unusable> {
                use $crate::http::params::{FromParams, Unusable};
                let object = value.as_object().ok_or(Unusable::Invalid)?;
                Self::from_params(object).map_err(Unusable::Nested)
            }

            fn schema() -> $crate::http::params::Json {
                $crate::http::params::object_schema(
                    &<Self as $crate::http::params::FromParams>::fields())
            }
        }
    };
}

/// Declares a closed list of values:
/// `choices! { pub enum Sort { Asc = "asc", Desc = "desc" } }`.
///
/// Where the API shows it and other rooms have one of that name, the
/// description's name for it is told: `pub enum Status as "AlertStatus" { … }`.
#[macro_export]
macro_rules! choices {
    (@schema $name:ident) => { stringify!($name) };
    (@schema $name:ident $schema:literal) => { $schema };
    ($(#[$outer:meta])* $vis:vis enum $name:ident $(as $schema:literal)? {
        $($(#[$inner:meta])* $variant:ident = $text:literal),* $(,)?
    }) => {
        $(#[$outer])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        $vis enum $name { $(#[doc = concat!("`", $text, "`.")] $(#[$inner])* $variant),* }

        impl $name {
            /// Every value, in the order declared.
            #[allow(dead_code, reason = "not every list of choices is enumerated")]
            pub const ALL: &'static [$name] = &[$($name::$variant),*];
            /// The value as it is written on the wire and in the database.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }
            /// The value written so, if there is one.
            pub fn from_text(text: &str) -> Option<$name> {
                match text { $($text => Some($name::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(
                &self, serializer: S,
            ) -> std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl $crate::schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $crate::choices!(@schema $name $($schema)?).into()
            }
            // Rooms have lists of the same name; each is described by its own.
            fn schema_id() -> std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($name)).into()
            }
            fn json_schema(
                _: &mut $crate::schemars::SchemaGenerator,
            ) -> $crate::schemars::Schema {
                $crate::schemars::json_schema!({"type": "string", "enum": [$($text),*]})
            }
        }

        impl $crate::http::params::Param for $name {
            fn parse(
                value: &$crate::http::params::Json,
            ) -> std::result::Result<Self, $crate::http::params::Unusable> {
                value.as_str().and_then($name::from_text)
                    .ok_or($crate::http::params::Unusable::NotAllowed)
            }
            fn schema() -> $crate::http::params::Json {
                $crate::serde_json::json!({"type": "string", "enum": [$($text),*]})
            }
        }

        impl store::IntoValue for $name {
            const TYPE: store::Type = store::Type::Text;
            fn into_value(self) -> store::Value { store::Value::Text(self.as_str().to_owned()) }
        }

        impl store::FromValue for $name {
            fn from_value(value: store::Value) -> store::Result<Self> {
                let text = <String as store::FromValue>::from_value(value)?;
                $name::from_text(&text).ok_or_else(|| store::Error::Engine(
                    format!(concat!("unknown ", stringify!($name), " {}"), text)))
            }
        }
    };
}

/// Merged parameters of one request.
pub type Source = Map<String, Value>;
/// A JSON value, named here for the macros.
pub type Json = Value;

/// Reads one field; what is wrong with it is added to `errors`.
pub fn take<T: Param>(source: &Source, name: &str, errors: &mut Vec<String>) -> Option<T> {
    let Some(value) = source.get(name) else {
        let absent = T::absent();
        if absent.is_none() {
            errors.push(format!("{name} is missing"));
        }
        return absent;
    };
    match T::parse(value) {
        Ok(parsed) => return Some(parsed),
        Err(Unusable::Invalid) => errors.push(format!("{name} is invalid")),
        Err(Unusable::NotAllowed) => errors.push(format!("{name} does not have a valid value")),
        Err(Unusable::Empty) => errors.push(format!("{name} is empty")),
        Err(Unusable::Nested(inner)) => {
            errors.extend(inner.into_iter().map(|text| nested_name(name, &text)));
        }
    }
    None
}

/// The value of a field that offers these, each with what it is called: the
/// first where nothing is sent, and a refusal of what is not among them.
pub fn one_of(
    name: &str, sent: Option<&str>, offered: &[(&'static str, &str)],
) -> crate::error::Result<&'static str> {
    let sent = sent.unwrap_or_default();
    let known = offered.iter().find(|(value, _)| *value == sent);
    match known.or(offered.first().filter(|_| sent.is_empty())) {
        Some((value, _)) => Ok(value),
        None => Err(crate::error::Error::BadRequest(format!("{name} does not have a valid value"))),
    }
}

fn nested_name(outer: &str, text: &str) -> String {
    let (field, rest) = text.split_once(' ').unwrap_or((text, ""));
    let (head, tail) = match field.split_once('[') {
        Some((head, tail)) => (head, format!("[{tail}")),
        None => (field, String::new()),
    };
    format!("{outer}[{head}]{tail} {rest}")
}

/// Schema of an object with these fields.
pub fn object_schema(fields: &[Field]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields {
        let mut schema = field.schema.clone();
        if let (Some(object), false) = (schema.as_object_mut(), field.description.is_empty()) {
            object.insert("description".into(), json!(field.description));
        }
        properties.insert(field.name.to_owned(), schema);
        if field.required {
            required.push(field.name);
        }
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// A parameter of an update: not sent, sent as null, or sent with a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Patch<T> {
    /// Leave it as it is.
    #[default]
    Absent,
    /// Set it to nothing.
    Null,
    /// Set it to this.
    Value(T),
}

impl<T> Patch<T> {
    /// What the field becomes, given what it is.
    pub fn over(self, current: Option<T>) -> Option<T> {
        match self {
            Patch::Absent => current,
            Patch::Null => None,
            Patch::Value(value) => Some(value),
        }
    }

    /// Sets it to what is given, if something is.
    pub fn given(value: Option<T>) -> Patch<T> {
        value.map_or(Patch::Absent, Patch::Value)
    }

    /// The same of a borrowed value.
    pub fn as_ref(&self) -> Patch<&T> {
        match self {
            Patch::Absent => Patch::Absent,
            Patch::Null => Patch::Null,
            Patch::Value(value) => Patch::Value(value),
        }
    }

    /// The same with another value, unless that cannot be made.
    pub fn try_map<U, E>(self, work: impl FnOnce(T) -> Result<U, E>) -> Result<Patch<U>, E> {
        Ok(match self {
            Patch::Absent => Patch::Absent,
            Patch::Null => Patch::Null,
            Patch::Value(value) => Patch::Value(work(value)?),
        })
    }

    /// What was sent, if it was: null is none.
    pub fn sent(self) -> Option<Option<T>> {
        match self {
            Patch::Absent => None,
            Patch::Null => Some(None),
            Patch::Value(value) => Some(Some(value)),
        }
    }

    /// The same with another value.
    pub fn map<U>(self, work: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Patch::Absent => Patch::Absent,
            Patch::Null => Patch::Null,
            Patch::Value(value) => Patch::Value(work(value)),
        }
    }
}

/// Nothing is null: what a form sends is the whole of a thing.
impl<T> From<Option<T>> for Patch<T> {
    fn from(given: Option<T>) -> Patch<T> {
        given.map_or(Patch::Null, Patch::Value)
    }
}

/// In a struct with `#[serde(default)]`.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let value = Option::<T>::deserialize(from)?;
        Ok(value.map_or(Patch::Null, Patch::Value))
    }
}

impl<T: Param> Param for Patch<T> {
    fn parse(value: &Value) -> Result<Self, Unusable> {
        match Option::<T>::parse(value)? {
            Some(value) => Ok(Patch::Value(value)),
            None => Ok(Patch::Null),
        }
    }
    fn absent() -> Option<Self> {
        Some(Patch::Absent)
    }
    fn schema() -> Value {
        nullable(T::schema())
    }
}

fn nullable(mut schema: Value) -> Value {
    if let Some(Value::String(kind)) = schema.get("type").cloned() {
        schema["type"] = json!([kind, "null"]);
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.push(Value::Null);
    }
    schema
}

#[cfg(test)]
mod tests;
