//! Queries, forms and JSON bodies, read into one source of parameters.

use super::Source;
use crate::error::{Error, Result};
use serde_json::{Map, Value};

/// Nesting of `a[b][c]…` and of JSON bodies past which a request is refused.
pub const MAX_DEPTH: usize = 64;
/// Parameters past which a request is refused.
const MAX_PAIRS: usize = 10_000;

/// Reads `a=1&b[]=2&c[k]=v` (RFC 1866 form encoding with bracketed keys).
/// Bytes that are not UTF-8 are refused, never replaced.
pub fn parse_form(text: &[u8], into: &mut Source) -> Result<()> {
    if percent_encoding::percent_decode(text).decode_utf8().is_err() {
        return Err(Error::BadRequest("the parameters are not UTF-8".into()));
    }
    for (count, (key, value)) in url::form_urlencoded::parse(text).enumerate() {
        if count >= MAX_PAIRS {
            return Err(Error::BadRequest("too many parameters".into()));
        }
        insert(into, &key, Value::String(value.into_owned()))?;
    }
    Ok(())
}

/// Puts one value under a bracketed key.
pub fn insert(into: &mut Source, key: &str, value: Value) -> Result<()> {
    let (head, rest) = match key.find('[') {
        Some(at) if at > 0 => key.split_at(at),
        _ => (key, ""),
    };
    let parts: Vec<&str> = rest
        .split('[')
        .skip(1)
        .map(|part| part.strip_suffix(']').unwrap_or(part))
        .collect();
    if parts.len() > MAX_DEPTH {
        return Err(Error::BadRequest("parameters are nested too deeply".into()));
    }
    let slot = into.entry(head).or_insert(Value::Null);
    place(slot, &parts, value);
    Ok(())
}

fn place(slot: &mut Value, parts: &[&str], value: Value) {
    let Some((first, rest)) = parts.split_first() else {
        *slot = value;
        return;
    };
    if first.is_empty() {
        if !slot.is_array() {
            *slot = Value::Array(Vec::new());
        }
        let Value::Array(items) = slot else { return };
        // `v[][a]=1&v[][b]=2` fills one object until a key repeats.
        let extends = rest.first().is_some_and(|key| {
            items
                .last()
                .and_then(Value::as_object)
                .is_some_and(|last| !last.contains_key(*key))
        });
        if !extends {
            items.push(Value::Null);
        }
        if let Some(last) = items.last_mut() {
            place(last, rest, value);
        }
        return;
    }
    if !slot.is_object() {
        *slot = Value::Object(Map::new());
    }
    if let Value::Object(fields) = slot {
        place(fields.entry(*first).or_insert(Value::Null), rest, value);
    }
}

/// Merges a JSON body; its root must be an object of bounded depth.
pub fn parse_json(text: &[u8], into: &mut Source) -> Result<()> {
    if text.iter().all(u8::is_ascii_whitespace) {
        return Ok(());
    }
    let value: Value = serde_json::from_slice(text)
        .map_err(|_| Error::BadRequest("the body is not valid JSON".into()))?;
    let Value::Object(fields) = value else {
        return Err(Error::BadRequest("the body must be a JSON object".into()));
    };
    if fields.values().any(|value| depth(value) >= MAX_DEPTH) {
        return Err(Error::BadRequest("the body is nested too deeply".into()));
    }
    into.extend(fields);
    Ok(())
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}
