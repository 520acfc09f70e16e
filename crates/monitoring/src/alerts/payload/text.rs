//! Values as text of bounded length.

use crate::alerts::model::MAX_HOSTS;
use serde_json::Value;

/// What stands for the end of a text that was cut.
const CUT: &str = "...";

/// A value as text: scalars as they are written, others as compact JSON;
/// nothing of null and of blank text.
pub fn of(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    (!text.trim().is_empty()).then_some(text)
}

/// Text on one line of at most so many characters: what is cut ends in dots,
/// control characters become spaces.
pub fn line(text: &str, most: usize) -> String {
    cut(text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }), most)
}

/// Text of any lines, of at most so many characters.
pub fn lines(text: &str, most: usize) -> String {
    let is_text = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    cut(text.trim().chars().filter(is_text), most)
}

fn cut(chars: impl Iterator<Item = char>, most: usize) -> String {
    let mut text: Vec<char> = chars.take(most + 1).collect();
    if text.len() > most {
        text.truncate(most - CUT.len());
        text.extend(CUT.chars());
    }
    text.into_iter().collect()
}

/// Hosts in a value, from lists in lists too: later ones are cut, then left
/// out, once all together are too long.
pub fn hosts(value: &Value) -> Vec<String> {
    let (mut hosts, mut left) = (Vec::new(), MAX_HOSTS);
    collect(value, &mut hosts, &mut left);
    hosts
}

fn collect(value: &Value, hosts: &mut Vec<String>, left: &mut usize) {
    if let Value::Array(values) = value {
        for value in values {
            if *left == 0 {
                return;
            }
            collect(value, hosts, left);
        }
        return;
    }
    let Some(host) = of(value).filter(|_| *left > 0) else {
        return;
    };
    let host = host.trim().chars().map(|c| if c.is_control() { ' ' } else { c });
    let host: String = host.take(*left).collect();
    *left -= host.chars().count();
    hosts.push(host);
}

/// Takes NUL characters out of every string.
pub fn strip(value: &mut Value) {
    match value {
        Value::String(text) => text.retain(|c| c != '\0'),
        Value::Array(values) => values.iter_mut().for_each(strip),
        Value::Object(fields) => {
            let old = std::mem::take(fields);
            for (mut key, mut value) in old {
                key.retain(|c| c != '\0');
                strip(&mut value);
                fields.insert(key, value);
            }
        }
        _ => {}
    }
}
