//! What a pipeline is given for the inputs that its file declares.

use pipeline_file::yaml::{Map, Node, Place, Value};
use serde_json::Value as Json;

/// Inputs by their names, as they are sent.
pub type Inputs = serde_json::Map<String, Json>;

/// Inputs that one pipeline may be given.
pub const MOST: usize = 20;

/// The same as files have them.
pub(super) fn nodes(given: &Inputs) -> Map {
    given.iter().map(|(name, value)| (name.clone(), node(value))).collect()
}

fn node(json: &Json) -> Node {
    let value = match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => Value::Int(whole),
            None => Value::Float(number.as_f64().unwrap_or_default()),
        },
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(items) => Value::List(items.iter().map(node).collect()),
        Json::Object(map) => Value::Map(nodes(map)),
    };
    Node::new(value, Place::default())
}
