//! A bounded reader of YAML: a tree of values that know where they stand.

mod parse;
mod scalar;
mod write;

use indexmap::IndexMap;

pub use crate::message::Place;
pub(crate) use parse::{Documents, parse};
pub(crate) use scalar::float_text;
pub(crate) use write::write;

/// A value and where it is written; the value of a key stands where its key does.
#[derive(Clone, Debug)]
pub struct Node {
    pub value: Value,
    pub at: Place,
}

/// Keys in the order they are written.
pub type Map = IndexMap<String, Node>;

/// What YAML 1.1 makes of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Map(Map),
    /// `!reference [a, b]`, until it is replaced by what it points to.
    Reference(Vec<String>),
}

/// Two nodes are equal if their values are, wherever they stand.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// What one value costs besides its text, against [`crate::Limits`].
const NODE_COST: usize = 40;

impl Node {
    pub fn new(value: Value, at: Place) -> Self {
        Self { value, at }
    }

    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn map(&self) -> Option<&Map> {
        match &self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    pub fn list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        self.value == Value::Null
    }

    /// A text, number or boolean as the text that a variable gets.
    pub fn scalar_text(&self) -> Option<String> {
        match &self.value {
            Value::Text(text) => Some(text.clone()),
            Value::Int(number) => Some(number.to_string()),
            Value::Float(number) => Some(float_text(*number)),
            Value::Bool(flag) => Some(flag.to_string()),
            _ => None,
        }
    }

    /// What this and everything below it counts against the limits.
    pub(crate) fn size(&self) -> usize {
        NODE_COST
            + match &self.value {
                Value::Text(text) => text.len(),
                Value::List(items) => items.iter().map(Node::size).sum(),
                Value::Map(map) => map.iter().map(|(key, node)| key.len() + node.size()).sum(),
                Value::Reference(path) => path.iter().map(String::len).sum(),
                _ => 0,
            }
    }
}

/// Lays `over` over `base`: maps deep, everything else is replaced.
pub(crate) fn merge_deep(base: &mut Map, over: Map) {
    for (key, node) in over {
        match base.get_mut(&key) {
            Some(Node { value: Value::Map(below), at }) if node.map().is_some() => {
                *at = node.at;
                if let Value::Map(above) = node.value {
                    merge_deep(below, above);
                }
            }
            Some(replaced) => *replaced = node,
            None => {
                base.insert(key, node);
            }
        }
    }
}

impl Node {
    /// As JSON, for what is handed on as it is written.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(flag) => (*flag).into(),
            Value::Int(number) => (*number).into(),
            Value::Float(number) => (*number).into(),
            Value::Text(text) => text.as_str().into(),
            Value::List(items) => items.iter().map(Node::to_json).collect(),
            Value::Map(map) => {
                Json::Object(map.iter().map(|(key, node)| (key.clone(), node.to_json())).collect())
            }
            Value::Reference(path) => path.iter().map(String::as_str).collect(),
        }
    }
}
