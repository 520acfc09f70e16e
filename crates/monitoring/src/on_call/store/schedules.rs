//! Schedules.

use crate::on_call::model::Schedule;
use crate::rows::rows_below;
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use planning::store::internal_ids::{self, Usage};
use store::{Fragment, Tx, sql};

#[derive(Debug, Clone)]
pub struct Described {
    pub name: String,
    pub description: Option<String>,
    pub time_zone: &'static str,
}

rows_below!(Schedule, "on_call_schedules", "project_id", number "iid");

/// A page of the schedules of each of these projects, or of those of these
/// numbers.
pub fn pages(
    tx: &mut Tx<'_>, window: &Window, projects: Vec<i64>, iids: Option<Vec<i64>>,
) -> Result<Vec<Owned<Schedule>>> {
    let mut from = Fragment::new(" from on_call_schedules s where");
    from.in_list("s.project_id", projects);
    if let Some(iids) = iids {
        from.raw(" and").in_list("s.iid", iids);
    }
    Ok(tx.query(window.narrow_each("s.*", "s.project_id", from))?)
}

pub fn is_named(tx: &mut Tx<'_>, project_id: i64, name: &str, but: i64) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!(
            "select id from on_call_schedules
             where project_id = $1 and name = $2 and id <> $3"
        ),
        (project_id, name, but),
    )?;
    Ok(found.is_some())
}

pub fn is_used(tx: &mut Tx<'_>, id: i64) -> Result<bool> {
    let found: Option<i64> =
        tx.optional(sql!("select id from escalation_rules where schedule_id = $1 limit 1"), (id,))?;
    Ok(found.is_some())
}

pub fn insert(tx: &mut Tx<'_>, project_id: i64, new: &Described) -> Result<Schedule> {
    let now = tx.now();
    let iid = internal_ids::next(tx, Usage::OnCallSchedules, project_id)?;
    Ok(tx.one(
        sql!(
            "insert into on_call_schedules (project_id, iid, name, description, time_zone,
                created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $6) returning *"
        ),
        (project_id, iid, &new.name, &new.description, new.time_zone, now),
    )?)
}

pub fn update(tx: &mut Tx<'_>, id: i64, new: &Described) -> Result<Schedule> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "update on_call_schedules set name = $2, description = $3, time_zone = $4,
                updated_at = $5 where id = $1 returning *"
        ),
        (id, &new.name, &new.description, new.time_zone, now),
    )?)
}

pub fn remove(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from on_call_schedules where id = $1"), (id,))?;
    Ok(())
}
