//! Projects and groups shared with groups.

use crate::access::{self, OWNER, Purpose};
use crate::entities::{self, GroupEntity};
use crate::members::check_end;
use crate::rules;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Created, NoContent, Params, Routes};
use kernel::ids::Reference;
use kernel::time::Date;
use schemars::JsonSchema;
use serde::Serialize;

pub fn routes(r: &mut Routes) {
    r.post("/projects/{id}/share", share_project)
        .summary("Shares a project with a group");
    r.delete("/projects/{id}/share/{group_id}", unshare_project)
        .summary("Ends a share");
    r.post("/groups/{id}/share", share_group)
        .summary("Shares a group with a group");
    r.delete("/groups/{id}/share/{group_id}", unshare_group)
        .summary("Ends a share");
}

kernel::params! {
    /// A share.
    pub struct Share {
        /// Id or path of what is shared.
        pub id: Reference,
        /// With whom.
        pub group_id: i64,
        /// The highest role it gives.
        pub group_access: i64,
        /// The day it ends on.
        pub expires_at: Option<Date>,
    }
}

kernel::params! {
    /// A share to end.
    pub struct Unshare {
        /// Id or path of what is shared.
        pub id: Reference,
        /// With whom.
        pub group_id: i64,
    }
}

/// A share of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ShareEntity {
    id: i64,
    project_id: i64,
    group_id: i64,
    group_access: i64,
    expires_at: Option<String>,
}

fn date(date: Option<Date>) -> Option<String> {
    date.map(|date| date.to_string())
}

/// Nobody shares at a level above their own.
fn check_level(own: i64, level: i64) -> Result<()> {
    if level > own.min(OWNER) && access::GRANTABLE.contains(&level) {
        return Err(Error::forbidden(""));
    }
    Ok(())
}

async fn share_project(
    app: App,
    viewer: Viewer,
    params: Params<Share>,
) -> Result<Created<ShareEntity>> {
    let params = params.0;
    app.write(move |tx| {
        let (project, own) = access::project_and_level(tx, &viewer, &params.id, Purpose::Share)?;
        check_level(own, params.group_access)?;
        let with = access::group(tx, &viewer, &Reference::Id(params.group_id), Purpose::Read)?;
        check_end(tx, params.expires_at)?;
        rules::check_unlocked(tx, &project.ancestors())?;
        let source = ("Project", project.id, project.full_path.as_str());
        let expires_at = date(params.expires_at);
        rules::share(
            tx,
            &viewer,
            source,
            &with,
            params.group_access,
            expires_at.clone(),
        )?;
        let id = tx.one(
            store::sql!(
                "select id from shares
                 where source_type = 'Project' and source_id = $1 and group_id = $2"
            ),
            (project.id, with.id),
        )?;
        Ok(Created(ShareEntity {
            id,
            project_id: project.id,
            group_id: with.id,
            group_access: params.group_access,
            expires_at,
        }))
    })
    .await
}

async fn unshare_project(app: App, viewer: Viewer, params: Params<Unshare>) -> Result<NoContent> {
    let params = params.0;
    app.write(move |tx| {
        let project = access::project(tx, &viewer, &params.id, Purpose::Share)?;
        let source = ("Project", project.id, project.full_path.as_str());
        rules::unshare(tx, &viewer, source, params.group_id)?;
        Ok(NoContent)
    })
    .await
}

async fn share_group(
    app: App,
    viewer: Viewer,
    params: Params<Share>,
) -> Result<Created<GroupEntity>> {
    let params = params.0;
    let handle = app.clone();
    app.write(move |tx| {
        let (group, own) = access::group_and_level(tx, &viewer, &params.id, Purpose::Share)?;
        check_level(own, params.group_access)?;
        let with = access::group(tx, &viewer, &Reference::Id(params.group_id), Purpose::Read)?;
        if with.id == group.id {
            return Err(Error::BadRequest(
                "a group cannot be shared with itself".into(),
            ));
        }
        check_end(tx, params.expires_at)?;
        rules::check_unlocked(tx, &group.ids())?;
        let source = ("Group", group.id, group.full_path.as_str());
        let expires_at = date(params.expires_at);
        rules::share(tx, &viewer, source, &with, params.group_access, expires_at)?;
        entities::one_group(tx, &handle, &viewer, &group).map(Created)
    })
    .await
}

async fn unshare_group(app: App, viewer: Viewer, params: Params<Unshare>) -> Result<NoContent> {
    let params = params.0;
    app.write(move |tx| {
        let group = access::group(tx, &viewer, &params.id, Purpose::Share)?;
        let source = ("Group", group.id, group.full_path.as_str());
        rules::unshare(tx, &viewer, source, params.group_id)?;
        Ok(NoContent)
    })
    .await
}
