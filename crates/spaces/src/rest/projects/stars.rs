//! Stars of projects.

use super::OneProject;
use crate::access::{self, Purpose};
use crate::entities::{self, ProjectEntity};
use crate::rules;
use crate::store as lists;
use crate::store::contains;
use identity::entities::{UserBasic, basic};
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Changed, Paged, Paging, Params, Routes};
use kernel::ids::{Reference, fold};
use kernel::time::{Timestamp, wire};
use schemars::JsonSchema;
use serde::Serialize;
use store::Fragment;

pub fn routes(r: &mut Routes) {
    r.post("/projects/{id}/star", star)
        .summary("Stars a project");
    r.post("/projects/{id}/unstar", unstar)
        .summary("Takes a star back");
    r.get("/projects/{id}/starrers", starrers)
        .summary("Lists who starred a project");
}

async fn star(
    app: App,
    viewer: Viewer,
    params: Params<OneProject>,
) -> Result<Changed<ProjectEntity>> {
    set_starred(app, viewer, params.0.id, true).await
}

async fn unstar(
    app: App,
    viewer: Viewer,
    params: Params<OneProject>,
) -> Result<Changed<ProjectEntity>> {
    set_starred(app, viewer, params.0.id, false).await
}

async fn set_starred(
    app: App,
    viewer: Viewer,
    id: Reference,
    starred: bool,
) -> Result<Changed<ProjectEntity>> {
    let handle = app.clone();
    app.write(move |tx| {
        let Some(project) = rules::star_project(tx, &viewer, &id, starred)? else {
            return Ok(Changed::Before);
        };
        entities::one_project(tx, &handle, &viewer, &project, false).map(Changed::Now)
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

struct Starrer {
    since: Timestamp,
    user: User,
}

impl store::FromRow for Starrer {
    fn from_row(row: &mut store::Row<'_>) -> store::Result<Self> {
        Ok(Starrer {
            since: row.get("starred_since")?,
            user: User::from_row(row)?,
        })
    }
}

async fn starrers(
    app: App,
    viewer: Viewer,
    params: Params<ListStarrers>,
    paging: Paging,
) -> Result<Paged<StarrerEntity>> {
    let params = params.0;
    let handle = app.clone();
    app.read(move |tx| {
        let project = access::project(tx, &viewer, &params.id, Purpose::Read)?;
        let mut condition = Fragment::default();
        condition
            .push(
                "users.id = stars.user_id and stars.project_id = ",
                project.id,
            )
            .raw(" and users.state = 'active'");
        if let Some(search) = params.search.as_deref().filter(|search| !search.is_empty()) {
            let pattern = contains(&fold(search));
            condition
                .push(" and (users.name_folded like ", pattern.as_str())
                .push(
                    " escape '\\' or users.username_folded like ",
                    pattern.as_str(),
                )
                .raw(" escape '\\')");
        }
        let total = lists::count(tx, "stars, users", &condition)?;
        let mut list = Fragment::new(
            "select users.*, stars.created_at as starred_since from stars, users where ",
        );
        list.append(condition);
        list.push(" order by users.id limit ", paging.fetch());
        list.push(" offset ", paging.offset());
        let rows: Vec<Starrer> = tx.query(list)?;
        Ok(
            Paged::numbered(rows, paging, Some(total)).map(|row| StarrerEntity {
                starred_since: wire::text(row.since),
                user: basic(&handle, &row.user),
            }),
        )
    })
    .await
}
