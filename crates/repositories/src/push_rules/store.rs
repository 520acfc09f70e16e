//! `push_rules`.

use super::model::PushRule;
use ::store::{FromRow, Json, Tx, sql};
use jiff::Timestamp;
use kernel::error::Result;
use spaces::model::Project;

/// What a rule is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    Project(i64),
    Group(i64),
    Instance,
}

impl Owner {
    fn scope(self) -> String {
        match self {
            Owner::Project(id) => format!("project/{id}"),
            Owner::Group(id) => format!("group/{id}"),
            Owner::Instance => "instance".to_owned(),
        }
    }
}

/// A rule as it is stored.
#[derive(Debug, Clone, FromRow)]
#[columns("push_rules")]
pub struct StoredRule {
    pub id: i64,
    pub project_id: Option<i64>,
    pub created_at: Timestamp,
    pub rule: Json<PushRule>,
}

const SELECT: &str = ::store::concat!("select ", StoredRule::COLUMNS, " from push_rules ");

pub fn find(tx: &mut Tx<'_>, owner: Owner) -> Result<Option<StoredRule>> {
    Ok(tx.optional(sql!(SELECT, "where scope = $1"), (owner.scope(),))?)
}

/// What a project asks of pushes.
pub fn effective(tx: &mut Tx<'_>, project_id: i64) -> Result<Option<PushRule>> {
    let Some(own) = find(tx, Owner::Project(project_id))? else {
        return Ok(None);
    };
    let instance = find(tx, Owner::Instance)?.map(|stored| stored.rule.0);
    Ok(Some(own.rule.0.within(instance.as_ref())))
}

/// Adds a rule, unless there is one.
pub fn insert(tx: &mut Tx<'_>, owner: Owner, rule: &PushRule) -> Result<bool> {
    let now = tx.now();
    let (project_id, group_id) = match owner {
        Owner::Project(id) => (Some(id), None),
        Owner::Group(id) => (None, Some(id)),
        Owner::Instance => (None, None),
    };
    let made = tx.execute(
        sql!(
            "insert into push_rules (scope, project_id, group_id, rule, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $5) on conflict (scope) do nothing"
        ),
        (owner.scope(), project_id, group_id, Json(rule.clone()), now),
    )?;
    Ok(made > 0)
}

pub fn update(tx: &mut Tx<'_>, owner: Owner, rule: &PushRule) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!("update push_rules set rule = $2, updated_at = $3 where scope = $1"),
        (owner.scope(), Json(rule.clone()), now),
    )?;
    Ok(())
}

/// Has a project ask for signed commits beside what it asks for.
pub fn require_signatures(tx: &mut Tx<'_>, project_id: i64) -> Result<()> {
    let owner = Owner::Project(project_id);
    let before = find(tx, owner)?.map(|stored| stored.rule.0);
    let is_there = before.is_some();
    let rule = PushRule {
        reject_unsigned_commits: Some(true),
        ..before.unwrap_or_default()
    };
    match is_there {
        true => update(tx, owner, &rule),
        false => insert(tx, owner, &rule).map(drop),
    }
}

/// Takes a rule away; false if there is none.
pub fn delete(tx: &mut Tx<'_>, owner: Owner) -> Result<bool> {
    let gone = tx.execute(sql!("delete from push_rules where scope = $1"), (owner.scope(),))?;
    Ok(gone > 0)
}

/// A new project begins with the rule of the nearest group above, or of the instance.
pub fn project_created(tx: &mut Tx<'_>, project: &Project) -> Result<()> {
    let above = project.ancestors().into_iter().rev().map(Owner::Group);
    let scopes: Vec<Owner> = above.chain([Owner::Instance]).collect();
    let names: Vec<String> = scopes.iter().map(|owner| owner.scope()).collect();
    let found: Vec<(String, Json<PushRule>)> =
        tx.all(sql!("select scope, rule from push_rules where scope in_list($1)"), (names,))?;
    let nearest = scopes.iter().find_map(|owner| {
        let scope = owner.scope();
        found.iter().find(|(name, _)| *name == scope)
    });
    if let Some((_, Json(rule))) = nearest {
        insert(tx, Owner::Project(project.id), rule)?;
    }
    Ok(())
}
