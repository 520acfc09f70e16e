//! What the rooms above plug in, once, when the program is wired.

use crate::model::User;
use crate::settings::Part;
use crate::viewer::{SignedIn, Viewer};
use kernel::error::Result;
use std::collections::HashMap;
use std::sync::OnceLock;
use store::{Fragment, Tx};

/// A user about to disappear.
#[derive(Debug, Clone)]
pub struct Destroying {
    pub user: User,
    /// Who holds what stays; unused when `hard`.
    pub ghost_id: i64,
    /// Delete everything instead of handing it to the ghost.
    pub hard: bool,
}

/// Gets the user before and after.
pub type Renamed = fn(&mut Tx<'_>, &User, &User) -> Result<()>;
/// From users' ids to the ids of their own namespaces, in one query.
pub type NamespacesOf = fn(&mut Tx<'_>, &[i64]) -> Result<HashMap<i64, i64>>;

/// Gives at most so many rows that the first user made to the second, or
/// leaves them without an author; how many there were. Called until none is.
pub type HandOver = fn(&mut Tx<'_>, i64, Option<i64>, i64) -> Result<i64>;

/// A group as a user belongs to it.
#[derive(Debug, Clone)]
pub struct UsersGroup {
    pub path: String,
    /// The user's role there, inherited ones included.
    pub level: i64,
    /// Whether the user is a member of the group itself.
    pub direct: bool,
}

/// What a group's single sign-on asks of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignOn {
    /// The group has none.
    NotUsed,
    /// The user's session there is live.
    Live,
    /// The user starts one at this path, which takes `return_to`.
    StartsAt(String),
}

/// Single sign-on of groups; the room that has it plugs it in.
pub trait SingleSignOn: Send + Sync {
    /// Whether this user has a live session for this group, and if not where
    /// it starts.
    fn ask(&self, tx: &mut Tx<'_>, group: i64, signed_in: &SignedIn) -> Result<SignOn>;
}

/// How many to-dos of the viewer are pending, in one statement, counted to
/// [`PageViewer::COUNTED`](kernel::html::PageViewer::COUNTED) and one more.
pub type PendingTodos = fn(&mut Tx<'_>, &Viewer) -> Result<u64>;

/// A job of a pipeline that runs, as its token stands for it.
#[derive(Debug, Clone, Copy)]
pub struct RunningJob {
    pub id: i64,
    pub project_id: i64,
    /// Whose rights it has in its project.
    pub user_id: i64,
}

/// The job that a token is of, while it runs.
pub type JobOfToken = fn(&mut Tx<'_>, &str) -> Result<Option<RunningJob>>;

pub type GroupsOf = fn(&mut Tx<'_>, i64) -> Result<Vec<UsersGroup>>;
/// From a user's id to the fewest hours that a group of theirs gives its
/// members to set up a second factor; none when no group requires one.
pub type TwoFactorGrace = fn(&mut Tx<'_>, i64) -> Result<Option<i64>>;
pub type GroupName = fn(&mut Tx<'_>, i64) -> Result<Option<String>>;

/// Gets a user and an address of theirs.
pub type EmailConfirmed = fn(&mut Tx<'_>, &User, &str) -> Result<()>;

/// Functions to call when something happens to a user. All run inside the
/// transaction of the change; a refusal undoes it.
#[derive(Default)]
pub struct Hooks {
    /// A person or bot was created. Spaces makes the namespace of a person,
    /// and refuses a username whose path is taken.
    pub user_created: Vec<fn(&mut Tx<'_>, &User) -> Result<()>>,
    /// Username or display name changed; the first is the user before.
    pub user_renamed: Vec<Renamed>,
    /// A user proved that an address is theirs.
    pub email_confirmed: Vec<EmailConfirmed>,
    /// The user disappears: hide and end what is theirs alone, or refuse
    /// («sole owner of a group» is a conflict).
    pub user_destroying: Vec<fn(&mut Tx<'_>, &Destroying) -> Result<()>>,
    /// What a deleted user made, by room; each call is a transaction of its own.
    pub handing_over: Vec<HandOver>,
    pub namespaces_of: Option<NamespacesOf>,
    /// SQL condition on the alias `users`: has no projects.
    pub without_projects: Option<fn() -> Fragment>,
    /// A user's groups, for OpenID claims.
    pub groups_of: Option<GroupsOf>,
    /// A group's name, for the consent page.
    pub group_name: Option<GroupName>,
    pub two_factor_grace: Option<TwoFactorGrace>,
    /// What the header of every page counts.
    pub pending_todos: Option<PendingTodos>,
    /// Single sign-on of groups, from when its room is ready.
    pub single_sign_on: OnceLock<&'static dyn SingleSignOn>,
    pub settings: Vec<Part>,
    pub job_of_token: Option<JobOfToken>,
}

/// How the tokens of jobs begin: no other kind of token does.
pub const JOB_TOKEN_PREFIX: &str = "jbt-";

/// What was plugged in; [`Hooks`] must be among the store's plugs.
pub(crate) fn get<'t>(tx: &Tx<'t>) -> Result<&'t Hooks> {
    Ok(tx.plugged()?)
}

pub(crate) fn created(tx: &mut Tx<'_>, user: &User) -> Result<()> {
    let hooks = &get(tx)?.user_created;
    hooks.iter().try_for_each(|hook| hook(tx, user))
}

pub(crate) fn renamed(tx: &mut Tx<'_>, before: &User, after: &User) -> Result<()> {
    let hooks = &get(tx)?.user_renamed;
    hooks.iter().try_for_each(|hook| hook(tx, before, after))
}

pub(crate) fn email_confirmed(tx: &mut Tx<'_>, user: &User, email: &str) -> Result<()> {
    let hooks = &get(tx)?.email_confirmed;
    hooks.iter().try_for_each(|hook| hook(tx, user, email))
}

pub(crate) fn destroying(tx: &mut Tx<'_>, destroying: &Destroying) -> Result<()> {
    let hooks = &get(tx)?.user_destroying;
    hooks.iter().try_for_each(|hook| hook(tx, destroying))
}

pub(crate) fn groups_of(tx: &mut Tx<'_>, user: i64) -> Result<Vec<UsersGroup>> {
    get(tx)?.groups_of.map_or(Ok(Vec::new()), |hook| hook(tx, user))
}

pub(crate) fn group_name(tx: &mut Tx<'_>, group: i64) -> Result<Option<String>> {
    get(tx)?.group_name.map_or(Ok(None), |hook| hook(tx, group))
}

pub(crate) fn two_factor_grace(tx: &mut Tx<'_>, user: i64) -> Result<Option<i64>> {
    get(tx)?.two_factor_grace.map_or(Ok(None), |hook| hook(tx, user))
}

pub(crate) fn pending_todos(tx: &mut Tx<'_>, viewer: &Viewer) -> Result<u64> {
    get(tx)?.pending_todos.map_or(Ok(0), |hook| hook(tx, viewer))
}

pub(crate) fn job_of_token(tx: &mut Tx<'_>, token: &str) -> Result<Option<RunningJob>> {
    get(tx)?.job_of_token.map_or(Ok(None), |hook| hook(tx, token))
}

pub(crate) fn sign_on(tx: &mut Tx<'_>, group: i64, signed_in: &SignedIn) -> Result<SignOn> {
    match get(tx)?.single_sign_on.get() {
        Some(room) => room.ask(tx, group, signed_in),
        None => Ok(SignOn::NotUsed),
    }
}
