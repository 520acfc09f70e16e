//! SQL about which file is where in which revision.

use super::address::{MANIFEST, Recipe, RevisionPath};
use crate::keys::{name_key, package_version_key};
use crate::model::{PackageFile, PackageType};
use crate::scope::Scope;
use crate::store::index::{FETCHED, SHOWN, first};
use ::store::{Fragment, FromRow, Tx, sql};
use jiff::Timestamp;
use kernel::error::Result;

/// Most files or revisions of one answer, and most files deleted at once
/// (docs/interface/packages.md 2.7).
pub const MAX: i64 = 1_000;
/// Most manifests and infos looked at to list binary packages.
const MAX_INFOS: i64 = 20_000;
/// Most recipes a search looks at.
const MAX_RECIPES: i64 = 50_000;

/// A file and its path within its revision.
#[derive(FromRow)]
#[columns("f")]
pub struct RevisionFile {
    #[nested]
    pub file: PackageFile,
    #[column("c.file_name")]
    pub path: String,
    /// What is kept of it, as JSON text.
    pub metadata: Option<String>,
}

/// A revision and when it was complete.
#[derive(FromRow)]
pub struct Revision {
    pub revision: String,
    pub created_at: Timestamp,
}

/// A manifest or info of a binary package.
#[derive(FromRow)]
pub struct About {
    pub reference: String,
    pub revision: String,
    pub path: String,
    pub metadata: Option<String>,
}

/// The package of a recipe that clients may fetch; of several projects' the
/// newest.
pub fn package(tx: &mut Tx<'_>, scope: &Scope, recipe: &Recipe) -> Result<Option<i64>> {
    let of = PackageType::Conan;
    let key = package_version_key(of, Some(&recipe.version), Some(&recipe.full()));
    let mut query = scope.of_format(of).select("select p.id from packages p where ");
    query
        .push(" and p.name_key = ", name_key(of, &recipe.name))
        .push(" and p.version_key = ", key)
        .raw(FETCHED)
        .raw(" order by p.id desc limit 1");
    first(tx, query)
}

/// The full names of the recipes that begin so, and the paths of their
/// projects.
pub fn recipes(tx: &mut Tx<'_>, scope: &Scope, beginning: &str) -> Result<Vec<(String, String)>> {
    let select = "select p.conan_name, projects.full_path from packages p
         join projects on projects.id = p.project_id where ";
    let mut query = scope.of_format(PackageType::Conan).select(select);
    query.raw(SHOWN);
    if !beginning.is_empty() {
        query
            .push(" and p.name_folded >= ", beginning)
            .push(" and p.name_folded < ", format!("{beginning}\u{10FFFF}"));
    }
    query
        .raw(" and p.conan_name is not null")
        .push(" order by p.name, p.version_key, p.id limit ", MAX_RECIPES);
    Ok(tx.query(query)?)
}

/// Reference and revision of a place, both empty for a recipe's own.
fn binary(place: &RevisionPath) -> (&str, &str) {
    match &place.binary {
        Some((reference, revision)) => (reference, revision),
        None => ("", ""),
    }
}

const FILES: &str = " from conan_files c join package_files f on f.id = c.file_id where ";
/// The files of a place, which is the first four parameters.
const AT_PLACE: &str = ::store::concat!(
    "select ",
    RevisionFile::COLUMNS,
    FILES,
    "c.package_id = $1 and c.recipe_revision = $2 and c.package_reference = $3
        and c.package_revision = $4 and f.status = 'default'"
);

/// The files of a revision, by path; at most [`MAX`].
pub fn files(tx: &mut Tx<'_>, package_id: i64, place: &RevisionPath) -> Result<Vec<RevisionFile>> {
    let (reference, revision) = binary(place);
    Ok(tx.all(
        sql!(AT_PLACE, " order by c.file_name limit $5"),
        (package_id, &place.recipe_revision, reference, revision, MAX),
    )?)
}

/// Those files of a revision that have one of these paths.
pub fn files_named(
    tx: &mut Tx<'_>, package_id: i64, place: &RevisionPath, paths: &[String],
) -> Result<Vec<RevisionFile>> {
    let (reference, revision) = binary(place);
    Ok(tx.all(
        sql!(AT_PLACE, " and c.file_name in_list($5)"),
        (package_id, &place.recipe_revision, reference, revision, paths),
    )?)
}

/// The file of a revision that has this path.
pub fn file(
    tx: &mut Tx<'_>, package_id: i64, place: &RevisionPath, path: &str,
) -> Result<Option<PackageFile>> {
    let found = files_named(tx, package_id, place, &[path.to_owned()])?;
    Ok(found.into_iter().next().map(|kept| kept.file))
}

/// The complete revisions of a recipe, newest first.
pub fn revisions(tx: &mut Tx<'_>, package_id: i64, most: i64) -> Result<Vec<Revision>> {
    Ok(tx.all(
        sql!(
            "select c.recipe_revision as revision, f.created_at
             from conan_files c join package_files f on f.id = c.file_id
             where c.package_id = $1 and c.package_reference = '' and c.file_name = $2
                and f.status = 'default'
             order by c.file_id desc limit $3"
        ),
        (package_id, MANIFEST, most),
    )?)
}

/// The complete revisions of a binary package of a recipe's revision, newest
/// first.
pub fn binary_revisions(
    tx: &mut Tx<'_>, package_id: i64, (recipe_revision, reference): (&str, &str), most: i64,
) -> Result<Vec<Revision>> {
    Ok(tx.all(
        sql!(
            "select c.package_revision as revision, f.created_at
             from conan_files c join package_files f on f.id = c.file_id
             where c.package_id = $1 and c.package_reference = $2 and c.file_name = $3
                and c.recipe_revision = $4 and f.status = 'default'
             order by c.file_id desc limit $5"
        ),
        (package_id, reference, MANIFEST, recipe_revision, most),
    )?)
}

/// Manifests and infos of the binary packages of a recipe's revision, newest
/// first.
pub fn infos(tx: &mut Tx<'_>, package_id: i64, recipe_revision: &str) -> Result<Vec<About>> {
    Ok(tx.all(
        sql!(
            "select c.package_reference as reference, c.package_revision as revision,
                c.file_name as path, f.metadata
             from conan_files c join package_files f on f.id = c.file_id
             where c.package_id = $1 and c.recipe_revision = $2 and c.package_reference > ''
                and c.file_name in ('conanmanifest.txt', 'conaninfo.txt') and f.status = 'default'
             order by c.file_id desc limit $3"
        ),
        (package_id, recipe_revision, MAX_INFOS),
    )?)
}

/// Whether there is any file of this revision of the recipe itself.
pub fn has_recipe(tx: &mut Tx<'_>, package_id: i64, recipe_revision: &str) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!(
            "select c.file_id from conan_files c join package_files f on f.id = c.file_id
             where c.package_id = $1 and c.recipe_revision = $2 and c.package_reference = ''
                and c.package_revision = '' and f.status = 'default' limit 1"
        ),
        (package_id, recipe_revision),
    )?;
    Ok(found.is_some())
}

/// Whether there is any file of another revision of the recipe.
pub fn has_other_recipe(tx: &mut Tx<'_>, package_id: i64, recipe_revision: &str) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!(
            "select c.file_id from conan_files c join package_files f on f.id = c.file_id
             where c.package_id = $1 and c.recipe_revision <> $2 and f.status = 'default' limit 1"
        ),
        (package_id, recipe_revision),
    )?;
    Ok(found.is_some())
}

/// The files of a revision of a recipe and of its binary packages; one more
/// than [`MAX`] at most.
pub fn all_in_recipe(tx: &mut Tx<'_>, package_id: i64, recipe_revision: &str) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select f.id from conan_files c join package_files f on f.id = c.file_id
             where c.package_id = $1 and c.recipe_revision = $2 and f.status = 'default'
             order by f.id limit $3"
        ),
        (package_id, recipe_revision, MAX + 1),
    )?)
}

/// The files of the binary packages of a revision of a recipe; of these alone,
/// unless none are named. One more than [`MAX`] at most.
pub fn all_of_binaries(
    tx: &mut Tx<'_>, package_id: i64, recipe_revision: &str, references: &[String],
) -> Result<Vec<i64>> {
    let mut query = Fragment::new(
        "select f.id from conan_files c join package_files f on f.id = c.file_id where ",
    );
    query
        .push("c.package_id = ", package_id)
        .push(" and c.recipe_revision = ", recipe_revision)
        .raw(" and c.package_reference > '' and f.status = 'default'");
    if !references.is_empty() {
        query.raw(" and ").in_list("c.package_reference", references.to_vec());
    }
    query.push(" order by f.id limit ", MAX + 1);
    Ok(tx.query(query)?)
}

/// Says where a file is, which takes the place of one that was there.
pub fn put(tx: &mut Tx<'_>, file: &PackageFile, place: &RevisionPath, path: &str) -> Result<()> {
    let (reference, revision) = binary(place);
    tx.execute(
        sql!(
            "insert into conan_files (file_id, package_id, recipe_revision, package_reference,
                package_revision, file_name)
             values ($1, $2, $3, $4, $5, $6)
             on conflict (package_id, recipe_revision, package_reference, package_revision,
                file_name)
             do update set file_id = excluded.file_id"
        ),
        (file.id, file.package_id, &place.recipe_revision, reference, revision, path),
    )?;
    Ok(())
}
