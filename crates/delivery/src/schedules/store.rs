//! `ci_schedules`; their variables are in [`crate::pipelines::store::variables`].

use super::model::Schedule;
use crate::pipelines::model::Pipeline;
use ::store::{Fragment, Tx, concat, sql};
use kernel::error::Result;
use kernel::http::Paging;
use std::collections::HashMap;

const SELECT: &str = concat!("select ", Schedule::COLUMNS, " from ci_schedules ");
const PIPELINES: &str = concat!("select ", Pipeline::COLUMNS, " from ci_pipelines where ");

/// A page of those of a project, or of those that are active or are not, and how many
/// there are.
pub fn page(
    tx: &mut Tx<'_>, project_id: i64, active: Option<bool>, paging: &Paging,
) -> Result<(Vec<Schedule>, i64)> {
    let mut of = Fragment::new("ci_schedules.project_id = ");
    of.bind(project_id);
    match active {
        Some(true) => of.raw(" and ci_schedules.active"),
        Some(false) => of.raw(" and not ci_schedules.active"),
        None => &mut of,
    };
    let total = spaces::store::count(tx, "ci_schedules", &of)?;
    let mut list = Fragment::new(SELECT);
    list.raw("where ").append(of).raw(" order by ci_schedules.id");
    list.push(" limit ", paging.fetch()).push(" offset ", paging.offset());
    Ok((tx.query(list)?, total))
}

pub fn count(tx: &mut Tx<'_>, project_id: i64) -> Result<i64> {
    Ok(tx.one(sql!("select count(*) from ci_schedules where project_id = $1"), (project_id,))?)
}

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Schedule>> {
    Ok(tx.optional(sql!(SELECT, "where ci_schedules.id = $1"), (id,))?)
}

/// Adds one; its id is made.
pub fn insert(tx: &mut Tx<'_>, new: &Schedule) -> Result<Schedule> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "insert into ci_schedules (project_id, owner_id, description, ref, cron,
                cron_timezone, active, next_run_at, created_at, updated_at, inputs)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10) returning ",
            Schedule::COLUMNS
        ),
        (
            new.project_id,
            new.owner_id,
            &new.description,
            &new.on_ref,
            &new.cron,
            &new.cron_timezone,
            new.active,
            new.next_run_at,
            now,
            &new.inputs,
        ),
    )?)
}

/// Writes all that may change.
pub fn update(tx: &mut Tx<'_>, schedule: &Schedule) -> Result<Schedule> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "update ci_schedules set owner_id = $2, description = $3, ref = $4, cron = $5,
                cron_timezone = $6, active = $7, next_run_at = $8, updated_at = $9, inputs = $10
             where id = $1 returning ",
            Schedule::COLUMNS
        ),
        (
            schedule.id,
            schedule.owner_id,
            &schedule.description,
            &schedule.on_ref,
            &schedule.cron,
            &schedule.cron_timezone,
            schedule.active,
            schedule.next_run_at,
            now,
            &schedule.inputs,
        ),
    )?)
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.run(sql!("delete from ci_schedules where id = $1"), (id,))
}

/// A page of the pipelines that one began, the newest first, and how many there are.
pub fn pipelines(tx: &mut Tx<'_>, id: i64, paging: &Paging) -> Result<(Vec<Pipeline>, i64)> {
    let mut of = Fragment::new("ci_pipelines.schedule_id = ");
    of.bind(id);
    let total = spaces::store::count(tx, "ci_pipelines", &of)?;
    let mut list = Fragment::new(PIPELINES);
    list.append(of).raw(" order by ci_pipelines.id desc");
    list.push(" limit ", paging.fetch()).push(" offset ", paging.offset());
    Ok((tx.query(list)?, total))
}

/// The newest pipelines of some, by schedule.
pub fn last_pipelines(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<HashMap<i64, Pipeline>> {
    let pairs: Vec<(i64, i64)> = tx.all(
        sql!(
            "select schedule_id, max(id) from ci_pipelines
             where schedule_id in_list($1) group by schedule_id"
        ),
        (ids,),
    )?;
    let ids = pairs.iter().map(|(_, pipeline)| *pipeline).collect();
    let found = crate::pipelines::store::pipelines::some(tx, ids)?;
    let mut by_id: HashMap<i64, Pipeline> = found.into_iter().map(|one| (one.id, one)).collect();
    let pair = |(schedule, id): (i64, i64)| Some((schedule, by_id.remove(&id)?));
    Ok(pairs.into_iter().filter_map(pair).collect())
}
