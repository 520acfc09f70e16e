//! `/users`: the directory, and administration of accounts.

mod change;

pub(super) use change::sent_avatar;

use super::READ_USER;
use crate::access;
use crate::entities::{self, Detail, UserBasic, UserEntity};
use crate::two_factor;
use crate::users::{self, Filter, Order, OrderBy, Transition};
use crate::viewer::{Admin, Viewer};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

pub fn routes(r: &mut Routes) {
    r.get("/users", list).scopes(READ_USER).summary("Lists users");
    r.get("/users/{id}", show).scopes(READ_USER).summary("Shows a user");
    change::routes(r);
    r.delete("/users/{id}", destroy).summary("Deletes a user");
    for (verb, to, summary) in TRANSITIONS {
        let handler = |app, admin, user| change_state(app, admin, user, *to);
        r.post(&format!("/users/{{id}}/{verb}"), handler).named(verb).summary(*summary);
    }
    r.post("/users/{id}/approve", approve)
        .summary("Lets in a user who waits for approval");
    r.post("/users/{id}/reject", reject)
        .summary("Turns away a user who waits for approval");
    r.patch("/users/{id}/disable_two_factor", disable_two_factor)
        .reauthenticated()
        .summary("Removes a user's second factors");
}

const TRANSITIONS: &[(&str, Transition, &str)] = &[
    ("block", Transition::Block, "Blocks a user"),
    ("unblock", Transition::Unblock, "Unblocks a user"),
    ("ban", Transition::Ban, "Bans a user"),
    ("unban", Transition::Unban, "Lifts a user's ban"),
    ("deactivate", Transition::Deactivate, "Deactivates a dormant user"),
    ("activate", Transition::Activate, "Activates a deactivated user"),
];

kernel::choices! {
    pub enum Direction {
        Asc = "asc",
        Desc = "desc",
    }
}

kernel::choices! {
    pub enum TwoFactor {
        Enabled = "enabled",
        Disabled = "disabled",
    }
}

kernel::params! {
    pub struct ListUsers {
        /// Exactly this username, without regard to case.
        pub username: Option<String>,
        /// Part of the name or username, or the whole e-mail.
        pub search: Option<String>,
        /// Only active users.
        pub active: Option<bool>,
        /// Only blocked users.
        pub blocked: Option<bool>,
        /// Only external users.
        pub external: Option<bool>,
        /// Only people.
        pub humans: Option<bool>,
        /// No active users.
        pub exclude_active: Option<bool>,
        /// No external users.
        pub exclude_external: Option<bool>,
        /// No people.
        pub exclude_humans: Option<bool>,
        /// No users the program made for itself.
        pub exclude_internal: Option<bool>,
        /// No bots of projects.
        pub without_project_bots: Option<bool>,
        /// Made after.
        pub created_after: Option<Timestamp>,
        /// Made before.
        pub created_before: Option<Timestamp>,
        /// Account at a sign-in provider (administrators; with `provider`).
        pub extern_uid: Option<String>,
        /// That provider.
        pub provider: Option<String>,
        /// Order (administrators).
        pub order_by: Option<OrderBy>,
        /// Direction (administrators).
        pub sort: Option<Direction>,
        /// With or without a second factor (administrators).
        pub two_factor: Option<TwoFactor>,
        /// Without projects (administrators).
        pub without_projects: Option<bool>,
        /// Only administrators (administrators).
        pub admins: Option<bool>,
    }
}

impl ListUsers {
    fn filter(&self, admin: bool) -> Result<Filter> {
        let set = |flag: Option<bool>| flag.unwrap_or(false);
        if admin && self.extern_uid.is_some() != self.provider.is_some() {
            return Err(Error::Parameters(vec![
                "extern_uid, provider provide all or none of parameters".into(),
            ]));
        }
        Ok(Filter {
            username: self.username.clone().filter(|name| !name.is_empty()),
            search: self.search.clone(),
            search_private: admin,
            active: either(set(self.active), set(self.exclude_active)),
            blocked: set(self.blocked),
            pending: false,
            external: either(set(self.external), set(self.exclude_external)),
            humans: either(set(self.humans), set(self.exclude_humans)),
            exclude_internal: set(self.exclude_internal),
            without_project_bots: set(self.without_project_bots),
            created_after: self.created_after,
            created_before: self.created_before,
            admins: admin && set(self.admins),
            two_factor: self.two_factor.filter(|_| admin).map(|two| two == TwoFactor::Enabled),
            without_projects: admin && set(self.without_projects),
            nobody: admin && self.extern_uid.is_some(),
        })
    }

    fn order(&self, admin: bool) -> Order {
        Order {
            by: self.order_by.filter(|_| admin).unwrap_or(OrderBy::Id),
            ascending: admin && self.sort == Some(Direction::Asc),
        }
    }
}

fn either(only: bool, without: bool) -> Option<bool> {
    match (only, without) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// A user in a list: administrators see everything.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ListedUser {
    /// For administrators.
    Whole(Box<UserEntity>),
    /// For everyone else.
    Basic(UserBasic),
}

/// Nobody may look up a user by name, but not go through all of them.
async fn list(
    app: App, viewer: Viewer, params: Params<ListUsers>, paging: Paging,
) -> Result<Paged<ListedUser>> {
    let admin = viewer.is_admin();
    let (filter, order) = (params.filter(admin)?, params.order(admin));
    if viewer.user().is_none() && filter.username.is_none() {
        let reason = "Not authorized to access /api/v4/users";
        return Err(Error::forbidden(reason));
    }
    let (caller, asked) = (viewer.user_id(), paging.clone());
    let (rows, total, wholes) = app
        .read(move |tx| {
            let rows = users::page(tx, &filter, order, &asked)?;
            let total = if asked.is_keyset() {
                None
            } else {
                Some(users::total(tx, &filter)?)
            };
            let wholes = match admin {
                true => users::wholes(tx, rows.clone(), caller)?,
                false => Vec::new(),
            };
            Ok((rows, total, wholes))
        })
        .await?;
    let page = match paging.is_keyset() {
        true => Paged::keyed(rows, paging, |user| order.by.key(user)),
        false => Paged::numbered(rows, paging, total),
    };
    let detail = |whole| ListedUser::Whole(Box::new(entities::entity(&app, whole, Detail::Admin)));
    Ok(page.replace(|rows| match admin {
        true => wholes.iter().take(rows.len()).map(detail).collect(),
        false => rows.iter().map(|u| ListedUser::Basic(entities::basic(&app, u))).collect(),
    }))
}

kernel::params! {
    pub struct UserPath {
        /// Id of the user.
        pub id: i64,
    }
}

async fn show(app: App, viewer: Viewer, path: Params<UserPath>) -> Result<Ok200<UserEntity>> {
    let id = path.id;
    let Viewer::User(viewer) = viewer else {
        return Err(Error::forbidden("Not authorized!"));
    };
    let caller = viewer.user.id;
    let whole = app
        .read(move |tx| {
            let user = users::find(tx, id)?.found("User")?;
            users::whole(tx, user, Some(caller))
        })
        .await?;
    let detail = access::detail(&viewer, &whole);
    Ok(Ok200(entities::entity(&app, &whole, detail)))
}

kernel::params! {
    pub struct DestroyUser {
        pub user: Flat<UserPath>,
        /// Deletes what they wrote too.
        pub hard_delete: Option<bool>,
    }
}

async fn destroy(app: App, admin: Admin, params: Params<DestroyUser>) -> Result<NoContent> {
    let (id, hard) = (params.user.id, params.hard_delete.unwrap_or(false));
    let by = admin.author();
    app.write(move |tx| users::destroy(tx, &by, id, hard)).await?;
    Ok(NoContent)
}

/// What happened; doing it again is told as clients expect it: `null` for
/// blocking, `false` for unblocking.
async fn change_state(
    app: App, admin: Admin, path: Params<UserPath>, to: Transition,
) -> Result<Created<Option<bool>>> {
    let (id, by) = (path.id, admin.author());
    let changed = app.write(move |tx| users::transition(tx, &by, id, to)).await?;
    Ok(Created(match (changed, to) {
        (false, Transition::Block) => None,
        (false, Transition::Unblock) => Some(false),
        _ => Some(true),
    }))
}

/// A plain success.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SuccessEntity {
    /// `Success`.
    pub message: &'static str,
}

async fn approve(app: App, admin: Admin, path: Params<UserPath>) -> Result<Created<SuccessEntity>> {
    let (id, by) = (path.id, admin.author());
    app.write(move |tx| users::approve(tx, &by, id)).await?;
    Ok(Created(SuccessEntity { message: "Success" }))
}

async fn reject(app: App, admin: Admin, path: Params<UserPath>) -> Result<Ok200<SuccessEntity>> {
    let (id, by) = (path.id, admin.author());
    app.write(move |tx| users::reject(tx, &by, id)).await?;
    Ok(Ok200(SuccessEntity { message: "Success" }))
}

async fn disable_two_factor(app: App, admin: Admin, path: Params<UserPath>) -> Result<NoContent> {
    let id = path.id;
    app.write(move |tx| two_factor::end_for(tx, &admin.0, id)).await?;
    Ok(NoContent)
}
