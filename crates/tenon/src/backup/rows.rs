//! Rows as JSON lines, alike for both engines.

use crate::schema::{Column, Table};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use kernel::time::Timestamp;
use store::{Error, FromRow, Result, Row, Type, Value};

/// All cells of a row, whatever its table.
pub struct Cells(pub Vec<Value>);

impl FromRow for Cells {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        (0..row.width()).map(|at| row.at(at)).collect::<Result<_>>().map(Cells)
    }
}

/// Selects every column of a table in the order declared.
pub fn select(table: &Table) -> String {
    format!("select {} from {}", names(table), table.name)
}

/// The names of the columns, separated by commas.
pub fn names(table: &Table) -> String {
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    names.join(", ")
}

/// One line of a table's file.
pub fn to_line(table: &Table, cells: Cells) -> Result<String> {
    let values = table.columns.iter().zip(cells.0).map(|(column, value)| to_json(column, value));
    let values: Vec<serde_json::Value> = values.collect::<Result<_>>()?;
    Ok(serde_json::Value::from(values).to_string())
}

pub fn from_line(table: &Table, line: &str) -> Result<Vec<Value>> {
    let values: Vec<serde_json::Value> =
        serde_json::from_str(line).map_err(|_| unreadable(&table.name))?;
    if values.len() != table.columns.len() {
        return Err(unreadable(&table.name));
    }
    table
        .columns
        .iter()
        .zip(values)
        .map(|(column, value)| from_json(column, value))
        .collect()
}

fn to_json(column: &Column, value: Value) -> Result<serde_json::Value> {
    let known = match (column.kind, value) {
        (_, Value::Null(_)) => serde_json::Value::Null,
        (Type::Bool, Value::Int(number)) => (number != 0).into(),
        (Type::Bool, Value::Bool(truth)) => truth.into(),
        (Type::Int, Value::Int(number)) => number.into(),
        (Type::Real, Value::Real(number)) => number.into(),
        (Type::Real, Value::Int(number)) => (number as f64).into(),
        (Type::Text | Type::Json, Value::Text(text)) => text.into(),
        // As text, so that JSON's null is not taken for an absent value.
        (Type::Json, Value::Json(json)) => json.to_string().into(),
        (Type::Bytes, Value::Bytes(bytes)) => BASE64_STANDARD.encode(bytes).into(),
        (Type::Time, Value::Time(at)) => at.to_string().into(),
        (Type::Time, Value::Int(micros)) => match Timestamp::from_microsecond(micros) {
            Ok(at) => at.to_string().into(),
            Err(_) => return Err(unreadable(&column.name)),
        },
        _ => return Err(unreadable(&column.name)),
    };
    Ok(known)
}

fn from_json(column: &Column, value: serde_json::Value) -> Result<Value> {
    if value.is_null() {
        return Ok(Value::Null(column.kind));
    }
    let text = || value.as_str().map(str::to_owned);
    let known = match column.kind {
        Type::Bool => value.as_bool().map(Value::Bool),
        Type::Int => value.as_i64().map(Value::Int),
        Type::Real => value.as_f64().map(Value::Real),
        Type::Text => text().map(Value::Text),
        Type::Json => text().and_then(|text| serde_json::from_str(&text).ok()).map(Value::Json),
        Type::Bytes => text().and_then(|text| BASE64_STANDARD.decode(text).ok()).map(Value::Bytes),
        Type::Time => text().and_then(|text| text.parse().ok()).map(Value::Time),
        Type::Ints | Type::Texts => None,
    };
    known.ok_or_else(|| unreadable(&column.name))
}

fn unreadable(what: &str) -> Error {
    Error::Type { what: format!("{what} holds a value of another type") }
}
