//! Who sees and does what: issues follow the project they are in, and
//! confidential ones are seen by their author, their assignees and reporters.
//! Epics have rules of their own, in [`epics`].

mod desk;
pub mod epics;
pub mod switches;

pub use desk::{Desk, OwnedDesk};

use crate::model::Issue;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use spaces::access::{
    GUEST, NONE, OWNER, Purpose, REPORTER, find_group, find_project, group_and_level,
    level_in_project, project_and_level, projects_of, role_in_project, visible_projects,
};
use spaces::activity::Where;
use spaces::model::{INTERNAL, Namespace, PUBLIC, Project};
use store::{Fragment, Tx, sql};

#[derive(Debug, Clone)]
pub enum ParentRef {
    Project(Reference),
    Group(Reference),
}

#[derive(Debug, Clone)]
pub enum Parent {
    Project(Box<Project>),
    Group(Box<Namespace>),
}

impl Parent {
    /// The project or group where something is, if it is still there.
    pub fn at(tx: &mut Tx<'_>, place: Where) -> Result<Option<Parent>> {
        Ok(match place {
            Where::Project(id) => {
                let project = find_project(tx, &Reference::Id(id))?;
                project.map(|project| Parent::Project(Box::new(project)))
            }
            Where::Group(id) => {
                let group = find_group(tx, &Reference::Id(id))?;
                group.map(|group| Parent::Group(Box::new(group)))
            }
        })
    }

    pub fn project(&self) -> Option<&Project> {
        match self {
            Parent::Project(project) => Some(project),
            Parent::Group(_) => None,
        }
    }

    pub fn project_id(&self) -> Option<i64> {
        self.project().map(|project| project.id)
    }

    pub fn group_id(&self) -> Option<i64> {
        match self {
            Parent::Project(_) => None,
            Parent::Group(group) => Some(group.id),
        }
    }

    /// The groups above it, and itself if it is one.
    pub fn groups(&self) -> Vec<i64> {
        match self {
            Parent::Project(project) => project.ancestors(),
            Parent::Group(group) => group.ids(),
        }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            Parent::Project(project) => &project.name,
            Parent::Group(group) => &group.name,
        }
    }

    /// Its path below the instance's address.
    pub fn path(&self) -> String {
        match self {
            Parent::Project(project) => project.full_path.clone(),
            Parent::Group(group) => format!("groups/{}", group.full_path),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    Read,
    /// Look at what concerns the viewer alone: subscribe.
    Own,
    Manage,
}

#[derive(Debug, Clone)]
pub struct ParentAccess {
    pub parent: Parent,
    /// The viewer's level: a role, 60 for administrators, 0 for nobody.
    pub level: i64,
}

pub fn authorize(
    tx: &mut Tx<'_>, viewer: &Viewer, place: &ParentRef, aim: Aim,
) -> Result<ParentAccess> {
    let purpose = match aim {
        Aim::Read => Purpose::Read,
        Aim::Own | Aim::Manage => Purpose::ReadMembers,
    };
    let (parent, level, archived) = match place {
        ParentRef::Project(reference) => {
            let (project, level) = project_with_level(tx, viewer, reference, purpose)?;
            let archived = project.archived;
            (Parent::Project(Box::new(project)), level, archived)
        }
        ParentRef::Group(reference) => {
            let (group, level) = group_and_level(tx, viewer, reference, purpose)?;
            (Parent::Group(Box::new(group)), level, false)
        }
    };
    if aim == Aim::Manage && (archived || level < REPORTER) {
        return Err(Error::forbidden(""));
    }
    Ok(ParentAccess { parent, level })
}

/// A project with the viewer's level in it, also where it is open to all.
fn project_with_level(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, purpose: Purpose,
) -> Result<(Project, i64)> {
    let (project, known) = project_and_level(tx, viewer, reference, purpose)?;
    let level = match known {
        NONE => level_in_project(tx, viewer, &project)?,
        level => level,
    };
    Ok((project, level))
}

/// Whether issues of a project show to somebody with this level in it.
pub fn sees_issues(project: &Project, level: i64) -> bool {
    match project.feature("issues") {
        "disabled" => false,
        "private" => level >= GUEST,
        _ => true,
    }
}

/// A project whose issues the viewer sees, with the level there.
#[derive(Debug, Clone)]
pub struct ProjectAccess {
    pub project: Project,
    pub level: i64,
}

impl ProjectAccess {
    /// Whether the viewer sets labels, assignees and dates, and sees what is
    /// confidential.
    pub fn is_reporter(&self) -> bool {
        self.level >= REPORTER
    }

    /// Whether the viewer owns the project or administers the instance.
    pub fn is_owner(&self) -> bool {
        self.level >= OWNER
    }

    /// Refuses what changes something in an archived project.
    pub fn writable(&self) -> Result<()> {
        match self.project.archived {
            true => Err(Error::forbidden("")),
            false => Ok(()),
        }
    }
}

pub fn desk(tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference) -> Result<ProjectAccess> {
    open_desk(tx, viewer, reference, Purpose::Read)
}

/// The project, for somebody signed in who is about to write there.
pub fn desk_to_write(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference,
) -> Result<ProjectAccess> {
    let desk = open_desk(tx, viewer, reference, Purpose::ReadMembers)?;
    desk.writable()?;
    Ok(desk)
}

/// The project, for somebody signed in who changes what is theirs alone.
pub fn desk_signed_in(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference,
) -> Result<ProjectAccess> {
    open_desk(tx, viewer, reference, Purpose::ReadMembers)
}

fn open_desk(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, purpose: Purpose,
) -> Result<ProjectAccess> {
    let (project, level) = project_with_level(tx, viewer, reference, purpose)?;
    match sees_issues(&project, level) {
        true => Ok(ProjectAccess { project, level }),
        false => Err(Error::forbidden("")),
    }
}

pub fn sees(tx: &mut Tx<'_>, viewer: &Viewer, desk: &ProjectAccess, issue: &Issue) -> Result<bool> {
    if !issue.confidential || desk.is_reporter() {
        return Ok(true);
    }
    let Some(user_id) = viewer.user_id() else {
        return Ok(false);
    };
    if issue.author_id == Some(user_id) {
        return Ok(true);
    }
    let assigned: Option<i64> = tx.optional(
        sql!("select issue_id from issue_assignees where issue_id = $1 and user_id = $2"),
        (issue.id, user_id),
    )?;
    Ok(assigned.is_some())
}

/// Whether an active user sees the issues of a project, confidential ones
/// apart.
pub fn user_sees(tx: &mut Tx<'_>, user: &User, project: &Project) -> Result<bool> {
    if !user.is_at_work() {
        return Ok(false);
    }
    let issues = project.feature("issues");
    let is_open = match project.visibility {
        PUBLIC => true,
        INTERNAL => !user.is_external && !user.kind.is_bot(),
        _ => false,
    };
    Ok(match issues {
        "disabled" => false,
        _ if user.is_admin || (is_open && issues != "private") => true,
        _ => role_in_project(tx, user.id, project)? >= GUEST,
    })
}

#[derive(Debug, Clone)]
pub enum Scope {
    Project(Box<ProjectAccess>),
    Group(Box<Namespace>),
    /// Wherever the viewer sees any.
    Everywhere,
}

/// Condition on `issues` joined with `projects`: those in this scope that the
/// viewer may see.
pub fn visible(tx: &Tx<'_>, viewer: &Viewer, scope: &Scope) -> Fragment {
    let mut shown = Fragment::default();
    if let Scope::Project(desk) = scope {
        shown.push("issues.project_id = ", desk.project.id);
        if !sees_issues(&desk.project, desk.level) {
            shown.raw(" and 1 = 0");
        }
        if !desk.is_reporter() {
            shown.raw(" and (not issues.confidential").append(concerns(viewer)).raw(")");
        }
        return shown;
    }
    shown.append(visible_projects(tx, viewer, Purpose::Read));
    if let Scope::Group(group) = scope {
        shown
            .push(
                " and projects.namespace_id in
                    (select n.id from namespaces n where n.lineage >= ",
                &group.lineage,
            )
            .push(" and n.lineage < ", format!("{}:", group.lineage))
            .raw(")");
    }
    shown.raw(" and coalesce(projects.features ->> 'issues', '') <> 'disabled'");
    if viewer.is_admin() {
        return shown;
    }
    shown.raw(" and (coalesce(projects.features ->> 'issues', '') <> 'private'");
    if let Some(user_id) = viewer.user_id() {
        shown.raw(" or ").append(projects_of(tx, user_id, GUEST)).raw(")");
        shown
            .raw(" and (not issues.confidential")
            .append(concerns(viewer))
            .raw(" or ")
            .append(projects_of(tx, user_id, REPORTER))
            .raw(")");
    } else {
        shown.raw(") and not issues.confidential");
    }
    shown
}

/// ` or …`: the viewer wrote the issue or is assigned to it.
pub fn concerns(viewer: &Viewer) -> Fragment {
    let mut mine = Fragment::default();
    if let Some(user_id) = viewer.user_id() {
        mine.push(" or issues.author_id = ", user_id)
            .push(
                " or exists (select 1 from issue_assignees mine
                    where mine.issue_id = issues.id and mine.user_id = ",
                user_id,
            )
            .raw(")");
    }
    mine
}
