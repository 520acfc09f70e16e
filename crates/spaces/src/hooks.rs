//! What rooms above plug in, and what this room plugs into identity.

use crate::ci_settings::{CiSettings, CiSettingsChange};
use crate::license::LicenseEntity;
use crate::merge_settings::{MergeSettings, MergeSettingsChange};
use crate::mirror_settings::{MirrorSettings, MirrorSettingsChange};
use crate::model::{Namespace, Project, ProjectId, path_error};
use crate::references::References;
use crate::store::{self as lists, Source, people};
use crate::{access, claims, invitations, namespaces, rules};
use futures_util::future::BoxFuture;
use identity::hooks::Destroying;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::Patch;
use kernel::ids::Reference;
use kernel::secrets::Secrets;
use std::collections::HashMap;
use store::{Fragment, Tx};

/// Work in the transaction that deletes a project's row.
pub type ProjectDestroying = fn(&mut Tx<'_>, ProjectId) -> Result<()>;

/// What a room above keeps of a project and removes piece by piece, before
/// the project's row goes.
#[derive(Debug, Clone, Copy)]
pub struct Contents {
    /// How many rows there are, for the progress of the job.
    pub count: fn(&mut Tx<'_>, ProjectId) -> Result<i64>,
    /// Removes at most so many of them; how many. Called until none is left,
    /// each time in a transaction of its own.
    pub remove: fn(&mut Tx<'_>, ProjectId, i64) -> Result<i64>,
}

/// Work in the transaction that deletes a group's row, before it goes.
pub type GroupDestroying = fn(&mut Tx<'_>, i64) -> Result<()>;

/// Some rows that named blobs are gone.
pub type BlobsUnnamed = fn(&mut Tx<'_>) -> Result<()>;

pub type PackagesSize = fn(&mut Tx<'_>, &[ProjectId]) -> Result<HashMap<ProjectId, i64>>;

/// Open issues by project, of those that everyone who sees it may count.
pub type OpenIssues = fn(&mut Tx<'_>, &[ProjectId]) -> Result<HashMap<ProjectId, i64>>;

/// Whether a group, and the instance, has epics.
pub type HasEpics = fn(&mut Tx<'_>, &Namespace) -> Result<bool>;

/// Bytes of what a project has in repositories.
#[derive(Debug, Clone, Copy, Default)]
pub struct RepositorySizes {
    /// None without a branch.
    pub code: Option<i64>,
    pub wiki: i64,
    pub snippets: i64,
}

/// What those projects take that have any repository.
pub type RepositorySizesOf =
    fn(&mut Tx<'_>, &[ProjectId]) -> Result<HashMap<ProjectId, RepositorySizes>>;

/// Bytes of the large files of those projects that have any.
pub type LargeFileSizes = fn(&mut Tx<'_>, &[ProjectId]) -> Result<HashMap<ProjectId, i64>>;

/// The names of the storages of those projects that have code.
pub type CodeStorages = fn(&mut Tx<'_>, &[ProjectId]) -> Result<HashMap<ProjectId, String>>;

/// Condition on `projects`: those whose code lies in this storage.
pub type CodeLiesIn = fn(&str) -> Fragment;

/// Makes a branch the default one of a project whose code is there.
pub type DefaultBranch = fn(&mut Tx<'_>, ProjectId, &str) -> Result<()>;

pub type IssuesOf = fn(&mut Tx<'_>, i64) -> Result<i64>;

/// How many merge requests a user made.
pub type RequestsOf = fn(&mut Tx<'_>, i64) -> Result<i64>;

/// Work in the transaction that moves a project; it gets the project as it was.
pub type ProjectMoved = fn(&mut Tx<'_>, &Viewer, &Project) -> Result<()>;

/// Makes the first commit of a new project, with a README.
pub type Initialize = fn(App, Viewer, Project) -> BoxFuture<'static, Result<()>>;

/// Work in the transaction that makes a project.
pub type ProjectCreated = fn(&mut Tx<'_>, &Project) -> Result<()>;

/// Gives a new fork the code of its source, or one branch of it alone.
pub type ForkCode = fn(&mut Tx<'_>, ForkedCode<'_>) -> Result<()>;

/// What its code says of a project, as far as the viewer may read it.
pub type CodeAbout = fn(App, Viewer, Project, AboutWanted) -> BoxFuture<'static, Result<AboutCode>>;

/// What is asked of the code of a project beside where its README is.
#[derive(Debug, Clone, Copy)]
pub struct AboutWanted {
    pub license: bool,
    pub commit_count: bool,
}

/// What the code of a project says of it. Addresses are paths on this server.
#[derive(Debug, Default)]
pub struct AboutCode {
    pub readme: Option<String>,
    pub license: Option<LicenseEntity>,
    pub license_file: Option<String>,
    pub commit_count: Option<i64>,
}

/// Whose code goes where.
#[derive(Debug, Clone, Copy)]
pub struct ForkedCode<'f> {
    pub source: &'f Project,
    pub fork: &'f Project,
    /// That branch alone.
    pub branch: Option<&'f str>,
}

/// Reads and writes how pipelines of projects run.
#[derive(Debug, Clone, Copy)]
pub struct CiSettingsHooks {
    /// Of those projects that have others than the usual ones.
    pub read: fn(&mut Tx<'_>, &[ProjectId]) -> Result<HashMap<ProjectId, CiSettings>>,
    /// Nothing where nothing is said.
    pub change: fn(&mut Tx<'_>, ProjectId, &CiSettingsChange) -> Result<()>,
}

/// Reads and writes how merge requests of projects are merged.
#[derive(Debug, Clone, Copy)]
pub struct MergeSettingsHooks {
    /// Of those projects that have others than the usual ones.
    pub read: fn(&mut Tx<'_>, &[ProjectId]) -> Result<HashMap<ProjectId, MergeSettings>>,
    /// Nothing where nothing is said.
    pub change: fn(&mut Tx<'_>, &Viewer, &Project, &MergeSettingsChange) -> Result<()>,
}

/// Refuses, by 409, what cannot be while repositories come to lie elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct StorageMoves {
    /// Those of a project.
    pub of_project: fn(&mut Tx<'_>, ProjectId) -> Result<()>,
    /// That of a group itself.
    pub of_group: fn(&mut Tx<'_>, &Namespace) -> Result<()>,
    /// Those of a group and all that stands in it.
    pub below: fn(&mut Tx<'_>, &Namespace) -> Result<()>,
}

/// Refuses an address that the code of projects may not come from, as far as can be told
/// without going there.
pub type CheckSource = fn(App, String) -> BoxFuture<'static, Result<()>>;

/// Changes what a project follows, or begins with.
pub type ChangeMirror =
    fn(&mut Tx<'_>, &Secrets, &Viewer, &Project, &MirrorSettingsChange) -> Result<()>;

/// Reads and writes what projects follow.
#[derive(Debug, Clone, Copy)]
pub struct MirrorSettingsHooks {
    /// Of those projects that follow, or came from, something.
    pub read: fn(&mut Tx<'_>, &[ProjectId]) -> Result<HashMap<ProjectId, MirrorSettings>>,
    pub check: CheckSource,
    pub change: ChangeMirror,
}

#[derive(Default)]
pub struct Hooks {
    /// What projects contain, removed first when one is deleted.
    pub contents: Vec<Contents>,
    /// The project and all that is left in it will be deleted.
    pub project_destroying: Vec<ProjectDestroying>,
    /// The group will be deleted; what is in it is gone already.
    pub group_destroying: Vec<GroupDestroying>,
    pub project_created: Vec<ProjectCreated>,
    pub project_moved: Vec<ProjectMoved>,
    pub initialize: Option<Initialize>,
    pub fork_code: Option<ForkCode>,
    pub code_about: Option<CodeAbout>,
    /// Has the bytes taken away that nothing names any more.
    pub blobs_unnamed: Option<BlobsUnnamed>,
    /// Bytes of packages by project, for statistics.
    pub packages_size: Option<PackagesSize>,
    pub open_issues: Option<OpenIssues>,
    pub issues_of: Option<IssuesOf>,
    pub requests_of: Option<RequestsOf>,
    pub has_epics: Option<HasEpics>,
    pub references: Option<References>,
    pub repository_sizes: Option<RepositorySizesOf>,
    pub large_file_sizes: Option<LargeFileSizes>,
    pub code_storages: Option<CodeStorages>,
    pub code_lies_in: Option<CodeLiesIn>,
    pub default_branch: Option<DefaultBranch>,
    pub ci_settings: Option<CiSettingsHooks>,
    pub merge_settings: Option<MergeSettingsHooks>,
    pub storage_moves: Option<StorageMoves>,
    pub mirror_settings: Option<MirrorSettingsHooks>,
}

/// What was plugged in; [`Hooks`] must be among the store's plugs.
pub(crate) fn get<'t>(tx: &Tx<'t>) -> Result<&'t Hooks> {
    Ok(tx.plugged()?)
}

/// Refuses to move or delete a project whose repositories come to lie elsewhere.
pub(crate) fn check_settled(tx: &mut Tx<'_>, project: ProjectId) -> Result<()> {
    match get(tx)?.storage_moves {
        Some(moves) => (moves.of_project)(tx, project),
        None => Ok(()),
    }
}

/// The same of a group; of all that stands in it, where that goes, too.
pub(crate) fn check_group_settled(
    tx: &mut Tx<'_>, group: &Namespace, with_all: bool,
) -> Result<()> {
    match get(tx)?.storage_moves {
        Some(moves) if with_all => (moves.below)(tx, group),
        Some(moves) => (moves.of_group)(tx, group),
        None => Ok(()),
    }
}

/// Whether pages of epics are among those of a group.
pub(crate) fn has_epics(tx: &mut Tx<'_>, group: &Namespace) -> Result<bool> {
    match get(tx)?.has_epics {
        Some(has) => has(tx, group),
        None => Ok(false),
    }
}

/// How pipelines run of those projects that have others than the usual settings.
pub(crate) fn ci_settings_of(
    tx: &mut Tx<'_>, projects: &[ProjectId],
) -> Result<HashMap<ProjectId, CiSettings>> {
    match get(tx)?.ci_settings {
        Some(hooks) => (hooks.read)(tx, projects),
        None => Ok(HashMap::new()),
    }
}

/// Whether who sees the pipelines of a project sees their jobs without a role there.
pub(crate) fn has_public_jobs(tx: &mut Tx<'_>, project: &Project) -> Result<bool> {
    let settings = ci_settings_of(tx, &[project.id])?;
    Ok(settings.get(&project.id).is_none_or(|settings| settings.public_jobs))
}

pub(crate) fn change_ci_settings(
    tx: &mut Tx<'_>, project: &Project, change: &CiSettingsChange,
) -> Result<()> {
    match get(tx)?.ci_settings {
        Some(hooks) => (hooks.change)(tx, project.id, change),
        None => Ok(()),
    }
}

/// How merge requests are merged in those projects that have others than the usual settings.
pub(crate) fn merge_settings_of(
    tx: &mut Tx<'_>, projects: &[ProjectId],
) -> Result<HashMap<ProjectId, MergeSettings>> {
    match get(tx)?.merge_settings {
        Some(hooks) => (hooks.read)(tx, projects),
        None => Ok(HashMap::new()),
    }
}

pub(crate) fn change_merge_settings(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, change: &MergeSettingsChange,
) -> Result<()> {
    match get(tx)?.merge_settings {
        Some(hooks) => (hooks.change)(tx, viewer, project, change),
        None => Ok(()),
    }
}

/// What those of some projects follow that do.
pub(crate) fn mirror_settings_of(
    tx: &mut Tx<'_>, projects: &[ProjectId],
) -> Result<HashMap<ProjectId, MirrorSettings>> {
    match get(tx)?.mirror_settings {
        Some(hooks) if !projects.is_empty() => (hooks.read)(tx, projects),
        _ => Ok(HashMap::new()),
    }
}

/// Refuses an address that a project may not come from.
pub(crate) async fn check_source(app: &App, change: &MirrorSettingsChange) -> Result<()> {
    let hooks = app.plugged::<Hooks>()?.mirror_settings;
    match (&change.import_url, hooks) {
        (Patch::Value(url), Some(hooks)) => (hooks.check)(app.clone(), url.clone()).await,
        _ => Ok(()),
    }
}

/// Has the bytes of removed files taken away.
pub fn blobs_unnamed(tx: &mut Tx<'_>) -> Result<()> {
    match get(tx)?.blobs_unnamed {
        Some(release) => release(tx),
        None => Ok(()),
    }
}

/// Adds what this room does when users come, change and go.
pub fn plug_into_identity(hooks: &mut identity::hooks::Hooks) {
    hooks.user_created.push(user_created);
    hooks.user_renamed.push(user_renamed);
    hooks.email_confirmed.push(invitations::accept_all);
    hooks.user_destroying.push(user_destroying);
    hooks.handing_over.push(people::hand_over);
    hooks.namespaces_of = Some(people::namespaces_of);
    hooks.without_projects = Some(people::without_projects);
    hooks.groups_of = Some(claims::groups);
    hooks.group_name = Some(claims::group_name);
    hooks.two_factor_grace = Some(claims::two_factor_grace);
}

/// A person gets a namespace named like them, and what their confirmed
/// address was invited to.
fn user_created(tx: &mut Tx<'_>, user: &User) -> Result<()> {
    if !user.is_human() {
        return Ok(());
    }
    check_path(&user.username)?;
    let made = namespaces::insert_for_user(tx, user.id, &user.username, &user.name)?;
    made.ok_or_else(|| Error::invalid("username", "has already been taken"))?;
    match user.confirmed_at {
        Some(_) => invitations::accept_all(tx, user, &user.email),
        None => Ok(()),
    }
}

/// A username is a path, too.
fn check_path(username: &str) -> Result<()> {
    match path_error(username, true) {
        Some(problem) => Err(Error::invalid("username", problem)),
        None => Ok(()),
    }
}

fn user_renamed(tx: &mut Tx<'_>, before: &User, after: &User) -> Result<()> {
    let Some(own) = people::own_namespace(tx, after.id)? else {
        return Ok(());
    };
    let path = (before.username != after.username).then_some(after.username.as_str());
    let name = (before.name != after.name).then_some(after.name.as_str());
    if path.is_none() && name.is_none() {
        return Ok(());
    }
    if let Some(path) = path {
        check_path(path)?;
    }
    let place = namespaces::Place {
        parent: None,
        name: name.unwrap_or(&own.name).to_owned(),
        path: path.unwrap_or(&own.path).to_owned(),
    };
    match namespaces::replace(tx, &own, &place)?.any() {
        false => Ok(()),
        true => Err(Error::invalid("username", "has already been taken")),
    }
}

/// Refuses to delete the only owner of a group, or deletes the group as well
/// when the deletion is hard. Their own projects go in any case.
fn user_destroying(tx: &mut Tx<'_>, destroying: &Destroying) -> Result<()> {
    let user = &destroying.user;
    let alone = match user.is_human() {
        true => groups_owned_alone(tx, user.id)?,
        false => Vec::new(),
    };
    if !alone.is_empty() && !destroying.hard {
        return Err(Error::Conflict("User cannot be removed: sole owner of a group.".into()));
    }
    for group in alone {
        // A group above may have taken it along.
        if let Some(group) = access::find_group(tx, &Reference::Id(group))? {
            rules::schedule_namespace(tx, &group)?;
        }
    }
    if let Some(own) = people::own_namespace(tx, user.id)? {
        rules::schedule_namespace(tx, &own)?;
    }
    people::forget(tx, user.id)
}

/// Groups this user owns directly and nobody else owns, directly or from a
/// group above.
fn groups_owned_alone(tx: &mut Tx<'_>, user_id: i64) -> Result<Vec<i64>> {
    let mut alone = Vec::new();
    for group in people::owned_groups(tx, user_id)? {
        if !lists::has_other_owner(tx, &Source::of_group(&group), user_id)? {
            alone.push(group.id);
        }
    }
    Ok(alone)
}
