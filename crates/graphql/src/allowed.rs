//! The operator's list of allowed queries: with
//! `graphql_allowed_queries_only` nothing else is answered, except to
//! administrators, who try queries out before they list them.
//!
//! Table: `graphql_allowed_queries`. A query is told by the digest of its very
//! text, as clients with persisted queries send it.

use crate::validation::{self, MAX_CHARACTERS, Source};
use identity::users::Author;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::http::Paging;
use kernel::time::{Timestamp, wire};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use store::{FromRow, Tx, sql};

/// Most entries of the list.
pub const MAX: i64 = 10_000;
/// Longest name, in characters.
const MAX_NAME: usize = 255;

/// An allowed query on the wire.
#[derive(Debug, Clone, Serialize, JsonSchema, FromRow)]
#[schemars(rename = "AllowedQueryEntity")]
pub struct AllowedQuery {
    id: i64,
    name: String,
    // Of the query, in hex.
    sha256: String,
    query: String,
    // Who listed it, if they still exist.
    created_by_id: Option<i64>,
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    created_at: Timestamp,
}

/// The digest that names a query.
pub fn digest(query: &str) -> String {
    hex::encode(Sha256::digest(query))
}

/// The listed ones of these digests with their texts.
pub fn texts(tx: &mut Tx<'_>, digests: Vec<String>) -> Result<HashMap<String, String>> {
    Ok(tx.pairs(
        sql!("select sha256, query from graphql_allowed_queries where sha256 in_list($1)"),
        (digests,),
    )?)
}

/// One page of the list, the newest first.
pub fn page(tx: &mut Tx<'_>, paging: &Paging) -> Result<Vec<AllowedQuery>> {
    Ok(tx.all(
        sql!("select * from graphql_allowed_queries order by id desc limit $1 offset $2"),
        (paging.fetch(), paging.offset()),
    )?)
}

pub fn total(tx: &mut Tx<'_>) -> Result<i64> {
    Ok(tx.one(sql!("select count(*) from graphql_allowed_queries"), ())?)
}

pub fn find(tx: &mut Tx<'_>, id: i64) -> Result<Option<AllowedQuery>> {
    Ok(tx.optional(sql!("select * from graphql_allowed_queries where id = $1"), (id,))?)
}

/// Lists a query; one that is listed already is refused.
pub fn create(tx: &mut Tx<'_>, by: &Author, name: &str, query: &str) -> Result<AllowedQuery> {
    check(name, query)?;
    if total(tx)? >= MAX {
        let text = format!("has the most entries there may be ({MAX})");
        return Err(Error::invalid("list", text));
    }
    let now = tx.now();
    let made: Option<AllowedQuery> = tx.optional(
        sql!(
            "insert into graphql_allowed_queries (name, sha256, query, created_by_id, created_at)
             values ($1, $2, $3, $4, $5) on conflict (sha256) do nothing returning *"
        ),
        (name, digest(query), query, by.id, now),
    )?;
    let made = made.ok_or_else(|| Error::invalid("query", "is listed already"))?;
    record(tx, by, "graphql_allowed_query.create", &made)?;
    Ok(made)
}

/// Takes a query off the list.
pub fn destroy(tx: &mut Tx<'_>, by: &Author, id: i64) -> Result<()> {
    let listed = find(tx, id)?.found("Allowed Query")?;
    tx.execute(sql!("delete from graphql_allowed_queries where id = $1"), (id,))?;
    record(tx, by, "graphql_allowed_query.delete", &listed)
}

/// A document that nobody could ask is no use on the list.
fn check(name: &str, query: &str) -> Result<()> {
    let mut problems = Vec::new();
    let mut add = |field: &str, text: String| problems.push((field.to_owned(), vec![text]));
    if name.trim().is_empty() {
        add("name", "can't be blank".to_owned());
    }
    if name.chars().count() > MAX_NAME {
        add("name", format!("is too long (maximum is {MAX_NAME} characters)"));
    }
    match query.chars().count() {
        length if length > MAX_CHARACTERS => {
            let text = format!("is too long (maximum is {MAX_CHARACTERS} characters)");
            add("query", text);
        }
        _ => problems.extend(unusable(query)),
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(Error::Invalid(problems)),
    }
}

fn unusable(query: &str) -> Option<(String, Vec<String>)> {
    let source = Source { query: query.to_owned(), ..Source::default() };
    let error = validation::parse(source).err()?.into_iter().next()?;
    // Callers name one of several operations.
    let fine = error.code() == "operationNameRequired";
    (!fine).then(|| ("query".to_owned(), vec![error.message]))
}

fn record(tx: &mut Tx<'_>, by: &Author, action: &'static str, about: &AllowedQuery) -> Result<()> {
    audit::record(
        tx,
        by,
        action,
        ("GraphqlAllowedQuery", about.id, &about.name),
        json!({"sha256": about.sha256}),
    )
}
