//! Tags, and names to search in.

use super::NPM;
use crate::model::Package;
use crate::scope::Scope;
use crate::store::index::{SHOWN, first, with_words};
use crate::store::packages;
use kernel::error::Result;
use store::{Tx, sql};

/// Most tags of a name: a packument shows all of them.
pub const MAX_TAGS: i64 = 1_000;

/// The tags of a name and the versions they are on, the one that counts last
/// where several projects have one.
pub fn tags(tx: &mut Tx<'_>, scope: &Scope, name: &str) -> Result<Vec<(String, String)>> {
    let select = "select t.name, p.version from packages p
         join package_tags t on t.package_id = p.id where p.version is not null and ";
    let mut query = scope.of_format(NPM).select(select);
    query
        .push(" and p.name_key = ", name)
        .raw(SHOWN)
        .raw(" order by t.updated_at, t.id");
    Ok(tx.query(query)?)
}

/// How many tags a name has in a project.
pub fn count_tags(tx: &mut Tx<'_>, project_id: i64, name: &str) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from package_tags where project_id = $1 and name_key = $2"),
        (project_id, name),
    )?)
}

/// Puts a tag on a version, from whichever it is on.
pub fn set_tag(tx: &mut Tx<'_>, package: &Package, tag: &str) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into package_tags (project_id, name_key, package_id, name, created_at,
                updated_at)
             values ($1, $2, $3, $4, $5, $5)
             on conflict (project_id, name_key, name) do update
             set package_id = excluded.package_id, updated_at = excluded.updated_at"
        ),
        (package.project_id, package.name.as_str(), package.id, tag, now),
    )?;
    packages::touch(tx, package.id)
}

pub fn remove_tag(tx: &mut Tx<'_>, package: &Package, tag: &str) -> Result<()> {
    tx.execute(
        sql!("delete from package_tags where project_id = $1 and name_key = $2 and name = $3"),
        (package.project_id, package.name.as_str(), tag),
    )?;
    packages::touch(tx, package.id)
}

/// The project and version of the package that has this tag; of several
/// projects' the newest.
pub fn tagged(
    tx: &mut Tx<'_>, scope: &Scope, name: &str, tag: &str,
) -> Result<Option<(i64, String)>> {
    let select = "select p.project_id, p.version from packages p
         join package_tags t on t.package_id = p.id where p.version is not null and ";
    let mut query = scope.of_format(NPM).select(select);
    query
        .push(" and p.name_key = ", name)
        .raw(" and p.live = 1")
        .push(" and t.name = ", tag)
        .raw(" order by t.updated_at desc, t.id desc limit 1");
    first(tx, query)
}

#[derive(Debug, Default)]
pub struct PackumentQuery {
    /// Words that the name has to hold, folded.
    pub words: Vec<String>,
    /// Results left out at the beginning.
    pub from: i64,
    pub size: i64,
}

/// Names that hold all words, by the id of the version tagged `latest` or
/// else the newest, in the order of names; and how many there are in all.
pub fn search(tx: &mut Tx<'_>, scope: &Scope, wanted: &PackumentQuery) -> Result<(Vec<i64>, i64)> {
    let select = "select coalesce(max(t.package_id), max(p.id)), count(*) over () from packages p
         left join package_tags t on t.package_id = p.id and t.name = 'latest' where ";
    let mut query = scope.of_format(NPM).select(select);
    query.raw(SHOWN);
    with_words(&mut query, &wanted.words);
    query
        .push(" group by p.name_key order by p.name_key limit ", wanted.size)
        .push(" offset ", wanted.from);
    let found: Vec<(i64, i64)> = tx.query(query)?;
    let total = found.first().map_or(0, |(_, total)| *total);
    Ok((found.into_iter().map(|(id, _)| id).collect(), total))
}
