//! From JSON to the values a type takes, with the reasons why not.

use super::table::{Input, Kind, Table};
use super::types::TypeRef;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Problems told of one value; more are left out.
const MAX_PROBLEMS: usize = 25;

/// One reason why a value does not fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Keys and indexes from the value to the part that is wrong.
    pub path: Vec<Json>,
    /// What is wrong.
    pub explanation: String,
    /// The scalar has a text of its own for it.
    pub own: bool,
}

impl Problem {
    /// A reason that concerns the value itself.
    pub fn here(explanation: impl Into<String>) -> Problem {
        Problem {
            path: Vec::new(),
            explanation: explanation.into(),
            own: false,
        }
    }

    /// As `extensions.problems` lists it.
    pub fn json(&self) -> Json {
        let mut shown = json!({"path": self.path, "explanation": self.explanation});
        if self.own {
            shown["message"] = Json::String(self.explanation.clone());
        }
        shown
    }
}

/// Reads a JSON value as this type, fills in defaults, and makes lists of
/// single values.
pub fn value(table: &Table, ty: &TypeRef, given: &Json) -> Result<Json, Vec<Problem>> {
    let mut problems = Vec::new();
    let value = read(table, ty, given, &mut problems);
    if problems.is_empty() { Ok(value) } else { Err(problems) }
}

fn read(table: &Table, ty: &TypeRef, given: &Json, problems: &mut Vec<Problem>) -> Json {
    if problems.len() >= MAX_PROBLEMS {
        return Json::Null;
    }
    match ty {
        TypeRef::NonNull(_) if given.is_null() => {
            problems.push(Problem::here("Expected value to not be null"));
            Json::Null
        }
        TypeRef::NonNull(inner) => read(table, inner, given, problems),
        _ if given.is_null() => Json::Null,
        TypeRef::List(inner) => match given {
            Json::Array(items) => {
                let read = items.iter().enumerate().map(|(index, item)| {
                    within(problems, json!(index), |inside| read(table, inner, item, inside))
                });
                Json::Array(read.collect())
            }
            single => Json::Array(vec![read(table, inner, single, problems)]),
        },
        TypeRef::Named(name) => match table.get(name).map(|def| &def.kind) {
            Some(Kind::Input(inputs)) => object(table, name, inputs, given, problems),
            Some(_) => match leaf(table, name, given) {
                Ok(value) => value,
                Err(problem) => {
                    problems.push(problem);
                    Json::Null
                }
            },
            None => Json::Null,
        },
    }
}

/// Reads a scalar or the name of an enum's value.
pub fn leaf(table: &Table, name: &str, given: &Json) -> Result<Json, Problem> {
    match table.get(name).map(|def| &def.kind) {
        // PostgreSQL cannot hold NUL in text, so nobody may send it.
        Some(Kind::Scalar(_)) if holds_nul(given) => Err(Problem {
            own: true,
            ..Problem::here("Text cannot hold NUL characters")
        }),
        Some(Kind::Scalar(scalar)) => scalar(given).map_err(|text| match text {
            Some(text) => Problem { own: true, ..Problem::here(text) },
            None => Problem::here(format!("Could not coerce value {given} to {name}")),
        }),
        Some(Kind::Enum(values)) => match given.as_str() {
            Some(text) if values.contains_key(text) => Ok(given.clone()),
            _ => {
                let names: Vec<&str> = values.keys().map(|name| &**name).collect();
                let text = format!("Expected {given} to be one of: {}", names.join(", "));
                Err(Problem::here(text))
            }
        },
        _ => Err(Problem::here(format!("{name} is no leaf"))),
    }
}

fn holds_nul(given: &Json) -> bool {
    match given {
        Json::String(text) => text.contains('\0'),
        Json::Array(items) => items.iter().any(holds_nul),
        Json::Object(fields) => {
            fields.iter().any(|(key, value)| key.contains('\0') || holds_nul(value))
        }
        _ => false,
    }
}

fn object(
    table: &Table, name: &str, inputs: &BTreeMap<Arc<str>, Input>, given: &Json,
    problems: &mut Vec<Problem>,
) -> Json {
    let Json::Object(given) = given else {
        let text = format!("Expected {given} to be a key-value object.");
        problems.push(Problem::here(text));
        return Json::Null;
    };
    for key in given.keys().filter(|key| !inputs.contains_key(key.as_str())) {
        if problems.len() >= MAX_PROBLEMS {
            break;
        }
        let text = format!("Field is not defined on {name}");
        within(problems, json!(key), |inside| inside.push(Problem::here(text)));
    }
    let mut read_fields = Map::new();
    for (key, input) in inputs {
        let value = match given.get(&**key) {
            Some(value) => {
                within(problems, json!(**key), |inside| read(table, &input.ty, value, inside))
            }
            None if input.default.is_some() => input.default.clone().unwrap_or_default(),
            None if input.is_required() => {
                let missing = Problem::here("Expected value to not be null");
                within(problems, json!(**key), |inside| inside.push(missing));
                continue;
            }
            None => continue,
        };
        read_fields.insert(key.to_string(), value);
    }
    Json::Object(read_fields)
}

/// Runs `work` and puts `step` before the paths of the problems it found.
fn within<T>(
    problems: &mut Vec<Problem>, step: Json, work: impl FnOnce(&mut Vec<Problem>) -> T,
) -> T {
    let before = problems.len();
    let result = work(problems);
    for problem in &mut problems[before..] {
        problem.path.insert(0, step.clone());
    }
    result
}
