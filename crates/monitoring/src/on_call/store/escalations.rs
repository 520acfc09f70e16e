//! Alerts that still escalate, and who was paged about which.

use crate::alerts::model::Status;
use crate::on_call::model::Rule;
use jiff::Timestamp;
use kernel::error::Result;
use store::{Fragment, FromRow, Tx, sql};

#[derive(Debug, Clone, FromRow)]
pub struct Escalation {
    pub alert_id: i64,
    pub began_at: Timestamp,
    /// Rules of so many seconds are done; -1 if none is.
    pub passed_seconds: i64,
    pub project_id: i64,
    #[read(Status::of_code)]
    pub status: Status,
    /// Its project is archived or about to go: nobody can look after it.
    pub rests: bool,
}

/// Has alerts escalate from now on, with the first rule due then; what they
/// came to before is forgotten. One statement, however many they are.
pub fn begin(tx: &mut Tx<'_>, alerts: &[i64], due_at: Timestamp) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into escalations (alert_id, began_at, passed_seconds, due_at)
             select id, $2, -1, $3 from alerts where id in_list($1)
             on conflict (alert_id) do update set began_at = excluded.began_at,
                passed_seconds = excluded.passed_seconds, due_at = excluded.due_at"
        ),
        (alerts, now, due_at),
    )?;
    Ok(())
}

/// Those that are due, the earliest first. Another node leaves them alone.
pub fn due(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<Escalation>> {
    let now = tx.now();
    let ids: Vec<i64> = tx.all(
        sql!(
            "select alert_id from escalations where due_at <= $1
             order by due_at, alert_id limit $2 for update skip locked"
        ),
        (now, limit),
    )?;
    Ok(tx.all(
        sql!(
            "select e.alert_id, e.began_at, e.passed_seconds, a.project_id, a.status,
                p.archived or p.deletion_scheduled_at is not null as rests
             from escalations e join alerts a on a.id = e.alert_id
             join projects p on p.id = a.project_id
             where e.alert_id in_list($1) order by e.due_at, e.alert_id"
        ),
        (ids,),
    )?)
}

/// When the next one is due that is not yet.
pub fn next_due(tx: &mut Tx<'_>) -> Result<Option<Timestamp>> {
    let now = tx.now();
    Ok(tx.optional(
        sql!("select due_at from escalations where due_at > $1 order by due_at limit 1"),
        (now,),
    )?)
}

/// The rules of these projects, with their project, in the order they page.
pub fn rules(tx: &mut Tx<'_>, projects: &[i64]) -> Result<Vec<(i64, Rule)>> {
    let found: Vec<OfProject> = tx.all(
        sql!(
            "select p.project_id, r.* from escalation_rules r
             join escalation_policies p on p.id = r.policy_id
             where p.project_id in_list($1)
             order by r.elapsed_seconds, r.place, r.id"
        ),
        (projects,),
    )?;
    Ok(found.into_iter().map(|it| (it.project_id, it.rule)).collect())
}

#[derive(FromRow)]
struct OfProject {
    project_id: i64,
    #[nested]
    rule: Rule,
}

pub fn end(tx: &mut Tx<'_>, alerts: &[i64]) -> Result<()> {
    if !alerts.is_empty() {
        tx.execute(sql!("delete from escalations where alert_id in_list($1)"), (alerts,))?;
    }
    Ok(())
}

/// Says which rules of alerts are done, and when the next is due.
pub fn pass(tx: &mut Tx<'_>, passed: &[(i64, i64, Timestamp)]) -> Result<()> {
    for (alert_id, seconds, due_at) in passed {
        tx.execute(
            sql!("update escalations set passed_seconds = $2, due_at = $3 where alert_id = $1"),
            (*alert_id, *seconds, *due_at),
        )?;
    }
    Ok(())
}

#[derive(Debug, Clone, Copy)]
pub struct NewPage {
    pub alert_id: i64,
    pub began_at: Timestamp,
    pub rule_id: i64,
    pub user_id: i64,
}

/// Records who is paged; the numbers of the records. Whoever was paged by the
/// same rule about the same is left out.
pub fn record(tx: &mut Tx<'_>, pages: &[NewPage]) -> Result<Vec<i64>> {
    let now = tx.now();
    let mut ids = Vec::new();
    for some in pages.chunks(100) {
        let mut query = Fragment::new(
            "insert into escalation_pages (alert_id, user_id, rule_id, began_at, created_at) values",
        );
        for (at, page) in some.iter().enumerate() {
            query
                .push(if at == 0 { " (" } else { ", (" }, page.alert_id)
                .push(", ", page.user_id)
                .push(", ", page.rule_id)
                .push(", ", page.began_at)
                .push(", ", now)
                .raw(")");
        }
        query.raw(" on conflict (alert_id, began_at, rule_id, user_id) do nothing returning id");
        ids.extend(tx.query::<i64>(query)?);
    }
    Ok(ids)
}

/// A page whose mail was not sent: the alert and whom it tells.
pub fn unsent(tx: &mut Tx<'_>, id: i64) -> Result<Option<(i64, i64)>> {
    Ok(tx.optional(
        sql!("select alert_id, user_id from escalation_pages where id = $1 and mailed_at is null"),
        (id,),
    )?)
}

pub fn sent(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(sql!("update escalation_pages set mailed_at = $2 where id = $1"), (id, now))?;
    Ok(())
}
