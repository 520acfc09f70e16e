//! How far what a project begins with is that comes from elsewhere. The rooms above that
//! bring it say so here.

pub use crate::model::ImportStatus;
use crate::model::Project;
use crate::store::projects as rows;
use kernel::error::Result;
use store::Tx;

/// Notes how far it is, and why it failed, in words for who maintains the project.
pub fn note(
    tx: &mut Tx<'_>, project_id: i64, status: ImportStatus, error: Option<&str>,
) -> Result<()> {
    rows::set_import(tx, project_id, status, error)
}

/// As projects show it: forks are whole at once.
pub fn shown(project: &Project) -> ImportStatus {
    match project.import_status {
        ImportStatus::None if project.is_fork() => ImportStatus::Finished,
        status => status,
    }
}
