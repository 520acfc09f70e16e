//! Whose jobs enter a project, as its page of settings shows it.

use super::store;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use spaces::SpaceId;
use spaces::access::{self, Purpose, find_projects};

/// A project or group that is listed.
#[derive(Debug, Clone)]
pub struct Listed {
    pub id: i64,
    pub full_path: String,
    target: SpaceId,
}

impl Listed {
    pub fn is_group(&self) -> bool {
        matches!(self.target, SpaceId::Group(_))
    }

    pub fn url(&self) -> String {
        match self.target {
            SpaceId::Project(_) => format!("/{}", self.full_path),
            SpaceId::Group(_) => format!("/groups/{}", self.full_path),
        }
    }

    /// The field that names it.
    pub fn field(&self) -> &'static str {
        match self.target {
            SpaceId::Project(_) => "target_project_id",
            SpaceId::Group(_) => "target_group_id",
        }
    }
}

/// All that a project lists.
pub fn listed(tx: &mut Tx<'_>, project_id: i64) -> Result<Vec<Listed>> {
    let ids = store::projects(tx, project_id)?;
    let projects = find_projects(tx, &ids)?.into_iter().map(|one| Listed {
        id: one.id,
        full_path: one.full_path,
        target: SpaceId::Project(one.id),
    });
    let groups = store::groups(tx, project_id)?.into_iter().map(|one| Listed {
        id: one.id,
        full_path: one.full_path,
        target: SpaceId::Group(one.id),
    });
    Ok(projects.chain(groups).collect())
}

/// The project, else the group, of a path that the viewer sees.
pub fn named(tx: &mut Tx<'_>, viewer: &Viewer, path: &str) -> Result<SpaceId> {
    let reference = Reference::Path(path.to_owned());
    match access::project(tx, viewer, &reference, Purpose::Read) {
        Ok(project) => return Ok(SpaceId::Project(project.id)),
        Err(Error::NotFound(_) | Error::Moved(_)) => {}
        Err(other) => return Err(other),
    }
    match access::group(tx, viewer, &reference, Purpose::Read) {
        Ok(group) => Ok(SpaceId::Group(group.id)),
        Err(Error::NotFound(_)) => {
            Err(Error::invalid("target", "is no project or group that you see"))
        }
        Err(other) => Err(other),
    }
}
