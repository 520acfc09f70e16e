//! Notes of people about alerts: who writes and sees them, and what mail tells.
//! The notes themselves are those of planning.

use super::model::Alert;
use super::store::alerts as rows;
use crate::access::may_look_after;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::error::{Found, Result};
use kernel::ids::Reference;
use planning::access::ProjectAccess;
use planning::targets::{Discussion, NoteableRow, NoteableSummary};
use spaces::Project;
use spaces::access::{Purpose, project_and_level};
use spaces::activity::Where;
use store::Tx;

pub const TALK: Discussion = Discussion { enter: authorize, may_know, told, touch: rows::touch };

pub fn thing(alert: &Alert) -> NoteableRow {
    NoteableRow { kind: super::store::arrive::ALERT, id: alert.id, talk: TALK }
}

fn authorize(tx: &mut Tx<'_>, viewer: &Viewer, id: i64) -> Result<ProjectAccess> {
    let alert = rows::by_id(tx, id)?.found("Alert")?;
    let project = Reference::Id(alert.project_id);
    let (project, level) = project_and_level(tx, viewer, &project, Purpose::ManageAlerts)?;
    Ok(ProjectAccess { project, level })
}

/// Who sees alerts at all sees internal notes about them.
fn may_know(tx: &mut Tx<'_>, user: &User, project: &Project) -> Result<bool> {
    may_look_after(tx, user, project)
}

fn told(tx: &mut Tx<'_>, id: i64) -> Result<Option<NoteableSummary>> {
    let Some((alert, project)) = rows::with_project(tx, id)? else {
        return Ok(None);
    };
    Ok(Some(NoteableSummary {
        noun: "alert",
        place: Where::Project(project.id),
        reference: alert.reference(),
        path: alert.path(&project.full_path),
        place_path: project.full_path,
        title: alert.title,
        text: alert.description.unwrap_or_default(),
        updated_at: alert.times.updated_at,
        assignees: alert.assignee_id.into_iter().collect(),
    }))
}
