//! Projects, written one by one.

use crate::model::{ImportStatus, OverrideRole, Project};
use crate::store::forks;
use crate::store::searched::PROJECTS;
use jiff::SignedDuration;
use kernel::error::Result;
use kernel::ids::fold;
use kernel::search::index;
use serde_json::json;
use store::{Tx, sql};

pub struct NewProject<'n> {
    pub namespace_id: i64,
    pub name: &'n str,
    pub path: &'n str,
    pub full_path: &'n str,
    pub visibility: i64,
    pub creator_id: i64,
}

/// Adds a project, unless its name or path is taken; its id. Its path leads
/// nowhere else then.
pub fn insert(tx: &mut Tx<'_>, new: &NewProject<'_>) -> Result<Option<i64>> {
    let now = tx.now();
    let folded = fold(new.full_path);
    let id: Option<i64> = tx.optional(
        sql!(
            "insert into projects (namespace_id, name, name_folded, path, path_folded, full_path,
                full_path_folded, visibility, topics, creator_id, features, last_activity_at,
                created_at, updated_at, unique_name)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $12, $2)
             on conflict do nothing returning id"
        ),
        (
            new.namespace_id,
            new.name,
            fold(new.name),
            new.path,
            fold(new.path),
            new.full_path,
            &folded,
            new.visibility,
            json!([]),
            new.creator_id,
            json!({}),
            now,
        ),
    )?;
    if let Some(id) = id {
        tx.execute(sql!("delete from project_redirects where full_path_folded = $1"), (&folded,))?;
        index(tx, &PROJECTS, &[id])?;
    }
    Ok(id)
}

/// Writes the settings of a project; name and path are moved by
/// [`super::namespaces::replace_project`].
pub fn write(tx: &mut Tx<'_>, project: &Project) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update projects set description = $2, visibility = $3, default_branch = $4,
                topics = $5, merge_method = $6, squash_option = $7, request_access_enabled = $8,
                packages_enabled = $9, features = $10, updated_at = $11,
                description_folded = $12, enforce_auth_checks_on_uploads = $13,
                autoclose_referenced_issues = $14, lfs_enabled = $15,
                mr_default_target_self = $16
             where id = $1"
        ),
        (
            project.id,
            &project.description,
            project.visibility,
            &project.default_branch,
            project.topics.clone(),
            &project.merge_method,
            &project.squash_option,
            project.request_access_enabled,
            project.packages_enabled,
            project.features.clone(),
            now,
            project.description.as_deref().map(fold),
            project.enforce_auth_checks_on_uploads,
            project.autoclose_referenced_issues,
            project.lfs_enabled,
            project.mr_default_target_self,
        ),
    )?;
    Ok(index(tx, &PROJECTS, &[project.id])?)
}

/// Writes down whether who started a pipeline may approve its deployments.
pub fn set_trigger_approves(tx: &mut Tx<'_>, id: i64, approves: bool) -> Result<()> {
    tx.execute(
        sql!("update projects set allow_pipeline_trigger_approve_deployment = $2 where id = $1"),
        (id, approves),
    )?;
    Ok(())
}

/// Writes down whether it may follow another repository.
pub fn set_pull_mirror_enabled(tx: &mut Tx<'_>, id: i64, enabled: bool) -> Result<()> {
    tx.execute(
        sql!("update projects set pull_mirror_enabled = $2 where id = $1"),
        (id, enabled),
    )?;
    Ok(())
}

/// Writes down how far what it begins with is.
pub fn set_import(
    tx: &mut Tx<'_>, id: i64, status: ImportStatus, error: Option<&str>,
) -> Result<()> {
    tx.execute(
        sql!("update projects set import_status = $2, import_error = $3 where id = $1"),
        (id, status, error),
    )?;
    Ok(())
}

/// Writes down who may give variables to its pipelines.
pub fn set_pipeline_variables_role(tx: &mut Tx<'_>, id: i64, role: OverrideRole) -> Result<()> {
    tx.execute(
        sql!("update projects set ci_pipeline_variables_minimum_override_role = $2 where id = $1"),
        (id, role),
    )?;
    Ok(())
}

/// Moves the last activity to now. Work of the same second moves it once, so
/// that many who work at once do not get in each other's way.
pub fn touch_activity(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    let before = now - SignedDuration::from_secs(1);
    tx.execute(
        sql!("update projects set last_activity_at = $2 where id = $1 and last_activity_at <= $3"),
        (id, now, before),
    )?;
    Ok(())
}

/// Notes that something of it changed.
pub fn touch(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(sql!("update projects set updated_at = $2 where id = $1"), (id, now))?;
    Ok(())
}

/// Writes down which branch the code has as its default one.
pub fn set_default_branch(tx: &mut Tx<'_>, id: i64, branch: &str) -> Result<()> {
    tx.execute(
        sql!(
            "update projects set default_branch = $2
             where id = $1 and (default_branch is null or default_branch <> $2)"
        ),
        (id, branch),
    )?;
    Ok(())
}

pub fn own_namespace(tx: &mut Tx<'_>, user_id: i64) -> Result<Option<i64>> {
    Ok(tx.optional(
        sql!(
            "select id from namespaces where owner_id = $1 and kind = 'user'
                and deletion_scheduled_at is null"
        ),
        (user_id,),
    )?)
}

pub fn count_in(tx: &mut Tx<'_>, namespace_id: i64) -> Result<i64> {
    Ok(tx.one(sql!("select count(*) from projects where namespace_id = $1"), (namespace_id,))?)
}

/// Projects that stand right in a namespace, also those being deleted.
pub fn ids_in(tx: &mut Tx<'_>, namespace_id: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!("select id from projects where namespace_id = $1 order by id"),
        (namespace_id,),
    )?)
}

pub fn set_archived(tx: &mut Tx<'_>, id: i64, archived: bool) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!("update projects set archived = $2, updated_at = $3 where id = $1"),
        (id, archived, now),
    )?;
    Ok(())
}

pub fn hide(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update projects set deletion_scheduled_at = $2, unique_name = null,
                full_path_folded = '-/deleted/' || cast(id as text) where id = $1"
        ),
        (id, now),
    )?;
    let sources: Vec<i64> = tx.all(
        sql!(
            "select forked_from_id from projects
             where id = $1 and forked_from_id is not null"
        ),
        (id,),
    )?;
    forks::recount(tx, &sources)?;
    tx.execute(sql!("delete from project_redirects where project_id = $1"), (id,))?;
    Ok(())
}
