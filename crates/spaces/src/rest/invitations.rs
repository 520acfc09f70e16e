//! Invitations by e-mail address or user.

use super::SpaceRequest;
use crate::access::Purpose;
use crate::invitations::{self, InvitationChange};
use crate::members::{self, MAX_AT_ONCE, NewMember, check_end, check_level};
use crate::store::invitations::{self as rows, Invitation};
use kernel::error::{Error, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Patch, Routes};
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Those of a project or group, below its address.
pub(super) fn routes(r: &mut Routes) {
    r.get("/invitations", list).summary("Lists open invitations");
    r.post("/invitations", invite).summary("Invites by e-mail address or user");
    r.put("/invitations/{email}", change).summary("Changes an invitation");
    r.delete("/invitations/{email}", withdraw).summary("Drops an invitation");
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
    struct ListInvitations {
        /// In the address.
        pub query: Option<String>,
    }
}

async fn list(
    at: SpaceRequest, params: Params<ListInvitations>, paging: Paging,
) -> Result<Paged<InvitationEntity>> {
    at.list(Purpose::ManageMembers, paging, move |tx, _, place, paging| {
        let (rows, total) = rows::list(tx, place.key(), params.query.as_deref(), paging)?;
        Ok((rows.into_iter().map(entity).collect(), total))
    })
    .await
}

kernel::params! {
    /// Whom to invite.
    struct Invite {
        /// Addresses, with commas.
        pub email: Option<Vec<String>>,
        /// Users, with commas.
        pub user_id: Option<Vec<i64>>,
        pub new: Flat<NewMember>,
    }
}

/// How the invitations went.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InvitedEntity {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Map<String, Value>>,
}

async fn invite(at: SpaceRequest, params: Params<Invite>) -> Result<Created<InvitedEntity>> {
    if params.email.is_none() && params.user_id.is_none() {
        return Err(Error::none_of("email, user_id"));
    }
    let named = params.user_id.iter().flatten().count() + params.email.iter().flatten().count();
    if named > MAX_AT_ONCE {
        return Err(Error::BadRequest("invite at most 100 at once".into()));
    }
    at.write(Purpose::ManageMembers, move |tx, _, place| {
        let new = &params.new;
        check_level(place, new.access_level)?;
        check_end(tx, new.expires_at)?;
        let mut refused = Map::new();
        for id in params.user_id.iter().flatten() {
            let user = identity::users::find(tx, *id)?;
            let reason = members::add_each(tx, place, user.as_ref(), new)?;
            if let Some(reason) = reason {
                let name = user.map_or(id.to_string(), |user| user.username);
                refused.insert(name, json!(reason));
            }
        }
        for email in params.email.iter().flatten() {
            let known = identity::users::find_by_email(tx, email)?;
            // An address somebody only claims to have is invited like any other.
            let invited = match known.filter(|user| user.confirmed_at.is_some()) {
                Some(user) => tx.savepoint(|tx| members::add(tx, place, &user, new)),
                None => tx.savepoint(|tx| invitations::create(tx, place, email, new)),
            };
            if let Some(reason) = members::reason(invited)? {
                refused.insert(email.clone(), json!(reason));
            }
        }
        let failed = !refused.is_empty();
        Ok(Created(InvitedEntity {
            status: if failed { "error" } else { "success" },
            message: failed.then_some(refused),
        }))
    })
    .await
}

async fn change(
    at: SpaceRequest, params: Params<InvitationChange>,
) -> Result<Ok200<InvitationEntity>> {
    at.write(Purpose::ManageMembers, move |tx, _, place| {
        if params.access_level.is_none() && params.expires_at == Patch::Absent {
            return Err(Error::none_of("access_level, expires_at"));
        }
        Ok(Ok200(entity(invitations::change(tx, place, &params)?)))
    })
    .await
}

kernel::params! {
    /// An invitation to drop.
    struct OneInvitation {
        /// The address.
        pub email: String,
    }
}

async fn withdraw(at: SpaceRequest, params: Params<OneInvitation>) -> Result<NoContent> {
    at.write(Purpose::ManageMembers, move |tx, _, place| {
        invitations::withdraw(tx, place, &params.email)?;
        Ok(NoContent)
    })
    .await
}
