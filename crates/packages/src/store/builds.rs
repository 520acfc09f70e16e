//! `package_builds`.

use crate::model::PackageFile;
use ::store::{Tx, sql};
use kernel::error::Result;

/// A thing, and the id of a pipeline that built it.
type Pairs = Vec<(i64, i64)>;

pub fn insert(tx: &mut Tx<'_>, file: &PackageFile, pipeline_id: i64) -> Result<()> {
    tx.run(
        sql!(
            "insert into package_builds (package_id, package_file_id, pipeline_id)
             values ($1, $2, $3) on conflict do nothing"
        ),
        (file.package_id, file.id, pipeline_id),
    )
}

/// The newest pipelines of some packages, each so many at most.
pub fn newest_of_packages(tx: &mut Tx<'_>, packages: Vec<i64>, most: i64) -> Result<Pairs> {
    Ok(tx.all(
        sql!(
            "select package_id, pipeline_id from (
                select package_id, pipeline_id,
                    row_number() over (partition by package_id order by pipeline_id desc) as place
                from (select distinct package_id, pipeline_id from package_builds
                    where package_id in_list($1)) built) placed
             where place <= $2 order by package_id, pipeline_id desc"
        ),
        (packages, most),
    )?)
}

pub fn of_files(tx: &mut Tx<'_>, files: Vec<i64>) -> Result<Pairs> {
    Ok(tx.all(
        sql!(
            "select package_file_id, pipeline_id from package_builds
             where package_file_id in_list($1)"
        ),
        (files,),
    )?)
}

/// The ids of the pipelines of a package, the newest first, after one.
pub fn of_package(
    tx: &mut Tx<'_>, package: i64, after: Option<i64>, most: i64,
) -> Result<Vec<i64>> {
    let after = after.unwrap_or(i64::MAX);
    Ok(tx.all(
        sql!(
            "select distinct pipeline_id from package_builds
             where package_id = $1 and pipeline_id < $2 order by pipeline_id desc limit $3"
        ),
        (package, after, most),
    )?)
}
