//! How pipelines run, as projects show it and changes of them say it.

use super::settings::ProjectSettings;
use super::store::settings as rows;
use crate::queue;
use ::store::Tx;
use kernel::error::Result;
use spaces::ci_settings::{AutoCancelPending, CiSettings, CiSettingsChange, GitStrategy};
use spaces::hooks::CiSettingsHooks;
use spaces::model::Problems;
use std::collections::HashMap;

/// Seconds that a job may take at least and at most.
const TIMEOUTS: std::ops::RangeInclusive<i64> = 600..=2_592_000;
const MOST_COMMITS: i64 = 1_000;
const LONGEST_PATH: usize = 255;

/// What rooms below are plugged in.
pub const HOOKS: CiSettingsHooks = CiSettingsHooks { read, change };

fn read(tx: &mut Tx<'_>, projects: &[i64]) -> Result<HashMap<i64, CiSettings>> {
    let found = rows::of_projects(tx, projects)?;
    Ok(found.into_iter().map(|(id, settings)| (id, shown(settings))).collect())
}

fn shown(settings: ProjectSettings) -> CiSettings {
    CiSettings {
        auto_cancel_pending_pipelines: match settings.auto_cancel_pending {
            true => AutoCancelPending::Enabled,
            false => AutoCancelPending::Disabled,
        },
        build_git_strategy: GitStrategy::from_text(&settings.build_git_strategy)
            .unwrap_or_default(),
        build_timeout: settings.build_timeout,
        ci_allow_fork_pipelines_to_run_in_parent_project: settings.fork_pipelines_in_parent,
        ci_config_path: settings.config_path,
        ci_default_git_depth: settings.default_git_depth,
        ci_forward_deployment_enabled: settings.forward_deployment_enabled,
        ci_forward_deployment_rollback_allowed: settings.forward_deployment_rollback_allowed,
        ci_separated_caches: settings.separated_caches,
        dependency_exports_enabled: settings.dependency_exports,
        group_runners_enabled: settings.group_runners,
        keep_latest_artifact: settings.keep_latest_artifact,
        public_jobs: settings.public_jobs,
        shared_runners_enabled: settings.shared_runners,
    }
}

fn change(tx: &mut Tx<'_>, project_id: i64, change: &CiSettingsChange) -> Result<()> {
    let before = rows::of_project(tx, project_id)?;
    let after = changed(&before, change);
    if after == before {
        return Ok(());
    }
    check(&after)?;
    rows::write(tx, project_id, &after)?;
    let runners = |it: &ProjectSettings| (it.shared_runners, it.group_runners);
    match runners(&after) == runners(&before) {
        true => Ok(()),
        // Runners that were told of nothing may have something now.
        false => queue::announce(tx),
    }
}

fn changed(before: &ProjectSettings, change: &CiSettingsChange) -> ProjectSettings {
    let flag = |sent: Option<bool>, stored: bool| sent.unwrap_or(stored);
    let path = change.ci_config_path.clone().map(|path| path.trim().to_owned());
    let auto_cancel = change.auto_cancel_pending_pipelines;
    let strategy = change.build_git_strategy.map(|strategy| strategy.to_string());
    let fork = change.ci_allow_fork_pipelines_to_run_in_parent_project;
    let rollback = change.ci_forward_deployment_rollback_allowed;
    ProjectSettings {
        config_path: path.over(before.config_path.clone()).filter(|path| !path.is_empty()),
        auto_cancel_pending: auto_cancel
            .map_or(before.auto_cancel_pending, |word| word == AutoCancelPending::Enabled),
        build_timeout: change.build_timeout.unwrap_or(before.build_timeout),
        default_git_depth: change.ci_default_git_depth.clone().over(before.default_git_depth),
        build_git_strategy: strategy.unwrap_or_else(|| before.build_git_strategy.clone()),
        separated_caches: flag(change.ci_separated_caches, before.separated_caches),
        dependency_exports: flag(change.dependency_exports_enabled, before.dependency_exports),
        keep_latest_artifact: flag(change.keep_latest_artifact, before.keep_latest_artifact),
        public_jobs: flag(change.public_jobs.or(change.public_builds), before.public_jobs),
        forward_deployment_enabled: flag(
            change.ci_forward_deployment_enabled,
            before.forward_deployment_enabled,
        ),
        forward_deployment_rollback_allowed: flag(
            rollback,
            before.forward_deployment_rollback_allowed,
        ),
        shared_runners: flag(change.shared_runners_enabled, before.shared_runners),
        group_runners: flag(change.group_runners_enabled, before.group_runners),
        fork_pipelines_in_parent: flag(fork, before.fork_pipelines_in_parent),
        limits_job_tokens: before.limits_job_tokens,
    }
}

fn check(settings: &ProjectSettings) -> Result<()> {
    let mut problems = Problems::default();
    if !TIMEOUTS.contains(&settings.build_timeout) {
        problems.add("build_timeout", "needs to be between 10 minutes and 1 month");
    }
    problems.note("ci_default_git_depth", depth_problem(settings.default_git_depth));
    problems.note("ci_config_path", settings.config_path.as_deref().and_then(path_problem));
    problems.check()
}

fn depth_problem(depth: Option<i64>) -> Option<&'static str> {
    match depth {
        Some(depth) if depth < 0 => Some("must be greater than or equal to 0"),
        Some(depth) if depth > MOST_COMMITS => Some("must be less than or equal to 1000"),
        _ => None,
    }
}

fn path_problem(path: &str) -> Option<&'static str> {
    if path.chars().count() > LONGEST_PATH {
        return Some("is too long (maximum is 255 characters)");
    }
    let is_remote = path.starts_with("https://") || path.starts_with("http://");
    let leads_out = path.starts_with('/') || path.split(['/', '@']).any(|part| part == "..");
    match !is_remote && (leads_out || path.chars().any(char::is_control)) {
        true => Some("cannot include leading slash or directory traversal."),
        false => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_pipelines_is_below_the_root() {
        for good in ["ci.yml", "a/b.yml", "ci.yml@g/p:main", "https://a.example/../x.yml", "a..b"] {
            assert_eq!(path_problem(good), None, "{good}");
        }
        for bad in ["/ci.yml", "../ci.yml", "a/../b", "a\nb", &"x".repeat(256)] {
            assert!(path_problem(bad).is_some(), "{bad}");
        }
    }
}
