//! Stars of projects.

use super::super::Caller;
use super::OneProject;
use crate::access::{self, Purpose};
use crate::entities::{self, ProjectEntity};
use crate::rules;
use crate::store::stars::{self as rows, Starrer};
use identity::entities::{UserBasic, basic};
use kernel::error::Result;
use kernel::http::{Changed, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;

pub fn routes(r: &mut Routes) {
    r.post("/projects/{id}/star", star).summary("Stars a project");
    r.post("/projects/{id}/unstar", unstar).summary("Takes a star back");
    r.get("/projects/{id}/starrers", starrers)
        .summary("Lists who starred a project");
}

async fn star(by: Caller, params: Params<OneProject>) -> Result<Changed<ProjectEntity>> {
    set_starred(by, params.0.id, true).await
}

async fn unstar(by: Caller, params: Params<OneProject>) -> Result<Changed<ProjectEntity>> {
    set_starred(by, params.0.id, false).await
}

async fn set_starred(by: Caller, id: Reference, starred: bool) -> Result<Changed<ProjectEntity>> {
    by.write(move |tx, by| {
        let Some(project) = rules::star_project(tx, &by.viewer, &id, starred)? else {
            return Ok(Changed::Before);
        };
        entities::one_project(tx, by, &project, false).map(Changed::Now)
    })
    .await
}

kernel::params! {
    /// A project and a search among who starred it.
    pub struct ListStarrers {
        /// Id or path of the project.
        pub id: Reference,
        /// In name or username.
        pub search: Option<String>,
    }
}

/// Somebody who starred a project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StarrerEntity {
    starred_since: String,
    user: UserBasic,
}

async fn starrers(
    by: Caller, params: Params<ListStarrers>, paging: Paging,
) -> Result<Paged<StarrerEntity>> {
    let Caller { app, viewer } = by;
    Paged::read(&app.clone(), paging, move |tx, paging| {
        let project = access::project(tx, &viewer, &params.id, Purpose::Read)?;
        let (rows, total) = rows::page(tx, project.id, params.search.as_deref(), paging)?;
        let entity = |row: &Starrer| StarrerEntity {
            starred_since: wire::text(row.since),
            user: basic(&app, &row.user),
        };
        Ok((rows.iter().map(entity).collect(), total))
    })
    .await
}
