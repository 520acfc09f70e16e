//! `ci_project_settings` and `ci_resource_groups`.

use super::inserts;
use crate::pipelines::model::{ProcessMode, ResourceGroup};
use crate::pipelines::settings::ProjectSettings;
use ::store::{Fragment, FromRow, IntoValue, Tx, Value, sql};
use kernel::error::Result;
use kernel::http::Paging;
use std::collections::HashMap;

/// How the pipelines of a project run.
pub fn of_project(tx: &mut Tx<'_>, project_id: i64) -> Result<ProjectSettings> {
    let row = tx.optional(
        sql!(
            "select ",
            ProjectSettings::COLUMNS,
            " from ci_project_settings where ci_project_settings.project_id = $1"
        ),
        (project_id,),
    )?;
    Ok(row.unwrap_or_default())
}

#[derive(FromRow)]
#[columns("ci_project_settings")]
struct OfProject {
    project_id: i64,
    #[nested]
    settings: ProjectSettings,
}

/// The same of those projects that say something of it.
pub fn of_projects(tx: &mut Tx<'_>, projects: &[i64]) -> Result<Vec<(i64, ProjectSettings)>> {
    if projects.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<OfProject> = tx.all(
        sql!(
            "select ",
            OfProject::COLUMNS,
            " from ci_project_settings where ci_project_settings.project_id in_list($1)"
        ),
        (projects,),
    )?;
    Ok(rows.into_iter().map(|row| (row.project_id, row.settings)).collect())
}

/// Writes how the pipelines of a project run.
pub fn write(tx: &mut Tx<'_>, project_id: i64, new: &ProjectSettings) -> Result<()> {
    tx.run(
        sql!(
            "insert into ci_project_settings (project_id, config_path, auto_cancel_pending,
                build_timeout, default_git_depth, build_git_strategy, separated_caches,
                keep_latest_artifact, public_jobs, forward_deployment_enabled,
                forward_deployment_rollback_allowed, shared_runners, group_runners,
                fork_pipelines_in_parent, limits_job_tokens, dependency_exports)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
             on conflict (project_id) do update set config_path = excluded.config_path,
                auto_cancel_pending = excluded.auto_cancel_pending,
                build_timeout = excluded.build_timeout,
                default_git_depth = excluded.default_git_depth,
                build_git_strategy = excluded.build_git_strategy,
                separated_caches = excluded.separated_caches,
                keep_latest_artifact = excluded.keep_latest_artifact,
                public_jobs = excluded.public_jobs,
                forward_deployment_enabled = excluded.forward_deployment_enabled,
                forward_deployment_rollback_allowed =
                    excluded.forward_deployment_rollback_allowed,
                shared_runners = excluded.shared_runners,
                group_runners = excluded.group_runners,
                fork_pipelines_in_parent = excluded.fork_pipelines_in_parent,
                limits_job_tokens = excluded.limits_job_tokens,
                dependency_exports = excluded.dependency_exports"
        ),
        vec![
            project_id.into_value(),
            new.config_path.clone().into_value(),
            new.auto_cancel_pending.into_value(),
            new.build_timeout.into_value(),
            new.default_git_depth.into_value(),
            new.build_git_strategy.as_str().into_value(),
            new.separated_caches.into_value(),
            new.keep_latest_artifact.into_value(),
            new.public_jobs.into_value(),
            new.forward_deployment_enabled.into_value(),
            new.forward_deployment_rollback_allowed.into_value(),
            new.shared_runners.into_value(),
            new.group_runners.into_value(),
            new.fork_pipelines_in_parent.into_value(),
            new.limits_job_tokens.into_value(),
            new.dependency_exports.into_value(),
        ],
    )
}

/// The ids of some resource groups of a project, made where they are new.
pub fn resource_groups(
    tx: &mut Tx<'_>, project_id: i64, keys: Vec<String>,
) -> Result<HashMap<String, i64>> {
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let now = tx.now();
    let row = |key: &String| -> Vec<Value> {
        vec![
            project_id.into_value(),
            key.as_str().into_value(),
            ProcessMode::Unordered.into_value(),
            now.into_value(),
            now.into_value(),
        ]
    };
    let rows: Vec<Vec<Value>> = keys.iter().map(row).collect();
    let before = "insert into ci_resource_groups (project_id, key, process_mode, created_at,
        updated_at) values";
    for statement in inserts(before, &rows, " on conflict do nothing") {
        tx.change_by(statement)?;
    }
    Ok(tx.pairs(
        sql!(
            "select key, id from ci_resource_groups
             where project_id = $1 and key in_list($2)"
        ),
        (project_id, keys),
    )?)
}

pub fn resource_group(tx: &mut Tx<'_>, id: i64) -> Result<Option<ResourceGroup>> {
    Ok(tx.optional(
        sql!(
            "select ",
            ResourceGroup::COLUMNS,
            " from ci_resource_groups where ci_resource_groups.id = $1"
        ),
        (id,),
    )?)
}

pub fn resource_group_named(
    tx: &mut Tx<'_>, project_id: i64, key: &str,
) -> Result<Option<ResourceGroup>> {
    Ok(tx.optional(
        sql!(
            "select ",
            ResourceGroup::COLUMNS,
            " from ci_resource_groups
             where ci_resource_groups.project_id = $1 and ci_resource_groups.key = $2"
        ),
        (project_id, key),
    )?)
}

/// A page of those of a project by their names, and how many there are.
pub fn resource_groups_page(
    tx: &mut Tx<'_>, project_id: i64, paging: &Paging,
) -> Result<(Vec<ResourceGroup>, i64)> {
    let mut of = Fragment::new("ci_resource_groups.project_id = ");
    of.bind(project_id);
    let total = spaces::store::count(tx, "ci_resource_groups", &of)?;
    let mut list = Fragment::new(::store::concat!(
        "select ",
        ResourceGroup::COLUMNS,
        " from ci_resource_groups where "
    ));
    list.append(of).raw(" order by ci_resource_groups.key");
    list.push(" limit ", paging.fetch()).push(" offset ", paging.offset());
    Ok((tx.query(list)?, total))
}

pub fn set_process_mode(tx: &mut Tx<'_>, id: i64, mode: ProcessMode) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!("update ci_resource_groups set process_mode = $2, updated_at = $3 where id = $1"),
        (id, mode, now),
    )
}
