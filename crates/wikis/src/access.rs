//! Finding the wiki of a project or group for who reads or writes it.

use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::ids::Reference;
use repositories::model::{Holder, Repository};
use repositories::place::{Content, Place};
use repositories::store as rows;
use spaces::access::{self, Purpose};
use spaces::model::{Namespace, Project, SourceKind};
use spaces::pages::Space;
use store::Tx;

/// The wiki of a project or group. One that nothing was written into has no repository.
#[derive(Debug, Clone)]
pub struct Wiki {
    pub space: Space,
    pub repository: Option<Repository>,
}

impl Wiki {
    /// That of a project or group that was found for a purpose.
    pub fn of(tx: &mut Tx<'_>, space: Space) -> Result<Wiki> {
        let repository = rows::of(tx, holder(&space))?;
        Ok(Wiki { space, repository })
    }

    /// Finds it for a purpose.
    ///
    /// # Errors
    ///
    /// As [`access::project`] and [`access::group`] have them.
    pub fn find(
        tx: &mut Tx<'_>, viewer: &Viewer, (kind, reference): (SourceKind, &Reference),
        purpose: Purpose,
    ) -> Result<Wiki> {
        let space = match kind {
            SourceKind::Project => {
                let (project, level) = access::project_and_level(tx, viewer, reference, purpose)?;
                Space::Project(project, level)
            }
            SourceKind::Group => {
                let (group, level) = access::group_and_level(tx, viewer, reference, purpose)?;
                Space::Group(group, level)
            }
        };
        Wiki::of(tx, space)
    }

    /// Whether the viewer may do this with it.
    pub fn may(&self, tx: &mut Tx<'_>, viewer: &Viewer, purpose: Purpose) -> Result<bool> {
        match &self.space {
            Space::Project(project, _) => access::may(tx, viewer, project, purpose),
            Space::Group(group, _) => access::may_in_group(tx, viewer, group, purpose),
        }
    }

    /// Where changes of it go.
    pub fn place(&self) -> Place {
        Place::Content(match &self.space {
            Space::Project(project, _) => of_project(project),
            Space::Group(group, _) => of_group(group),
        })
    }

    /// The branch that its pages come from.
    pub fn branch(&self) -> String {
        let head = self.place().head(self.repository.as_ref());
        head.as_branch().unwrap_or_default().to_owned()
    }

    /// The address of its pages.
    pub fn url(&self) -> String {
        format!("{}/-/wikis", self.space.url())
    }

    /// What stands before the addresses of files that texts have.
    pub fn uploads(&self) -> String {
        match &self.space {
            Space::Project(project, _) => format!("/-/project/{}", project.id),
            Space::Group(group, _) => format!("/-/group/{}", group.id),
        }
    }
}

fn holder(space: &Space) -> Holder {
    match space {
        Space::Project(project, _) => Holder::ProjectWiki(project.id),
        Space::Group(group, _) => Holder::GroupWiki(group.id),
    }
}

/// The wiki of a project as git has it.
pub fn of_project(project: &Project) -> Content {
    Content {
        holder: Holder::ProjectWiki(project.id),
        path: format!("{}.wiki", project.full_path),
    }
}

/// The same of a group.
pub fn of_group(group: &Namespace) -> Content {
    Content {
        holder: Holder::GroupWiki(group.id),
        path: format!("{}.wiki", group.full_path),
    }
}
