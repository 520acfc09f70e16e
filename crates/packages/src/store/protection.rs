//! Protection rules.

use crate::model::{PackageType, ProtectionRule};
use kernel::error::Result;
use store::{Params, Tx, sql};

pub fn rules_for(
    tx: &mut Tx<'_>, project_id: i64, package_type: PackageType,
) -> Result<Vec<ProtectionRule>> {
    Ok(tx.all(
        sql!(
            "select * from package_protection_rules where project_id = $1 and package_type = $2
             order by id"
        ),
        (project_id, package_type),
    )?)
}

/// The rules of a project that keep packages from being deleted.
pub fn against_deletion(tx: &mut Tx<'_>, project_id: i64) -> Result<Vec<ProtectionRule>> {
    Ok(tx.all(
        sql!(
            "select * from package_protection_rules
             where project_id = $1 and minimum_access_level_for_delete is not null order by id"
        ),
        (project_id,),
    )?)
}

pub fn project_of(tx: &mut Tx<'_>, id: i64) -> Result<Option<i64>> {
    Ok(tx.optional(sql!("select project_id from package_protection_rules where id = $1"), (id,))?)
}

pub fn list(
    tx: &mut Tx<'_>, project_id: i64, limit: i64, offset: i64,
) -> Result<Vec<ProtectionRule>> {
    Ok(tx.all(
        sql!(
            "select * from package_protection_rules where project_id = $1 order by id limit $2 offset $3"
        ),
        (project_id, limit, offset),
    )?)
}

pub fn count(tx: &mut Tx<'_>, project_id: i64) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "select count(*) from (select 1 from package_protection_rules
             where project_id = $1 limit 10001) counted"
        ),
        (project_id,),
    )?)
}

pub fn rule_in(tx: &mut Tx<'_>, project_id: i64, id: i64) -> Result<Option<ProtectionRule>> {
    Ok(tx.optional(
        sql!("select * from package_protection_rules where id = $1 and project_id = $2"),
        (id, project_id),
    )?)
}

/// The id of the rule that has this pattern and format.
pub fn taken(
    tx: &mut Tx<'_>, project_id: i64, package_type: PackageType, pattern: &str,
) -> Result<Option<i64>> {
    Ok(tx.optional(
        sql!(
            "select id from package_protection_rules
             where project_id = $1 and package_type = $2 and package_name_pattern = $3"
        ),
        (project_id, package_type, pattern),
    )?)
}

/// Adds a rule; its id in `rule` is ignored.
pub fn insert(tx: &mut Tx<'_>, rule: &ProtectionRule) -> Result<i64> {
    let values = values(tx, rule.project_id, rule);
    Ok(tx.one(
        sql!(
            "insert into package_protection_rules (project_id, package_type,
                package_name_pattern, minimum_access_level_for_push,
                minimum_access_level_for_delete, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $6) returning id"
        ),
        values,
    )?)
}

pub fn update(tx: &mut Tx<'_>, rule: &ProtectionRule) -> Result<()> {
    let values = values(tx, rule.id, rule);
    tx.execute(
        sql!(
            "update package_protection_rules set package_type = $2, package_name_pattern = $3,
                minimum_access_level_for_push = $4, minimum_access_level_for_delete = $5,
                updated_at = $6
             where id = $1"
        ),
        values,
    )?;
    Ok(())
}

/// What a rule says and when, behind the id of what it is written to.
fn values<'r>(tx: &Tx<'_>, id: i64, rule: &'r ProtectionRule) -> impl Params + use<'r> {
    (
        id,
        rule.package_type,
        rule.package_name_pattern.as_str(),
        rule.minimum_access_level_for_push,
        rule.minimum_access_level_for_delete,
        tx.now(),
    )
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from package_protection_rules where id = $1"), (id,))?;
    Ok(())
}
