//! What people, and the program, do with alerts.

pub mod alerts;
pub mod images;
pub mod incidents;
pub mod integrations;
pub mod prose;
pub mod settings;
pub mod windows;

use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::Result;
use kernel::ids::Reference;
use serde_json::Value;
use spaces::Project;
use spaces::access::Purpose;
use spaces::rules::of_project;
use store::Tx;

/// Somebody who may change where the alerts of a project come from, and what
/// they trigger.
#[derive(Debug, Clone)]
pub struct Manager {
    pub viewer: Viewer,
    pub project: Project,
}

impl Manager {
    pub fn authorize(tx: &mut Tx<'_>, viewer: &Viewer, project: &Reference) -> Result<Manager> {
        Ok(Manager {
            project: spaces::project(tx, viewer, project, Purpose::Update)?,
            viewer: viewer.clone(),
        })
    }

    fn record(&self, tx: &mut Tx<'_>, action: &'static str, details: Value) -> Result<()> {
        audit::record(tx, &self.viewer, action, of_project(&self.project), details)
    }
}
