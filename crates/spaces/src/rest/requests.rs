//! Access requests.

use super::SpaceRequest;
use super::members::{MemberEntity, entity};
use crate::access::{DEVELOPER, Purpose};
use crate::members;
use crate::store as lists;
use crate::store::{Breadth, MemberFilter};
use identity::entities::{UserBasic, basic};
use kernel::error::Result;
use kernel::http::{Created, NoContent, Paged, Paging, Params, Routes};
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;

/// Those of a project or group, below its address.
pub(super) fn routes(r: &mut Routes) {
    r.get("/access_requests", requests).summary("Lists who asks for access");
    r.post("/access_requests", ask).summary("Asks for access");
    r.put("/access_requests/{user_id}/approve", approve).summary("Grants a request");
    r.delete("/access_requests/{user_id}", deny).summary("Drops a request");
}

/// Somebody who asks for access.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RequestEntity {
    #[serde(flatten)]
    user: UserBasic,
    requested_at: Option<String>,
}

async fn requests(at: SpaceRequest, paging: Paging) -> Result<Paged<RequestEntity>> {
    at.list(Purpose::ManageMembers, paging, |tx, at, place, paging| {
        let (source, all) = (&place.source, MemberFilter::default());
        let (limit, offset) = (paging.fetch(), paging.offset());
        let (rows, total) = lists::members(tx, source, Breadth::Requests, &all, limit, offset)?;
        let entity = |row: &lists::MemberRow| RequestEntity {
            user: basic(&at.app, &row.user),
            requested_at: row.requested_at.map(wire::text),
        };
        Ok((rows.iter().map(entity).collect(), total))
    })
    .await
}

async fn ask(at: SpaceRequest) -> Result<Created<RequestEntity>> {
    at.write(Purpose::Join, move |tx, at, place| {
        members::request(tx, place)?;
        Ok(Created(RequestEntity {
            user: basic(&at.app, &at.viewer.signed_in()?.user),
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

async fn approve(at: SpaceRequest, params: Params<Approve>) -> Result<Created<MemberEntity>> {
    at.write(Purpose::ManageMembers, move |tx, at, place| {
        let level = params.access_level.unwrap_or(DEVELOPER);
        let row = members::approve(tx, place, params.user_id, level)?;
        entity(tx, at, &row).map(Created)
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

async fn deny(at: SpaceRequest, params: Params<Deny>) -> Result<NoContent> {
    // Whoever asked may take it back.
    let purpose = match at.viewer.user_id() == Some(params.user_id) {
        true => Purpose::Join,
        false => Purpose::ManageMembers,
    };
    at.write(purpose, move |tx, _, place| {
        members::deny(tx, place, params.user_id)?;
        Ok(NoContent)
    })
    .await
}
