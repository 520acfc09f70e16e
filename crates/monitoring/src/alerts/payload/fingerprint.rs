//! What tells alerts apart: a digest of values, whatever the order of keys.

use super::Payload;
use super::mapping::Path;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// Bytes of a digest that are kept.
const LENGTH: usize = 20;

/// The digest of a value that is not blank. Lists differ from their elements
/// put together.
pub fn of(value: &Value) -> Option<String> {
    if is_blank(value) {
        return None;
    }
    let mut text = String::new();
    write(value, &mut text);
    Some(hex::encode(&Sha256::digest(text.as_bytes())[..LENGTH]))
}

/// The digest of some fields of a payload, as far as there are any.
pub fn of_fields(payload: &Payload, paths: &[Path]) -> Option<String> {
    let values: Vec<Value> = paths
        .iter()
        .map(|path| path.find(payload).cloned().unwrap_or_default())
        .collect();
    of(&Value::Array(values))
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(values) => values.iter().all(is_blank),
        Value::Object(fields) => fields.values().all(is_blank),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Compact JSON with the keys in order.
fn write(value: &Value, into: &mut String) {
    match value {
        Value::Array(values) => {
            into.push('[');
            for value in values {
                write(value, into);
                into.push(',');
            }
            into.push(']');
        }
        Value::Object(fields) => write_object(fields, into),
        scalar => into.push_str(&scalar.to_string()),
    }
}

fn write_object(fields: &Map<String, Value>, into: &mut String) {
    let mut sorted: Vec<(&String, &Value)> = fields.iter().collect();
    sorted.sort_unstable_by_key(|(key, _)| key.as_str());
    into.push('{');
    for (key, value) in sorted {
        into.push_str(&Value::String(key.clone()).to_string());
        into.push(':');
        write(value, into);
        into.push(',');
    }
    into.push('}');
}
