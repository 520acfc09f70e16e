//! One file: its header, its inputs and what is left of it.

use indexmap::IndexMap;

use crate::inputs::{InputSpec, Known, Spec, inputs_of, interpolate, no_spec, resolve};
use crate::limits::Limits;
use crate::message::{Message, Place};
use crate::variables::Variables;
use crate::yaml::{Documents, Map, Node, Value, parse};

/// A file that was parsed, before its inputs are put in.
pub(super) struct Parsed {
    pub spec: Option<Spec>,
    pub content: Node,
}

pub(super) fn read(
    text: &str, file: u16, limits: &Limits, warnings: &mut Vec<Message>,
) -> Result<Parsed, Message> {
    let Documents { nodes, warnings: odd } = parse(text, file, limits)?;
    warnings.extend(odd);
    let start = Place { file, line: 1, column: 1 };
    let mut nodes = nodes.into_iter();
    let first = nodes.next().unwrap_or(Node::new(Value::Null, start));
    let header = first.map().and_then(|map| map.get("spec"));
    match (header, nodes.next()) {
        (Some(header), Some(content)) => Ok(Parsed { spec: Some(Spec::read(header)?), content }),
        _ => Ok(Parsed { spec: None, content: first }),
    }
}

/// The inputs of a file that holds nothing else.
pub(super) fn shared_inputs(
    text: &str, file: u16, limits: &Limits,
) -> Result<IndexMap<String, InputSpec>, Message> {
    let Documents { nodes, .. } = parse(text, file, limits)?;
    let start = Place { file, line: 1, column: 1 };
    let map = nodes.into_iter().next().and_then(|node| match node.value {
        Value::Map(map) => Some(map),
        _ => None,
    });
    let text = "a file that `spec:include` names may hold only `inputs`";
    match map {
        Some(map) if map.keys().all(|key| key == "inputs") => match map.get("inputs") {
            Some(inputs) => inputs_of(inputs, "inputs"),
            None => Ok(IndexMap::new()),
        },
        _ => Err(Message::at(start, text)),
    }
}

/// Puts inputs into the content; what comes of it has to be a map.
pub(super) fn content(
    parsed: Parsed, given: &Map, component: &IndexMap<String, String>, variables: &Variables,
) -> Result<Map, Message> {
    let at = parsed.content.at;
    let node = match &parsed.spec {
        None if given.is_empty() => parsed.content,
        None => return Err(Message { at: Some(at), ..no_spec() }),
        Some(spec) => {
            let inputs = resolve(spec, given).map_err(|text| Message::at(at, text))?;
            let asked = |(key, value): (&String, &String)| {
                spec.component.contains(key).then(|| (key.clone(), value.clone()))
            };
            let component = component.iter().filter_map(asked).collect();
            interpolate(parsed.content, &Known { inputs, component, variables: Some(variables) })?
        }
    };
    match node.value {
        Value::Map(map) => Ok(map),
        Value::Null if parsed.spec.is_some() => Ok(Map::new()),
        _ => Err(Message::at(at, "Invalid configuration format")),
    }
}
