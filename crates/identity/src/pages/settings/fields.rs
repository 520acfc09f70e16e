//! A field of the settings: how its value is shown and read.

use kernel::html::ui::Choice;
use kernel::http::params::Source;
use kernel::quantity::Unit;
use serde_json::{Map, Value, json};

/// What a field is filled in with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// Yes or no.
    Box,
    Number,
    /// A size or a time, as people write it; stored as a number of these.
    Amount(Unit),
    Text,
    /// Several lines.
    Area,
    /// One line that is never shown again.
    Secret,
    /// One of these: value and label.
    Choice(&'static [(&'static str, &'static str)]),
    /// Names with a number each, as `one=1, two=2`.
    Weights,
}

#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub key: &'static str,
    /// How it is filled in.
    pub control: Control,
    pub label: &'static str,
    /// More about it, or empty.
    pub hint: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub struct Section {
    pub title: &'static str,
    /// A sentence below it, or empty.
    pub text: &'static str,
    pub fields: &'static [Field],
}

/// A section as a page shows it.
#[derive(Debug, Clone, Default)]
pub struct SettingsSection {
    pub title: &'static str,
    /// A sentence below it, or empty.
    pub text: &'static str,
    pub fields: Vec<SettingsField>,
}

#[derive(Debug, Clone, Default)]
pub struct SettingsField {
    /// Its name on the wire.
    pub key: &'static str,
    pub label: &'static str,
    /// More about it, or empty.
    pub hint: String,
    /// `box`, `number`, `text`, `area`, `password` or `choice`.
    pub kind: &'static str,
    /// Its value; of a box `true` or `false`.
    pub value: String,
    pub choices: Vec<Choice>,
}

impl SettingsField {
    /// Whether its box is ticked.
    pub(crate) fn is_ticked(&self) -> bool {
        self.value == "true"
    }
}

/// Settings that are saved together.
#[derive(Debug, Clone, Copy)]
pub struct SettingsPage {
    pub path: &'static str,
    /// Its name in the navigation, which is its heading.
    pub label: &'static str,
    /// Its picture there.
    pub picture: &'static str,
    pub sections: &'static [Section],
}

impl SettingsPage {
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> {
        self.sections.iter().flat_map(|section| section.fields)
    }

    /// The names of its fields, for what is said beside them.
    pub fn keys(&self) -> Vec<&'static str> {
        self.fields().map(|field| field.key).collect()
    }

    /// Its sections with these values.
    pub fn filled(&self, values: &Map<String, Value>) -> Vec<SettingsSection> {
        let section = |section: &Section| SettingsSection {
            title: section.title,
            text: section.text,
            fields: section.fields.iter().map(|field| field.shown(values)).collect(),
        };
        self.sections.iter().map(section).collect()
    }
}

/// A value as text.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
        Value::Object(pairs) => {
            let pair = |(name, value)| format!("{name}={}", text(value));
            pairs.iter().map(pair).collect::<Vec<_>>().join(", ")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A number as people write it; what is none stays as it was typed.
pub(crate) fn amount(unit: Unit, value: &Value) -> String {
    value.as_u64().map_or_else(|| text(value), |number| unit.show(number))
}

/// What a hint says of a number alone.
pub(crate) fn counts(unit: Unit, hint: &str) -> String {
    let alone = format!("A number alone counts {}.", unit.name());
    [hint, &alone].join(" ").trim_start().to_owned()
}

impl Field {
    /// The field with its value among these.
    pub fn shown(&self, values: &Map<String, Value>) -> SettingsField {
        let null = Value::Null;
        let stored = values.get(self.key).unwrap_or(&null);
        let (kind, value, hint) = match self.control {
            Control::Box => ("box", is_ticked(stored).to_string(), self.hint.to_owned()),
            Control::Number => ("number", text(stored), self.hint.to_owned()),
            Control::Amount(unit) => ("text", amount(unit, stored), counts(unit, self.hint)),
            Control::Text | Control::Weights => ("text", text(stored), self.hint.to_owned()),
            Control::Area => ("area", text(stored), self.hint.to_owned()),
            // What was typed is not sent back either.
            Control::Secret => ("password", String::new(), self.hint.to_owned()),
            Control::Choice(_) => ("choice", text(stored), self.hint.to_owned()),
        };
        let choices = match self.control {
            Control::Choice(choices) => Choice::list(choices),
            _ => Vec::new(),
        };
        SettingsField { key: self.key, label: self.label, hint, kind, value, choices }
    }

    /// Its value among these in few words, for lists of settings.
    pub fn told(&self, values: &Map<String, Value>) -> String {
        let shown = self.shown(values);
        match self.control {
            Control::Box if shown.value == "true" => "On".to_owned(),
            Control::Box => "Off".to_owned(),
            Control::Choice(choices) => {
                let chosen = choices.iter().find(|(value, _)| *value == shown.value);
                chosen.map_or(shown.value.clone(), |(_, label)| (*label).to_owned())
            }
            Control::Area | Control::Secret => String::new(),
            _ => shown.value,
        }
    }

    /// What was typed into it as it is stored, or what is wrong with it.
    fn read(&self, typed: &Value) -> Result<Value, String> {
        let written = typed.as_str().map(str::trim);
        match (self.control, written) {
            (Control::Amount(unit), Some(text)) => unit.parse(text).map(|number| json!(number)),
            (Control::Number, Some(text)) => match text.parse::<i64>() {
                Ok(number) => Ok(json!(number)),
                Err(_) => Err("must be a whole number".to_owned()),
            },
            (Control::Area, Some(text)) => Ok(json!(text.replace("\r\n", "\n"))),
            (Control::Weights, Some(text)) => weights(text),
            _ => Ok(typed.clone()),
        }
    }
}

/// Names with their numbers, of which each is named once.
fn weights(typed: &str) -> Result<Value, String> {
    let mut weights = Map::new();
    for pair in typed.split(',').filter(|pair| !pair.trim().is_empty()) {
        let (name, number) = pair.split_once('=').unwrap_or((pair, ""));
        let number: i64 = number
            .trim()
            .parse()
            .map_err(|_| format!("must say a whole number for {}", name.trim()))?;
        if weights.insert(name.trim().to_owned(), json!(number)).is_some() {
            return Err(format!("names {} twice", name.trim()));
        }
    }
    Ok(Value::Object(weights))
}

fn is_ticked(value: &Value) -> bool {
    matches!(text(value).as_str(), "true" | "1")
}

/// What is wrong, by field.
pub(crate) type Wrong = Vec<(String, Vec<String>)>;

/// What was typed into these fields as it is stored; what else was sent is left
/// out.
pub(crate) fn read<'f>(
    fields: impl Iterator<Item = &'f Field>, typed: &Source,
) -> Result<Source, Wrong> {
    let (mut values, mut wrong) = (Source::new(), Wrong::new());
    for field in fields {
        let Some(sent) = typed.get(field.key) else {
            continue;
        };
        match field.read(sent) {
            Ok(value) => {
                values.insert(field.key.to_owned(), value);
            }
            Err(problem) => wrong.push((field.key.to_owned(), vec![problem])),
        }
    }
    match wrong.is_empty() {
        true => Ok(values),
        false => Err(wrong),
    }
}

/// Says what a bound counts that is told as a number: what was typed was not.
pub(crate) fn with_units(wrong: Wrong, fields: &[&Field]) -> Wrong {
    let unit = |key: &str| match fields.iter().find(|field| field.key == key)?.control {
        Control::Amount(unit) => Some(unit),
        _ => None,
    };
    let said = |(key, texts): (String, Vec<String>)| match unit(&key) {
        Some(unit) => {
            let with = |text: String| match text.ends_with(|last: char| last.is_ascii_digit()) {
                true => format!("{text} {}", unit.name()),
                false => text,
            };
            (key, texts.into_iter().map(with).collect())
        }
        None => (key, texts),
    };
    wrong.into_iter().map(said).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_typed_as_they_are_shown() {
        let stored = json!({"default": 100, "fast": 7});
        let shown = text(&stored);
        assert_eq!(shown, "default=100, fast=7");
        assert_eq!(weights(&shown), Ok(stored));
        assert_eq!(weights(" , "), Ok(json!({})));
        for wrong in ["fast", "fast=", "fast=x", "a=1, a=2"] {
            assert!(weights(wrong).is_err(), "{wrong}");
        }
    }
}
