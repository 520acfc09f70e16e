//! Invitations by e-mail address or user.

use super::members::{both, handlers};
use crate::access::Purpose;
use crate::invitations::{self, Invitation};
use crate::members::{self, MAX_AT_ONCE, NewMember, check_end, check_level, place};
use crate::model::SourceKind;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::params::Patch;
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use kernel::time::{Date, wire};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

pub fn routes(r: &mut Routes) {
    both!(r, get, "invitations", list, "Lists open invitations");
    both!(
        r,
        post,
        "invitations",
        invite,
        "Invites by e-mail address or user"
    );
    both!(
        r,
        put,
        "invitations/{email}",
        change,
        "Changes an invitation"
    );
    both!(
        r,
        delete,
        "invitations/{email}",
        withdraw,
        "Drops an invitation"
    );
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

fn entity(row: Invitation) -> InvitationEntity {
    InvitationEntity {
        id: row.id,
        invite_email: row.email,
        access_level: row.access_level,
        created_at: wire::text(row.created_at),
        expires_at: row.expires_at,
        user_name: None,
        created_by_name: row.created_by_name,
    }
}

kernel::params! {
    /// Filter of invitations.
    pub struct ListInvitations {
        /// Id or path of the project or group.
        pub id: Reference,
        /// In the address.
        pub query: Option<String>,
    }
}

handlers!(
    list,
    ListInvitations,
    Paged<InvitationEntity>,
    |app, viewer, p, kind, paging: Paging| { page(app, viewer, kind, p.0, paging) }
);

async fn page(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: ListInvitations,
    paging: Paging,
) -> Result<Paged<InvitationEntity>> {
    app.read(move |tx| {
        let place = place(tx, &viewer, kind, &params.id, Purpose::ManageMembers)?;
        let (limit, offset) = (paging.fetch(), paging.offset());
        let query = params.query.as_deref();
        let (rows, total) = invitations::list(tx, &place, query, limit, offset)?;
        Ok(Paged::numbered(rows, paging, Some(total)).map(entity))
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
    let named = params.user_id.iter().flatten().count() + params.email.iter().flatten().count();
    if named > MAX_AT_ONCE {
        return Err(Error::BadRequest("invite at most 100 at once".into()));
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
        for id in params.user_id.iter().flatten() {
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
        for email in params.email.iter().flatten() {
            let known = identity::users::find_by_email(tx, email)?;
            // An address somebody only claims to have is invited like any other.
            let invited = match known.filter(|user| user.confirmed_at.is_some()) {
                Some(user) => tx.savepoint(|tx| members::add(tx, &viewer, &place, &user, &new)),
                None => tx.savepoint(|tx| invitations::create(tx, &viewer, &place, email, &new)),
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

kernel::params! {
    /// Changes of an invitation.
    pub struct ChangeInvitation {
        /// Id or path of the project or group.
        pub id: Reference,
        /// The address.
        pub email: String,
        /// The role.
        pub access_level: Option<i64>,
        /// The day it ends on.
        pub expires_at: Patch<Date>,
    }
}

handlers!(
    change,
    ChangeInvitation,
    Ok200<InvitationEntity>,
    |app, viewer, p, kind| { update(app, viewer, kind, p.0) }
);

async fn update(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: ChangeInvitation,
) -> Result<Ok200<InvitationEntity>> {
    app.write(move |tx| {
        let place = place(tx, &viewer, kind, &params.id, Purpose::ManageMembers)?;
        if params.access_level.is_none() && params.expires_at == Patch::Absent {
            let text = "access_level, expires_at are missing, at least one parameter must be \
                provided";
            return Err(Error::Parameters(vec![text.into()]));
        }
        let (level, until) = (params.access_level, params.expires_at.clone());
        let row = invitations::change(tx, &viewer, &place, &params.email, level, until)?;
        Ok(Ok200(entity(row)))
    })
    .await
}

kernel::params! {
    /// An invitation to drop.
    pub struct OneInvitation {
        /// Id or path of the project or group.
        pub id: Reference,
        /// The address.
        pub email: String,
    }
}

handlers!(
    withdraw,
    OneInvitation,
    NoContent,
    |app, viewer, p, kind| { destroy(app, viewer, kind, p.0) }
);

async fn destroy(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: OneInvitation,
) -> Result<NoContent> {
    app.write(move |tx| {
        let place = place(tx, &viewer, kind, &params.id, Purpose::ManageMembers)?;
        invitations::withdraw(tx, &viewer, &place, &params.email)?;
        Ok(NoContent)
    })
    .await
}
