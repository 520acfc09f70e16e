//! The header of a file that takes inputs.

use indexmap::IndexMap;

use crate::message::{Message, Place};
use crate::yaml::{Map, Node, Value};

/// What an input may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum InputType {
    #[default]
    String,
    Number,
    Boolean,
    Array,
}

impl InputType {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "string" => Self::String,
            "number" => Self::Number,
            "boolean" => Self::Boolean,
            "array" => Self::Array,
            _ => return None,
        })
    }

    pub(super) fn with_article(self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Number => "a number",
            Self::Boolean => "a boolean",
            Self::Array => "an array",
        }
    }
}

/// One input as its file declares it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct InputSpec {
    pub kind: InputType,
    pub description: Option<String>,
    pub default: Option<Value>,
    pub options: Option<Vec<Value>>,
    pub regex: Option<String>,
    pub(super) rules: Vec<InputRule>,
}

/// Options and a default that count while a condition holds.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) struct InputRule {
    pub condition: Option<String>,
    pub default: Option<Value>,
    pub options: Option<Vec<Value>>,
}

/// All of a header.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spec {
    pub inputs: IndexMap<String, InputSpec>,
    /// Keys of the component that the file asks for.
    pub component: Vec<String>,
    /// Files with more inputs.
    pub include: Option<Node>,
}

impl Spec {
    /// Reads what stands below `spec:`.
    pub(crate) fn read(node: &Node) -> Result<Self, Message> {
        let mut spec = Self::default();
        let map = match &node.value {
            Value::Null => return Ok(spec),
            Value::Map(map) => map,
            _ => return Err(Message::at(node.at, "spec config should be a hash")),
        };
        check_keys(map, &["inputs", "component", "include", "description"], "spec", node.at)?;
        if let Some(inputs) = map.get("inputs") {
            spec.inputs = inputs_of(inputs, "spec:inputs")?;
        }
        if let Some(component) = map.get("component") {
            spec.component = component_keys(component)?;
        }
        spec.include = map.get("include").filter(|node| !node.is_null()).cloned();
        Ok(spec)
    }
}

fn component_keys(node: &Node) -> Result<Vec<String>, Message> {
    let wrong = || Message::at(node.at, "spec:component config should be an array of strings");
    let keys = node.list().ok_or_else(wrong)?;
    let mut names = Vec::new();
    for key in keys {
        let name = key.text().ok_or_else(wrong)?;
        if !["name", "sha", "version", "reference"].contains(&name) {
            let text = format!("spec:component config contains unknown values: {name}");
            return Err(Message::at(key.at, text));
        }
        names.push(name.to_owned());
    }
    Ok(names)
}

/// Reads declarations of inputs, those of a header or of a job.
pub(crate) fn inputs_of(node: &Node, path: &str) -> Result<IndexMap<String, InputSpec>, Message> {
    let map = match &node.value {
        Value::Null => return Ok(IndexMap::new()),
        Value::Map(map) => map,
        _ => return Err(Message::at(node.at, format!("{path} config should be a hash"))),
    };
    if map.len() > 1000 {
        let text = format!("{path} config has too many entries (maximum 1000)");
        return Err(Message::at(node.at, text));
    }
    map.iter()
        .map(|(name, node)| Ok((name.clone(), input(name, node, path)?)))
        .collect()
}

fn check_keys(map: &Map, known: &[&str], path: &str, at: Place) -> Result<(), Message> {
    let unknown: Vec<&str> =
        map.keys().map(String::as_str).filter(|key| !known.contains(key)).collect();
    match unknown.is_empty() {
        true => Ok(()),
        false => {
            let text = format!("{path} config contains unknown keys: {}", unknown.join(", "));
            Err(Message::at(at, text))
        }
    }
}

fn input(name: &str, node: &Node, path: &str) -> Result<InputSpec, Message> {
    let path = format!("{path}:{name}").to_lowercase();
    let wrong = |what: &str| Message::at(node.at, format!("{path}{what}"));
    let map = match &node.value {
        Value::Null => return Ok(InputSpec::default()),
        Value::Map(map) => map,
        _ => return Err(wrong(" config should be a hash")),
    };
    check_keys(
        map,
        &["default", "description", "options", "regex", "type", "rules"],
        &path,
        node.at,
    )?;
    let text = |key: &str| match map.get(key).map(|node| &node.value) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Text(text)) => Ok(Some(text.clone())),
        Some(_) => Err(wrong(&format!(" {key} should be a string"))),
    };
    let kind = match text("type")? {
        None => InputType::String,
        Some(name) => InputType::named(&name)
            .ok_or_else(|| wrong(&format!(" input type unknown value: {name}")))?,
    };
    let description = text("description")?;
    if description.as_ref().is_some_and(|text| text.chars().count() > 256) {
        return Err(wrong(" description is too long (maximum is 256 characters)"));
    }
    let spec = InputSpec {
        kind,
        description,
        default: given(map, "default"),
        options: options(map, &path)?,
        regex: text("regex")?,
        rules: rules(map, &path)?,
    };
    if !spec.rules.is_empty() && (spec.options.is_some() || spec.default.is_some()) {
        return Err(wrong(" config these keys cannot be used together: rules, options, default"));
    }
    Ok(spec)
}

fn given(map: &Map, key: &str) -> Option<Value> {
    map.get(key)
        .map(|node| node.value.clone())
        .filter(|value| *value != Value::Null)
}

fn options(map: &Map, path: &str) -> Result<Option<Vec<Value>>, Message> {
    let Some(node) = map.get("options").filter(|node| !node.is_null()) else {
        return Ok(None);
    };
    let wrong = |text: &str| Message::at(node.at, format!("{path}:options config {text}"));
    let items = node.list().ok_or_else(|| wrong("should be an array"))?;
    match items.len() > 50 {
        true => Err(wrong("has too many entries (maximum 50)")),
        false => Ok(Some(items.iter().map(|item| item.value.clone()).collect())),
    }
}

fn rules(map: &Map, path: &str) -> Result<Vec<InputRule>, Message> {
    let Some(node) = map.get("rules").filter(|node| !node.is_null()) else {
        return Ok(Vec::new());
    };
    let path = format!("{path}:rules");
    let wrong = |at, text: &str| Message::at(at, format!("{path} config {text}"));
    let items = node.list().ok_or_else(|| wrong(node.at, "should be an array of hashes"))?;
    if items.len() > 50 {
        return Err(wrong(node.at, "has too many entries (maximum 50)"));
    }
    let rule = |item: &Node| {
        let map = item.map().ok_or_else(|| wrong(item.at, "should be an array of hashes"))?;
        check_keys(map, &["if", "options", "default"], &format!("{path}:rule"), item.at)?;
        let condition = map.get("if").and_then(Node::text).map(str::to_owned);
        Ok(InputRule {
            condition,
            default: given(map, "default"),
            options: options(map, &path)?,
        })
    };
    items.iter().map(rule).collect()
}
