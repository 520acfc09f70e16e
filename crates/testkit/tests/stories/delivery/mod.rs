//! From code to what runs: pipelines, their jobs, variables, runners and environments.

mod approvals;
mod ci_settings;
mod environment_graph;
mod environment_pages;
mod environments;
mod graph;
mod graph_pipelines;
mod graph_runners;
mod job_tokens;
mod jobs;
mod jobs_moving;
mod lint;
mod package_pipelines;
mod pages;
mod pages_jobs;
mod pages_pipelines;
mod pipelines;
mod protected_environments;
mod runner_jobs;
mod runners;
mod running;
mod schedules;
mod statuses;
mod test_reports;
mod triggers;
mod variables;
