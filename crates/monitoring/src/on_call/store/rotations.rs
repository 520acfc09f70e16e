//! Rotations and who takes turns in them.

use crate::on_call::model::{Participant, Plan, Rotation};
use crate::rows::rows_below;
use kernel::error::Result;
use store::{Fragment, Tx, sql};

rows_below!(Rotation, "on_call_rotations", "schedule_id", number "id");

/// All rotations of these schedules, by number.
pub fn of_schedules(tx: &mut Tx<'_>, schedules: &[i64]) -> Result<Vec<Rotation>> {
    Ok(tx.all(
        sql!("select * from on_call_rotations where schedule_id in_list($1) order by id"),
        (schedules,),
    )?)
}

pub fn is_named(tx: &mut Tx<'_>, schedule_id: i64, name: &str, but: i64) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!(
            "select id from on_call_rotations
             where schedule_id = $1 and name = $2 and id <> $3"
        ),
        (schedule_id, name, but),
    )?;
    Ok(found.is_some())
}

/// Adds one without people.
pub fn insert(tx: &mut Tx<'_>, schedule_id: i64, name: &str, plan: &Plan) -> Result<Rotation> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "insert into on_call_rotations (schedule_id, name, starts_at, ends_at, length,
                length_unit, active_from, active_until, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) returning *"
        ),
        (
            schedule_id,
            name,
            plan.starts_at,
            plan.ends_at,
            plan.length,
            plan.length_unit,
            plan.active_period.map(|it| it.start_time),
            plan.active_period.map(|it| it.end_time),
            now,
        ),
    )?)
}

pub fn update(tx: &mut Tx<'_>, id: i64, name: &str, plan: &Plan) -> Result<Rotation> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "update on_call_rotations set name = $2, starts_at = $3, ends_at = $4, length = $5,
                length_unit = $6, active_from = $7, active_until = $8, updated_at = $9
             where id = $1 returning *"
        ),
        (
            id,
            name,
            plan.starts_at,
            plan.ends_at,
            plan.length,
            plan.length_unit,
            plan.active_period.map(|it| it.start_time),
            plan.active_period.map(|it| it.end_time),
            now,
        ),
    )?)
}

pub fn remove(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from on_call_rotations where id = $1"), (id,))?;
    Ok(())
}

/// Those who take turns in these rotations, in the order of their turns.
pub fn participants(tx: &mut Tx<'_>, rotations: &[i64]) -> Result<Vec<Participant>> {
    Ok(tx.all(
        sql!(
            "select * from on_call_participants where rotation_id in_list($1)
             order by rotation_id, place, id"
        ),
        (rotations,),
    )?)
}

/// Has these users take turns, in this order, and nobody else. Who did before
/// keeps their number.
pub fn set_participants(tx: &mut Tx<'_>, rotation_id: i64, users: &[i64]) -> Result<()> {
    let mut gone = Fragment::new("delete from on_call_participants where rotation_id = ");
    gone.bind(rotation_id)
        .raw(" and not (")
        .in_list("user_id", users)
        .raw(") returning id");
    tx.query::<i64>(gone)?;
    if users.is_empty() {
        return Ok(());
    }
    let mut query =
        Fragment::new("insert into on_call_participants (rotation_id, user_id, place) values");
    for (place, user) in (0_i64..).zip(users) {
        query
            .push(if place == 0 { " (" } else { ", (" }, rotation_id)
            .push(", ", *user)
            .push(", ", place)
            .raw(")");
    }
    query.raw(
        " on conflict (rotation_id, user_id) do update set place = excluded.place returning id",
    );
    tx.query::<i64>(query)?;
    Ok(())
}

pub fn forget_user(tx: &mut Tx<'_>, user_id: i64) -> Result<()> {
    tx.execute(sql!("delete from on_call_participants where user_id = $1"), (user_id,))?;
    Ok(())
}
