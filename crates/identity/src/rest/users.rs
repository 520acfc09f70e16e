//! `/users`: the directory, and administration of accounts.

use super::{READ_USER, text};
use crate::entities::{self, Detail, UserBasic, UserEntity};
use crate::model::User;
use crate::users::{self, Author, Change, Filter, NewUser, Order, OrderBy, Transition};
use crate::viewer::{Admin, SignedIn, Viewer};
use crate::{access, password};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Patch, Routes};
use kernel::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// Declares the routes.
pub fn routes(r: &mut Routes) {
    r.get("/users", list)
        .scopes(READ_USER)
        .summary("Lists users");
    r.get("/users/{id}", show)
        .scopes(READ_USER)
        .summary("Shows a user");
    r.post("/users", create).summary("Creates a user");
    r.put("/users/{id}", update).summary("Changes a user");
    r.delete("/users/{id}", destroy).summary("Deletes a user");
    r.post("/users/{id}/block", block).summary("Blocks a user");
    r.post("/users/{id}/unblock", unblock)
        .summary("Unblocks a user");
    r.post("/users/{id}/ban", ban).summary("Bans a user");
    r.post("/users/{id}/unban", unban)
        .summary("Lifts a user's ban");
    r.post("/users/{id}/deactivate", deactivate)
        .summary("Deactivates a dormant user");
    r.post("/users/{id}/activate", activate)
        .summary("Activates a deactivated user");
    r.post("/users/{id}/approve", approve)
        .summary("Lets in a user who waits for approval");
    r.post("/users/{id}/reject", reject)
        .summary("Turns away a user who waits for approval");
}

kernel::choices! {
    /// Direction of an order.
    pub enum Direction {
        /// Smallest first.
        Asc = "asc",
        /// Largest first.
        Desc = "desc",
    }
}

kernel::choices! {
    /// Whether a second factor is set up.
    pub enum TwoFactor {
        /// It is.
        Enabled = "enabled",
        /// It is not.
        Disabled = "disabled",
    }
}

kernel::params! {
    /// Which users are listed.
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
            external: either(set(self.external), set(self.exclude_external)),
            humans: either(set(self.humans), set(self.exclude_humans)),
            exclude_internal: set(self.exclude_internal),
            without_project_bots: set(self.without_project_bots),
            created_after: self.created_after,
            created_before: self.created_before,
            admins: admin && set(self.admins),
            two_factor: self
                .two_factor
                .filter(|_| admin)
                .map(|two| two == TwoFactor::Enabled),
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
    app: App,
    viewer: Viewer,
    params: Params<ListUsers>,
    paging: Paging,
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
        false => rows
            .iter()
            .map(|u| ListedUser::Basic(entities::basic(&app, u)))
            .collect(),
    }))
}

kernel::params! {
    /// Which user.
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
    /// A user to be made.
    pub struct CreateUser {
        /// Primary e-mail.
        pub email: String,
        /// Display name.
        pub name: String,
        /// Login.
        pub username: String,
        /// Password, 8 to 128 characters.
        pub password: Option<String>,
        /// Sends a link to choose a password instead.
        pub reset_password: Option<bool>,
        /// Sets a password nobody knows instead.
        pub force_random_password: Option<bool>,
        /// The e-mail counts as confirmed.
        pub skip_confirmation: Option<bool>,
        /// Everything else, as in an update.
        pub admin: Option<bool>,
        /// Sees only what they are members of.
        pub external: Option<bool>,
        /// Hides activity and followers.
        pub private_profile: Patch<bool>,
        /// Projects in the own namespace.
        pub projects_limit: Option<i64>,
        /// May create groups.
        pub can_create_group: Option<bool>,
        /// Colour scheme of the pages.
        pub theme_id: Option<i64>,
        /// Colour scheme of code.
        pub color_scheme_id: Option<i64>,
        /// A few words.
        pub bio: Patch<String>,
        /// Where they are.
        pub location: Patch<String>,
        /// E-mail shown to everyone.
        pub public_email: Patch<String>,
        /// E-mail used in commits.
        pub commit_email: Patch<String>,
        /// Their site.
        pub website_url: Patch<String>,
        /// Where they work.
        pub organization: Patch<String>,
        /// As what.
        pub job_title: Patch<String>,
        /// Pronouns.
        pub pronouns: Patch<String>,
        /// Account there.
        pub linkedin: Patch<String>,
        /// Account there.
        pub twitter: Patch<String>,
        /// Account there.
        pub discord: Patch<String>,
        /// Handle at that provider.
        pub provider_a: Patch<String>,
        /// For administrators.
        pub note: Patch<String>,
    }
}

macro_rules! texts {
    ($params:expr) => {{
        let mut texts = Vec::new();
        text(&mut texts, "bio", $params.bio.clone());
        text(&mut texts, "location", $params.location.clone());
        text(&mut texts, "public_email", $params.public_email.clone());
        text(&mut texts, "commit_email", $params.commit_email.clone());
        text(&mut texts, "website_url", $params.website_url.clone());
        text(&mut texts, "organization", $params.organization.clone());
        text(&mut texts, "job_title", $params.job_title.clone());
        text(&mut texts, "pronouns", $params.pronouns.clone());
        text(&mut texts, "linkedin", $params.linkedin.clone());
        text(&mut texts, "twitter", $params.twitter.clone());
        text(&mut texts, "discord", $params.discord.clone());
        text(&mut texts, "provider_a", $params.provider_a.clone());
        text(&mut texts, "note", $params.note.clone());
        texts
    }};
}

macro_rules! change {
    ($params:expr) => {
        Change {
            external: $params.external,
            private: private(&$params.private_profile),
            projects_limit: $params.projects_limit,
            can_create_group: $params.can_create_group,
            theme_id: $params.theme_id,
            color_scheme_id: $params.color_scheme_id,
            texts: texts!($params),
            ..Change::default()
        }
    };
}

/// Null means the instance's default.
fn private(sent: &Patch<bool>) -> Option<Option<bool>> {
    match sent {
        Patch::Absent => None,
        Patch::Null => Some(None),
        Patch::Value(private) => Some(Some(*private)),
    }
}

async fn create(app: App, admin: Admin, params: Params<CreateUser>) -> Result<Created<UserEntity>> {
    let automatic =
        params.force_random_password == Some(true) || params.reset_password == Some(true);
    let password = match (&params.password, automatic) {
        (Some(password), _) if !password.is_empty() => password.clone(),
        (_, true) => password::random(),
        _ => {
            return Err(Error::Parameters(vec![
                "password, reset_password, force_random_password are missing, at least one \
                 parameter must be provided"
                    .into(),
            ]));
        }
    };
    let mut new = NewUser {
        username: params.username.clone(),
        name: params.name.clone(),
        email: params.email.clone(),
        password_hash: String::new(),
        password_automatic: automatic,
        admin: params.admin.unwrap_or(false),
        confirmed: params.skip_confirmation.unwrap_or(false),
        rest: change!(params),
    };
    users::check_new(&new, &password)?;
    new.password_hash = password::hash(password).await?;
    let by = Author::from(admin.0.as_ref());
    let caller = admin.0.user.id;
    let whole = app
        .write(move |tx| {
            let user = users::create(tx, &by, &new).map_err(conflict)?;
            users::whole(tx, user, Some(caller))
        })
        .await?;
    Ok(Created(entities::entity(&app, &whole, Detail::Admin)))
}

/// A name or address that somebody has is a conflict here, as clients expect.
fn conflict(error: Error) -> Error {
    let Error::Invalid(problems) = &error else {
        return error;
    };
    let taken = |field: &str| {
        problems.iter().any(|(name, texts)| {
            name == field && texts.iter().any(|text| text == "has already been taken")
        })
    };
    if taken("email") {
        Error::Conflict("Email has already been taken".into())
    } else if taken("username") {
        Error::Conflict("Username has already been taken".into())
    } else {
        error
    }
}

kernel::params! {
    /// Changes to a user.
    pub struct UpdateUser {
        /// Id of the user.
        pub id: i64,
        /// Primary e-mail.
        pub email: Option<String>,
        /// Display name.
        pub name: Option<String>,
        /// Login.
        pub username: Option<String>,
        /// Password; must be changed at the next sign-in.
        pub password: Option<String>,
        /// The e-mail counts as confirmed at once.
        pub skip_reconfirmation: Option<bool>,
        /// Administrator or not.
        pub admin: Option<bool>,
        /// Sees only what they are members of.
        pub external: Option<bool>,
        /// Hides activity and followers.
        pub private_profile: Patch<bool>,
        /// Projects in the own namespace.
        pub projects_limit: Option<i64>,
        /// May create groups.
        pub can_create_group: Option<bool>,
        /// Colour scheme of the pages.
        pub theme_id: Option<i64>,
        /// Colour scheme of code.
        pub color_scheme_id: Option<i64>,
        /// A few words.
        pub bio: Patch<String>,
        /// Where they are.
        pub location: Patch<String>,
        /// E-mail shown to everyone.
        pub public_email: Patch<String>,
        /// E-mail used in commits.
        pub commit_email: Patch<String>,
        /// Their site.
        pub website_url: Patch<String>,
        /// Where they work.
        pub organization: Patch<String>,
        /// As what.
        pub job_title: Patch<String>,
        /// Pronouns.
        pub pronouns: Patch<String>,
        /// Account there.
        pub linkedin: Patch<String>,
        /// Account there.
        pub twitter: Patch<String>,
        /// Account there.
        pub discord: Patch<String>,
        /// Handle at that provider.
        pub provider_a: Patch<String>,
        /// For administrators.
        pub note: Patch<String>,
    }
}

async fn update(app: App, admin: Admin, params: Params<UpdateUser>) -> Result<Ok200<UserEntity>> {
    let id = params.id;
    let change = Change {
        username: params.username.clone(),
        name: params.name.clone(),
        email: params.email.clone(),
        admin: params.admin,
        ..change!(params)
    };
    let password = params
        .password
        .clone()
        .filter(|password| !password.is_empty());
    let hash = match password {
        Some(password) => {
            if let Some(problem) = password::problem(&password) {
                return Err(Error::invalid("password", problem));
            }
            Some(password::hash(password).await?)
        }
        None => None,
    };
    let by = Author::from(admin.0.as_ref());
    let caller = admin.0.clone();
    let whole = app
        .write(move |tx| {
            if change.admin == Some(false) && caller.user.id == id {
                return Err(Error::forbidden(
                    "You cannot take your own administration away",
                ));
            }
            let user = users::update(tx, &by, id, &change).map_err(conflict)?;
            if let Some(hash) = &hash {
                set_password(tx, &by, &user, hash, &caller)?;
            }
            users::whole(tx, user, Some(caller.user.id))
        })
        .await?;
    Ok(Ok200(entities::entity(&app, &whole, Detail::Admin)))
}

/// A password that somebody else chose must be changed at the next sign-in.
fn set_password(
    tx: &mut store::Tx<'_>,
    by: &Author,
    user: &User,
    hash: &str,
    caller: &SignedIn,
) -> Result<()> {
    let own = caller.user.id == user.id;
    users::set_password(tx, by, user, hash, !own, None)
}

kernel::params! {
    /// Which user to delete.
    pub struct DestroyUser {
        /// Id of the user.
        pub id: i64,
        /// Deletes what they wrote too.
        pub hard_delete: Option<bool>,
    }
}

async fn destroy(app: App, admin: Admin, params: Params<DestroyUser>) -> Result<NoContent> {
    let (id, hard) = (params.id, params.hard_delete.unwrap_or(false));
    let by = Author::from(admin.0.as_ref());
    app.write(move |tx| users::destroy(tx, &by, id, hard))
        .await?;
    Ok(NoContent)
}

async fn change_state(app: App, admin: Admin, id: i64, to: Transition) -> Result<Created<bool>> {
    let by = Author::from(admin.0.as_ref());
    app.write(move |tx| users::transition(tx, &by, id, to))
        .await?;
    Ok(Created(true))
}

macro_rules! transitions {
    ($($name:ident $transition:ident;)*) => {$(
        async fn $name(app: App, admin: Admin, path: Params<UserPath>) -> Result<Created<bool>> {
            change_state(app, admin, path.id, Transition::$transition).await
        }
    )*};
}

transitions! {
    block Block;
    unblock Unblock;
    ban Ban;
    unban Unban;
    deactivate Deactivate;
    activate Activate;
}

/// A plain success.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SuccessEntity {
    /// `Success`.
    pub message: &'static str,
}

async fn approve(app: App, admin: Admin, path: Params<UserPath>) -> Result<Created<SuccessEntity>> {
    let (id, by) = (path.id, Author::from(admin.0.as_ref()));
    app.write(move |tx| users::approve(tx, &by, id)).await?;
    Ok(Created(SuccessEntity { message: "Success" }))
}

async fn reject(app: App, admin: Admin, path: Params<UserPath>) -> Result<Ok200<SuccessEntity>> {
    let (id, by) = (path.id, Author::from(admin.0.as_ref()));
    app.write(move |tx| users::reject(tx, &by, id)).await?;
    Ok(Ok200(SuccessEntity { message: "Success" }))
}
