//! Who sees and does what. A snippet of a project is for who may read the snippets there,
//! and one of a person for who its visibility names. Private ones are for members, or for
//! their author alone.

use crate::model::Snippet;
use crate::store::{self, TABLES};
use ::store::{Fragment, Tx};
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use planning::access::epics::GroupAccess;
use planning::access::{OwnedDesk, ProjectAccess};
use repositories::model::{Holder, Repository};
use repositories::place::{Content, Place};
use spaces::access::{
    self, ADMINISTRATOR, GUEST, MAINTAINER, NONE, OWNER, Purpose, REPORTER, level_in_project,
    projects_of, sees_level, visible_projects,
};
use spaces::model::{INTERNAL, Namespace, PUBLIC, Project};
use spaces::store::people::own_namespace;

pub const THING: &str = "Snippet";

/// Where a snippet is.
#[derive(Debug, Clone)]
pub enum Home {
    /// In a project, in which the viewer has this level.
    Project(Box<Project>, i64),
    /// With a person: whether that is the viewer.
    Person { is_own: bool },
}

/// A snippet that the viewer sees.
#[derive(Debug, Clone)]
pub struct SnippetAccess {
    pub snippet: Snippet,
    pub home: Home,
}

/// Where snippets are made, for who may do that.
#[derive(Debug, Clone)]
pub enum Maker {
    Project(Box<Project>),
    Person(i64),
}

/// Where somebody makes a snippet.
///
/// # Errors
///
/// `Forbidden` for who may not: personal ones are for people of this instance.
pub fn to_create(tx: &mut Tx<'_>, viewer: &Viewer, project: Option<&Reference>) -> Result<Maker> {
    if let Some(reference) = project {
        let project = access::project(tx, viewer, reference, Purpose::CreateSnippet)?;
        // Those of a deploy token have no author.
        viewer.signed_in()?;
        return Ok(Maker::Project(Box::new(project)));
    }
    let user = &viewer.signed_in()?.user;
    match user.is_human() && !user.is_external && own_namespace(tx, user.id)?.is_some() {
        true => Ok(Maker::Person(user.id)),
        false => Err(Error::forbidden("")),
    }
}

/// The project, for who lists its snippets, with the viewer's level there.
pub fn to_list(tx: &mut Tx<'_>, viewer: &Viewer, project: &Reference) -> Result<(Project, i64)> {
    let (project, known) = access::project_and_level(tx, viewer, project, Purpose::ReadSnippets)?;
    let level = match known {
        NONE => level_in_project(tx, viewer, &project)?,
        level => level,
    };
    Ok((project, level))
}

/// A snippet of this id as the viewer sees it: of a project if one is named, else any.
pub fn find(
    tx: &mut Tx<'_>, viewer: &Viewer, project: Option<&Reference>, id: i64,
) -> Result<SnippetAccess> {
    let of = match project {
        // Who may not read any is told so.
        Some(project) => Some(to_list(tx, viewer, project)?.0.id),
        None => None,
    };
    let snippet = store::by_id(tx, id)?.filter(|one| of.is_none() || one.project_id == of);
    see(tx, viewer, snippet.found(THING)?)?.found(THING)
}

/// The same for who is about to change it. That of somebody else is not found where it is
/// no project's.
pub fn to_change(
    tx: &mut Tx<'_>, viewer: &Viewer, project: Option<&Reference>, id: i64,
) -> Result<SnippetAccess> {
    viewer.signed_in()?;
    let found = find(tx, viewer, project, id)?;
    match (found.may_change(viewer), &found.home) {
        (true, _) => Ok(found),
        (false, Home::Person { .. }) => Err(Error::NotFound(THING)),
        (false, Home::Project(..)) => Err(Error::forbidden("")),
    }
}

/// A snippet as the viewer sees it, if they do.
pub fn see(tx: &mut Tx<'_>, viewer: &Viewer, snippet: Snippet) -> Result<Option<SnippetAccess>> {
    if !snippet.is_written {
        return Ok(None);
    }
    let is_open = sees_level(viewer, snippet.visibility);
    let Some(project) = snippet.project_id else {
        let is_own = snippet.author_id.is_some() && snippet.author_id == viewer.user_id();
        let home = Home::Person { is_own };
        return Ok((is_own || is_open).then_some(SnippetAccess { snippet, home }));
    };
    let (project, level) = match to_list(tx, viewer, &Reference::Id(project)) {
        Err(Error::NotFound(_) | Error::Forbidden(_) | Error::Unauthenticated) => return Ok(None),
        found => found?,
    };
    let home = Home::Project(Box::new(project), level);
    Ok((is_open || level >= GUEST).then_some(SnippetAccess { snippet, home }))
}

impl SnippetAccess {
    /// The viewer's level: a role, 60 for administrators, that of an owner for who made a
    /// personal one.
    pub fn level(&self, viewer: &Viewer) -> i64 {
        match &self.home {
            Home::Project(_, level) => *level,
            Home::Person { .. } if viewer.is_admin() => ADMINISTRATOR,
            Home::Person { is_own: true } => OWNER,
            Home::Person { is_own: false } => NONE,
        }
    }

    fn is_archived(&self) -> bool {
        matches!(&self.home, Home::Project(project, _) if project.archived)
    }

    /// Whether the viewer changes and deletes it: its author, while they work there, and
    /// who looks after the project.
    pub fn may_change(&self, viewer: &Viewer) -> bool {
        let Viewer::User(signed_in) = viewer else {
            return false;
        };
        let is_own = self.snippet.author_id == Some(signed_in.user.id);
        let level = self.level(viewer);
        match self.home {
            Home::Person { .. } => level >= OWNER,
            Home::Project(..) => {
                let enough = level >= MAINTAINER || (is_own && level >= REPORTER);
                enough && !self.is_archived()
            }
        }
    }

    /// Whether the viewer writes notes about it: whoever is signed in and sees it.
    pub fn may_comment(&self, viewer: &Viewer) -> bool {
        matches!(viewer, Viewer::User(_)) && !self.is_archived()
    }

    /// Where notes about it are written.
    pub fn desk(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<OwnedDesk> {
        let level = self.level(viewer);
        Ok(match &self.home {
            Home::Project(project, _) => {
                OwnedDesk::Project(ProjectAccess { project: (**project).clone(), level })
            }
            Home::Person { .. } => {
                let group = namespace(tx, &self.snippet)?;
                OwnedDesk::Group(GroupAccess { group, level })
            }
        })
    }

    pub fn repository(&self, tx: &mut Tx<'_>) -> Result<Option<Repository>> {
        repositories::store::of_snippet(tx, self.snippet.id)
    }
}

/// The namespace that a personal snippet counts for.
fn namespace(tx: &mut Tx<'_>, snippet: &Snippet) -> Result<Namespace> {
    let author = snippet.author_id.found(THING)?;
    own_namespace(tx, author)?.found(THING)
}

/// A snippet as git has it.
pub fn content(tx: &mut Tx<'_>, snippet: &Snippet) -> Result<Content> {
    let id = snippet.id;
    let holder = match snippet.project_id {
        Some(project_id) => Holder::ProjectSnippet { id, project_id },
        None => {
            let namespace_id = namespace(tx, snippet)?.id;
            Holder::PersonalSnippet { id, namespace_id }
        }
    };
    Ok(Content { holder, path: snippet.repository_path() })
}

/// Where changes of its files go.
pub fn place(tx: &mut Tx<'_>, snippet: &Snippet) -> Result<Place> {
    content(tx, snippet).map(Place::Content)
}

/// Condition on [`TABLES`]: those that the viewer may see.
pub fn visible(tx: &Tx<'_>, viewer: &Viewer) -> Fragment {
    let mut seen = Fragment::new("snippets.is_written and ((snippets.project_id is null");
    if viewer.is_admin() {
        seen.raw(") or (snippets.project_id is not null and ")
            .append(visible_projects(tx, viewer, Purpose::ReadSnippets))
            .raw("))");
        return seen;
    }
    let open = if sees_level(viewer, INTERNAL) { INTERNAL } else { PUBLIC };
    seen.push(" and (snippets.visibility >= ", open);
    if let Some(user) = viewer.user_id() {
        seen.push(" or snippets.author_id = ", user);
    }
    seen.raw(")) or (snippets.project_id is not null and ")
        .append(visible_projects(tx, viewer, Purpose::ReadSnippets))
        .push(" and (snippets.visibility >= ", open);
    if let Some(user) = viewer.user_id() {
        seen.raw(" or ").append(projects_of(tx, user, GUEST));
    }
    seen.raw(")))");
    seen
}

/// ` exists (…)`: condition that the snippet of this id, a column, is one of those.
pub fn is_visible(tx: &Tx<'_>, viewer: &Viewer, id: &str) -> Fragment {
    // Its project is another than that of the statement around it.
    let mut seen = Fragment::new(&format!("{id} in (select snippets.id from {TABLES} where "));
    seen.append(visible(tx, viewer)).raw(")");
    seen
}
