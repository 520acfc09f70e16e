//! `ci_variables`.

use super::model::{Holder, Variable};
use ::store::{Fragment, Tx, sql};
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use kernel::http::Paging;
use std::collections::{HashMap, HashSet};

/// Variables of a holder.
fn of(holder: Holder) -> Fragment {
    let mut condition = Fragment::default();
    match holder {
        Holder::Project(id) => condition.push("ci_variables.project_id = ", id),
        Holder::Group(id) => condition.push("ci_variables.group_id = ", id),
        Holder::Instance => condition.raw(OF_INSTANCE),
    };
    condition
}

const OF_INSTANCE: &str = "ci_variables.project_id is null and ci_variables.group_id is null";
const SELECT: &str = ::store::concat!("select ", Variable::COLUMNS, " from ci_variables where ");
const ORDER: &str = " order by ci_variables.key, ci_variables.environment_scope, ci_variables.id";

/// One page of those of a holder, by their keys.
pub fn page(tx: &mut Tx<'_>, holder: Holder, paging: &Paging) -> Result<Vec<Variable>> {
    let mut query = Fragment::new(SELECT);
    query.append(of(holder)).raw(ORDER);
    query.push(" limit ", paging.fetch()).push(" offset ", paging.offset());
    Ok(tx.query(query)?)
}

pub fn count(tx: &mut Tx<'_>, holder: Holder) -> Result<i64> {
    let mut query = Fragment::new("select count(*) from ci_variables where ");
    query.append(of(holder));
    Ok(tx.query::<i64>(query)?.into_iter().next().unwrap_or_default())
}

/// Those of a key, of each environment scope or of this one: two at most, as many as tell
/// whether it is one.
pub fn of_key(
    tx: &mut Tx<'_>, holder: Holder, key: &str, scope: Option<&str>,
) -> Result<Vec<Variable>> {
    let mut query = Fragment::new(SELECT);
    query.append(of(holder)).push(" and ci_variables.key = ", key);
    if let Some(scope) = scope {
        query.push(" and ci_variables.environment_scope = ", scope);
    }
    query.raw(ORDER).raw(" limit 2");
    Ok(tx.query(query)?)
}

pub fn by_id(tx: &mut Tx<'_>, holder: Holder, id: i64) -> Result<Option<Variable>> {
    let mut query = Fragment::new(SELECT);
    query.append(of(holder)).push(" and ci_variables.id = ", id);
    Ok(tx.query(query)?.into_iter().next())
}

/// Adds a variable, unless its key is taken in its scope; its id is made.
pub fn insert(tx: &mut Tx<'_>, new: &Variable) -> Result<Option<Variable>> {
    let now = tx.now();
    Ok(tx.optional(
        sql!(
            "insert into ci_variables (project_id, group_id, key, environment_scope,
                sealed_value, variable_type, protected, masked, hidden, raw, description,
                created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)
             on conflict do nothing returning ",
            Variable::COLUMNS
        ),
        (
            new.project_id,
            new.group_id,
            &new.key,
            &new.environment_scope,
            &new.sealed_value,
            new.variable_type,
            new.protected,
            new.masked,
            new.hidden,
            new.raw,
            &new.description,
            now,
        ),
    )?)
}

pub fn update(tx: &mut Tx<'_>, variable: &Variable) -> Result<()> {
    tx.execute(sql!(Variable::UPDATE), variable.values())?;
    Ok(())
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from ci_variables where id = $1"), (id,))?;
    Ok(())
}

/// All that reach a project: its own, those of these groups and those of the instance.
pub fn reaching(tx: &mut Tx<'_>, project_id: i64, groups: Vec<i64>) -> Result<Vec<Variable>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "ci_variables.project_id = $1 or ci_variables.group_id in_list($2) or (",
            OF_INSTANCE,
            ")"
        ),
        (project_id, groups),
    )?)
}

/// Which of these keys one of them has.
pub fn keys_reaching(
    tx: &mut Tx<'_>, (project_id, groups): (i64, Vec<i64>), keys: Vec<String>,
) -> Result<HashSet<String>> {
    let found: Vec<String> = tx.all(
        sql!(
            "select distinct ci_variables.key from ci_variables
             where ci_variables.key in_list($1) and (ci_variables.project_id = $2
                or ci_variables.group_id in_list($3) or (",
            OF_INSTANCE,
            "))"
        ),
        (keys, project_id, groups),
    )?;
    Ok(found.into_iter().collect())
}

/// Those of some groups, by the path of the group, at most so many.
pub fn of_groups(tx: &mut Tx<'_>, groups: Vec<i64>, most: i64) -> Result<Vec<Inherited>> {
    if groups.is_empty() {
        return Ok(Vec::new());
    }
    Ok(tx.all(
        sql!(
            "select ",
            Inherited::COLUMNS,
            " from ci_variables
             join namespaces on namespaces.id = ci_variables.group_id
             where ci_variables.group_id in_list($1)
             order by namespaces.lineage desc, ci_variables.key, ci_variables.id limit $2"
        ),
        (groups, most),
    )?)
}

/// A variable of a group above, without its value.
#[derive(Debug, Clone, ::store::FromRow)]
#[columns("ci_variables")]
pub struct Inherited {
    pub key: String,
    pub environment_scope: String,
    #[column("namespaces.full_path")]
    pub group_path: String,
}

/// A page for each of some projects, or of some groups.
pub fn pages_of(
    tx: &mut Tx<'_>, owner: &'static str, ids: &[i64], window: &Window,
) -> Result<Vec<Owned<Variable>>> {
    let mut from = Fragment::new(" from ci_variables where");
    from.in_list(owner, ids);
    Ok(tx.query(window.narrow_each(Variable::COLUMNS, owner, from))?)
}

/// How many variables some projects or groups have, each to this number and one more.
pub fn counts(
    tx: &mut Tx<'_>, owner: &'static str, ids: &[i64], limit: Option<i64>,
) -> Result<HashMap<i64, i64>> {
    let mut query = Fragment::new(&format!("select {owner}, count(*) from ci_variables where"));
    query.in_list(owner, ids).raw(&format!(" group by {owner}"));
    let rows: Vec<(i64, i64)> = tx.query(query)?;
    let most = limit.map_or(i64::MAX, |limit| limit.saturating_add(1));
    Ok(rows.into_iter().map(|(owner, count)| (owner, count.min(most))).collect())
}

/// One page of those of the instance, for GraphQL.
pub fn of_instance(tx: &mut Tx<'_>, window: &Window) -> Result<Vec<Variable>> {
    let mut query = Fragment::new(SELECT);
    query.raw(OF_INSTANCE);
    window.narrow(&mut query);
    Ok(tx.query(query)?)
}
