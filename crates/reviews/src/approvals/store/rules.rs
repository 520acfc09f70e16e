//! Rules with those whom they name.

use super::super::model::{Branch, Rule, RuleRow, RuleType};
use ::store::{Fragment, Tx, concat, grouped, sql};
use kernel::error::Result;
use std::collections::HashMap;

const SELECT: &str = concat!("select ", RuleRow::COLUMNS, " from approval_rules ");

/// With all that they name, in as many statements for any number.
fn whole(tx: &mut Tx<'_>, rows: Vec<RuleRow>) -> Result<Vec<Rule>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let mut users: HashMap<i64, Vec<i64>> = tx.grouped(
        sql!(
            "select rule_id, user_id from approval_rule_users
             where rule_id in_list($1) order by rule_id, user_id"
        ),
        (&ids[..],),
    )?;
    let mut groups: HashMap<i64, Vec<i64>> = tx.grouped(
        sql!(
            "select rule_id, group_id from approval_rule_groups
             where rule_id in_list($1) order by rule_id, group_id"
        ),
        (&ids[..],),
    )?;
    let mut approvers: HashMap<i64, Vec<i64>> = tx.grouped(
        sql!(
            "select rule_id, user_id from approval_rule_approvers
             where rule_id in_list($1) order by rule_id, user_id"
        ),
        (&ids[..],),
    )?;
    let branches: Vec<(i64, i64, String)> = tx.all(
        sql!(
            "select b.rule_id, p.id, p.name from approval_rule_branches b
             join protected_refs p on p.id = b.protected_ref_id
             where b.rule_id in_list($1) order by b.rule_id, p.name, p.id"
        ),
        (&ids[..],),
    )?;
    let branches = branches.into_iter().map(|(rule, id, name)| (rule, Branch { id, name }));
    let mut branches = grouped(branches);
    let rule = |row: RuleRow| Rule {
        users: users.remove(&row.id).unwrap_or_default(),
        groups: groups.remove(&row.id).unwrap_or_default(),
        branches: branches.remove(&row.id).unwrap_or_default(),
        approvers: approvers.remove(&row.id).unwrap_or_default(),
        row,
    };
    Ok(rows.into_iter().map(rule).collect())
}

/// The rules of some projects and of some merge requests, the oldest first.
pub fn of(tx: &mut Tx<'_>, projects: &[i64], requests: &[i64]) -> Result<Vec<Rule>> {
    let rows = tx.all(
        sql!(
            SELECT,
            "where project_id in_list($1) or merge_request_id in_list($2) order by id"
        ),
        (projects, requests),
    )?;
    whole(tx, rows)
}

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Rule>> {
    let row: Option<RuleRow> = tx.optional(sql!(SELECT, "where id = $1"), (id,))?;
    Ok(whole(tx, row.into_iter().collect())?.pop())
}

/// Adds a rule with all that it names; none where there is one of its name in the project,
/// or another one for everybody.
pub fn insert(tx: &mut Tx<'_>, new: &Rule) -> Result<Option<i64>> {
    let (now, row) = (tx.now(), &new.row);
    let id: Option<i64> = tx.optional(
        sql!(
            "insert into approval_rules (project_id, merge_request_id, source_rule_id, name,
                rule_type, report_type, section, approvals_required,
                applies_to_all_protected_branches, is_snapshot, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
             on conflict do nothing returning id"
        ),
        (
            row.project_id,
            row.merge_request_id,
            row.source_rule_id,
            row.name.as_str(),
            row.rule_type,
            row.report_type.clone(),
            row.section.clone(),
            row.approvals_required,
            row.applies_to_all_protected_branches,
            row.is_snapshot,
            now,
        ),
    )?;
    if let Some(id) = id {
        name_all(tx, id, new)?;
    }
    Ok(id)
}

/// Whether another rule of the project has this name.
pub fn is_taken(tx: &mut Tx<'_>, project: i64, name: &str, id: i64) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!("select id from approval_rules where project_id = $1 and name = $2 and id <> $3"),
        (project, name, id),
    )?;
    Ok(found.is_some())
}

/// Writes a rule with all that it names.
pub fn update(tx: &mut Tx<'_>, rule: &Rule) -> Result<()> {
    let (now, row) = (tx.now(), &rule.row);
    tx.execute(
        sql!(
            "update approval_rules set name = $2, approvals_required = $3,
                applies_to_all_protected_branches = $4, updated_at = $5 where id = $1"
        ),
        (
            row.id,
            row.name.as_str(),
            row.approvals_required,
            row.applies_to_all_protected_branches,
            now,
        ),
    )?;
    for forget in [
        sql!("delete from approval_rule_users where rule_id = $1"),
        sql!("delete from approval_rule_groups where rule_id = $1"),
        sql!("delete from approval_rule_branches where rule_id = $1"),
    ] {
        tx.execute(forget, (row.id,))?;
    }
    name_all(tx, row.id, rule)
}

fn name_all(tx: &mut Tx<'_>, id: i64, rule: &Rule) -> Result<()> {
    let branches: Vec<i64> = rule.branches.iter().map(|branch| branch.id).collect();
    name(tx, "approval_rule_users (rule_id, user_id)", "users", id, &rule.users)?;
    name(tx, "approval_rule_groups (rule_id, group_id)", "namespaces", id, &rule.groups)?;
    name(
        tx,
        "approval_rule_branches (rule_id, protected_ref_id)",
        "protected_refs",
        id,
        &branches,
    )?;
    set_approvers(tx, id, &rule.approvers)
}

/// Notes whose approvals counted for a rule.
pub fn set_approvers(tx: &mut Tx<'_>, id: i64, users: &[i64]) -> Result<()> {
    name(tx, "approval_rule_approvers (rule_id, user_id)", "users", id, users)
}

/// Lets a rule name what is there still.
fn name(tx: &mut Tx<'_>, into: &str, from: &str, rule: i64, named: &[i64]) -> Result<()> {
    if named.is_empty() {
        return Ok(());
    }
    let mut add = Fragment::new("insert into ");
    add.raw(into).push(" select cast(", rule).raw(" as bigint), id from ");
    add.raw(from).raw(" where").in_list("id", named.to_vec());
    add.raw(" on conflict do nothing");
    tx.change_by(add)?;
    Ok(())
}

pub fn delete(tx: &mut Tx<'_>, ids: &[i64]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let mut gone = Fragment::new("delete from approval_rules where");
    gone.in_list("id", ids.to_vec());
    tx.change_by(gone)?;
    Ok(())
}

/// Deletes the rules of this kind that a merge request has itself.
pub fn delete_of_request(tx: &mut Tx<'_>, request: i64, kind: RuleType) -> Result<()> {
    tx.run(
        sql!("delete from approval_rules where merge_request_id = $1 and rule_type = $2"),
        (request, kind),
    )
}
