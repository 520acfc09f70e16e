//! `/application/graphql_queries`, the operator's list of allowed queries, and
//! `/application/graphql_deprecations`, who still uses what will go: for
//! administrators.

use crate::allowed::{self, AllowedQuery};
use crate::deprecated_usage::{self, DeprecatedUse};
use identity::users::Author;
use identity::viewer::Admin;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;

const ALL: &str = "/application/graphql_queries";
const ONE: &str = "/application/graphql_queries/{graphql_query_id}";

pub fn routes(r: &mut Routes) {
    r.get("/application/graphql_deprecations", deprecations)
        .summary("Lists who still uses deprecated members of GraphQL");
    r.get(ALL, list)
        .summary("Lists the GraphQL queries that everybody may ask");
    r.post(ALL, create)
        .summary("Lets everybody ask a GraphQL query");
    r.get(ONE, show)
        .summary("Shows a GraphQL query that everybody may ask");
    r.delete(ONE, destroy)
        .summary("Takes a GraphQL query off the list");
}

/// An allowed query on the wire.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AllowedQueryEntity {
    id: i64,
    name: String,
    sha256: String,
    query: String,
    created_by_id: Option<i64>,
    created_at: String,
}

fn entity(one: AllowedQuery) -> AllowedQueryEntity {
    AllowedQueryEntity {
        id: one.id,
        name: one.name,
        sha256: one.sha256,
        query: one.query,
        created_by_id: one.created_by_id,
        created_at: wire::text(one.created_at),
    }
}

async fn list(app: App, _: Admin, paging: Paging) -> Result<Paged<AllowedQueryEntity>> {
    let asked = paging.clone();
    let (rows, total) = app
        .read(move |tx| Ok((allowed::page(tx, &asked)?, allowed::total(tx)?)))
        .await?;
    Ok(Paged::numbered(rows, paging, Some(total)).map(entity))
}

/// A user's use of a deprecated member on the wire.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DeprecatedUseEntity {
    member: String,
    reason: String,
    replacement: Option<String>,
    removed_in: Option<String>,
    user_id: i64,
    username: String,
    uses: i64,
    last_used_at: String,
}

fn used(one: DeprecatedUse) -> DeprecatedUseEntity {
    DeprecatedUseEntity {
        member: one.member,
        reason: one.reason,
        replacement: one.replacement,
        removed_in: one.removed_in,
        user_id: one.user_id,
        username: one.username,
        uses: one.uses,
        last_used_at: wire::text(one.last_used_at),
    }
}

async fn deprecations(app: App, _: Admin, paging: Paging) -> Result<Paged<DeprecatedUseEntity>> {
    let asked = paging.clone();
    let (rows, total) = app
        .read(move |tx| {
            Ok((
                deprecated_usage::page(tx, &asked)?,
                deprecated_usage::total(tx)?,
            ))
        })
        .await?;
    Ok(Paged::numbered(rows, paging, Some(total)).map(used))
}

kernel::params! {
    /// A query to be allowed.
    pub struct CreateAllowedQuery {
        /// For people.
        pub name: String,
        /// The very text that clients send.
        pub query: String,
    }
}

async fn create(
    app: App,
    admin: Admin,
    params: Params<CreateAllowedQuery>,
) -> Result<Created<AllowedQueryEntity>> {
    let by = Author::from(admin.0.as_ref());
    let made = app.write(move |tx| allowed::create(tx, &by, &params.name, &params.query));
    Ok(Created(entity(made.await?)))
}

kernel::params! {
    /// Which query.
    pub struct AllowedQueryPath {
        /// Id of the entry.
        pub graphql_query_id: i64,
    }
}

async fn show(
    app: App,
    _: Admin,
    path: Params<AllowedQueryPath>,
) -> Result<Ok200<AllowedQueryEntity>> {
    let id = path.graphql_query_id;
    let one = app.read(move |tx| allowed::find(tx, id)?.found("Allowed Query"));
    Ok(Ok200(entity(one.await?)))
}

async fn destroy(app: App, admin: Admin, path: Params<AllowedQueryPath>) -> Result<NoContent> {
    let (by, id) = (Author::from(admin.0.as_ref()), path.graphql_query_id);
    app.write(move |tx| allowed::destroy(tx, &by, id)).await?;
    Ok(NoContent)
}
