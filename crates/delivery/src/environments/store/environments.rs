//! `environments`.

use crate::environments::model::{Environment, State, Tier};
use crate::pipelines::store::inserts;
use ::store::{Fragment, IntoValue, Tx, Value, concat, sql};
use jiff::Timestamp;
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use kernel::http::Paging;
use kernel::ids::fold;
use spaces::store::filters::search_in;
use std::collections::HashMap;

const SELECT: &str = concat!("select ", Environment::COLUMNS, " from environments ");

/// An environment that is to be.
#[derive(Debug, Clone)]
pub struct NewEnvironment {
    pub name: String,
    pub slug: String,
    pub tier: Tier,
    pub description: Option<String>,
    pub external_url: Option<String>,
}

/// Adds those that are not there, by their names.
pub fn insert(tx: &mut Tx<'_>, project_id: i64, new: &[NewEnvironment]) -> Result<()> {
    let now = tx.now();
    let row = |one: &NewEnvironment| -> Vec<Value> {
        vec![
            project_id.into_value(),
            one.name.as_str().into_value(),
            fold(&one.name).into_value(),
            one.slug.as_str().into_value(),
            one.description.clone().into_value(),
            one.external_url.clone().into_value(),
            one.tier.into_value(),
            State::Available.into_value(),
            now.into_value(),
            now.into_value(),
        ]
    };
    let rows: Vec<Vec<Value>> = new.iter().map(row).collect();
    let before = "insert into environments (project_id, name, name_folded, slug, description,
        external_url, tier, state, created_at, updated_at) values";
    for statement in inserts(before, &rows, " on conflict do nothing") {
        tx.change_by(statement)?;
    }
    Ok(())
}

pub fn one(tx: &mut Tx<'_>, project_id: i64, id: i64) -> Result<Option<Environment>> {
    Ok(tx.optional(
        sql!(SELECT, "where environments.project_id = $1 and environments.id = $2"),
        (project_id, id),
    )?)
}

pub fn some(tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<HashMap<i64, Environment>> {
    let rows: Vec<Environment> = match ids.is_empty() {
        true => Vec::new(),
        false => tx.all(sql!(SELECT, "where environments.id in_list($1)"), (ids,))?,
    };
    Ok(rows.into_iter().map(|one| (one.id, one)).collect())
}

/// Those of these names.
pub fn named(
    tx: &mut Tx<'_>, project_id: i64, names: Vec<String>,
) -> Result<HashMap<String, Environment>> {
    let rows: Vec<Environment> = match names.is_empty() {
        true => Vec::new(),
        false => tx.all(
            sql!(SELECT, "where environments.project_id = $1 and environments.name in_list($2)"),
            (project_id, names),
        )?,
    };
    Ok(rows.into_iter().map(|one| (one.name.clone(), one)).collect())
}

/// Those of some names in some projects.
pub fn named_in(
    tx: &mut Tx<'_>, projects: Vec<i64>, names: Vec<String>,
) -> Result<Vec<Environment>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "where environments.project_id in_list($1) and environments.name in_list($2)"
        ),
        (projects, names),
    )?)
}

/// Which environments are listed.
#[derive(Debug, Clone, Default)]
pub struct EnvironmentFilter {
    pub name: Option<String>,
    /// A part of the name, whatever its case.
    pub search: Option<String>,
    /// Empty: in any.
    pub states: Vec<State>,
}

impl EnvironmentFilter {
    fn condition(&self, project_id: i64) -> Fragment {
        let mut of = Fragment::new("environments.project_id = ");
        of.bind(project_id);
        if let Some(name) = &self.name {
            of.push(" and environments.name = ", name.as_str());
        }
        if let Some(part) = &self.search {
            search_in(&mut of, "environments", &["name_folded"], part);
        }
        if !self.states.is_empty() {
            let states: Vec<String> = self.states.iter().map(ToString::to_string).collect();
            of.raw(" and").in_list("environments.state", states);
        }
        of
    }
}

/// A page of those of a project by their names, and how many there are.
pub fn page(
    tx: &mut Tx<'_>, project_id: i64, filter: &EnvironmentFilter, paging: &Paging,
) -> Result<(Vec<Environment>, i64)> {
    let of = filter.condition(project_id);
    let total = spaces::store::count(tx, "environments", &of)?;
    let mut list = Fragment::new(SELECT);
    list.raw("where ").append(of).raw(" order by environments.name");
    list.push(" limit ", paging.fetch()).push(" offset ", paging.offset());
    Ok((tx.query(list)?, total))
}

/// A page for each of some projects.
pub fn pages_of(
    tx: &mut Tx<'_>, projects: &[i64], window: &Window,
) -> Result<Vec<Owned<Environment>>> {
    let owner = "environments.project_id";
    let mut from = Fragment::new(" from environments where");
    from.in_list(owner, projects);
    Ok(tx.query(window.narrow_each(Environment::COLUMNS, owner, from))?)
}

/// How many environments some projects have, each to this number and one more.
pub fn counts(tx: &mut Tx<'_>, projects: &[i64], limit: Option<i64>) -> Result<HashMap<i64, i64>> {
    let mut query = Fragment::new("select project_id, count(*) from environments where");
    query.in_list("project_id", projects).raw(" group by project_id");
    let rows: Vec<(i64, i64)> = tx.query(query)?;
    let most = limit.map_or(i64::MAX, |limit| limit.saturating_add(1));
    Ok(rows.into_iter().map(|(owner, count)| (owner, count.min(most))).collect())
}

/// How many environments of a project are in each state.
pub fn tally(tx: &mut Tx<'_>, project_id: i64) -> Result<Vec<(State, i64)>> {
    Ok(tx.all(
        sql!("select state, count(*) from environments where project_id = $1 group by state"),
        (project_id,),
    )?)
}

/// Writes what people say of it.
pub fn update(tx: &mut Tx<'_>, changed: &Environment) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "update environments set description = $2, external_url = $3, tier = $4,
                updated_at = $5
             where id = $1"
        ),
        (changed.id, &changed.description, &changed.external_url, changed.tier, now),
    )
}

/// Something was put into it: it is there, at this address if that is known, until this
/// time if there is one.
pub fn deployed(
    tx: &mut Tx<'_>, id: i64, url: Option<String>, auto_stop_at: Option<Timestamp>,
) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "update environments set state = 'available',
                external_url = coalesce($2, external_url), auto_stop_at = $3, updated_at = $4
             where id = $1"
        ),
        (id, url, auto_stop_at, now),
    )
}

/// Until when it is there.
pub fn set_auto_stop(tx: &mut Tx<'_>, id: i64, at: Option<Timestamp>) -> Result<()> {
    tx.run(sql!("update environments set auto_stop_at = $2 where id = $1"), (id, at))
}

pub fn set_state(tx: &mut Tx<'_>, id: i64, state: State) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!(
            "update environments set state = $2, auto_stop_at = null, updated_at = $3
             where id = $1"
        ),
        (id, state, now),
    )
}

/// Those whose time is over, the first first.
pub fn due(tx: &mut Tx<'_>, most: i64) -> Result<Vec<Environment>> {
    let now = tx.now();
    Ok(tx.all(
        sql!(
            SELECT,
            "where environments.state = 'available' and environments.auto_stop_at <= $1
             order by environments.auto_stop_at, environments.id limit $2"
        ),
        (now, most),
    )?)
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.run(sql!("delete from environments where id = $1"), (id,))
}
