//! Who may do what, for all areas of the room.

use identity::model::User;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::Result;
use kernel::ids::Reference;
use serde_json::Value;
use spaces::Project;
use spaces::access::{DEVELOPER, Purpose, role_in_project};
use spaces::pages::{Space, Visit};
use spaces::rules::of_project;
use std::ops::Deref;
use store::Tx;

/// Whether a user may see the alerts of a project.
pub fn may_look_after(tx: &mut Tx<'_>, user: &User, project: &Project) -> Result<bool> {
    if user.refusal().is_some() {
        return Ok(false);
    }
    Ok(user.is_admin || role_in_project(tx, user.id, project)? >= DEVELOPER)
}

/// Somebody before a project that was found for what they want to do there.
#[derive(Debug, Clone)]
pub struct Here {
    pub viewer: Viewer,
    pub project: Project,
}

impl Here {
    pub fn authorize(
        tx: &mut Tx<'_>, viewer: &Viewer, project: &Reference, purpose: Purpose,
    ) -> Result<Here> {
        let project = spaces::project(tx, viewer, project, purpose)?;
        Ok(Here { viewer: viewer.clone(), project })
    }

    pub fn new(viewer: &Viewer, project: &Project) -> Here {
        Here { viewer: viewer.clone(), project: project.clone() }
    }

    /// Records what was done here.
    pub fn record(&self, tx: &mut Tx<'_>, action: &'static str, details: Value) -> Result<()> {
        audit::record(tx, &self.viewer, action, of_project(&self.project), details)
    }
}

/// Somebody before a project whose settings they may change.
#[derive(Debug, Clone)]
pub struct Manager(Here);

impl Manager {
    pub fn authorize(tx: &mut Tx<'_>, viewer: &Viewer, project: &Reference) -> Result<Manager> {
        Here::authorize(tx, viewer, project, Purpose::Update).map(Manager)
    }

    /// The same at a page of the project.
    pub fn visit(tx: &mut Tx<'_>, visit: &Visit) -> Result<(Space, Manager)> {
        let space = visit.authorize(tx, Purpose::Update)?;
        let here = Here::new(&visit.viewer, space.project()?);
        Ok((space, Manager(here)))
    }
}

impl Deref for Manager {
    type Target = Here;

    fn deref(&self) -> &Here {
        &self.0
    }
}
