//! Members of projects and groups.

use crate::access::Purpose;
use crate::members::{self, MAX_AT_ONCE, MembersOf, NewMember, place};
use crate::model::SourceKind;
use crate::store as lists;
use crate::store::{Breadth, MemberFilter, MemberRow};
use identity::entities::{UserBasic, basic, load_basic};
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::conditional::check_unmodified;
use kernel::http::params::Patch;
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, RequestContext, Routes};
use kernel::ids::Reference;
use kernel::limits::Limiter;
use kernel::time::{Date, wire};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use store::Tx;

macro_rules! both {
    ($r:ident, $method:ident, $path:literal, $handler:ident, $summary:literal) => {
        $r.$method(concat!("/projects/{id}/", $path), $handler::project)
            .summary($summary);
        $r.$method(concat!("/groups/{id}/", $path), $handler::group)
            .summary($summary);
    };
}

/// One handler for projects and one for groups, calling the same function.
macro_rules! handlers {
    ($name:ident, $params:ty, $answer:ty, |$app:ident, $viewer:ident, $p:ident, $kind:ident $(, $extra:ident: $extra_ty:ty)?| $body:expr) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;
            pub async fn project($app: App, $viewer: Viewer, $p: Params<$params> $(, $extra: $extra_ty)?) -> Result<$answer> {
                let $kind = SourceKind::Project;
                $body.await
            }
            pub async fn group($app: App, $viewer: Viewer, $p: Params<$params> $(, $extra: $extra_ty)?) -> Result<$answer> {
                let $kind = SourceKind::Group;
                $body.await
            }
        }
    };
}

pub(super) use {both, handlers};

pub fn routes(r: &mut Routes) {
    both!(r, get, "members", direct, "Lists direct members");
    both!(
        r,
        get,
        "members/all",
        all,
        "Lists members, inherited ones too"
    );
    both!(r, get, "members/{user_id}", one, "Shows a direct member");
    both!(
        r,
        get,
        "members/all/{user_id}",
        one_of_all,
        "Shows a member, maybe inherited"
    );
    both!(r, post, "members", add, "Adds members");
    both!(r, put, "members/{user_id}", change, "Changes a member");
    both!(r, delete, "members/{user_id}", remove, "Removes a member");
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
pub(super) fn entities(
    tx: &mut Tx<'_>,
    app: &App,
    rows: &[MemberRow],
    with_email: bool,
) -> Result<Vec<MemberEntity>> {
    let ids: Vec<i64> = rows.iter().filter_map(|row| row.created_by_id).collect();
    let makers: HashMap<i64, User> = if ids.is_empty() {
        HashMap::new()
    } else {
        load_basic(tx, &ids)?
    };
    let entity = |row: &MemberRow| MemberEntity {
        user: basic(app, &row.user),
        access_level: row.access_level,
        created_at: wire::text(row.created_at),
        created_by: row
            .created_by_id
            .and_then(|id| makers.get(&id))
            .map(|user| basic(app, user)),
        expires_at: row.expires_at.clone(),
        membership_state: "active".into(),
        email: with_email.then(|| row.user.email.clone()),
    };
    Ok(rows.iter().map(entity).collect())
}

fn entity(tx: &mut Tx<'_>, app: &App, row: &MemberRow, with_email: bool) -> Result<MemberEntity> {
    let mut one = entities(tx, app, std::slice::from_ref(row), with_email)?;
    one.pop().ok_or(Error::NotFound(""))
}

kernel::params! {
    /// Filters of members.
    pub struct ListMembers {
        /// Id or path of the project or group.
        pub id: Reference,
        /// In name or username.
        pub query: Option<String>,
        /// Only these users.
        pub user_ids: Option<Vec<i64>>,
        /// Not these users.
        pub skip_users: Option<Vec<i64>>,
    }
}

handlers!(
    direct,
    ListMembers,
    Paged<MemberEntity>,
    |app, viewer, p, kind, paging: Paging| {
        list(app, viewer, kind, p.0, paging, Breadth::Direct)
    }
);
handlers!(
    all,
    ListMembers,
    Paged<MemberEntity>,
    |app, viewer, p, kind, paging: Paging| { list(app, viewer, kind, p.0, paging, Breadth::All) }
);

async fn list(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: ListMembers,
    paging: Paging,
    breadth: Breadth,
) -> Result<Paged<MemberEntity>> {
    let handle = app.clone();
    app.read(move |tx| {
        let place = place(tx, &viewer, kind, &params.id, Purpose::ReadMembers)?;
        let filter = MemberFilter {
            query: params.query.clone(),
            user_ids: params.user_ids.clone(),
            skip_users: params.skip_users.clone(),
        };
        let (limit, offset) = (paging.fetch(), paging.offset());
        let (rows, total) = lists::members(tx, &place.source, breadth, &filter, limit, offset)?;
        let shown = entities(tx, &handle, &rows, viewer.is_admin())?;
        Ok(Paged::numbered(shown, paging, Some(total)))
    })
    .await
}

kernel::params! {
    /// One member.
    pub struct OneMember {
        /// Id or path of the project or group.
        pub id: Reference,
        /// Who.
        pub user_id: i64,
    }
}

handlers!(
    one,
    OneMember,
    Ok200<MemberEntity>,
    |app, viewer, p, kind| { show(app, viewer, kind, p.0, Breadth::Direct) }
);
handlers!(
    one_of_all,
    OneMember,
    Ok200<MemberEntity>,
    |app, viewer, p, kind| { show(app, viewer, kind, p.0, Breadth::All) }
);

async fn show(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: OneMember,
    breadth: Breadth,
) -> Result<Ok200<MemberEntity>> {
    let handle = app.clone();
    app.read(move |tx| {
        let place = place(tx, &viewer, kind, &params.id, Purpose::ReadMembers)?;
        let row = lists::member(tx, &place.source, breadth, params.user_id)?;
        let row = row.ok_or(Error::NotFound(""))?;
        entity(tx, &handle, &row, viewer.is_admin()).map(Ok200)
    })
    .await
}

kernel::params! {
    /// New members.
    pub struct AddMembers {
        /// Id or path of the project or group.
        pub id: Reference,
        /// Id of a user, or several with commas.
        pub user_id: Option<Vec<i64>>,
        /// Name of a user, or several with commas.
        pub username: Option<Vec<String>>,
        /// Their role.
        pub access_level: i64,
        /// The day it ends on.
        pub expires_at: Option<Date>,
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

handlers!(
    add,
    AddMembers,
    Created<MembersAdded>,
    |app, viewer, p, kind| create(app, viewer, kind, p.0)
);

async fn create(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: AddMembers,
) -> Result<Created<MembersAdded>> {
    let handle = app.clone();
    app.write(move |tx| {
        let place = place(tx, &viewer, kind, &params.id, Purpose::ManageMembers)?;
        let users = named(tx, &params)?;
        let new = NewMember {
            level: params.access_level,
            expires_at: params.expires_at,
        };
        if let [one] = users.as_slice() {
            let user = one.clone().map_err(|_| Error::NotFound("User"))?;
            members::add(tx, &viewer, &place, &user, &new)?;
            let row = lists::member(tx, &place.source, Breadth::Direct, user.id)?;
            let row = row.ok_or(Error::NotFound(""))?;
            let shown = entity(tx, &handle, &row, viewer.is_admin())?;
            return Ok(Created(MembersAdded::One(Box::new(shown))));
        }
        let mut refused = BTreeMap::new();
        for user in users {
            let added = match &user {
                Ok(user) => tx.savepoint(|tx| members::add(tx, &viewer, &place, user, &new)),
                Err(_) => Err(Error::NotFoundText("404 User Not Found".into())),
            };
            let name = match user {
                Ok(user) => user.username,
                Err(name) => name,
            };
            if let Some(reason) = members::reason(added)? {
                refused.insert(name, reason);
            }
        }
        let status = if refused.is_empty() {
            "success"
        } else {
            "error"
        };
        Ok(Created(MembersAdded::Several {
            status,
            message: (!refused.is_empty()).then_some(refused),
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
            return Err(Error::Parameters(vec![
                "user_id, username are mutually exclusive".into(),
            ]));
        }
        (None, None) => {
            return Err(Error::none_of("user_id, username"));
        }
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

kernel::params! {
    /// Changes of a member.
    pub struct ChangeMember {
        /// Id or path of the project or group.
        pub id: Reference,
        /// Who.
        pub user_id: i64,
        /// The new role.
        pub access_level: i64,
        /// The day it ends on.
        pub expires_at: Patch<Date>,
    }
}

handlers!(
    change,
    ChangeMember,
    Ok200<MemberEntity>,
    |app, viewer, p, kind| { update(app, viewer, kind, p.0) }
);

async fn update(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: ChangeMember,
) -> Result<Ok200<MemberEntity>> {
    let handle = app.clone();
    app.write(move |tx| {
        let place = place(tx, &viewer, kind, &params.id, Purpose::ManageMembers)?;
        let (level, until) = (params.access_level, params.expires_at.clone());
        let row = members::change(tx, &viewer, &place, params.user_id, level, until)?;
        entity(tx, &handle, &row, viewer.is_admin()).map(Ok200)
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

fn limit_removals(app: &App, viewer: &Viewer, kind: SourceKind, id: &Reference) -> Result<()> {
    let key = format!("{kind} {id:?} {:?}", viewer.user_id());
    let decision = app.kept::<Removals>().0.check(&key, app.now());
    match decision.allowed {
        true => Ok(()),
        false => Err(Error::Limited(decision.retry_after)),
    }
}

kernel::params! {
    /// A member to remove.
    pub struct RemoveMember {
        /// Id or path of the project or group.
        pub id: Reference,
        /// Who.
        pub user_id: i64,
        /// Leave memberships below alone.
        pub skip_subresources: Option<bool>,
        /// Take the user off issues and merge requests.
        pub unassign_issuables: Option<bool>,
    }
}

handlers!(remove, RemoveMember, NoContent, |app,
                                            viewer,
                                            p,
                                            kind,
                                            asked: Arc<
    RequestContext,
>| {
    destroy(app, viewer, kind, p.0, asked)
});

async fn destroy(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: RemoveMember,
    asked: Arc<RequestContext>,
) -> Result<NoContent> {
    limit_removals(&app, &viewer, kind, &params.id)?;
    app.write(move |tx| {
        let own = viewer.user_id() == Some(params.user_id);
        // Members may leave by themselves.
        let purpose = if own {
            Purpose::ReadMembers
        } else {
            Purpose::ManageMembers
        };
        let place: MembersOf = place(tx, &viewer, kind, &params.id, purpose)?;
        let updated = lists::members::updated_at(tx, &place.source, params.user_id)?;
        check_unmodified(&asked, updated.ok_or(Error::NotFound(""))?)?;
        let deep = !params.skip_subresources.unwrap_or(false);
        members::remove(tx, &viewer, &place, params.user_id, deep)?;
        Ok(NoContent)
    })
    .await
}
