//! What is given for inputs, checked against what a file declares.

use indexmap::IndexMap;

use super::spec::{InputSpec, InputType, Spec};
use crate::expression::{Expression, Lookup};
use crate::message::Message;
use crate::pattern;
use crate::yaml::{Map, Node, Value};

/// The values of all inputs, or what is wrong with them: at most three texts.
pub(crate) fn resolve(spec: &Spec, given: &Map) -> Result<IndexMap<String, Value>, String> {
    let mut wrong = Vec::new();
    let unknown: Vec<&str> = given
        .keys()
        .map(String::as_str)
        .filter(|name| !spec.inputs.contains_key(*name))
        .collect();
    if !unknown.is_empty() {
        wrong.push(format!("unknown input arguments: {}", unknown.join(", ")));
    }
    let mut values = IndexMap::new();
    // Inputs with rules may name the others, so they come last.
    let (plain, ruled): (Vec<_>, Vec<_>) =
        spec.inputs.iter().partition(|(_, input)| input.rules.is_empty());
    for (name, input) in plain.into_iter().chain(ruled) {
        match value(name, input, given.get(name), &values) {
            Ok(value) => {
                values.insert(name.clone(), value);
            }
            Err(text) => wrong.push(format!("`{name}` input: {text}")),
        }
    }
    match wrong.is_empty() {
        true => Ok(values),
        false => {
            wrong.truncate(3);
            Err(wrong.join(", "))
        }
    }
}

/// The inputs that are known already, as `$[[ inputs.x ]]` in conditions.
struct Texts(IndexMap<String, String>);

impl Texts {
    fn new(values: &IndexMap<String, Value>) -> Self {
        let text = |(name, value): (&String, &Value)| {
            let text = Node::new(value.clone(), Default::default()).scalar_text()?;
            Some((format!("inputs.{name}"), text))
        };
        Self(values.iter().filter_map(text).collect())
    }
}

impl Lookup for Texts {
    fn lookup(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

fn value(
    name: &str, input: &InputSpec, given: Option<&Node>, known: &IndexMap<String, Value>,
) -> Result<Value, String> {
    let (default, options) = default_and_options(input, known)?;
    let given = given.map(|node| &node.value);
    let (value, whose) = match (given, default) {
        (Some(value), _) => (value, "provided"),
        (None, Some(value)) => (value, "default"),
        (None, None) => return Err("required value has not been provided".into()),
    };
    let value = adapted(input.kind, value)
        .ok_or_else(|| format!("{whose} value is not {}", input.kind.with_article()))?;
    if let Some(options) = options {
        check_options(input.kind, &value, options)?;
    }
    if let (Some(source), Value::Text(text)) = (&input.regex, &value) {
        let compiled = pattern::compile(source, "")
            .ok_or_else(|| format!("`{name}` RegEx pattern is not valid"))?;
        if !compiled.is_match(text) {
            return Err(format!("{whose} value does not match required RegEx pattern"));
        }
    }
    Ok(value)
}

type DefaultAndOptions<'a> = (Option<&'a Value>, Option<&'a Vec<Value>>);

fn default_and_options<'a>(
    input: &'a InputSpec, known: &IndexMap<String, Value>,
) -> Result<DefaultAndOptions<'a>, String> {
    if input.rules.is_empty() {
        return Ok((input.default.as_ref(), input.options.as_ref()));
    }
    let texts = Texts::new(known);
    for rule in &input.rules {
        let holds = match &rule.condition {
            None => true,
            Some(text) => Expression::parse(text)
                .map_err(|_| "rules if invalid expression syntax".to_owned())?
                .holds(&texts),
        };
        if holds {
            return Ok((rule.default.as_ref(), rule.options.as_ref()));
        }
    }
    Ok((None, None))
}

fn check_options(kind: InputType, value: &Value, options: &[Value]) -> Result<(), String> {
    if options.contains(value) {
        return Ok(());
    }
    let seen = Node::new(value.clone(), Default::default()).scalar_text().unwrap_or_default();
    let list = match kind {
        InputType::Number => "the list of the allowed options",
        _ => "the list of allowed options",
    };
    Err(format!("`{seen}` cannot be used because it is not in {list}"))
}

/// The value if it is of the type.
fn adapted(kind: InputType, value: &Value) -> Option<Value> {
    match (kind, value) {
        (InputType::String, Value::Text(_))
        | (InputType::Number, Value::Int(_) | Value::Float(_))
        | (InputType::Boolean, Value::Bool(_))
        | (InputType::Array, Value::List(_)) => Some(value.clone()),
        _ => None,
    }
}

/// Why inputs that are given to a file without a header are refused.
pub(crate) fn no_spec() -> Message {
    Message::new(
        "Given inputs not defined in the `spec` section of the included configuration file",
    )
}
