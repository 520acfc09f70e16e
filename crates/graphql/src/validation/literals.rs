//! Values in documents: whether they fit a type, and what they are.

use super::ast::{Argument, Value};
use kernel::graph::table::{Input, Kind, Table};
use kernel::graph::{TypeRef, coerce};
use serde_json::{Map, Number, Value as Json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Why a literal does not fit: the standard text (`None`) or the scalar's own.
pub type Misfit = Option<String>;

/// Whether a literal fits, looking into lists and not into objects, whose
/// fields are judged one by one. Variables are judged elsewhere.
pub fn fits(table: &Table, ty: &TypeRef, value: &Value) -> Result<(), Misfit> {
    match (ty, value) {
        (_, Value::Variable(_)) => Ok(()),
        (TypeRef::NonNull(_), Value::Null) => Err(None),
        (TypeRef::NonNull(inner), _) => fits(table, inner, value),
        (_, Value::Null) => Ok(()),
        (TypeRef::List(inner), Value::List(items)) => {
            items.iter().try_for_each(|item| fits(table, inner, item))
        }
        (TypeRef::List(inner), single) => fits(table, inner, single),
        (TypeRef::Named(name), _) => named_fits(table, name, value),
    }
}

/// Whether a literal without variables fits, with all that it holds.
pub fn fits_whole(table: &Table, ty: &TypeRef, value: &Value) -> Result<(), Misfit> {
    fits(table, ty, value)?;
    match (ty.nullable(), value) {
        (TypeRef::List(inner), Value::List(items)) => {
            items.iter().try_for_each(|item| fits_whole(table, inner, item))
        }
        (TypeRef::List(inner), single) => fits_whole(table, inner, single),
        (TypeRef::Named(name), Value::Object(given)) => {
            match table.get(name).map(|def| &def.kind) {
                Some(Kind::Input(inputs)) => fields_fit(table, inputs, given),
                _ => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

fn fields_fit(
    table: &Table, inputs: &BTreeMap<Arc<str>, Input>, given: &[Argument],
) -> Result<(), Misfit> {
    let is_given = |input: &Input| given.iter().any(|one| one.name == input.name);
    if inputs.values().any(|one| one.is_required() && !is_given(one)) {
        return Err(None);
    }
    given.iter().try_for_each(|one| {
        let input = inputs.get(&one.name).ok_or(None)?;
        fits_whole(table, &input.ty, &one.value)
    })
}

fn named_fits(table: &Table, name: &str, value: &Value) -> Result<(), Misfit> {
    match (table.get(name).map(|def| &def.kind), value) {
        (Some(Kind::Input(_)), Value::Object(_)) => Ok(()),
        (Some(Kind::Enum(values)), Value::Enum(one)) if values.contains_key(one) => Ok(()),
        (Some(Kind::Scalar(_)), Value::Enum(_)) => Err(None),
        (Some(Kind::Scalar(_)), Value::Object(_) | Value::List(_)) if name != "JSON" => Err(None),
        (Some(Kind::Scalar(_)), _) => {
            let json = plain(value);
            let read = coerce::leaf(table, name, &json);
            read.map(drop).map_err(|problem| problem.own.then_some(problem.explanation))
        }
        _ => Err(None),
    }
}

/// The value a resolver sees: variables put in, defaults filled in.
/// `None` for a variable that has no value.
pub fn read(
    table: &Table, ty: &TypeRef, value: &Value, variables: &Map<String, Json>,
) -> Option<Json> {
    if let Value::Variable(name) = value {
        return variables.get(&**name).map(|given| match (ty.nullable(), given) {
            // A single value of a variable where a list is taken.
            (TypeRef::List(_), Json::Array(_) | Json::Null) => given.clone(),
            (TypeRef::List(_), one) => Json::Array(vec![one.clone()]),
            _ => given.clone(),
        });
    }
    Some(match (ty.nullable(), value) {
        (_, Value::Null) => Json::Null,
        (TypeRef::List(inner), Value::List(items)) => {
            let item = |one| read(table, inner, one, variables).unwrap_or_default();
            Json::Array(items.iter().map(item).collect())
        }
        (TypeRef::List(inner), one) => {
            Json::Array(vec![read(table, inner, one, variables).unwrap_or_default()])
        }
        (TypeRef::Named(name), _) => match table.get(name).map(|def| &def.kind) {
            Some(Kind::Input(inputs)) => object(table, inputs, value, variables),
            _ => {
                let json = substituted(value, variables);
                coerce::leaf(table, name, &json).unwrap_or_default()
            }
        },
        (TypeRef::NonNull(_), _) => Json::Null,
    })
}

fn object(
    table: &Table, inputs: &BTreeMap<Arc<str>, Input>, value: &Value, variables: &Map<String, Json>,
) -> Json {
    let Value::Object(given) = value else {
        return Json::Null;
    };
    Json::Object(arguments(table, inputs, given, variables))
}

/// Arguments, or the fields of an input object, as a resolver sees them.
pub fn arguments(
    table: &Table, inputs: &BTreeMap<Arc<str>, Input>, given: &[Argument],
    variables: &Map<String, Json>,
) -> Map<String, Json> {
    let mut out = Map::new();
    for (name, input) in inputs {
        let sent = given.iter().find(|one| one.name == *name);
        let value = sent.and_then(|one| read(table, &input.ty, &one.value, variables));
        if let Some(value) = value.or_else(|| input.default.clone()) {
            out.insert(name.to_string(), value);
        }
    }
    out
}

/// A literal as JSON; enums as text.
pub fn plain(value: &Value) -> Json {
    substituted(value, &Map::new())
}

fn substituted(value: &Value, variables: &Map<String, Json>) -> Json {
    match value {
        Value::Variable(name) => variables.get(&**name).cloned().unwrap_or_default(),
        Value::Int(text) => match text.parse::<i64>() {
            Ok(number) => Json::from(number),
            Err(_) => float(text),
        },
        Value::Float(text) => float(text),
        Value::Text(text) | Value::Enum(text) => Json::from(&**text),
        Value::Bool(value) => Json::from(*value),
        Value::Null => Json::Null,
        Value::List(items) => {
            Json::Array(items.iter().map(|one| substituted(one, variables)).collect())
        }
        Value::Object(fields) => {
            let field = |one: &Argument| (one.name.to_string(), substituted(&one.value, variables));
            Json::Object(fields.iter().map(field).collect())
        }
    }
}

fn float(text: &str) -> Json {
    let number = text.parse::<f64>().ok().and_then(Number::from_f64);
    number.map_or(Json::Null, Json::Number)
}
