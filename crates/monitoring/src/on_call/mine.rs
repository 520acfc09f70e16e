//! What waits for somebody who is on call right now.

use super::rules::paging;
use crate::alerts::model::{Alert, Status};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::{Paged, Paging};
use planning::store::pages::{self, KeyType, List, Order, time_key};
use spaces::access::{DEVELOPER, Purpose, projects_of, visible_projects};
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
/// as far as they may see them, the newest first.
pub fn alerts(
    tx: &mut Tx<'_>, viewer: &Viewer, user_id: i64, paging: Paging,
) -> Result<Paged<Waiting>> {
    let projects = projects(tx, user_id)?;
    if projects.is_empty() {
        return Ok(Paged::numbered(Vec::new(), paging, Some(0)));
    }
    let open: Vec<i64> = [Status::Triggered, Status::Acknowledged].map(Status::code).to_vec();
    let mut condition = visible_projects(tx, viewer, Purpose::Read);
    if !viewer.is_admin() {
        condition.raw(" and ").append(projects_of(tx, user_id, DEVELOPER));
    }
    condition
        .raw(" and")
        .in_list("alerts.project_id", projects)
        .raw(" and")
        .in_list("alerts.status", open);
    let list = List {
        select: Fragment::new("select alerts.*, projects.full_path as project_path"),
        from: Fragment::new("alerts join projects on projects.id = alerts.project_id"),
        condition,
        order: Order {
            by: "alerts.started_at".into(),
            key: Some(KeyType::Time),
            id: "alerts.id",
            descending: true,
        },
    };
    let key = |one: &Waiting| (time_key(one.alert.started_at), one.alert.id);
    pages::page(tx, list, paging, key)
}

/// The projects in whose schedules a user is on call now.
fn projects(tx: &mut Tx<'_>, user_id: i64) -> Result<Vec<i64>> {
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
    let own = own.iter().filter(|(id, _)| is_on_call(id));
    Ok(own.map(|(_, project)| *project).collect())
}
