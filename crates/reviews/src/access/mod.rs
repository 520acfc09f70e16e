//! Who sees and does what (docs/interface): merge requests show code, so who reads that
//! in the target sees them. Those of somebody who was banned are for administrators.

pub mod network;

use crate::model::MergeRequest;
use crate::store as rows;
use ::store::{Fragment, Tx, sql};
use identity::model::{User, UserState};
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use planning::access::ProjectAccess;
use repositories::model::RepositoryKind;
use repositories::protection;
use repositories::store::of_project;
use spaces::access::{
    DEVELOPER, GUEST, NONE, PLANNER, Purpose, level_in_project, project_and_level, projects_of,
    visible_projects,
};
use spaces::model::{Namespace, Project};

/// The feature of a project that merge requests are.
const FEATURE: &str = "merge_requests";

/// Whether merge requests of a project show to somebody with this level in it, who reads
/// its code.
pub fn shows(project: &Project, level: i64) -> bool {
    match project.feature(FEATURE) {
        "disabled" => false,
        "private" => level >= GUEST,
        _ => true,
    }
}

/// Whether a project has merge requests at all.
pub fn is_switched_on(project: &Project) -> bool {
    project.feature(FEATURE) != "disabled"
}

/// The project, for who reads its code.
pub fn code_desk(tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference) -> Result<ProjectAccess> {
    let (project, known) = project_and_level(tx, viewer, reference, Purpose::DownloadCode)?;
    let level = match known {
        NONE => level_in_project(tx, viewer, &project)?,
        level => level,
    };
    Ok(ProjectAccess { project, level })
}

/// The project, for who sees its merge requests.
pub fn desk(tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference) -> Result<ProjectAccess> {
    let here = code_desk(tx, viewer, reference)?;
    match shows(&here.project, here.level) {
        true => Ok(here),
        false => Err(Error::forbidden("")),
    }
}

/// The same, for somebody signed in who changes what is theirs alone.
pub fn desk_signed_in(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference,
) -> Result<ProjectAccess> {
    viewer.signed_in()?;
    desk(tx, viewer, reference)
}

/// The same, for somebody who is about to write there.
pub fn desk_to_write(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference,
) -> Result<ProjectAccess> {
    let here = desk_signed_in(tx, viewer, reference)?;
    here.writable()?;
    Ok(here)
}

/// The merge request of this number in a project that the viewer has entered.
///
/// # Errors
///
/// `404 Not found` where there is none that they see.
pub fn find(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, iid: i64,
) -> Result<MergeRequest> {
    // By one statement, so that how long it takes does not tell one that is hidden from one
    // that is not there.
    rows::by_iid(tx, here.project.id, iid, of_nobody_banned(viewer))?.found("")
}

/// Whether its author was banned, which hides it from all but administrators.
pub fn is_hidden(tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest) -> Result<bool> {
    if viewer.is_admin() {
        return Ok(false);
    }
    let banned: Option<i64> = tx.optional(
        sql!("select id from users where id = $1 and state = $2"),
        (request.author_id, UserState::Banned),
    )?;
    Ok(banned.is_some())
}

/// A merge request with its project, for who may see it.
///
/// # Errors
///
/// `404 Not found` where there is none that they see.
pub fn readable(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Reference, iid: i64,
) -> Result<(Project, MergeRequest)> {
    let here = desk(tx, viewer, project)?;
    let request = find(tx, viewer, &here, iid)?;
    Ok((here.project, request))
}

/// Whether the viewer may change its title and target, close and reopen it: developers,
/// its author and its assignees, where the project takes changes.
pub fn may_update(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, request: &MergeRequest,
) -> Result<bool> {
    let Some(user_id) = viewer.user_id() else {
        return Ok(false);
    };
    if project.archived {
        return Ok(false);
    }
    if request.author_id == Some(user_id) {
        return Ok(true);
    }
    if level_in_project(tx, viewer, project)? >= DEVELOPER {
        return Ok(true);
    }
    Ok(rows::people::assignees_of_one(tx, request.id)?.contains(&user_id))
}

/// The same of who entered the project, refused in the words of a refusal.
pub fn check_update(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, request: &MergeRequest,
) -> Result<()> {
    match may_update(tx, viewer, &here.project, request)? {
        true => Ok(()),
        false => Err(Error::forbidden("")),
    }
}

/// Whether somebody with this level sets who is assigned and reviews, locks it and tells
/// of time.
pub fn sets_people(level: i64) -> bool {
    level >= DEVELOPER
}

/// Whether somebody with this level sets labels and milestones: planners, too.
pub fn sets_labels(level: i64) -> bool {
    level >= DEVELOPER || level == PLANNER
}

/// Whether the viewer may merge into the target branch.
pub fn may_merge(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, branch: &str,
) -> Result<bool> {
    let repository = of_project(tx, project.id, RepositoryKind::Project)?;
    protection::may_merge(tx, viewer, project, repository.as_ref(), branch)
}

/// Whether the viewer may make merge requests from the branches of a project.
pub fn may_create_from(tx: &mut Tx<'_>, viewer: &Viewer, source: &Project) -> Result<bool> {
    Ok(viewer.user_id().is_some() && level_in_project(tx, viewer, source)? >= DEVELOPER)
}

/// Whether the viewer may make merge requests in a project that has them: of its own
/// branches who writes there, of forks who reads its code.
pub fn may_create_in(tx: &mut Tx<'_>, viewer: &Viewer, target: &Project) -> Result<bool> {
    if viewer.user_id().is_none() || target.archived {
        return Ok(false);
    }
    let level = level_in_project(tx, viewer, target)?;
    let reads = spaces::access::may(tx, viewer, target, Purpose::DownloadCode)?;
    let is_for_them = target.feature(FEATURE) != "private" || level >= GUEST;
    Ok(reads && is_for_them)
}

/// Whether an active user reads the code of a project.
pub fn user_reads(tx: &mut Tx<'_>, user: &User, project: &Project) -> Result<bool> {
    if !user.is_at_work() {
        return Ok(false);
    }
    let viewer = Viewer::addressed(user.clone());
    spaces::access::may(tx, &viewer, project, Purpose::DownloadCode)
}

/// Whether an active user sees the merge requests of a project.
pub fn user_sees(tx: &mut Tx<'_>, user: &User, project: &Project) -> Result<bool> {
    if !user_reads(tx, user, project)? {
        return Ok(false);
    }
    let viewer = Viewer::addressed(user.clone());
    Ok(shows(project, level_in_project(tx, &viewer, project)?))
}

/// Whose merge requests are listed.
#[derive(Debug, Clone)]
pub enum Scope {
    Project(Box<ProjectAccess>),
    /// Of a group and all below it.
    Group(Box<Namespace>),
    /// Wherever the viewer sees any.
    Everywhere,
}

/// Condition on `merge_requests` joined with `projects`: those in this scope that the
/// viewer may see.
pub fn visible(tx: &Tx<'_>, viewer: &Viewer, scope: &Scope) -> Fragment {
    let mut shown = Fragment::default();
    match scope {
        Scope::Project(here) => {
            shown.push("merge_requests.target_project_id = ", here.project.id);
            if !shows(&here.project, here.level) {
                shown.raw(" and 1 = 0");
            }
        }
        Scope::Group(group) => {
            shown
                .append(visible_anywhere(tx, viewer))
                .push(
                    " and projects.namespace_id in
                        (select n.id from namespaces n where n.lineage >= ",
                    &group.lineage,
                )
                .push(" and n.lineage < ", group.lineage_end())
                .raw(")");
        }
        Scope::Everywhere => {
            shown.append(visible_anywhere(tx, viewer));
        }
    }
    shown.append(of_nobody_banned(viewer));
    shown
}

/// ` and …` on `merge_requests`: administrators alone see those of somebody who was banned.
fn of_nobody_banned(viewer: &Viewer) -> Fragment {
    let mut shown = Fragment::default();
    if !viewer.is_admin() {
        shown
            .push(
                " and not exists (select 1 from users banned
                where banned.id = merge_requests.author_id and banned.state = ",
                UserState::Banned,
            )
            .raw(")");
    }
    shown
}

/// Condition on `projects`: those whose merge requests the viewer may see.
pub fn visible_anywhere(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    let mut shown = visible_projects(tx, viewer, Purpose::DownloadCode);
    shown.raw(" and coalesce(projects.features ->> 'merge_requests', '') <> 'disabled'");
    if viewer.is_admin() {
        return shown;
    }
    shown.raw(" and (coalesce(projects.features ->> 'merge_requests', '') <> 'private'");
    if let Some(user_id) = viewer.user_id() {
        shown.raw(" or ").append(projects_of(tx, user_id, GUEST));
    }
    shown.raw(")");
    shown
}

/// Condition: the merge request of this id, a column, is one that the viewer may see.
pub fn is_visible(tx: &Tx<'_>, viewer: &Viewer, id: &str) -> Fragment {
    let mut is_one = Fragment::new(&format!(
        "exists (select 1 from {} where merge_requests.id = {id} and ",
        rows::TABLES
    ));
    is_one.append(visible(tx, viewer, &Scope::Everywhere)).raw(")");
    is_one
}

/// Refuses who is no member where only members may say something.
pub fn check_open(here: &ProjectAccess, request: &MergeRequest) -> Result<()> {
    match request.is_locked() && here.level < GUEST {
        true => Err(Error::forbidden("This discussion is locked")),
        false => Ok(()),
    }
}
