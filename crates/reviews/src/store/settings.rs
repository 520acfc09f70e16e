//! `merge_request_settings`.

use crate::model::Settings;
use ::store::{FromRow, Tx, sql};
use kernel::error::Result;
use std::collections::HashMap;

#[derive(FromRow)]
#[columns("merge_request_settings")]
struct Row {
    project_id: i64,
    #[nested]
    settings: Settings,
}

/// The settings of a project as it shows them, if it has others than the usual ones.
#[derive(FromRow)]
#[columns("merge_request_settings")]
struct ShownRow {
    #[column("projects.id")]
    id: i64,
    remove_source_branch: Option<bool>,
    pipelines_must_succeed: Option<bool>,
    skipped_pipelines_pass: Option<bool>,
    threads_must_be_resolved: Option<bool>,
    resolve_outdated_threads: Option<bool>,
    print_links: Option<bool>,
    merged_results: Option<bool>,
    automatic_rebase: Option<bool>,
    merge_commit_template: Option<String>,
    squash_commit_template: Option<String>,
    suggestion_commit_message: Option<String>,
    title_pattern: Option<String>,
    issue_branch_template: Option<String>,
    #[column(
        "(select max(approval_rules.approvals_required) from approval_rules
        where approval_rules.project_id = projects.id
            and approval_rules.rule_type = 'any_approver')"
    )]
    approvals: Option<i64>,
}

/// The settings of a project, the usual ones where it has no others.
pub fn of_project(tx: &mut Tx<'_>, project_id: i64) -> Result<Settings> {
    Ok(of_projects(tx, &[project_id])?.remove(&project_id).unwrap_or_default())
}

/// Those of projects that have others than the usual ones.
pub fn of_projects(tx: &mut Tx<'_>, projects: &[i64]) -> Result<HashMap<i64, Settings>> {
    let rows: Vec<Row> = tx.all(
        sql!(
            "select ",
            Row::COLUMNS,
            " from merge_request_settings where project_id in_list($1)"
        ),
        (projects,),
    )?;
    Ok(rows.into_iter().map(|row| (row.project_id, row.settings)).collect())
}

/// The settings of projects as they show them, with how many have to approve whoever they
/// are, in one statement.
pub fn shown(tx: &mut Tx<'_>, projects: &[i64]) -> Result<HashMap<i64, (Settings, i64)>> {
    let rows: Vec<ShownRow> = tx.all(
        sql!(
            "select ",
            ShownRow::COLUMNS,
            " from projects
             left join merge_request_settings on merge_request_settings.project_id = projects.id
             where projects.id in_list($1)"
        ),
        (projects,),
    )?;
    let usual = Settings::default();
    let shown = |row: ShownRow| {
        let settings = Settings {
            remove_source_branch: row.remove_source_branch.unwrap_or(usual.remove_source_branch),
            pipelines_must_succeed: row.pipelines_must_succeed.unwrap_or_default(),
            skipped_pipelines_pass: row.skipped_pipelines_pass.unwrap_or_default(),
            threads_must_be_resolved: row.threads_must_be_resolved.unwrap_or_default(),
            resolve_outdated_threads: row.resolve_outdated_threads.unwrap_or_default(),
            print_links: row.print_links.unwrap_or(usual.print_links),
            merged_results: row.merged_results.unwrap_or_default(),
            automatic_rebase: row.automatic_rebase.unwrap_or_default(),
            merge_commit_template: row.merge_commit_template,
            squash_commit_template: row.squash_commit_template,
            suggestion_commit_message: row.suggestion_commit_message,
            title_pattern: row.title_pattern,
            issue_branch_template: row.issue_branch_template,
        };
        (row.id, (settings, row.approvals.unwrap_or_default()))
    };
    Ok(rows.into_iter().map(shown).collect())
}

/// Writes the settings of a project.
pub fn write(tx: &mut Tx<'_>, project_id: i64, settings: &Settings) -> Result<()> {
    tx.execute(
        sql!(
            "insert into merge_request_settings (project_id, remove_source_branch,
                pipelines_must_succeed, skipped_pipelines_pass, threads_must_be_resolved,
                resolve_outdated_threads, print_links, merge_commit_template,
                squash_commit_template, suggestion_commit_message, title_pattern,
                merged_results, automatic_rebase, issue_branch_template)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
             on conflict (project_id) do update set
                remove_source_branch = excluded.remove_source_branch,
                pipelines_must_succeed = excluded.pipelines_must_succeed,
                skipped_pipelines_pass = excluded.skipped_pipelines_pass,
                threads_must_be_resolved = excluded.threads_must_be_resolved,
                resolve_outdated_threads = excluded.resolve_outdated_threads,
                print_links = excluded.print_links,
                merge_commit_template = excluded.merge_commit_template,
                squash_commit_template = excluded.squash_commit_template,
                suggestion_commit_message = excluded.suggestion_commit_message,
                title_pattern = excluded.title_pattern,
                merged_results = excluded.merged_results,
                automatic_rebase = excluded.automatic_rebase,
                issue_branch_template = excluded.issue_branch_template"
        ),
        (
            project_id,
            settings.remove_source_branch,
            settings.pipelines_must_succeed,
            settings.skipped_pipelines_pass,
            settings.threads_must_be_resolved,
            settings.resolve_outdated_threads,
            settings.print_links,
            &settings.merge_commit_template,
            &settings.squash_commit_template,
            &settings.suggestion_commit_message,
            &settings.title_pattern,
            settings.merged_results,
            settings.automatic_rebase,
            &settings.issue_branch_template,
        ),
    )?;
    Ok(())
}
