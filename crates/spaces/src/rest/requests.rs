//! Access requests and invitations.

use super::members::{MemberEntity, both, entities, handlers};
use crate::access::{DEVELOPER, Purpose};
use crate::members::{self, NewMember, check_end, check_level, place};
use crate::model::SourceKind;
use crate::rules::record;
use crate::store as lists;
use crate::store::{Breadth, MemberFilter};
use identity::entities::{UserBasic, basic};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Created, NoContent, Paged, Paging, Params, Routes};
use kernel::ids::{Reference, fold};
use kernel::time::{Date, Timestamp, wire};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use store::{Tx, sql};

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
    both!(r, get, "invitations", invitations, "Lists open invitations");
    both!(
        r,
        post,
        "invitations",
        invite,
        "Invites by e-mail address or user"
    );
    both!(
        r,
        delete,
        "invitations/{email}",
        uninvite,
        "Drops an invitation"
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

/// An open invitation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InvitationEntity {
    id: i64,
    invite_email: String,
    access_level: i64,
    created_at: String,
    expires_at: Option<String>,
    user_name: Option<String>,
    created_by_name: Option<String>,
}

handlers!(
    invitations,
    Of,
    Paged<InvitationEntity>,
    |app, viewer, p, kind, paging: Paging| { list_invitations(app, viewer, kind, p.0, paging) }
);

type InvitationRow = (i64, String, i64, Timestamp, Option<String>, Option<String>);

async fn list_invitations(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: Of,
    paging: Paging,
) -> Result<Paged<InvitationEntity>> {
    app.read(move |tx| {
        let place = place(tx, &viewer, kind, &params.id, Purpose::ManageMembers)?;
        let rows: Vec<InvitationRow> = tx.all(
            sql!(
                "select i.id, i.email, i.access_level, i.created_at, i.expires_at, u.name
                 from invitations i left join users u on u.id = i.created_by_id
                 where i.source_type = $1 and i.source_id = $2
                 order by i.id limit $3 offset $4"
            ),
            (kind, place.source.id, paging.fetch(), paging.offset()),
        )?;
        let total: i64 = tx.one(
            sql!("select count(*) from invitations where source_type = $1 and source_id = $2"),
            (kind, place.source.id),
        )?;
        let page = Paged::numbered(rows, paging, Some(total));
        Ok(page.map(
            |(id, email, access_level, created_at, expires_at, maker)| InvitationEntity {
                id,
                invite_email: email,
                access_level,
                created_at: wire::text(created_at),
                expires_at,
                user_name: None,
                created_by_name: maker,
            },
        ))
    })
    .await
}

kernel::params! {
    /// Whom to invite.
    pub struct Invite {
        /// Id or path of the project or group.
        pub id: Reference,
        /// Addresses, with commas.
        pub email: Option<Vec<String>>,
        /// Users, with commas.
        pub user_id: Option<Vec<i64>>,
        /// Their role.
        pub access_level: i64,
        /// The day it ends on.
        pub expires_at: Option<Date>,
    }
}

/// How the invitations went.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InvitedEntity {
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Map<String, Value>>,
}

handlers!(
    invite,
    Invite,
    Created<InvitedEntity>,
    |app, viewer, p, kind| { invite_all(app, viewer, kind, p.0) }
);

async fn invite_all(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: Invite,
) -> Result<Created<InvitedEntity>> {
    if params.email.is_none() && params.user_id.is_none() {
        return Err(Error::Parameters(vec![
            "email, user_id are missing, at least one parameter must be provided".into(),
        ]));
    }
    app.write(move |tx| {
        let place = place(tx, &viewer, kind, &params.id, Purpose::ManageMembers)?;
        check_level(&place, params.access_level)?;
        check_end(tx, params.expires_at)?;
        let new = NewMember {
            level: params.access_level,
            expires_at: params.expires_at,
        };
        let mut refused = Map::new();
        for id in params.user_id.iter().flatten().take(100) {
            let user = identity::users::find(tx, *id)?;
            let added = match &user {
                Some(user) => tx.savepoint(|tx| members::add(tx, &viewer, &place, user, &new)),
                None => Err(Error::NotFoundText("404 User Not Found".into())),
            };
            let name = user.map_or(id.to_string(), |user| user.username);
            if let Some(reason) = members::reason(added)? {
                refused.insert(name, json!(reason));
            }
        }
        for email in params.email.iter().flatten().take(100) {
            let invited = match identity::users::find_by_email(tx, email)? {
                Some(user) => tx.savepoint(|tx| members::add(tx, &viewer, &place, &user, &new)),
                None => tx.savepoint(|tx| invite_one(tx, &viewer, &place, email, &new)),
            };
            if let Some(reason) = members::reason(invited)? {
                refused.insert(email.clone(), json!(reason));
            }
        }
        let failed = !refused.is_empty();
        Ok(Created(InvitedEntity {
            status: if failed {
                "error".into()
            } else {
                "success".into()
            },
            message: failed.then_some(refused),
        }))
    })
    .await
}

fn invite_one(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    place: &members::Place,
    email: &str,
    new: &NewMember,
) -> Result<()> {
    if let Some(problem) = identity::model::email_problem(email) {
        return Err(Error::invalid("email", problem));
    }
    let now = tx.now();
    let made = tx.execute(
        sql!(
            "insert into invitations (source_type, source_id, email, email_folded, access_level,
                expires_at, digest, created_by_id, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
             on conflict (source_type, source_id, email_folded) do nothing"
        ),
        (
            place.source.kind,
            place.source.id,
            email,
            fold(email),
            new.level,
            new.expires_at,
            kernel::secrets::random_bytes::<32>().to_vec(),
            viewer.user_id(),
            now,
        ),
    )?;
    if made == 0 {
        return Err(Error::Conflict("Member already invited".into()));
    }
    let target = (
        place.source.kind.as_str(),
        place.source.id,
        place.source.name.as_str(),
    );
    record(
        tx,
        viewer,
        "invitation.create",
        target,
        json!({"access_level": new.level}),
    )
}

kernel::params! {
    /// An invitation to drop.
    pub struct Uninvite {
        /// Id or path of the project or group.
        pub id: Reference,
        /// The address.
        pub email: String,
    }
}

handlers!(uninvite, Uninvite, NoContent, |app, viewer, p, kind| {
    drop_invitation(app, viewer, kind, p.0)
});

async fn drop_invitation(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: Uninvite,
) -> Result<NoContent> {
    app.write(move |tx| {
        let place = place(tx, &viewer, kind, &params.id, Purpose::ManageMembers)?;
        let gone = tx.execute(
            sql!(
                "delete from invitations
                 where source_type = $1 and source_id = $2 and email_folded = $3"
            ),
            (kind, place.source.id, fold(&params.email)),
        )?;
        if gone == 0 {
            return Err(Error::NotFound(""));
        }
        let target = (kind.as_str(), place.source.id, place.source.name.as_str());
        record(tx, &viewer, "invitation.destroy", target, json!({}))?;
        Ok(NoContent)
    })
    .await
}
