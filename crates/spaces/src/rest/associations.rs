//! `/personal_access_tokens/self/associations`: what a token may enter.

use crate::access::{self, GUEST, Purpose};
use crate::entities::{self, GroupEntity, ProjectEntity};
use crate::store as lists;
use identity::Caller;
use identity::viewer::SignedInViewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Ok200, Paging, Params, Routes};
use schemars::JsonSchema;
use serde::Serialize;

pub fn routes(r: &mut Routes) {
    r.get("/personal_access_tokens/self/associations", show)
        .summary("Lists the groups and projects that the asking token may enter");
}

kernel::params! {
    /// From which role on.
    pub struct ShowAssociations {
        /// Least role of the token's user there; 10 unless said.
        pub min_access_level: Option<i64>,
    }
}

/// What a token may enter.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TokenAssociationsEntity {
    /// Groups, by id.
    pub groups: Vec<GroupEntity>,
    /// Projects, by id, in brief.
    pub projects: Vec<ProjectEntity>,
}

/// One page of each, since there is one answer for both.
async fn show(
    app: App, viewer: SignedInViewer, params: Params<ShowAssociations>, paging: Paging,
) -> Result<Ok200<TokenAssociationsEntity>> {
    if viewer.0.token_id().is_none() {
        return Err(Error::BadRequest("only a token can ask about itself".into()));
    }
    let (user_id, level) = (viewer.0.user.id, params.min_access_level.unwrap_or(GUEST));
    let by = Caller { app: app.clone(), viewer: viewer.viewer() };
    let (most, skipped) = (paging.per_page, paging.offset());
    app.read(move |tx| {
        let mut within = access::visible_groups(tx, &by.viewer);
        within.raw(" and ").append(access::groups_of(tx, user_id, level));
        let groups = lists::namespaces(tx, &within, "namespaces.id asc", most, skipped)?;
        let mut within = access::visible_projects(tx, &by.viewer, Purpose::Read);
        within.raw(" and ").append(access::projects_of(tx, user_id, level));
        let projects = lists::projects(tx, &within, "projects.id asc", most, skipped)?;
        Ok(Ok200(TokenAssociationsEntity {
            groups: groups.iter().map(|row| entities::group(&by, row)).collect(),
            projects: entities::projects(tx, &by, &projects, true, false)?,
        }))
    })
    .await
}
