//! Projects and groups shared with groups.

use super::{Caller, SpaceRequest, change_group};
use crate::access::{self, Purpose};
use crate::entities::GroupEntity;
use crate::members::{MembersOf, place};
use crate::model::SourceKind;
use crate::rules::{self, NewShare};
use kernel::error::Result;
use kernel::http::{Created, Flat, NoContent, Params, Routes};
use kernel::ids::Reference;
use schemars::JsonSchema;
use serde::Serialize;

pub fn routes(r: &mut Routes) {
    r.post("/projects/{id}/share", share_project)
        .summary("Shares a project with a group");
    r.post("/groups/{id}/share", share_group).summary("Shares a group with a group");
}

/// Those of a project or group, below its address.
pub(super) fn routes_of_both(r: &mut Routes) {
    r.delete("/share/{group_id}", unshare).summary("Ends a share");
}

kernel::params! {
    /// A share.
    struct Share {
        /// Id or path of what is shared.
        pub id: Reference,
        pub new: Flat<NewShare>,
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

async fn share_project(by: Caller, params: Params<Share>) -> Result<Created<ShareEntity>> {
    by.write(move |tx, by| {
        let kind = SourceKind::Project;
        let place = place(tx, &by.viewer, (kind, &params.id), Purpose::Share)?;
        let (id, group_id) = rules::share(tx, &place, &params.new)?;
        Ok(Created(ShareEntity {
            id,
            project_id: place.source.id,
            group_id,
            group_access: params.new.group_access,
            expires_at: params.new.expires_at.map(|day| day.to_string()),
        }))
    })
    .await
}

async fn share_group(by: Caller, params: Params<Share>) -> Result<Created<GroupEntity>> {
    let shared = change_group(by, move |tx, viewer| {
        let (group, own) = access::group_and_level(tx, viewer, &params.id, Purpose::Share)?;
        rules::share(tx, &MembersOf::of_group(viewer, &group, own), &params.new)?;
        Ok(group)
    });
    shared.await.map(Created)
}

kernel::params! {
    /// A share to end.
    struct Unshare {
        /// With whom.
        pub group_id: i64,
    }
}

async fn unshare(at: SpaceRequest, params: Params<Unshare>) -> Result<NoContent> {
    at.write(Purpose::Share, move |tx, _, place| {
        rules::unshare(tx, place, params.group_id)?;
        Ok(NoContent)
    })
    .await
}
