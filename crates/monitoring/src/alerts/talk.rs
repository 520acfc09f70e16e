//! Notes of people about alerts: who writes and sees them, and what mail tells.
//! The notes themselves are those of planning.

use super::model::Alert;
use super::store::alerts as rows;
use crate::access::may_look_after;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::error::{Found, Result};
use kernel::ids::Reference;
use planning::access::{OwnedDesk, ProjectAccess};
use planning::targets::{Discussion, NoteableRow, NoteableSummary};
use spaces::Project;
use spaces::access::{Purpose, find_projects, project_and_level};
use spaces::activity::Where;
use std::collections::HashMap;
use store::Tx;

pub const TALK: Discussion = Discussion {
    enter: authorize,
    may_know,
    has_internal: true,
    told,
    touch: rows::touch,
    // Lists of activity know no alerts.
    said: |_, _, _| Ok(()),
    unsaid: |_, _| Ok(()),
    threads: None,
    commands: None,
};

pub fn thing(alert: &Alert) -> NoteableRow {
    NoteableRow { kind: super::store::arrive::ALERT, id: alert.id, talk: TALK }
}

fn authorize(tx: &mut Tx<'_>, viewer: &Viewer, id: i64) -> Result<OwnedDesk> {
    let alert = rows::by_id(tx, id)?.found("Alert")?;
    let project = Reference::Id(alert.project_id);
    let (project, level) = project_and_level(tx, viewer, &project, Purpose::ManageAlerts)?;
    Ok(OwnedDesk::Project(ProjectAccess { project, level }))
}

/// Who sees alerts at all sees internal notes about them.
fn may_know(
    tx: &mut Tx<'_>, user: &User, _: i64, project: Option<&Project>, _: bool,
) -> Result<bool> {
    project.map_or(Ok(false), |project| may_look_after(tx, user, project))
}

fn told(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, NoteableSummary>> {
    let alerts = rows::by_ids(tx, ids)?;
    let projects: Vec<i64> = alerts.iter().map(|alert| alert.project_id).collect();
    let projects = find_projects(tx, &projects)?;
    let told = alerts.into_iter().filter_map(|alert| {
        let project = projects.iter().find(|project| project.id == alert.project_id)?;
        Some((alert.id, summary(alert, project)))
    });
    Ok(told.collect())
}

fn summary(alert: Alert, project: &Project) -> NoteableSummary {
    NoteableSummary {
        noun: "alert",
        place: Where::Project(project.id),
        reference: alert.reference(),
        path: alert.path(&project.full_path),
        place_path: project.full_path.clone(),
        title: alert.title,
        text: alert.description.unwrap_or_default(),
        updated_at: alert.times.updated_at,
        state: alert.status.to_string(),
        author: None,
        assignees: alert.assignee_id.into_iter().collect(),
        reviewers: Vec::new(),
    }
}
