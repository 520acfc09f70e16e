//! The scalars of the language and of every room, and global IDs
//! (docs/interface/graphql.md 6).

use super::build::Graph;
use super::shape::{Answer, HasTypeRef, Leaf, Plain, Required, Shape};
use super::types::TypeRef;
use super::uploads;
use crate::time::{Date, Timestamp, start_of};
use serde_json::{Value as Json, json};

/// `String`.
pub const STRING: Leaf<String> = Leaf::new("String", Json::String);
/// `Boolean`.
pub const BOOLEAN: Leaf<bool> = Leaf::new("Boolean", Json::Bool);
/// `Int`, 32 bits; larger numbers are cut to the largest.
pub const INT: Leaf<i64> =
    Leaf::new("Int", |n: i64| json!(n.clamp(i64::from(i32::MIN), i64::from(i32::MAX))));
/// `Float`.
pub const FLOAT: Leaf<f64> = Leaf::new("Float", |n| json!(n));
/// `ID`.
pub const ID: Leaf<String> = Leaf::new("ID", Json::String);
/// `Time`: ISO 8601 in UTC, whole seconds.
pub const TIME: Leaf<Timestamp> = Leaf::new("Time", |at: Timestamp| json!(format!("{at:.0}")));
/// `Date`.
pub const DATE: Leaf<Date> = Leaf::new("Date", |on: Date| json!(on.to_string()));
/// `BigInt`: a string of digits.
pub const BIG_INT: Leaf<i64> = Leaf::new("BigInt", |n: i64| json!(n.to_string()));
/// `JSON`: any value.
pub const JSON: Leaf<Json> = Leaf::new("JSON", |value| value);

macro_rules! plain {
    ($($ty:ty => $leaf:ident),*) => {$(
        impl Plain for $ty {
            type Shape = Required<Leaf<$ty>>;

            fn shape() -> Self::Shape {
                $leaf.required()
            }
        }

        impl Plain for Option<$ty> {
            type Shape = Leaf<$ty>;

            fn shape() -> Self::Shape {
                $leaf
            }
        }
    )*};
}

plain!(String => STRING, i64 => INT, bool => BOOLEAN, Timestamp => TIME);

/// What every global ID starts with.
const PREFIX: &str = "gid://";
/// The application's part of our global IDs.
const APP: &str = "service";
/// Longest part of a global ID, in bytes.
const MAX_PART: usize = 64;

/// A scalar such as `ProjectID`, whose values name one row of one model.
#[derive(Debug, Clone, Copy)]
pub struct GlobalId {
    /// Name of the scalar.
    pub scalar: &'static str,
    /// Model in the ID, such as `Packages::Package`.
    pub model: &'static str,
}

impl GlobalId {
    /// The scalar of a model.
    pub const fn new(scalar: &'static str, model: &'static str) -> GlobalId {
        GlobalId { scalar, model }
    }

    /// The ID of a row.
    pub fn of(&self, id: i64) -> String {
        format!("{PREFIX}{APP}/{}/{id}", self.model)
    }

    /// The ID of what is no row, by a name of its own.
    pub fn of_name(&self, name: &str) -> String {
        format!("{PREFIX}{APP}/{}/{name}", self.model)
    }

    /// The row that a text names; an ID that no row can have reads as 0, which
    /// is never found.
    pub fn read(&self, text: &str) -> Result<i64, String> {
        let (model, id) = split(text)?;
        if model != self.model {
            let of = self.model;
            return Err(format!("{text:?} does not represent an instance of {of}"));
        }
        Ok(id.parse().ok().filter(|id| *id > 0).unwrap_or(0))
    }

    /// The ID as an output of type `ID`, as `Node` promises it.
    pub const fn node(self) -> NodeId {
        NodeId(self)
    }

    /// Declares the scalar. As an argument it reads as the row's number.
    pub fn register(self, graph: &mut Graph) {
        let of = self.model;
        let text = format!("A global ID of {of}, such as `{}`.", self.of(1));
        graph.scalar(self.scalar, &text, move |given| match given {
            Json::String(text) => self.read(text).map(|id| json!(id)).map_err(Some),
            Json::Number(number) => Err(Some(bad(&number.to_string()))),
            _ => Err(None),
        });
    }
}

impl HasTypeRef for GlobalId {
    fn type_ref(&self) -> TypeRef {
        TypeRef::named(self.scalar)
    }
}

impl Shape for GlobalId {
    type Value = Option<i64>;

    fn answer(&self, value: Option<i64>) -> Answer {
        value.map_or(Answer::Null, |id| Answer::Value(json!(self.of(id))))
    }
}

/// The `id` of what implements `Node`; see [`GlobalId::node`].
#[derive(Debug, Clone, Copy)]
pub struct NodeId(GlobalId);

impl HasTypeRef for NodeId {
    fn type_ref(&self) -> TypeRef {
        ID.type_ref()
    }
}

impl Shape for NodeId {
    type Value = Option<i64>;

    fn answer(&self, value: Option<i64>) -> Answer {
        self.0.answer(value)
    }
}

fn bad(text: &str) -> String {
    format!("{text:?} is not a valid Global ID")
}

/// Model and number of a global ID of ours.
pub fn split(text: &str) -> Result<(&str, &str), String> {
    let (app, model, id) = parts(text).ok_or_else(|| bad(text))?;
    if app != APP {
        return Err(format!("{text:?} is not a Service Global ID"));
    }
    Ok((model, id))
}

/// Application, model and number of what is written like a global ID.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let (app, rest) = text.strip_prefix(PREFIX)?.split_once('/')?;
    let (model, id) = rest.split_once('/')?;
    let word = |part: &str, marks: &[u8]| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || marks.contains(&byte);
        !part.is_empty() && part.len() <= MAX_PART && part.bytes().all(fits)
    };
    let whole = word(app, b"-") && word(model, b"_:") && word(id, b"-._~");
    whole.then_some((app, model, id))
}

/// The five scalars of the language.
pub(super) fn builtin(graph: &mut Graph) {
    graph.scalar("String", "Text.", |given| match given {
        Json::String(_) => Ok(given.clone()),
        _ => Err(None),
    });
    graph.scalar("Boolean", "True or false.", |given| match given {
        Json::Bool(_) => Ok(given.clone()),
        _ => Err(None),
    });
    graph.scalar("Int", "A whole number of 32 bits.", |given| {
        let number = given.as_i64().filter(|number| i32::try_from(*number).is_ok());
        number.map(|number| json!(number)).ok_or(None)
    });
    graph.scalar("Float", "A number.", |given| match given {
        Json::Number(number) => number.as_f64().map(|number| json!(number)).ok_or(None),
        _ => Err(None),
    });
    graph.scalar("ID", "What names an object; text or a whole number.", |given| match given {
        Json::String(_) => Ok(given.clone()),
        Json::Number(number) if number.is_i64() || number.is_u64() => Ok(json!(number.to_string())),
        _ => Err(None),
    });
}

/// The scalars that several rooms use.
pub(super) fn common(graph: &mut Graph) {
    graph.scalar("Time", "A time in ISO 8601; as input also a date.", |given| {
        let text = given.as_str().ok_or(None)?;
        let at = text.parse::<Timestamp>().ok();
        let at = at.or_else(|| text.parse::<Date>().ok().map(start_of));
        at.map(|at| json!(at.to_string())).ok_or(None)
    });
    for name in ["Date", "ISO8601Date"] {
        graph.scalar(name, "A date in ISO 8601.", |given| {
            let text = given.as_str().filter(|text| text.len() == 10).ok_or(None)?;
            let on = text.parse::<Date>().map_err(|_| None)?;
            Ok(json!(on.to_string()))
        });
    }
    graph.scalar("Duration", "Seconds, with fractions.", |given| match given {
        Json::Number(_) => Ok(given.clone()),
        _ => Err(None),
    });
    graph.scalar("BigInt", "A whole number as a string of digits.", |given| {
        let text = match given {
            Json::Number(number) => number.to_string(),
            Json::String(text) => text.clone(),
            _ => return Err(None),
        };
        text.parse::<i64>().map(|n| json!(n.to_string())).map_err(|_| None)
    });
    let of = "A file, sent as a part of a multipart request.";
    graph.scalar(uploads::UPLOAD, of, |given| match uploads::is_key(given) {
        true => Ok(given.clone()),
        false => Err(Some("Send the file as a part of a multipart request".to_owned())),
    });
    graph.scalar("JSON", "Any JSON value.", |given| Ok(given.clone()));
    graph.scalar("JsonString", "A JSON value as text.", |given| {
        let text = given.as_str().ok_or(None)?;
        match serde_json::from_str::<Json>(text) {
            Ok(_) => Ok(given.clone()),
            Err(_) => Err(Some("Invalid JSON string".to_owned())),
        }
    });
}
