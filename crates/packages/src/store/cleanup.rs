//! Cleanup policies, and the files they take away.

use crate::cleanup::model::{Candidate, KeepFiles, Policy, Superfluous};
use kernel::error::Result;
use kernel::time::Timestamp;
use store::{Tx, sql};

pub fn policies(tx: &mut Tx<'_>, projects: &[i64]) -> Result<Vec<Policy>> {
    Ok(tx.all(
        sql!(
            "select project_id, keep_n_duplicated_package_files, next_run_at
             from package_cleanup_policies where project_id in_list($1)"
        ),
        (projects,),
    )?)
}

pub fn save(tx: &mut Tx<'_>, policy: &Policy) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into package_cleanup_policies (project_id, keep_n_duplicated_package_files,
                next_run_at, created_at, updated_at)
             values ($1, $2, $3, $4, $4)
             on conflict (project_id) do update
             set keep_n_duplicated_package_files = excluded.keep_n_duplicated_package_files,
                next_run_at = excluded.next_run_at, updated_at = excluded.updated_at"
        ),
        (
            policy.project_id,
            policy.keep_n_duplicated_package_files,
            policy.next_run_at,
            now,
        ),
    )?;
    Ok(())
}

/// At most `limit` projects whose policy is due, which is due again `next`.
pub fn take_due(tx: &mut Tx<'_>, next: Timestamp, limit: i64) -> Result<Vec<i64>> {
    let now = tx.now();
    Ok(tx.all(
        sql!(
            "update package_cleanup_policies set next_run_at = $2
             where project_id in (select project_id from package_cleanup_policies
                where next_run_at <= $1 order by next_run_at, project_id limit $3)
             returning project_id"
        ),
        (now, next, limit),
    )?)
}

/// What a project keeps, unless that is everything or it is read-only.
pub fn kept_by(tx: &mut Tx<'_>, project_id: i64) -> Result<Option<KeepFiles>> {
    let found: Option<(KeepFiles,)> = tx.optional(
        sql!(
            "select c.keep_n_duplicated_package_files from package_cleanup_policies c
             join projects on projects.id = c.project_id
             where c.project_id = $1 and not projects.archived
                and projects.deletion_scheduled_at is null"
        ),
        (project_id,),
    )?;
    Ok(found.map(|(keep,)| keep).filter(|keep| keep.count().is_some()))
}

/// The packages of a project after this one, in the order of their times.
pub fn candidates(
    tx: &mut Tx<'_>, project_id: i64, after: Option<&Candidate>, limit: i64,
) -> Result<Vec<Candidate>> {
    let (at, id) = after.map_or((Timestamp::UNIX_EPOCH, 0), |one| (one.created_at, one.id));
    Ok(tx.all(
        sql!(
            "select id, package_type, name, version, created_at from packages
             where project_id = $1 and live = 1 and (created_at, id) > ($2, $3)
             order by created_at, id limit $4"
        ),
        (project_id, at, id, limit),
    )?)
}

/// Files of these packages beyond the newest `keep` of their name.
pub fn superfluous(
    tx: &mut Tx<'_>, packages: &[i64], keep: i64, limit: i64,
) -> Result<Vec<Superfluous>> {
    Ok(tx.all(
        sql!(
            "select id, package_id, file_name, size from (
                select f.id, f.package_id, f.file_name, f.size, row_number() over
                    (partition by f.package_id, f.file_name order by f.id desc) as place
                from package_files f
                where f.package_id in_list($1) and f.status = 'default') placed
             where place > $2 order by package_id, id limit $3"
        ),
        (packages, keep, limit),
    )?)
}

/// How many files [`superfluous`] would find without a limit, and their bytes.
pub fn superfluous_sum(tx: &mut Tx<'_>, packages: &[i64], keep: i64) -> Result<(i64, i64)> {
    Ok(tx.one(
        sql!(
            "select count(*), cast(coalesce(sum(size), 0) as bigint) from (
                select f.size, row_number() over
                    (partition by f.package_id, f.file_name order by f.id desc) as place
                from package_files f
                where f.package_id in_list($1) and f.status = 'default') placed
             where place > $2"
        ),
        (packages, keep),
    )?)
}

/// Removes these files; the keys of their blobs.
pub fn remove(tx: &mut Tx<'_>, files: Vec<i64>) -> Result<Vec<String>> {
    Ok(tx.all(
        sql!(
            "delete from package_files where id in_list($1) and status = 'default'
             returning blob_key"
        ),
        (files,),
    )?)
}
