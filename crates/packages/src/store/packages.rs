//! Packages one at a time, their tags and the counter of a project.

use crate::keys::{name_key, package_version_key, version_key};
use crate::model::{Package, PackageType, Status, Tag};
use crate::readme::Readme;
use crate::store::searched::PACKAGES;
use kernel::error::Result;
use kernel::search::index;
use kernel::time::{Timestamp, wire};
use schemars::JsonSchema;
use serde::Serialize;
use store::{FromRow, Tx, sql};

const SELECT: &str = store::concat!("select ", Package::COLUMNS, " from packages p ");

/// A package of this project that is not destroyed.
pub fn package_in(tx: &mut Tx<'_>, project_id: i64, id: i64) -> Result<Option<Package>> {
    Ok(tx.optional(
        sql!(SELECT, "where p.id = $1 and p.project_id = $2 and p.live = 1"),
        (id, project_id),
    )?)
}

/// The project of a package that is not destroyed.
pub fn project_of(tx: &mut Tx<'_>, id: i64) -> Result<Option<i64>> {
    Ok(tx.optional(sql!("select project_id from packages where id = $1 and live = 1"), (id,))?)
}

pub fn find(
    tx: &mut Tx<'_>, project_id: i64, package_type: PackageType, name: &str, version: Option<&str>,
) -> Result<Option<Package>> {
    let version = version_key(package_type, version);
    find_keyed(tx, project_id, package_type, name, &version)
}

/// The package of this name and of what its version is compared by.
pub fn find_keyed(
    tx: &mut Tx<'_>, project_id: i64, package_type: PackageType, name: &str, version_key: &str,
) -> Result<Option<Package>> {
    Ok(tx.optional(
        sql!(
            SELECT,
            "where p.project_id = $1 and p.package_type = $2 and p.name_key = $3
                and p.version_key = $4 and p.live = 1"
        ),
        (project_id, package_type, name_key(package_type, name), version_key),
    )?)
}

pub struct NewPackage<'n> {
    pub project_id: i64,
    pub package_type: PackageType,
    pub name: &'n str,
    pub version: Option<&'n str>,
    pub recipe: Option<&'n str>,
    pub status: Status,
    pub creator_id: Option<i64>,
}

/// Adds the package unless its name and version are taken; true if added.
/// Of many at once exactly one is.
pub fn insert(tx: &mut Tx<'_>, new: &NewPackage<'_>) -> Result<bool> {
    let now = tx.now();
    let added: Option<i64> = tx.optional(
        sql!(
            "insert into packages (project_id, package_type, type_order, name, name_folded,
                name_key, version, version_key, conan_name, status, creator_id, live, created_at,
                updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1, $12, $12)
             on conflict (project_id, package_type, name_key, version_key, live) do nothing
             returning id"
        ),
        (
            new.project_id,
            new.package_type,
            new.package_type.order(),
            new.name,
            kernel::ids::fold(new.name),
            name_key(new.package_type, new.name),
            new.version,
            package_version_key(new.package_type, new.version, new.recipe),
            new.recipe,
            new.status,
            new.creator_id,
            now,
        ),
    )?;
    index(tx, &PACKAGES, added.as_slice())?;
    Ok(added.is_some())
}

/// Marks that a package, its files or tags changed now.
pub fn touch(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(sql!("update packages set updated_at = $2 where id = $1"), (id, now))?;
    stamp(tx, &[id])
}

/// Counts a change of what the names of these packages offer, which makes
/// documents made before it stale.
fn stamp(tx: &mut Tx<'_>, ids: &[i64]) -> Result<()> {
    tx.execute(
        sql!(
            "insert into package_names (project_id, package_type, name_key, stamp)
             select distinct project_id, package_type, name_key, 1 from packages
             where id in_list($1)
             on conflict (project_id, package_type, name_key) do update
             set stamp = package_names.stamp + 1"
        ),
        (ids,),
    )?;
    Ok(())
}

/// Replaces what the format keeps of a package, as JSON text.
pub fn set_metadata(tx: &mut Tx<'_>, id: i64, metadata: &str) -> Result<()> {
    tx.execute(sql!("update packages set metadata = $2 where id = $1"), (id, metadata))?;
    Ok(())
}

/// Moves a package to another state; its project's counter follows.
pub fn set_status(tx: &mut Tx<'_>, package: &Package, status: Status) -> Result<()> {
    tx.execute(sql!("update packages set status = $2 where id = $1"), (package.id, status))?;
    let moved = Package { status, ..package.clone() };
    let change = i64::from(moved.is_listed()) - i64::from(package.is_listed());
    if change != 0 {
        add_to_count(tx, package.project_id, change)?;
    }
    touch(tx, package.id)
}

/// Takes packages of one project out of everyone's sight and frees their names.
pub fn mark_destroyed(tx: &mut Tx<'_>, ids: &[i64]) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update packages set status = 'pending_destruction', live = null, updated_at = $2
             where id in_list($1)"
        ),
        (ids, now),
    )?;
    stamp(tx, ids)
}

/// Adds to the number of listed packages of a project.
pub fn add_to_count(tx: &mut Tx<'_>, project_id: i64, change: i64) -> Result<()> {
    tx.execute(
        sql!(
            "insert into package_counts (project_id, displayable) values ($1, $2)
             on conflict (project_id) do update
             set displayable = package_counts.displayable + excluded.displayable"
        ),
        (project_id, change),
    )?;
    Ok(())
}

/// How many packages the default list of a project has.
pub fn count_of(tx: &mut Tx<'_>, project_id: i64) -> Result<i64> {
    let count: Option<i64> = tx.optional(
        sql!("select displayable from package_counts where project_id = $1"),
        (project_id,),
    )?;
    Ok(count.unwrap_or(0))
}

/// The tags of some packages, oldest first.
pub fn tags_of(tx: &mut Tx<'_>, package_ids: Vec<i64>) -> Result<Vec<Tag>> {
    Ok(tx.all(
        sql!(
            "select ",
            Tag::COLUMNS,
            " from package_tags t where t.package_id in_list($1) order by t.package_id, t.id"
        ),
        (package_ids,),
    )?)
}

/// Most versions shown beside a package: what one answer can sensibly hold.
const MAX_VERSIONS: i64 = 10_000;

/// Another version of a package.
#[derive(Debug, Clone, FromRow, Serialize, JsonSchema)]
pub struct OtherVersion {
    /// The id of that package.
    pub id: i64,
    /// Its version.
    pub version: Option<String>,
    /// When it was published.
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
}

/// The other displayable versions of a package, by version text; not what else
/// has its version, as recipes of conan may, nor what has none, as maven's
/// lists of versions.
pub fn other_versions(tx: &mut Tx<'_>, package: &Package) -> Result<Vec<OtherVersion>> {
    Ok(tx.all(
        sql!(
            "select id, version, created_at from packages
             where project_id = $1 and package_type = $2 and name_key = $3
                and version <> '' and version <> $4
                and live = 1 and status in ('default', 'deprecated', 'error')
             order by version_key, id limit $5"
        ),
        (
            package.project_id,
            package.package_type,
            name_key(package.package_type, &package.name),
            package.version.as_deref().unwrap_or_default(),
            MAX_VERSIONS,
        ),
    )?)
}

/// One page of the displayable versions of a name, the newest first, and how
/// many there are.
pub fn versions_of(
    tx: &mut Tx<'_>, package: &Package, limit: i64, offset: i64,
) -> Result<(Vec<Package>, i64)> {
    let name = name_key(package.package_type, &package.name);
    let of = (package.project_id, package.package_type, name.clone());
    let total = tx.one(
        sql!(
            "select count(*) from packages
             where project_id = $1 and package_type = $2 and name_key = $3
                and version is not null and live = 1
                and status in ('default', 'deprecated', 'error')"
        ),
        of,
    )?;
    let found = tx.all(
        sql!(
            SELECT,
            "where p.project_id = $1 and p.package_type = $2 and p.name_key = $3
                and p.version is not null and p.live = 1
                and p.status in ('default', 'deprecated', 'error')
             order by p.created_at desc, p.id desc limit $4 offset $5"
        ),
        (package.project_id, package.package_type, name, limit, offset),
    )?;
    Ok((found, total))
}

/// Keeps the README of a package in place of the one before.
pub fn set_readme(tx: &mut Tx<'_>, id: i64, readme: &Readme) -> Result<()> {
    tx.execute(
        sql!(
            "insert into package_readmes (package_id, content, markdown) values ($1, $2, $3)
             on conflict (package_id) do update
             set content = excluded.content, markdown = excluded.markdown"
        ),
        (id, readme.content.as_str(), readme.markdown),
    )?;
    Ok(())
}

/// Forgets it.
pub fn remove_readme(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from package_readmes where package_id = $1"), (id,))?;
    Ok(())
}

pub fn readme(tx: &mut Tx<'_>, id: i64) -> Result<Option<Readme>> {
    Ok(tx.optional(
        sql!("select content, markdown from package_readmes where package_id = $1"),
        (id,),
    )?)
}

/// What the format keeps of a package, as JSON text.
pub fn metadata(tx: &mut Tx<'_>, id: i64) -> Result<Option<String>> {
    Ok(tx.one(sql!("select metadata from packages where id = $1"), (id,))?)
}

/// Adds downloads of a package on one day and remembers the last.
pub fn record_downloads(
    tx: &mut Tx<'_>, package_id: i64, day: &str, count: i64, last_at: Timestamp,
) -> Result<bool> {
    let known = tx.execute(
        sql!(
            "update packages set download_count = download_count + $2, last_downloaded_at =
                case when last_downloaded_at > $3 then last_downloaded_at else $3 end
             where id = $1"
        ),
        (package_id, count, last_at),
    )?;
    if known == 0 {
        return Ok(false);
    }
    tx.execute(
        sql!(
            "insert into package_downloads (package_id, day, count) values ($1, $2, $3)
             on conflict (package_id, day) do update
             set count = package_downloads.count + excluded.count"
        ),
        (package_id, day, count),
    )?;
    Ok(true)
}

/// Downloads of a package on its last 30 days that had any, oldest first.
pub fn downloads_by_day(tx: &mut Tx<'_>, package_id: i64) -> Result<Vec<(String, i64)>> {
    let mut days: Vec<(String, i64)> = tx.all(
        sql!(
            "select day, count from package_downloads where package_id = $1
             order by day desc limit 30"
        ),
        (package_id,),
    )?;
    days.reverse();
    Ok(days)
}
