//! Projects and groups shared with groups.

use super::{Caller, SpaceRequest};
use crate::access::{self, OWNER, Purpose};
use crate::entities::GroupEntity;
use crate::members::{MembersOf, check_end, place};
use crate::model::SourceKind;
use crate::rules;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::http::{Created, NoContent, Params, Routes};
use kernel::ids::Reference;
use kernel::time::Date;
use schemars::JsonSchema;
use serde::Serialize;
use store::Tx;

pub fn routes(r: &mut Routes) {
    r.post("/projects/{id}/share", share_project)
        .summary("Shares a project with a group");
    r.post("/groups/{id}/share", share_group)
        .summary("Shares a group with a group");
}

/// Those of a project or group, below its address.
pub(super) fn routes_of_both(r: &mut Routes) {
    r.delete("/share/{group_id}", unshare)
        .summary("Ends a share");
}

kernel::params! {
    /// A share.
    struct Share {
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

/// A share of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ShareEntity {
    id: i64,
    project_id: i64,
    group_id: i64,
    group_access: i64,
    expires_at: Option<String>,
}

impl Share {
    fn ends_on(&self) -> Option<String> {
        self.expires_at.map(|day| day.to_string())
    }

    /// Shares a place with the group; the ids of the share and of the group.
    fn make(&self, tx: &mut Tx<'_>, viewer: &Viewer, place: &MembersOf) -> Result<(i64, i64)> {
        let level = self.group_access;
        // Nobody shares at a level above their own.
        if level > place.level.min(OWNER) && access::GRANTABLE.contains(&level) {
            return Err(Error::forbidden(""));
        }
        let with = access::group(tx, viewer, &Reference::Id(self.group_id), Purpose::Read)?;
        if place.source.kind == SourceKind::Group && with.id == place.source.id {
            let text = "a group cannot be shared with itself";
            return Err(Error::BadRequest(text.into()));
        }
        check_end(tx, self.expires_at)?;
        rules::check_unlocked(tx, &place.source.groups)?;
        let id = rules::share(tx, viewer, place.target(), &with, level, self.ends_on())?;
        Ok((id, with.id))
    }
}

async fn share_project(by: Caller, params: Params<Share>) -> Result<Created<ShareEntity>> {
    by.write(move |tx, by| {
        let kind = SourceKind::Project;
        let place = place(tx, &by.viewer, kind, &params.id, Purpose::Share)?;
        let (id, group_id) = params.make(tx, &by.viewer, &place)?;
        Ok(Created(ShareEntity {
            id,
            project_id: place.source.id,
            group_id,
            group_access: params.group_access,
            expires_at: params.ends_on(),
        }))
    })
    .await
}

async fn share_group(by: Caller, params: Params<Share>) -> Result<Created<GroupEntity>> {
    let shared = by.change_group(move |tx, viewer| {
        let (group, own) = access::group_and_level(tx, viewer, &params.id, Purpose::Share)?;
        params.make(tx, viewer, &MembersOf::of_group(&group, own))?;
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
    at.write(Purpose::Share, move |tx, at, place| {
        rules::unshare(tx, &at.viewer, place.target(), params.group_id)?;
        Ok(NoContent)
    })
    .await
}
