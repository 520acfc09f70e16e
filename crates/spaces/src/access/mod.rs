//! Who may do what: the one access rule, and the one visible-set SQL.
//!
//! Every room looks projects and groups up through [`project`] and [`group`],
//! which say «not found» of what the viewer may not see and «forbidden» of
//! what they may see but not do. Lists filter with [`visible_projects`].

mod levels;
mod purpose;
mod sets;

pub use crate::store::lookups::{find_namespace, find_project, find_projects, moved_project};
pub use levels::{Levels, role_in_group, role_in_project};
pub use purpose::Purpose;
pub use sets::{
    groups_direct, groups_joined, groups_of, open_groups, projects_of, visible_groups,
    visible_projects,
};

use sets::holds_below;

use crate::model::{INTERNAL, Namespace, PUBLIC, Project, SourceKind, Visibility};
use crate::store::{lookups, today};
use identity::viewer::{DeployViewer, SignedIn, Viewer};
use kernel::error::{Error, Found, Result};
use kernel::ids::{Reference, fold};
use store::{Fragment, Tx};

/// Roles (docs/interface/identity.md 6): no access.
pub const NONE: i64 = 0;
/// A member who sees nothing yet.
pub const MINIMAL: i64 = 5;
pub const GUEST: i64 = 10;
pub const PLANNER: i64 = 15;
pub const REPORTER: i64 = 20;
pub const DEVELOPER: i64 = 30;
pub const MAINTAINER: i64 = 40;
pub const OWNER: i64 = 50;
/// Administrators everywhere; never the level of a membership.
pub const ADMINISTRATOR: i64 = 60;

/// Levels a membership may have.
pub const GRANTABLE: &[i64] = &[GUEST, PLANNER, REPORTER, DEVELOPER, MAINTAINER, OWNER];

pub fn role_name(level: i64) -> &'static str {
    match level {
        MINIMAL => "Minimal Access",
        GUEST => "Guest",
        PLANNER => "Planner",
        REPORTER => "Reporter",
        DEVELOPER => "Developer",
        MAINTAINER => "Maintainer",
        OWNER => "Owner",
        ADMINISTRATOR => "Administrator",
        _ => "No access",
    }
}

enum Verdict {
    Allowed,
    Refused,
    Hidden,
}

/// The project for this purpose. Hidden ones are not found, also when they
/// moved; a moved one that is seen answers [`Error::Moved`]. That one is hidden takes as many
/// statements as that there is none.
pub fn project(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, purpose: Purpose,
) -> Result<Project> {
    project_and_level(tx, viewer, reference, purpose).map(|(project, _)| project)
}

/// Like [`project`], with the level the viewer has in it, where it had to be
/// asked for: administrators 60, others their role.
pub fn project_and_level(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, purpose: Purpose,
) -> Result<(Project, i64)> {
    if purpose.is_beyond(viewer) {
        return Err(Error::Unauthenticated);
    }
    let Some(found) = lookups::find_project_or_moved(tx, reference)? else {
        levels::ask_of_nothing(tx, viewer)?;
        return Err(Error::NotFound("Project"));
    };
    if has_moved(&found, reference) {
        judged(tx, viewer, &found, Purpose::Read)?;
        return Err(Error::Moved(found.id.to_string()));
    }
    let level = judged(tx, viewer, &found, purpose)?;
    Ok((found, level))
}

/// Whether a project is not where it was looked for any more.
fn has_moved(project: &Project, reference: &Reference) -> bool {
    matches!(reference, Reference::Path(path) if fold(path) != fold(&project.full_path))
}

fn judged(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, purpose: Purpose) -> Result<i64> {
    let (verdict, level) = judge(tx, viewer, project, purpose)?;
    match verdict {
        Verdict::Allowed => Ok(level),
        Verdict::Refused => Err(purpose.refusal()),
        Verdict::Hidden => Err(Error::NotFound("Project")),
    }
}

/// Whether the viewer may do this with a project already read.
pub fn may(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, purpose: Purpose) -> Result<bool> {
    if purpose.is_beyond(viewer) {
        return Ok(false);
    }
    Ok(matches!(judge(tx, viewer, project, purpose)?.0, Verdict::Allowed))
}

/// Whether this level in a project lets the viewer do that, see [`may`].
pub fn allows(viewer: &Viewer, project: &Project, level: i64, purpose: Purpose) -> bool {
    let open = sees_level(viewer, project.visibility);
    !purpose.is_beyond(viewer)
        && matches!(verdict_on_project(viewer, project, purpose, open, level), Verdict::Allowed)
}

fn judge(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, purpose: Purpose,
) -> Result<(Verdict, i64)> {
    let open = sees_level(viewer, project.visibility);
    // The hot path: what is open to all needs no role.
    let level = match purpose {
        Purpose::Read | Purpose::ReadMembers | Purpose::Join if open => NONE,
        Purpose::ReadPackages if open && project.package_registry() != "private" => NONE,
        Purpose::DownloadCode
        | Purpose::ReadWiki
        | Purpose::ReadSnippets
        | Purpose::ReadPipelines
            if open && is_open_in(project, purpose) =>
        {
            NONE
        }
        _ => level_in_project(tx, viewer, project)?,
    };
    Ok((verdict_on_project(viewer, project, purpose, open, level), level))
}

fn verdict_on_project(
    viewer: &Viewer, project: &Project, purpose: Purpose, open: bool, level: i64,
) -> Verdict {
    let registry = project.package_registry();
    let published = purpose == Purpose::ReadPackages && registry == "public";
    if !(open || published || level >= GUEST) {
        return Verdict::Hidden;
    }
    if let Some(feature) = purpose.feature() {
        return verdict_on_content(viewer, project, (purpose, feature), open, level);
    }
    let of_packages = matches!(
        purpose,
        Purpose::ReadPackages
            | Purpose::PublishPackage
            | Purpose::DestroyPackage
            | Purpose::ManagePackageSettings
    );
    if of_packages && registry == "disabled" {
        return Verdict::Refused;
    }
    let changes_packages = matches!(purpose, Purpose::PublishPackage | Purpose::DestroyPackage);
    let settles_packages = purpose == Purpose::ManagePackageSettings;
    let works = matches!(purpose, Purpose::ManageAlerts | Purpose::UploadFile);
    if (changes_packages || settles_packages || works) && project.archived {
        return Verdict::Refused;
    }
    let enough = (level >= purpose.project_role() && is_in_scope(viewer, purpose))
        || published
        || (purpose == Purpose::ReadPackages && open && registry != "private");
    let deploys = matches!(viewer, Viewer::Deploy(_))
        && !(changes_packages || matches!(purpose, Purpose::Read | Purpose::ReadPackages));
    match enough && !deploys {
        true => Verdict::Allowed,
        false => Verdict::Refused,
    }
}

/// What is kept in repositories: for whoever sees the project, unless it is for members.
fn verdict_on_content(
    viewer: &Viewer, project: &Project, (purpose, feature): (Purpose, &str), open: bool, level: i64,
) -> Verdict {
    let feature = project.feature(feature);
    let is_read = matches!(
        purpose,
        Purpose::DownloadCode | Purpose::ReadWiki | Purpose::ReadSnippets | Purpose::ReadPipelines
    );
    let is_barred = feature == "disabled"
        || (!is_read && (project.archived || matches!(viewer, Viewer::Deploy(_))));
    let reaches = level >= purpose.project_role() && is_in_scope(viewer, purpose);
    let enough = reaches || (is_read && open && is_for_all(feature));
    match enough && !is_barred {
        true => Verdict::Allowed,
        false => Verdict::Refused,
    }
}

/// Whether a credential is for this at all: deploy tokens are made for code, for
/// packages, or for both.
fn is_in_scope(viewer: &Viewer, purpose: Purpose) -> bool {
    let Viewer::Deploy(deploy) = viewer else {
        return true;
    };
    let scopes: &[&str] = match purpose {
        Purpose::DownloadCode | Purpose::ReadWiki => &["read_repository"],
        // They are for people alone.
        Purpose::ReadSnippets | Purpose::ReadPipelines => &[],
        Purpose::ReadPackages => &["read_package_registry", "write_package_registry"],
        _ => return true,
    };
    deploy.scopes.iter().any(|held| scopes.contains(&held.as_str()))
}

/// Whether a feature is for all who see its project.
fn is_for_all(level: &str) -> bool {
    level != "private" && level != "disabled"
}

/// Whether what a purpose is about is for all who see the project.
fn is_open_in(project: &Project, purpose: Purpose) -> bool {
    purpose.feature().is_some_and(|feature| is_for_all(project.feature(feature)))
}

/// The group for this purpose; hidden ones and user namespaces are not found.
pub fn group(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, purpose: Purpose,
) -> Result<Namespace> {
    group_and_level(tx, viewer, reference, purpose).map(|(group, _)| group)
}

/// Like [`group`], with the viewer's level in it: administrators 60, others
/// their role.
pub fn group_and_level(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, purpose: Purpose,
) -> Result<(Namespace, i64)> {
    if purpose.is_beyond(viewer) {
        return Err(Error::Unauthenticated);
    }
    let found = find_group(tx, reference)?.found("Group")?;
    let level = level_in_group(tx, viewer, &found)?;
    let visible = level >= GUEST
        || sees_level(viewer, found.visibility)
        || holds_something_of(tx, viewer, &found)?;
    if !visible {
        return Err(Error::NotFound("Group"));
    }
    let deploys = matches!(viewer, Viewer::Deploy(_))
        && !matches!(
            purpose,
            Purpose::Read | Purpose::ReadPackages | Purpose::PublishPackage | Purpose::ReadWiki
        );
    let enough = level >= purpose.group_role(&found) || purpose.is_open_in(viewer, &found);
    if !enough || deploys || !is_in_scope(viewer, purpose) {
        return Err(purpose.refusal());
    }
    Ok((found, level))
}

/// Whether the viewer may do this with a group already read and seen.
pub fn may_in_group(
    tx: &mut Tx<'_>, viewer: &Viewer, group: &Namespace, purpose: Purpose,
) -> Result<bool> {
    let level = level_in_group(tx, viewer, group)?;
    Ok(allows_in_group(viewer, group, level, purpose))
}

/// Whether this level in a group lets the viewer do that.
pub fn allows_in_group(viewer: &Viewer, group: &Namespace, level: i64, purpose: Purpose) -> bool {
    let stranger = purpose.needs_viewer() && !matches!(viewer, Viewer::User(_));
    !stranger && (level >= purpose.group_role(group) || purpose.is_open_in(viewer, group))
}

/// A group by id or full path, not judged.
pub fn find_group(tx: &mut Tx<'_>, reference: &Reference) -> Result<Option<Namespace>> {
    Ok(find_namespace(tx, reference)?.filter(Namespace::is_group))
}

/// Whether the jobs of a project have the rights of their users in another one; the room of
/// pipelines says so.
#[derive(Clone, Copy)]
pub struct JobsEnter(pub fn(&mut Tx<'_>, i64, &Project) -> Result<bool>);

/// The viewer's level in a project: 60 for administrators, else the role;
/// what a deploy token's scopes amount to.
pub fn level_in_project(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<i64> {
    match viewer {
        Viewer::Anonymous => Ok(NONE),
        Viewer::User(_) if viewer.is_admin() => Ok(ADMINISTRATOR),
        Viewer::User(signed_in) => {
            let enters = match viewer.job() {
                Some((_, own)) if own != project.id => {
                    let JobsEnter(may) = *tx.plugged()?;
                    may(tx, own, project)?
                }
                _ => true,
            };
            match enters {
                true => role_in_project(tx, signed_in.user.id, project),
                false => Ok(NONE),
            }
        }
        Viewer::Deploy(deploy) => Ok(match SourceKind::from_text(&deploy.source_type) {
            Some(SourceKind::Project) if deploy.source_id == project.id => {
                deploy_level(deploy, MAINTAINER)
            }
            Some(SourceKind::Group) if project.ancestors().contains(&deploy.source_id) => {
                deploy_level(deploy, DEVELOPER)
            }
            _ => NONE,
        }),
    }
}

/// The viewer's level in a group; see [`level_in_project`].
pub fn level_in_group(tx: &mut Tx<'_>, viewer: &Viewer, group: &Namespace) -> Result<i64> {
    match viewer {
        Viewer::Anonymous => Ok(NONE),
        Viewer::User(_) if viewer.is_admin() => Ok(ADMINISTRATOR),
        Viewer::User(_) if viewer.job().is_some() => Ok(NONE),
        Viewer::User(signed_in) => role_in_group(tx, signed_in.user.id, group),
        Viewer::Deploy(deploy) => Ok(match SourceKind::from_text(&deploy.source_type) {
            Some(SourceKind::Group) if group.ids().contains(&deploy.source_id) => {
                deploy_level(deploy, DEVELOPER)
            }
            _ => NONE,
        }),
    }
}

fn deploy_level(deploy: &DeployViewer, writing: i64) -> i64 {
    let has = |scope: &str| deploy.scopes.iter().any(|held| held == scope);
    if has("write_package_registry") {
        writing
    } else if has("read_package_registry") || has("read_repository") {
        REPORTER
    } else {
        NONE
    }
}

/// Whether a visibility alone opens something to the viewer. External users
/// and bots see internal things only as members.
pub fn sees_level(viewer: &Viewer, visibility: i64) -> bool {
    match visibility {
        PUBLIC => true,
        INTERNAL => viewer.is_admin() || signed_in(viewer).is_some_and(is_insider),
        _ => viewer.is_admin(),
    }
}

/// Whether internal things are open to this user; a job stands for one.
fn is_insider(signed_in: &SignedIn) -> bool {
    let is_bot = signed_in.bot_source.is_some() && signed_in.job().is_none();
    !signed_in.user.is_external && !is_bot
}

fn signed_in(viewer: &Viewer) -> Option<&SignedIn> {
    match viewer {
        Viewer::User(signed_in) => Some(signed_in),
        _ => None,
    }
}

/// Whether the viewer is a member of something below a group, which lets them
/// see the group itself.
fn holds_something_of(tx: &mut Tx<'_>, viewer: &Viewer, group: &Namespace) -> Result<bool> {
    let Some(user_id) = viewer.user_id().filter(|_| viewer.job().is_none()) else {
        return Ok(false);
    };
    let mut lookup = Fragment::new("select namespaces.id from namespaces where ");
    lookup.push("namespaces.id = ", group.id).raw(" and ");
    lookup.append(holds_below(user_id, &today(tx)));
    Ok(!tx.query::<i64>(lookup)?.is_empty())
}

/// The widest visibility something below `parent` may have.
pub fn widest_below(parent: Option<&Namespace>) -> i64 {
    match parent {
        Some(group) if group.is_group() => group.visibility,
        _ => PUBLIC,
    }
}

/// Refuses a visibility wider than what it would stand in.
pub fn check_visibility(wanted: Visibility, parent: Option<&Namespace>) -> Result<()> {
    let widest = widest_below(parent);
    if wanted.level() <= widest {
        return Ok(());
    }
    Err(Error::invalid(
        "visibility_level",
        format!(
            "{wanted} is not allowed since the parent group has a {} visibility.",
            Visibility::of(widest)
        ),
    ))
}
