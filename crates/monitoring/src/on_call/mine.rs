//! What waits for somebody who is on call right now.

use super::rules::paging;
use crate::alerts::model::{Alert, Status};
use kernel::error::Result;
use spaces::access::{DEVELOPER, projects_of};
use store::{Fragment, FromRow, Tx};

/// Schedules of one person that are looked at.
const MAX_SCHEDULES: i64 = 100;

/// An open alert of a project.
#[derive(Debug, Clone, FromRow)]
pub struct Waiting {
    #[nested]
    pub alert: Alert,
    pub project_path: String,
}

/// The open alerts of the projects whose schedules have a user on call now,
/// as far as they may see them; the newest, at most so many.
pub fn alerts(tx: &mut Tx<'_>, user_id: i64, most: i64) -> Result<Vec<Waiting>> {
    let mut own = Fragment::new(
        "select distinct schedules.id, schedules.project_id
         from on_call_schedules schedules
         join on_call_rotations rotations on rotations.schedule_id = schedules.id
         join on_call_participants people on people.rotation_id = rotations.id
         where people.user_id = ",
    );
    own.bind(user_id).push(" order by schedules.id limit ", MAX_SCHEDULES);
    let own: Vec<(i64, i64)> = tx.query(own)?;
    let ids: Vec<i64> = own.iter().map(|(id, _)| *id).collect();
    let now = tx.now();
    let on_call = paging::on_call(tx, &ids, now)?;
    let is_on_call = |id: &i64| on_call.get(id).is_some_and(|users| users.contains(&user_id));
    let projects: Vec<i64> = own
        .iter()
        .filter(|(id, _)| is_on_call(id))
        .map(|(_, project)| *project)
        .collect();
    if projects.is_empty() {
        return Ok(Vec::new());
    }
    let open: Vec<i64> = [Status::Triggered, Status::Acknowledged].map(Status::code).to_vec();
    let mut query = Fragment::new(
        "select alerts.*, projects.full_path as project_path from alerts
         join projects on projects.id = alerts.project_id where",
    );
    query
        .in_list("alerts.project_id", projects)
        .raw(" and")
        .in_list("alerts.status", open)
        .raw(" and ")
        .append(projects_of(tx, user_id, DEVELOPER))
        .push(" order by alerts.started_at desc, alerts.id desc limit ", most);
    Ok(tx.query(query)?)
}
