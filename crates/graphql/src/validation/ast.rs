//! A parsed document, in the order it was written.

use super::error::Pos;
use std::fmt::{self, Write};
use std::sync::Arc;

#[derive(Debug, Default)]
pub struct Document {
    pub operations: Vec<Operation>,
    pub fragments: Vec<Fragment>,
    /// The first definition that belongs in a schema, if there is one.
    pub schema_definition: Option<Pos>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationKind {
    Query,
    Mutation,
    Subscription,
}

impl OperationKind {
    pub fn word(self) -> &'static str {
        match self {
            OperationKind::Query => "query",
            OperationKind::Mutation => "mutation",
            OperationKind::Subscription => "subscription",
        }
    }

    pub fn root(self) -> &'static str {
        match self {
            OperationKind::Query => "Query",
            OperationKind::Mutation => "Mutation",
            OperationKind::Subscription => "Subscription",
        }
    }
}

#[derive(Debug)]
pub struct Operation {
    pub kind: OperationKind,
    pub name: Option<Arc<str>>,
    /// Where it begins.
    pub pos: Pos,
    pub variables: Vec<Variable>,
    pub directives: Vec<Directive>,
    pub selections: Vec<Selection>,
}

impl Operation {
    /// As errors call it.
    pub fn title(&self) -> String {
        match &self.name {
            Some(name) => name.to_string(),
            None => format!("anonymous {}", self.kind.word()),
        }
    }
}

#[derive(Debug)]
pub struct Variable {
    pub name: Arc<str>,
    pub pos: Pos,
    pub ty: kernel::graph::TypeRef,
    pub default: Option<Value>,
    pub directives: Vec<Directive>,
}

#[derive(Debug)]
pub struct Fragment {
    pub name: Arc<str>,
    pub pos: Pos,
    pub on: Arc<str>,
    pub directives: Vec<Directive>,
    pub selections: Vec<Selection>,
}

#[derive(Debug)]
pub enum Selection {
    Field(Field),
    Spread(Spread),
    Inline(Inline),
}

#[derive(Debug)]
pub struct Field {
    /// Its key in the answer, unless its name.
    pub alias: Option<Arc<str>>,
    pub name: Arc<str>,
    pub pos: Pos,
    pub arguments: Vec<Argument>,
    pub directives: Vec<Directive>,
    pub selections: Vec<Selection>,
}

impl Field {
    /// Its key in the answer.
    pub fn key(&self) -> &Arc<str> {
        self.alias.as_ref().unwrap_or(&self.name)
    }
}

#[derive(Debug)]
pub struct Spread {
    pub name: Arc<str>,
    pub pos: Pos,
    pub directives: Vec<Directive>,
}

#[derive(Debug)]
pub struct Inline {
    /// What it applies to, unless everything.
    pub on: Option<Arc<str>>,
    pub pos: Pos,
    pub directives: Vec<Directive>,
    pub selections: Vec<Selection>,
}

#[derive(Debug)]
pub struct Directive {
    pub name: Arc<str>,
    pub pos: Pos,
    pub arguments: Vec<Argument>,
}

/// An argument or a field of an input object.
#[derive(Debug)]
pub struct Argument {
    pub name: Arc<str>,
    pub pos: Pos,
    pub value: Value,
}

#[derive(Debug)]
pub enum Value {
    /// `$name`
    Variable(Arc<str>),
    /// A whole number, as written.
    Int(Arc<str>),
    Float(Arc<str>),
    Text(Arc<str>),
    Bool(bool),
    Null,
    Enum(Arc<str>),
    List(Vec<Value>),
    Object(Vec<Argument>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Variable(name) => write!(f, "${name}"),
            Value::Int(text) | Value::Float(text) | Value::Enum(text) => f.write_str(text),
            Value::Text(text) => write!(f, "{}", serde_json::Value::from(&**text)),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Null => f.write_str("null"),
            Value::List(items) => {
                f.write_char('[')?;
                for (index, item) in items.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{item}")?;
                }
                f.write_char(']')
            }
            Value::Object(fields) => write_fields(f, fields),
        }
    }
}

fn write_fields(f: &mut fmt::Formatter<'_>, fields: &[Argument]) -> fmt::Result {
    f.write_char('{')?;
    for (index, field) in fields.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(f, "{comma}{}: {}", field.name, field.value)?;
    }
    f.write_char('}')
}
