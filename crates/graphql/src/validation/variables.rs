//! Variables: every form they come in, and their values.

use super::ast::Operation;
use super::error::StaticError;
use super::literals;
use kernel::graph::coerce::{self, Problem};
use kernel::graph::table::Table;
use serde_json::{Map, Value as Json, json};

/// Variables or extensions as a request carries them: an object, JSON text of
/// one, an empty string or nothing.
pub fn sent(given: Option<&Json>) -> Result<Map<String, Json>, String> {
    match given {
        None | Some(Json::Null) => Ok(Map::new()),
        Some(Json::Object(map)) => Ok(map.clone()),
        Some(Json::String(text)) if text.is_empty() => Ok(Map::new()),
        Some(Json::String(text)) => {
            super::json::check(text.as_bytes()).map_err(str::to_owned)?;
            match serde_json::from_str::<Json>(text) {
                Ok(Json::Object(map)) => Ok(map),
                Ok(Json::Null) => Ok(Map::new()),
                Ok(other) => Err(format!("Unexpected parameter: {other}")),
                Err(error) => Err(format!("Invalid JSON: {error}")),
            }
        }
        Some(other) => Err(format!("Unexpected parameter: {other}")),
    }
}

/// The values of an operation's variables, coerced, with defaults.
pub fn coerced(
    table: &Table, operation: &Operation, sent: &Map<String, Json>,
) -> Result<Map<String, Json>, Vec<StaticError>> {
    let mut values = Map::new();
    let mut errors = Vec::new();
    for variable in &operation.variables {
        let given = sent.get(&*variable.name);
        let value = match (given, &variable.default) {
            (Some(given), _) => coerce::value(table, &variable.ty, given),
            (None, Some(default)) => {
                let none = Map::new();
                let read = literals::read(table, &variable.ty, default, &none);
                values.insert(variable.name.to_string(), read.unwrap_or_default());
                continue;
            }
            (None, None) if variable.ty.is_required() => {
                Err(vec![Problem::here("Expected value to not be null")])
            }
            (None, None) => continue,
        };
        match value {
            Ok(value) => {
                values.insert(variable.name.to_string(), value);
            }
            Err(problems) => {
                let ty = &variable.ty;
                let name = format!("Variable ${} of type {ty}", variable.name);
                let given = given.cloned().unwrap_or_default();
                errors.push(refused(&name, given, &problems).at(variable.pos));
            }
        }
    }
    if errors.is_empty() {
        Ok(values)
    } else {
        errors.truncate(super::MAX_ERRORS);
        Err(errors)
    }
}

fn refused(name: &str, given: Json, problems: &[Problem]) -> StaticError {
    let of = |problem: &&Problem| !problem.path.is_empty();
    let parts: Vec<String> = problems.iter().filter(of).map(part).collect();
    let within = match parts.as_slice() {
        [] => String::new(),
        parts => format!(" for {}", parts.join(", ")),
    };
    let text = format!("{name} was provided invalid value{within}");
    let problems: Vec<Json> = problems.iter().map(Problem::json).collect();
    StaticError::new("invalidVariable", text)
        .with("value", given)
        .with("problems", json!(problems))
}

fn part(problem: &Problem) -> String {
    let step = |step: &Json| match step {
        Json::String(name) => name.clone(),
        other => other.to_string(),
    };
    let path: Vec<String> = problem.path.iter().map(step).collect();
    format!("{} ({})", path.join("."), problem.explanation)
}
