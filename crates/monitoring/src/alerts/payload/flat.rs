//! What is shown of a payload besides the fields of the alert.

use super::metrics;
use crate::alerts::model::Alert;
use serde_json::{Map, Value};

const MOST: usize = 500;

/// A payload without nesting: names of fields are put together by points.
pub fn of(payload: &Value) -> Map<String, Value> {
    let mut fields = Map::new();
    flatten(String::new(), payload, &mut fields);
    fields
}

fn flatten(name: String, value: &Value, into: &mut Map<String, Value>) {
    let below = |key: &str| match name.is_empty() {
        true => key.to_owned(),
        false => format!("{name}.{key}"),
    };
    match value {
        _ if into.len() >= MOST => {}
        Value::Object(fields) => {
            for (key, value) in fields {
                flatten(below(key), value, into);
            }
        }
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                flatten(below(&at.to_string()), value, into);
            }
        }
        scalar => {
            into.insert(name, scalar.clone());
        }
    }
}

impl Alert {
    /// Where its sender says what to do about it; a link only if it is one
    /// that a browser may follow.
    pub fn runbook(&self) -> Option<String> {
        self.text("runbook")
    }

    /// Markdown for incidents about it.
    pub fn incident_markdown(&self) -> Option<String> {
        let markdown = self.annotation("service_incident_markdown")?.as_str()?;
        (!markdown.trim().is_empty()).then(|| markdown.to_owned())
    }

    pub fn full_query(&self) -> Option<String> {
        self.payload.as_object().and_then(metrics::query)
    }

    fn text(&self, name: &str) -> Option<String> {
        let value = self.annotation(name).or_else(|| self.payload.get(name))?;
        let text = value.as_str()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn annotation(&self, name: &str) -> Option<&Value> {
        self.payload.get("annotations").and_then(|annotations| annotations.get(name))
    }
}
