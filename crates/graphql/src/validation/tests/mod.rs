//! Every text, limit and score of the interface, and hostile documents.

mod choices;
mod hostile;
mod rules;
mod rules_of_values;
mod sample;
mod scores;
mod texts;

use super::{Checked, Limits, Source, StaticError, check, parse};
use kernel::graph::Table;
use serde_json::{Value as Json, json};
use std::sync::LazyLock;

static TABLE: LazyLock<Table> = LazyLock::new(sample::table);

fn source(query: &str, variables: Json) -> Source {
    Source {
        query: query.to_owned(),
        operation_name: None,
        variables: super::variables::sent(Some(&variables)).unwrap(),
    }
}

fn run(source: Source, table: &Table) -> Result<Checked, Vec<StaticError>> {
    let mut limits = Limits::of(false);
    // The machine that tests is loaded; what a caller sees is tested apart.
    limits.validation = std::time::Duration::from_secs(60);
    check(table, parse(source)?, limits)
}

fn passes(query: &str) -> Checked {
    passes_with(query, json!({}))
}

fn passes_with(query: &str, variables: Json) -> Checked {
    match run(source(query, variables), &TABLE) {
        Ok(checked) => checked,
        Err(errors) => panic!("{query}: {errors:?}"),
    }
}

fn refused(query: &str) -> Vec<StaticError> {
    refused_with(query, json!({}))
}

fn refused_with(query: &str, variables: Json) -> Vec<StaticError> {
    match run(source(query, variables), &TABLE) {
        Ok(_) => panic!("{query} passes"),
        Err(errors) => errors,
    }
}

/// Code and text of the first error.
fn first(query: &str) -> (String, String) {
    let error = &refused(query)[0];
    (error.code().to_owned(), error.message.clone())
}
