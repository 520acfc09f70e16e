//! Access requests.

use super::SpaceRef;
use super::members::{MemberEntity, entity};
use crate::access::{DEVELOPER, Purpose};
use crate::members;
use crate::store as lists;
use crate::store::{Breadth, MemberFilter};
use identity::entities::{UserBasic, basic};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Created, NoContent, Paged, Paging, Params, Routes};
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;

/// Those of a project or group, below its address.
pub(super) fn routes(r: &mut Routes) {
    r.get("/access_requests", requests)
        .summary("Lists who asks for access");
    r.post("/access_requests", ask).summary("Asks for access");
    r.put("/access_requests/{user_id}/approve", approve)
        .summary("Grants a request");
    r.delete("/access_requests/{user_id}", deny)
        .summary("Drops a request");
}

/// Somebody who asks for access.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RequestEntity {
    #[serde(flatten)]
    user: UserBasic,
    requested_at: Option<String>,
}

async fn requests(
    app: App,
    viewer: Viewer,
    space: SpaceRef,
    paging: Paging,
) -> Result<Paged<RequestEntity>> {
    let handle = app.clone();
    app.read(move |tx| {
        let source = space.find(tx, &viewer, Purpose::ManageMembers)?.source;
        let (limit, offset) = (paging.fetch(), paging.offset());
        let all = MemberFilter::default();
        let (rows, total) = lists::members(tx, &source, Breadth::Requests, &all, limit, offset)?;
        let entity = |row: lists::MemberRow| RequestEntity {
            user: basic(&handle, &row.user),
            requested_at: row.requested_at.map(wire::text),
        };
        Ok(Paged::numbered(rows, paging, Some(total)).map(entity))
    })
    .await
}

async fn ask(app: App, viewer: Viewer, space: SpaceRef) -> Result<Created<RequestEntity>> {
    let handle = app.clone();
    app.write(move |tx| {
        let place = space.find(tx, &viewer, Purpose::Join)?;
        members::request(tx, &viewer, &place)?;
        Ok(Created(RequestEntity {
            user: basic(&handle, &viewer.signed_in()?.user),
            requested_at: Some(wire::text(tx.now())),
        }))
    })
    .await
}

kernel::params! {
    /// A request to grant.
    struct Approve {
        /// Whose.
        pub user_id: i64,
        /// The role; developer unless given.
        pub access_level: Option<i64>,
    }
}

async fn approve(
    app: App,
    viewer: Viewer,
    space: SpaceRef,
    params: Params<Approve>,
) -> Result<Created<MemberEntity>> {
    let handle = app.clone();
    app.write(move |tx| {
        let place = space.find(tx, &viewer, Purpose::ManageMembers)?;
        let level = params.access_level.unwrap_or(DEVELOPER);
        let row = members::approve(tx, &viewer, &place, params.user_id, level)?;
        entity(tx, &handle, &row, viewer.is_admin()).map(Created)
    })
    .await
}

kernel::params! {
    /// A request to drop.
    struct Deny {
        /// Whose.
        pub user_id: i64,
    }
}

async fn deny(
    app: App,
    viewer: Viewer,
    space: SpaceRef,
    params: Params<Deny>,
) -> Result<NoContent> {
    app.write(move |tx| {
        // Whoever asked may take it back.
        let purpose = match viewer.user_id() == Some(params.user_id) {
            true => Purpose::Join,
            false => Purpose::ManageMembers,
        };
        let place = space.find(tx, &viewer, purpose)?;
        members::deny(tx, &viewer, &place, params.user_id)?;
        Ok(NoContent)
    })
    .await
}
