//! Where in a payload the fields of an alert are, and what an example payload
//! offers for that (docs/interface/monitoring.md 1.9).

use kernel::error::Error;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Longest path, in steps; payloads nest no deeper.
const MAX_STEPS: usize = 100;
/// Longest step or label, in characters.
const MAX_STEP: usize = 255;
/// Most fields an example offers.
pub const MAX_OFFERED: usize = 1_000;
pub const MAX_PATHS: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Step {
    /// The value at this place of a list.
    Index(usize),
    /// The value of this key.
    Key(String),
}

/// The way to a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Path(Vec<Step>);

impl Path {
    /// The path written as JSON: a list of keys and places. Digits in a
    /// string are a place in a list and a key of an object.
    pub fn parse(value: &Value) -> Option<Path> {
        let steps = match value {
            Value::Array(steps) => steps.iter().map(step).collect::<Option<Vec<_>>>()?,
            Value::String(key) => vec![step(&Value::String(key.clone()))?],
            _ => return None,
        };
        (1..=MAX_STEPS).contains(&steps.len()).then_some(Path(steps))
    }

    /// The value there; nothing where there is none, or null.
    pub fn find<'v>(&self, payload: &'v Map<String, Value>) -> Option<&'v Value> {
        let (first, rest) = self.0.split_first()?;
        let mut value = match first {
            Step::Key(key) => payload.get(key)?,
            Step::Index(at) => payload.get(&at.to_string())?,
        };
        for step in rest {
            value = match (step, value) {
                (Step::Key(key), Value::Object(fields)) => fields.get(key)?,
                (Step::Index(at), Value::Object(fields)) => fields.get(&at.to_string())?,
                (Step::Index(at), Value::Array(values)) => values.get(*at)?,
                (Step::Key(key), Value::Array(values)) => values.get(key.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        (!value.is_null()).then_some(value)
    }

    /// Takes the value there out of the payload; in lists null stays.
    pub fn remove(&self, payload: &mut Map<String, Value>) {
        let Some((last, way)) = self.0.split_last() else {
            return;
        };
        let key = |step: &Step| match step {
            Step::Key(key) => key.clone(),
            Step::Index(at) => at.to_string(),
        };
        let Some((first, rest)) = way.split_first() else {
            payload.shift_remove(&key(last));
            return;
        };
        let mut value = payload.get_mut(&key(first));
        for step in rest {
            value = value.and_then(|value| match value {
                Value::Object(fields) => fields.get_mut(&key(step)),
                Value::Array(values) => {
                    key(step).parse::<usize>().ok().and_then(|at| values.get_mut(at))
                }
                _ => None,
            });
        }
        match value {
            Some(Value::Object(fields)) => {
                fields.shift_remove(&key(last));
            }
            Some(Value::Array(values)) => {
                let at = key(last).parse::<usize>().ok();
                if let Some(value) = at.and_then(|at| values.get_mut(at)) {
                    *value = Value::Null;
                }
            }
            _ => {}
        }
    }

    /// As people read it: `a/b[0]/c`.
    pub fn label(&self) -> String {
        let mut label = String::new();
        for step in &self.0 {
            match step {
                Step::Key(key) if label.is_empty() => label.push_str(key),
                Step::Key(key) => {
                    label.push('/');
                    label.push_str(key);
                }
                Step::Index(at) => label.push_str(&format!("[{at}]")),
            }
        }
        label
    }
}

fn step(value: &Value) -> Option<Step> {
    match value {
        Value::String(key) if key.chars().count() <= MAX_STEP && !key.contains('\0') => {
            Some(Step::Key(key.clone()))
        }
        Value::Number(at) => at.as_u64().and_then(|at| usize::try_from(at).ok()).map(Step::Index),
        _ => None,
    }
}

kernel::choices! {
    /// What a path fills.
    pub enum Target {
        Title = "TITLE",
        Description = "DESCRIPTION",
        StartTime = "START_TIME",
        EndTime = "END_TIME",
        Service = "SERVICE",
        MonitoringTool = "MONITORING_TOOL",
        Hosts = "HOSTS",
        Severity = "SEVERITY",
        Fingerprint = "FINGERPRINT",
        ServiceEnvironmentName = "SERVICE_ENVIRONMENT_NAME",
    }
}

impl Target {
    /// The field of a payload that is read without a mapping.
    pub fn field(self) -> &'static str {
        match self {
            Target::Title => "title",
            Target::Description => "description",
            Target::StartTime => "start_time",
            Target::EndTime => "end_time",
            Target::Service => "service",
            Target::MonitoringTool => "monitoring_tool",
            Target::Hosts => "hosts",
            Target::Severity => "severity",
            Target::Fingerprint => "fingerprint",
            Target::ServiceEnvironmentName => "service_environment_name",
        }
    }
}

kernel::choices! {
    /// What kind of value is there.
    pub enum FieldType {
        String = "STRING",
        Datetime = "DATETIME",
        Array = "ARRAY",
    }
}

impl<'de> Deserialize<'de> for FieldType {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<FieldType, D::Error> {
        let text = String::deserialize(deserializer)?;
        FieldType::from_text(&text).ok_or_else(|| serde::de::Error::custom("unknown type"))
    }
}

/// What fills a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mapped {
    /// The way to it.
    #[schemars(with = "Value")]
    pub path: Path,
    /// What people call it.
    pub label: String,
    /// What kind of value it is.
    #[serde(rename = "type")]
    #[schemars(with = "String")]
    pub kind: FieldType,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mapping(BTreeMap<String, Mapped>);

impl Mapping {
    /// Reads a list of `{field_name, path, label, type}`, or says what is
    /// wrong with it. A field named twice is where the last says.
    pub fn parse(entries: &[Value]) -> Result<Mapping, String> {
        if entries.len() > Target::ALL.len() * 2 {
            return Err("has too many entries".into());
        }
        let mut mapping = Mapping::default();
        for entry in entries {
            let (target, mapped) = parse_entry(entry)?;
            mapping.insert(target, mapped);
        }
        Ok(mapping)
    }

    /// The same, refused by the name that interfaces have for it.
    pub fn sent(entries: &[Value]) -> Result<Mapping, Error> {
        let wrong = |text: String| Error::invalid("payload_attribute_mappings", text);
        Mapping::parse(entries).map_err(wrong)
    }

    pub fn insert(&mut self, target: Target, mapped: Mapped) {
        self.0.insert(target.field().to_owned(), mapped);
    }

    pub fn get(&self, target: Target) -> Option<&Mapped> {
        self.0.get(target.field())
    }

    /// What was said, field by field.
    pub fn entries(&self) -> impl Iterator<Item = (Target, &Mapped)> {
        let known = Target::ALL.iter();
        known.filter_map(|target| Some((*target, self.get(*target)?)))
    }

    /// The value for a field: where the mapping says, else in the field of
    /// that name; nothing where there is none, or null.
    pub fn value<'v>(&self, payload: &'v Map<String, Value>, target: Target) -> Option<&'v Value> {
        let mapped = self.get(target).and_then(|mapped| mapped.path.find(payload));
        let plain = || payload.get(target.field()).filter(|value| !value.is_null());
        mapped.or_else(plain)
    }
}

fn parse_entry(entry: &Value) -> Result<(Target, Mapped), String> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str);
    let target = text("field_name").map(str::to_ascii_uppercase);
    let target = target.as_deref().and_then(Target::from_text);
    let target = target.ok_or("has an unknown field_name")?;
    let path = entry.get("path").and_then(Path::parse);
    let path = path.ok_or_else(|| format!("has an unusable path for {target}"))?;
    let kind = match entry.get("type") {
        None | Some(Value::Null) => Some(FieldType::String),
        Some(Value::String(kind)) => FieldType::from_text(&kind.to_ascii_uppercase()),
        Some(_) => None,
    };
    let label = text("label").map_or_else(|| path.label(), str::to_owned);
    let mapped = Mapped {
        kind: kind.ok_or_else(|| format!("has an unusable type for {target}"))?,
        label: label.chars().filter(|c| !c.is_control()).take(MAX_STEP).collect(),
        path,
    };
    Ok((target, mapped))
}

/// The fields an example offers: strings and lists, those nearest the top of
/// a list or object first where they stand.
pub fn offered(example: &Map<String, Value>) -> Vec<Mapped> {
    let (mut found, mut way) = (Vec::new(), Vec::new());
    for (key, value) in example {
        offer(Step::Key(key.clone()), value, &mut way, &mut found);
    }
    found
}

fn offer(step: Step, value: &Value, way: &mut Vec<Step>, found: &mut Vec<Mapped>) {
    if found.len() >= MAX_OFFERED {
        return;
    }
    way.push(step);
    let kind = match value {
        Value::String(text) if is_date(text) => Some(FieldType::Datetime),
        Value::String(_) => Some(FieldType::String),
        Value::Array(_) => Some(FieldType::Array),
        _ => None,
    };
    if let Some(kind) = kind {
        let path = Path(way.clone());
        found.push(Mapped { label: path.label(), path, kind });
    }
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                offer(Step::Key(key.clone()), value, way, found);
            }
        }
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                offer(Step::Index(at), value, way, found);
            }
        }
        _ => {}
    }
    way.pop();
}

/// Whether a text begins as dates do: with four digits.
fn is_date(text: &str) -> bool {
    text.len() >= 4 && text.bytes().take(4).all(|b| b.is_ascii_digit())
}
