//! Escalation policies and their rules.

use crate::on_call::model::{Policy, Rule, Target, Until};
use crate::rows::rows_below;
use kernel::error::Result;
use store::{Fragment, Tx, sql};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRule {
    pub elapsed_seconds: i64,
    pub until: Until,
    pub target: Target,
}

rows_below!(Policy, "escalation_policies", "project_id", number "id");

pub fn of_projects(tx: &mut Tx<'_>, projects: &[i64]) -> Result<Vec<Policy>> {
    Ok(tx.all(
        sql!("select * from escalation_policies where project_id in_list($1)"),
        (projects,),
    )?)
}

/// The rules of these policies, in the order they page.
pub fn rules(tx: &mut Tx<'_>, policies: &[i64]) -> Result<Vec<Rule>> {
    Ok(tx.all(
        sql!(
            "select * from escalation_rules where policy_id in_list($1)
             order by elapsed_seconds, place, id"
        ),
        (policies,),
    )?)
}

/// After how many seconds the first rule of a project pages.
pub fn first_rule(tx: &mut Tx<'_>, project_id: i64) -> Result<Option<i64>> {
    Ok(tx.one(
        sql!(
            "select min(r.elapsed_seconds) from escalation_rules r
             join escalation_policies p on p.id = r.policy_id where p.project_id = $1"
        ),
        (project_id,),
    )?)
}

/// Adds one without rules.
pub fn insert(
    tx: &mut Tx<'_>, project_id: i64, name: &str, description: Option<&str>,
) -> Result<Policy> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "insert into escalation_policies (project_id, name, description, created_at, updated_at)
             values ($1, $2, $3, $4, $4) returning *"
        ),
        (project_id, name, description, now),
    )?)
}

pub fn update(tx: &mut Tx<'_>, id: i64, name: &str, description: Option<&str>) -> Result<Policy> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "update escalation_policies set name = $2, description = $3, updated_at = $4
             where id = $1 returning *"
        ),
        (id, name, description, now),
    )?)
}

pub fn remove(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from escalation_policies where id = $1"), (id,))?;
    Ok(())
}

/// Gives a policy these rules and no others.
pub fn set_rules(tx: &mut Tx<'_>, policy_id: i64, rules: &[NewRule]) -> Result<()> {
    tx.execute(sql!("delete from escalation_rules where policy_id = $1"), (policy_id,))?;
    if rules.is_empty() {
        return Ok(());
    }
    let mut query = Fragment::new(
        "insert into escalation_rules (policy_id, place, elapsed_seconds, until, schedule_id,
            user_id) values",
    );
    for (place, rule) in (0_i64..).zip(rules) {
        let (schedule, user) = rule.target.ids();
        query
            .push(if place == 0 { " (" } else { ", (" }, policy_id)
            .push(", ", place)
            .push(", ", rule.elapsed_seconds)
            .push(", ", rule.until)
            .push(", ", schedule)
            .push(", ", user)
            .raw(")");
    }
    query.raw(" returning id");
    tx.query::<i64>(query)?;
    Ok(())
}

pub fn forget_user(tx: &mut Tx<'_>, user_id: i64) -> Result<()> {
    tx.execute(sql!("delete from escalation_rules where user_id = $1"), (user_id,))?;
    Ok(())
}
