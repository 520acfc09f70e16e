//! What every document passes before it runs: size, shape, grammar, types,
//! variables and cost, in this order (docs/interface/graphql.md 3, 4 and 10).
//!
//! It is pure and synchronous. Work is linear in the text: brackets and
//! tokens are bounded before anything recurses, fragments are measured once,
//! and what compares or expands has a budget of steps.

mod arguments;
pub mod ast;
pub mod cost;
pub mod error;
mod fragments;
pub mod json;
pub mod lexer;
pub mod literals;
mod merge;
mod parser;
pub mod report;
#[cfg(test)]
mod tests;
mod usages;
mod validate;
pub mod variables;

pub use error::StaticError;
pub use fragments::Fragments;

use ast::{Document, Operation, OperationKind, Selection};
use kernel::graph::table::Table;
use serde_json::{Map, Value as Json};
use std::sync::Arc;
use std::time::Duration;

/// Most characters of all queries of a request.
pub const MAX_CHARACTERS: usize = 10_000;
/// Most errors told of one document.
pub const MAX_ERRORS: usize = 5;

/// What a caller may ask for.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub complexity: u64,
    pub depth: u64,
    pub validation: Duration,
}

/// Complexity that operations on the interface itself may have.
pub const INTROSPECTION_COMPLEXITY: u64 = 500;

impl Limits {
    /// The limits of anonymous and of authenticated callers.
    pub fn of(anonymous: bool) -> Limits {
        Limits {
            complexity: if anonymous { 200 } else { 250 },
            depth: if anonymous { 15 } else { 20 },
            validation: Duration::from_millis(200),
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Source {
    pub query: String,
    /// Which operation; of a document with one it may be absent.
    pub operation_name: Option<String>,
    pub variables: Map<String, Json>,
}

/// An operation that may run.
#[derive(Debug)]
pub struct Checked {
    pub document: Arc<Document>,
    /// Its place among the operations.
    index: usize,
    pub variables: Map<String, Json>,
    pub score: u64,
    /// The most complexity it might have had.
    pub limit: u64,
    pub depth: u64,
    /// `Type.field` of everything selected, for the log.
    pub used_fields: Vec<String>,
    pub deprecated_fields: Vec<String>,
    /// `Type.field(argument)` of deprecated arguments.
    pub deprecated_arguments: Vec<String>,
}

impl Checked {
    pub fn operation(&self) -> &Operation {
        &self.document.operations[self.index]
    }

    pub fn is_mutation(&self) -> bool {
        self.operation().kind == OperationKind::Mutation
    }
}

/// A document that is grammatical, with the operation that was asked for.
#[derive(Debug)]
pub struct Parsed {
    document: Arc<Document>,
    index: usize,
    sent: Map<String, Json>,
}

impl Parsed {
    pub fn kind(&self) -> OperationKind {
        self.document.operations[self.index].kind
    }
}

/// Parses a document and picks the operation. The document is of acceptable
/// size; see [`MAX_CHARACTERS`].
pub fn parse(source: Source) -> Result<Parsed, Vec<StaticError>> {
    let document = parser::parse(&source.query).map_err(|error| vec![error])?;
    if let Some(pos) = document.schema_definition {
        let text = "Query cannot contain schema definitions";
        let error = StaticError::new("queryContainsSchemaDefinition", text).at(pos);
        return Err(vec![error]);
    }
    let index = pick(&document, source.operation_name.as_deref()).map_err(|error| vec![error])?;
    Ok(Parsed { document: Arc::new(document), index, sent: source.variables })
}

fn pick(document: &Document, name: Option<&str>) -> Result<usize, StaticError> {
    let operations = &document.operations;
    match name.filter(|name| !name.is_empty()) {
        Some(name) => operations
            .iter()
            .position(|one| one.name.as_deref() == Some(name))
            .ok_or_else(|| {
                let text = format!("No operation named {name:?}");
                StaticError::new("operationNotFound", text)
            }),
        None if operations.len() == 1 => Ok(0),
        None if operations.is_empty() => {
            let text = "Query has no operation to execute";
            Err(StaticError::new("operationNotFound", text))
        }
        None => Err(StaticError::new("operationNameRequired", "An operation name is required")),
    }
}

/// Checks everything else and gives the operation with its score.
pub fn check(table: &Table, parsed: Parsed, limits: Limits) -> Result<Checked, Vec<StaticError>> {
    let Parsed { document, index, sent } = parsed;
    let operation = &document.operations[index];
    if operation.kind == OperationKind::Subscription {
        let text = "Schema is not configured for subscriptions";
        let error = StaticError::new("missingSubscriptionConfiguration", text);
        return Err(vec![error.at(operation.pos)]);
    }
    let fragments = Fragments::new(&document)?;
    for one in &document.operations {
        fragments.check_size(&one.selections).map_err(|error| vec![error])?;
    }
    validate::document(table, &document, &fragments, limits.validation)?;
    merge::check(table, &document.operations, &fragments).map_err(|error| vec![error])?;
    let variables = variables::coerced(table, operation, &sent)?;
    let about_itself = is_about_itself(operation, &fragments);
    let limit = if about_itself {
        limits.complexity.max(INTROSPECTION_COMPLEXITY)
    } else {
        limits.complexity
    };
    let report =
        cost::analyse(table, operation, &fragments, &variables).map_err(|error| vec![error])?;
    report.check(limit, limits.depth)?;
    Ok(Checked {
        index,
        variables,
        score: report.complexity,
        limit,
        depth: report.depth,
        used_fields: report.used_fields.into_iter().collect(),
        deprecated_fields: report.deprecated_fields.into_iter().collect(),
        deprecated_arguments: report.deprecated_arguments.into_iter().collect(),
        document: document.clone(),
    })
}

/// Whether the root selects `__schema`, `__type` and `__typename` only.
fn is_about_itself(operation: &Operation, fragments: &Fragments<'_>) -> bool {
    fn only(selections: &[Selection], fragments: &Fragments<'_>) -> bool {
        selections.iter().all(|selection| match selection {
            Selection::Field(field) => {
                matches!(&*field.name, "__schema" | "__type" | "__typename")
            }
            Selection::Inline(inline) => only(&inline.selections, fragments),
            Selection::Spread(spread) => fragments
                .get(&spread.name)
                .is_none_or(|fragment| only(&fragment.selections, fragments)),
        })
    }
    operation.kind == OperationKind::Query && only(&operation.selections, fragments)
}

/// Refuses all entries of a batch whose complexity is too much together.
pub fn check_sum(entries: &[&Checked], limits: Limits) -> Result<(), StaticError> {
    let sum: u64 = entries.iter().map(|entry| entry.score).sum();
    let limit = entries.iter().map(|entry| entry.limit).max();
    let limit = limit.unwrap_or(limits.complexity);
    if entries.len() > 1 && sum > limit {
        return Err(cost::too_complex(sum, limit));
    }
    Ok(())
}

/// Whether a directive's `if` is true, by a literal or a variable.
pub(crate) fn holds(value: Option<&ast::Value>, variables: &Map<String, Json>) -> bool {
    match value {
        Some(ast::Value::Bool(value)) => *value,
        Some(ast::Value::Variable(name)) => variables.get(&**name) == Some(&Json::Bool(true)),
        _ => false,
    }
}

/// Whether `@skip` and `@include` leave a selection in.
pub fn is_taken(directives: &[ast::Directive], variables: &Map<String, Json>) -> bool {
    directives.iter().all(|directive| {
        let condition = directive.arguments.iter().find(|one| &*one.name == "if");
        let holds = holds(condition.map(|one| &one.value), variables);
        match &*directive.name {
            "skip" => !holds,
            "include" => holds,
            _ => true,
        }
    })
}

/// Whether a selection says that the server may be too old for it.
pub fn may_be_newer(directives: &[ast::Directive]) -> bool {
    directives.iter().any(|one| &*one.name == "service_introduced")
}
