//! Members of projects and groups.

use super::{Caller, SpaceRequest};
use crate::access::Purpose;
use crate::members::{self, MAX_AT_ONCE, MemberChange, NewMember};
use crate::store as lists;
use crate::store::{Breadth, MemberFilter, MemberRow};
use identity::entities::{UserBasic, basic, load_basic};
use identity::model::User;
use kernel::error::{Error, Found, Result};
use kernel::http::conditional::check_unmodified;
use kernel::http::{
    Created, Flat, NoContent, Ok200, Paged, Paging, Params, RequestContext, Routes,
};
use kernel::limits::Limiter;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use store::Tx;

/// Those of a project or group, below its address.
pub(super) fn routes(r: &mut Routes) {
    type Filter = Params<MemberFilter>;
    r.get("/members", |at, by: Filter, paging| list(at, by.0, paging, Breadth::Direct))
        .named("direct")
        .summary("Lists direct members");
    r.get("/members/all", |at, by: Filter, paging| list(at, by.0, paging, Breadth::All))
        .named("all")
        .summary("Lists members, inherited ones too");
    r.get("/members/{user_id}", one).summary("Shows a direct member");
    r.get("/members/all/{user_id}", one_of_all)
        .summary("Shows a member, maybe inherited");
    r.post("/members", add).summary("Adds members");
    r.put("/members/{user_id}", change).summary("Changes a member");
    r.delete("/members/{user_id}", remove).summary("Removes a member");
}

/// A member.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemberEntity {
    #[serde(flatten)]
    pub user: UserBasic,
    pub access_level: i64,
    pub created_at: String,
    pub created_by: Option<UserBasic>,
    pub expires_at: Option<String>,
    pub membership_state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

/// Rows with who added them, in one more statement.
fn entities(tx: &mut Tx<'_>, by: &Caller, rows: &[MemberRow]) -> Result<Vec<MemberEntity>> {
    let (app, with_email) = (&by.app, by.viewer.is_admin());
    let ids: Vec<i64> = rows.iter().filter_map(|row| row.created_by_id).collect();
    let makers = match ids.is_empty() {
        true => HashMap::new(),
        false => load_basic(tx, &ids)?,
    };
    let entity = |row: &MemberRow| MemberEntity {
        user: basic(app, &row.user),
        access_level: row.access_level,
        created_at: wire::text(row.created_at),
        created_by: row.created_by_id.and_then(|id| makers.get(&id)).map(|user| basic(app, user)),
        expires_at: row.expires_at.clone(),
        membership_state: "active".into(),
        email: with_email.then(|| row.user.email.clone()),
    };
    Ok(rows.iter().map(entity).collect())
}

pub(super) fn entity(tx: &mut Tx<'_>, by: &Caller, row: &MemberRow) -> Result<MemberEntity> {
    entities(tx, by, std::slice::from_ref(row))?.pop().found("")
}

async fn list(
    at: SpaceRequest, filter: MemberFilter, paging: Paging, breadth: Breadth,
) -> Result<Paged<MemberEntity>> {
    at.list(Purpose::ReadMembers, paging, move |tx, at, place, paging| {
        let (limit, offset) = (paging.fetch(), paging.offset());
        let (rows, total) = lists::members(tx, &place.source, breadth, &filter, limit, offset)?;
        let shown = entities(tx, at, &rows)?;
        Ok((shown, total))
    })
    .await
}

kernel::params! {
    /// A user in a project or group.
    struct OneMember {
        /// Who.
        pub user_id: i64,
    }
}

async fn one(at: SpaceRequest, params: Params<OneMember>) -> Result<Ok200<MemberEntity>> {
    show(at, params.user_id, Breadth::Direct).await
}

async fn one_of_all(at: SpaceRequest, params: Params<OneMember>) -> Result<Ok200<MemberEntity>> {
    show(at, params.user_id, Breadth::All).await
}

async fn show(at: SpaceRequest, user_id: i64, breadth: Breadth) -> Result<Ok200<MemberEntity>> {
    at.read(Purpose::ReadMembers, move |tx, at, place| {
        let row = lists::member(tx, &place.source, breadth, user_id)?.found("")?;
        entity(tx, at, &row).map(Ok200)
    })
    .await
}

kernel::params! {
    /// New members.
    struct AddMembers {
        /// Id of a user, or several with commas.
        pub user_id: Option<Vec<i64>>,
        /// Name of a user, or several with commas.
        pub username: Option<Vec<String>>,
        pub new: Flat<NewMember>,
    }
}

/// What came of adding members.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum MembersAdded {
    /// One was asked for.
    One(Box<MemberEntity>),
    /// Several were; `message` has the reason by the name of each refused one.
    Several {
        status: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<BTreeMap<String, String>>,
    },
}

async fn add(at: SpaceRequest, params: Params<AddMembers>) -> Result<Created<MembersAdded>> {
    at.write(Purpose::ManageMembers, move |tx, at, place| {
        let users = named(tx, &params)?;
        if let [one] = users.as_slice() {
            let user = one.clone().map_err(|_| Error::NotFound("User"))?;
            members::add(tx, place, &user, &params.new)?;
            let row = lists::member(tx, &place.source, Breadth::Direct, user.id)?.found("")?;
            let shown = entity(tx, at, &row)?;
            return Ok(Created(MembersAdded::One(Box::new(shown))));
        }
        let mut refused = BTreeMap::new();
        for user in users {
            let reason = members::add_each(tx, place, user.as_ref().ok(), &params.new)?;
            if let Some(reason) = reason {
                refused.insert(user.map_or_else(|name| name, |user| user.username), reason);
            }
        }
        let failed = !refused.is_empty();
        Ok(Created(MembersAdded::Several {
            status: if failed { "error" } else { "success" },
            message: failed.then_some(refused),
        }))
    })
    .await
}

fn at_most_at_once(count: usize) -> Result<()> {
    match count > MAX_AT_ONCE {
        true => Err(Error::BadRequest("add at most 100 users at once".into())),
        false => Ok(()),
    }
}

/// The users named; those unknown by what they were called.
fn named(tx: &mut Tx<'_>, params: &AddMembers) -> Result<Vec<Result<User, String>>> {
    let mut users = Vec::new();
    match (&params.user_id, &params.username) {
        (Some(_), Some(_)) => {
            return Err(Error::Parameters(vec!["user_id, username are mutually exclusive".into()]));
        }
        (None, None) => return Err(Error::none_of("user_id, username")),
        (Some(ids), None) => {
            at_most_at_once(ids.len())?;
            for id in ids {
                users.push(identity::users::find(tx, *id)?.ok_or_else(|| id.to_string()));
            }
        }
        (None, Some(names)) => {
            at_most_at_once(names.len())?;
            for name in names {
                let found = identity::users::find_by_username(tx, name)?;
                users.push(found.ok_or_else(|| name.clone()));
            }
        }
    }
    Ok(users)
}

async fn change(at: SpaceRequest, params: Params<MemberChange>) -> Result<Ok200<MemberEntity>> {
    at.write(Purpose::ManageMembers, move |tx, at, place| {
        let row = members::change(tx, place, &params)?;
        entity(tx, at, &row).map(Ok200)
    })
    .await
}

/// Removals a user may ask for in one place in a minute (docs/interface/identity.md 6).
struct Removals(Limiter);

impl Default for Removals {
    fn default() -> Removals {
        Removals(Limiter::new("members_delete", 60, 60))
    }
}

fn limit_removals(at: &SpaceRequest) -> Result<()> {
    let key = format!("{} {:?} {:?}", at.space.kind, at.space.reference, at.viewer.user_id());
    let decision = at.app.kept::<Removals>().0.check(&key, at.app.now());
    match decision.allowed {
        true => Ok(()),
        false => Err(Error::Limited(decision.retry_after)),
    }
}

kernel::params! {
    /// A member to remove.
    struct RemoveMember {
        /// Who.
        pub user_id: i64,
        /// Leave memberships below alone.
        pub skip_subresources: Option<bool>,
        /// Take the user off issues and merge requests.
        pub unassign_issuables: Option<bool>,
    }
}

async fn remove(
    at: SpaceRequest, params: Params<RemoveMember>, request: Arc<RequestContext>,
) -> Result<NoContent> {
    limit_removals(&at)?;
    // Members may leave by themselves.
    let purpose = match at.viewer.user_id() == Some(params.user_id) {
        true => Purpose::ReadMembers,
        false => Purpose::ManageMembers,
    };
    at.write(purpose, move |tx, _, place| {
        let updated = lists::members::updated_at(tx, &place.source, params.user_id)?;
        check_unmodified(&request, updated.found("")?)?;
        let deep = !params.skip_subresources.unwrap_or(false);
        members::remove(tx, place, params.user_id, deep)?;
        Ok(NoContent)
    })
    .await
}
