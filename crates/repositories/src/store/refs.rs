//! `repository_refs`.

use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::model::Ref;
use ::store::{Fragment, IntoValue, Tx, grouped, sql};
use kernel::error::Result;
use std::collections::{HashMap, HashSet};

/// Rows that one statement writes.
const BATCH: usize = 1000;
/// Made refs up to which each looks for what stands below it by itself.
const FEW: usize = 32;

const SELECT: &str = ::store::concat!("select ", Ref::COLUMNS, " from repository_refs ");

/// All refs, by name.
pub fn all(tx: &mut Tx<'_>, repository: i64) -> Result<Vec<Ref>> {
    Ok(tx.all(sql!(SELECT, "where repository_id = $1 order by name"), (repository,))?)
}

/// Whether there is any.
pub fn any(tx: &mut Tx<'_>, repository: i64) -> Result<bool> {
    let one: Option<RefName> = tx.optional(
        sql!("select name from repository_refs where repository_id = $1 limit 1"),
        (repository,),
    )?;
    Ok(one.is_some())
}

/// Those whose names begin with one of these.
pub fn beginning(tx: &mut Tx<'_>, repository: i64, prefixes: &[String]) -> Result<Vec<Ref>> {
    let mut query = Fragment::new(SELECT);
    query.push("where repository_id = ", repository).raw(" and (");
    for (at, prefix) in prefixes.iter().enumerate() {
        let or = if at == 0 { "" } else { " or " };
        query
            .raw(or)
            .push("(name >= ", prefix.as_str())
            .push(" and name < ", behind(prefix))
            .raw(")");
    }
    query.raw(") order by name");
    Ok(tx.query(query)?)
}

/// What comes behind all texts that begin so: no name has this letter.
fn behind(prefix: &str) -> String {
    format!("{prefix}\u{10ffff}")
}

/// Some refs, those of them that are there.
pub fn some(tx: &mut Tx<'_>, repository: i64, names: &[RefName]) -> Result<Vec<Ref>> {
    let names: Vec<String> = names.iter().map(|name| name.as_str().to_owned()).collect();
    match names.is_empty() {
        true => Ok(Vec::new()),
        false => Ok(tx.all(
            sql!(SELECT, "where repository_id = $1 and name in_list($2)"),
            (repository, names),
        )?),
    }
}

/// Those of some refs that are there, by the repositories they are looked for in.
pub fn some_of_each(
    tx: &mut Tx<'_>, repositories: Vec<i64>, names: &[RefName],
) -> Result<HashMap<i64, Vec<Ref>>> {
    let names: Vec<String> = names.iter().map(|name| name.as_str().to_owned()).collect();
    if names.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(i64, RefName, ObjectId, Option<ObjectId>)> = tx.all(
        sql!(
            "select repository_id, name, object_id, peeled_id from repository_refs
             where repository_id in_list($1) and name in_list($2)"
        ),
        (repositories, names),
    )?;
    let found = rows.into_iter().map(|(repository, name, object_id, peeled_id)| {
        (repository, Ref { name, object_id, peeled_id })
    });
    Ok(grouped(found))
}

/// The names of the branches of some repositories, by repository.
pub fn branches_of_each(
    tx: &mut Tx<'_>, repositories: Vec<i64>,
) -> Result<HashMap<i64, Vec<RefName>>> {
    Ok(tx.grouped(
        sql!(
            "select repository_id, name from repository_refs
             where repository_id in_list($1) and name >= 'refs/heads/' and name < 'refs/heads0'
             order by name"
        ),
        (repositories,),
    )?)
}

/// Where some refs point now.
pub fn current(
    tx: &mut Tx<'_>, repository: i64, names: &[&RefName],
) -> Result<HashMap<RefName, ObjectId>> {
    let mut found = HashMap::new();
    for names in names.chunks(BATCH) {
        let names: Vec<String> = names.iter().map(|name| name.as_str().to_owned()).collect();
        let rows: Vec<(RefName, ObjectId)> = tx.all(
            sql!(
                "select name, object_id from repository_refs
                 where repository_id = $1 and name in_list($2)"
            ),
            (repository, names),
        )?;
        found.extend(rows);
    }
    Ok(found)
}

/// Branches that point at one of these.
pub fn branches_at(tx: &mut Tx<'_>, repository: i64, ids: &[ObjectId]) -> Result<Vec<Ref>> {
    let mut found = Vec::new();
    for ids in ids.chunks(BATCH) {
        let ids: Vec<String> = ids.iter().map(ObjectId::to_string).collect();
        let rows: Vec<Ref> = tx.all(
            sql!(
                SELECT,
                "where repository_id = $1 and name >= 'refs/heads/' and name < 'refs/heads0'
                    and object_id in_list($2)"
            ),
            (repository, ids),
        )?;
        found.extend(rows);
    }
    Ok(found)
}

/// Those of some new names that cannot be, since a ref stands above or below them,
/// where `gone` are refs that go at the same time.
pub fn blocked(
    tx: &mut Tx<'_>, repository: i64, new: &[&RefName], gone: &HashSet<&str>,
) -> Result<HashSet<RefName>> {
    let mut blocked = blocked_among(new);
    if new.len() > FEW {
        let names: Vec<RefName> = tx.all(
            sql!("select name from repository_refs where repository_id = $1"),
            (repository,),
        )?;
        let there = names.iter().filter(|name| !gone.contains(name.as_str()));
        let there: HashSet<&str> = there.map(RefName::as_str).collect();
        let above: HashSet<&str> = names
            .iter()
            .filter(|name| !gone.contains(name.as_str()))
            .flat_map(RefName::above)
            .collect();
        let is_blocked = |name: &&&RefName| {
            name.above().any(|over| there.contains(over)) || above.contains(name.as_str())
        };
        blocked.extend(new.iter().filter(is_blocked).map(|name| (*name).clone()));
        return Ok(blocked);
    }
    for name in new {
        let over: Vec<String> = name.above().map(str::to_owned).collect();
        let below = format!("{name}/");
        let found: Vec<RefName> = tx.all(
            sql!(
                "select name from repository_refs where repository_id = $1
                    and (name in_list($2) or (name >= $3 and name < $4))"
            ),
            (repository, over, below.as_str(), format!("{name}0")),
        )?;
        if found.iter().any(|other| !gone.contains(other.as_str())) {
            blocked.insert((*name).clone());
        }
    }
    Ok(blocked)
}

/// Those that another one of them stands below.
fn blocked_among(new: &[&RefName]) -> HashSet<RefName> {
    let names: HashSet<&str> = new.iter().map(|name| name.as_str()).collect();
    let is_below = |name: &&&RefName| name.above().any(|over| names.contains(over));
    new.iter().filter(is_below).map(|name| (*name).clone()).collect()
}

/// Writes what some refs point at now.
pub fn put(tx: &mut Tx<'_>, repository: i64, refs: &[Ref]) -> Result<()> {
    for refs in refs.chunks(BATCH) {
        let mut query = Fragment::new(
            "insert into repository_refs (repository_id, name, object_id, peeled_id) values ",
        );
        for (at, one) in refs.iter().enumerate() {
            let comma = if at == 0 { "(" } else { ", (" };
            query
                .raw(comma)
                .bind(repository)
                .push(", ", (&one.name).into_value())
                .push(", ", one.object_id)
                .push(", ", one.peeled_id)
                .raw(")");
        }
        query.raw(
            " on conflict (repository_id, name) do update
              set object_id = excluded.object_id, peeled_id = excluded.peeled_id",
        );
        tx.change_by(query)?;
    }
    Ok(())
}

pub fn delete(tx: &mut Tx<'_>, repository: i64, names: &[&RefName]) -> Result<()> {
    for names in names.chunks(BATCH) {
        let names: Vec<String> = names.iter().map(|name| name.as_str().to_owned()).collect();
        tx.execute(
            sql!("delete from repository_refs where repository_id = $1 and name in_list($2)"),
            (repository, names),
        )?;
    }
    Ok(())
}

/// Gives a new repository the branches and tags of another.
pub fn copy_all(tx: &mut Tx<'_>, from: i64, to: i64) -> Result<()> {
    tx.execute(
        sql!(
            "insert into repository_refs (repository_id, name, object_id, peeled_id)
             select cast($2 as bigint), name, object_id, peeled_id from repository_refs
             where repository_id = $1
                and ((name >= 'refs/heads/' and name < 'refs/heads0')
                    or (name >= 'refs/tags/' and name < 'refs/tags0'))"
        ),
        (from, to),
    )?;
    Ok(())
}

/// Where the first branches by name point, at most so many.
pub fn tips(tx: &mut Tx<'_>, repository: i64, limit: i64) -> Result<Vec<ObjectId>> {
    let rows: Vec<(ObjectId,)> = tx.all(
        sql!(
            "select object_id from repository_refs
             where repository_id = $1 and name >= 'refs/heads/' and name < 'refs/heads0'
             order by name limit $2"
        ),
        (repository, limit),
    )?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// The first branches by name, at most so many.
pub fn first_branches(tx: &mut Tx<'_>, repository: i64, limit: i64) -> Result<Vec<RefName>> {
    first(tx, repository, "refs/heads/", limit)
}

/// The first names that begin so, at most so many.
pub fn first(tx: &mut Tx<'_>, repository: i64, prefix: &str, limit: i64) -> Result<Vec<RefName>> {
    Ok(tx.all(
        sql!(
            "select name from repository_refs
             where repository_id = $1 and name >= $2 and name < $3
             order by name limit $4"
        ),
        (repository, prefix, behind(prefix), limit),
    )?)
}

/// How many branches and how many tags there are.
pub fn counts(tx: &mut Tx<'_>, repository: i64) -> Result<(i64, i64)> {
    Ok(tx.one(
        sql!(
            "select count(*) filter (where name >= 'refs/heads/' and name < 'refs/heads0'),
                count(*) filter (where name >= 'refs/tags/' and name < 'refs/tags0')
             from repository_refs where repository_id = $1"
        ),
        (repository,),
    )?)
}
