//! Access requests.

use super::members::{MemberEntity, both, entities, handlers};
use crate::access::{DEVELOPER, Purpose};
use crate::members::{self, place};
use crate::model::SourceKind;
use crate::store as lists;
use crate::store::{Breadth, MemberFilter};
use identity::entities::{UserBasic, basic};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Created, NoContent, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;

pub fn routes(r: &mut Routes) {
    both!(
        r,
        get,
        "access_requests",
        requests,
        "Lists who asks for access"
    );
    both!(r, post, "access_requests", ask, "Asks for access");
    both!(
        r,
        put,
        "access_requests/{user_id}/approve",
        approve,
        "Grants a request"
    );
    both!(
        r,
        delete,
        "access_requests/{user_id}",
        deny,
        "Drops a request"
    );
}

/// Somebody who asks for access.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RequestEntity {
    #[serde(flatten)]
    user: UserBasic,
    requested_at: Option<String>,
}

kernel::params! {
    /// A project or group.
    pub struct Of {
        /// Id or path of the project or group.
        pub id: Reference,
    }
}

handlers!(
    requests,
    Of,
    Paged<RequestEntity>,
    |app, viewer, p, kind, paging: Paging| { list(app, viewer, kind, p.0, paging) }
);

async fn list(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: Of,
    paging: Paging,
) -> Result<Paged<RequestEntity>> {
    let handle = app.clone();
    app.read(move |tx| {
        let place = place(tx, &viewer, kind, &params.id, Purpose::ManageMembers)?;
        let (limit, offset) = (paging.fetch(), paging.offset());
        let filter = MemberFilter::default();
        let (rows, total) =
            lists::members(tx, &place.source, Breadth::Requests, &filter, limit, offset)?;
        Ok(
            Paged::numbered(rows, paging, Some(total)).map(|row| RequestEntity {
                user: basic(&handle, &row.user),
                requested_at: row.requested_at.map(wire::text),
            }),
        )
    })
    .await
}

handlers!(ask, Of, Created<RequestEntity>, |app, viewer, p, kind| {
    request(app, viewer, kind, p.0)
});

async fn request(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: Of,
) -> Result<Created<RequestEntity>> {
    let handle = app.clone();
    app.write(move |tx| {
        let place = place(tx, &viewer, kind, &params.id, Purpose::Join)?;
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
    pub struct Approve {
        /// Id or path of the project or group.
        pub id: Reference,
        /// Whose.
        pub user_id: i64,
        /// The role; developer unless given.
        pub access_level: Option<i64>,
    }
}

handlers!(
    approve,
    Approve,
    Created<MemberEntity>,
    |app, viewer, p, kind| { grant(app, viewer, kind, p.0) }
);

async fn grant(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: Approve,
) -> Result<Created<MemberEntity>> {
    let handle = app.clone();
    app.write(move |tx| {
        let place = place(tx, &viewer, kind, &params.id, Purpose::ManageMembers)?;
        let level = params.access_level.unwrap_or(DEVELOPER);
        let row = members::approve(tx, &viewer, &place, params.user_id, level)?;
        let mut shown = entities(tx, &handle, &[row], viewer.is_admin())?;
        shown.pop().map(Created).ok_or(Error::NotFound(""))
    })
    .await
}

kernel::params! {
    /// A request to drop.
    pub struct Deny {
        /// Id or path of the project or group.
        pub id: Reference,
        /// Whose.
        pub user_id: i64,
    }
}

handlers!(deny, Deny, NoContent, |app, viewer, p, kind| drop_request(
    app, viewer, kind, p.0
));

async fn drop_request(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: Deny,
) -> Result<NoContent> {
    app.write(move |tx| {
        // Whoever asked may take it back.
        let own = viewer.user_id() == Some(params.user_id);
        let purpose = if own {
            Purpose::Join
        } else {
            Purpose::ManageMembers
        };
        let place = place(tx, &viewer, kind, &params.id, purpose)?;
        members::deny(tx, &viewer, &place, params.user_id)?;
        Ok(NoContent)
    })
    .await
}
