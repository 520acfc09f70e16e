//! From code to what runs: pipelines, their jobs, what these are given, and who runs them.
//!
//! Tables: `ci_variables` (migration 0088), `ci_pipelines`, `ci_pipeline_numbers`,
//! `ci_pipeline_variables`, `ci_jobs`, `ci_job_needs`, `ci_job_variables`,
//! `ci_resource_groups` (migration 0089), `ci_project_settings` (migration 0090),
//! `ci_runners`, `ci_runner_projects`, `ci_runner_managers`, `ci_registration_tokens`
//! (migration 0091), `ci_artifacts` (migration 0092), `ci_trace_pieces` (migration 0110),
//! `environments`, `deployments`, `deployment_numbers`, `freeze_periods` (migration 0093),
//! `protected_environments`, `protected_environment_levels`, `deployment_approvals`
//! (migration 0094), `ci_schedules`, `ci_schedule_variables` (migration 0098),
//! `ci_triggers` (migration 0099), `ci_job_token_entries` (migration 0100),
//! `dependency_uploads`, `dependency_lists`, `dependencies`, `dependency_licenses`,
//! `sbom_problems` (migration 0107), `dependency_exports` (migration 0108),
//! `advisory_loads`, `advisories`, `advisory_packages`, `dependency_advisories`, `license_policies` (migration 0109).
//! Jobs: `delivery.pipeline_of_push`, `delivery.start_delayed`, `delivery.run_bridge`,
//! `delivery.follow_downstream`, `delivery.give_up_stuck`, `delivery.expire_artifacts`,
//! `delivery.stop_environments`, `delivery.run_schedule`, `delivery.play_schedule`,
//! `delivery.find_coverage`, `delivery.read_sboms`, `delivery.read_uploaded_sbom`,
//! `delivery.drop_dependency_lists`, `delivery.load_advisories`, `delivery.match_advisories`,
//! `delivery.match_all_advisories`, `delivery.judge_licenses`,
//! `delivery.write_dependency_export`, `delivery.tell_of_dependency_export`,
//! `delivery.sweep_dependency_exports`.
//! Settings: [`pipelines::settings::PART`], [`runners::settings::PART`],
//! [`dependencies::switches::PART`]. Hooks:
//! [`pipelines::pushed`], [`pipelines::of_commits`], [`pipelines::ci_settings::HOOKS`], [`job_tokens::may_enter`],
//! [`runners::of_token`], [`runners::CONTENTS`],
//! [`runners::project_destroying`]; the store is plugged a [`queue::Bell`].
//!
//! Start with [`pipelines`]; [`place`] is whose variables and runners there are, [`variables`] says what their jobs are given, [`runners`] who
//! runs them, [`environments`] what they deploy to, [`protection`] who deploys there,
//! [`schedules`] and [`triggers`] what else begins pipelines, [`statuses`] what programs
//! elsewhere say of commits, and [`dependencies`] what projects are made of.

pub mod dependencies;
pub mod environments;
mod formats;
pub mod job_tokens;
pub mod pipelines;
pub mod place;
pub mod protection;
pub mod queue;
mod reports;
pub mod runners;
pub mod schedules;
pub mod statuses;
pub mod triggers;
pub mod variables;

pub fn graph(g: &mut kernel::graph::Graph) {
    variables::graph::graph(g);
    runners::graph(g);
    pipelines::graph(g);
    environments::graph::graph(g);
    protection::graph::graph(g);
    dependencies::graph(g);
}

pub fn routes(r: &mut kernel::http::Routes) {
    variables::routes(r);
    pipelines::routes(r);
    runners::routes(r);
    environments::routes(r);
    protection::routes(r);
    schedules::routes(r);
    job_tokens::routes(r);
    statuses::routes(r);
    reports::routes(r);
    triggers::routes(r);
    dependencies::routes(r);
}

pub fn jobs(registry: &mut kernel::jobs::RegistryBuilder) {
    pipelines::register(registry);
    runners::register(registry);
    environments::register(registry);
    schedules::register(registry);
    reports::register(registry);
    dependencies::register(registry);
}
