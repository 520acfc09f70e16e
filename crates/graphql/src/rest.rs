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

const ALL: &str = "/application/graphql_queries";
const ONE: &str = "/application/graphql_queries/{graphql_query_id}";

pub fn routes(r: &mut Routes) {
    r.get("/application/graphql_deprecations", deprecations)
        .summary("Lists who still uses deprecated members of GraphQL");
    r.get(ALL, list).summary("Lists the GraphQL queries that everybody may ask");
    r.post(ALL, create).summary("Lets everybody ask a GraphQL query");
    r.get(ONE, show).summary("Shows a GraphQL query that everybody may ask");
    r.delete(ONE, destroy).summary("Takes a GraphQL query off the list");
}

async fn list(app: App, _: Admin, paging: Paging) -> Result<Paged<AllowedQuery>> {
    Paged::read(&app, paging, |tx, paging| Ok((allowed::page(tx, paging)?, allowed::total(tx)?)))
        .await
}

async fn deprecations(app: App, _: Admin, paging: Paging) -> Result<Paged<DeprecatedUse>> {
    Paged::read(&app, paging, |tx, paging| {
        let total = deprecated_usage::total(tx)?;
        Ok((deprecated_usage::page(tx, paging)?, total))
    })
    .await
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
    app: App, admin: Admin, params: Params<CreateAllowedQuery>,
) -> Result<Created<AllowedQuery>> {
    let by = Author::from(admin.0.as_ref());
    let made = app.write(move |tx| allowed::create(tx, &by, &params.name, &params.query));
    Ok(Created(made.await?))
}

kernel::params! {
    /// Which query.
    pub struct AllowedQueryPath {
        /// Id of the entry.
        pub graphql_query_id: i64,
    }
}

async fn show(app: App, _: Admin, path: Params<AllowedQueryPath>) -> Result<Ok200<AllowedQuery>> {
    let id = path.graphql_query_id;
    let one = app.read(move |tx| allowed::find(tx, id)?.found("Allowed Query"));
    Ok(Ok200(one.await?))
}

async fn destroy(app: App, admin: Admin, path: Params<AllowedQueryPath>) -> Result<NoContent> {
    let (by, id) = (Author::from(admin.0.as_ref()), path.graphql_query_id);
    app.write(move |tx| allowed::destroy(tx, &by, id)).await?;
    Ok(NoContent)
}
