//! All variables of a job, the strongest of each name, as its runner is given them.

use super::Reading;
use super::shape::PayloadVariable;
use crate::pipelines::predefined::Facts;
use crate::variables::is_fixed;
use kernel::app::App;
use kernel::secrets::Secret;
use pipeline_file::{Level, Variable, Variables};

/// Shortest text that is masked: less would black out half of a log.
const MIN_MASKED: usize = 8;

/// The strongest variables of a job, each as its value is through all others.
pub fn merged(
    app: &App, reading: &Reading, facts: Option<&Facts>, token: &Secret, repo_url: &str,
) -> Variables {
    let own = of_job(app, reading, token, repo_url);
    let mut all = facts.map(|facts| facts.variables(app)).unwrap_or_default();
    all.extend(reading.definition.predefined.iter().cloned());
    all.extend(own);
    let others = reading
        .definition
        .variables
        .iter()
        .chain(&reading.given)
        .filter(|one| !is_fixed(&one.name));
    all.extend(others.cloned());
    let merged = Variables::merge(all);
    merged.expand().unwrap_or(merged)
}

/// The variables, and the values that the log must not show.
pub struct Given {
    pub variables: Vec<PayloadVariable>,
    pub masks: Vec<String>,
}

/// What is known of a job when it starts.
fn of_job(app: &App, reading: &Reading, token: &Secret, repo_url: &str) -> Vec<Variable> {
    let (job, pipeline, runner) = (&reading.job, &reading.pipeline, &reading.runner);
    let project_url = reading.project.web_url(app.base_url());
    let started = job.started_at.unwrap_or(job.created_at);
    let mut all = Vec::new();
    let mut add = |name: &str, value: String| {
        let value = value.replace('\0', "");
        all.push(Variable { raw: true, ..Variable::new(Level::Predefined, name, value) });
    };
    add("CI_PIPELINE_ID", pipeline.id.to_string());
    add("CI_PIPELINE_IID", pipeline.iid.to_string());
    add("CI_PIPELINE_URL", format!("{project_url}/-/pipelines/{}", pipeline.id));
    if let Some(name) = &pipeline.name {
        add("CI_PIPELINE_NAME", name.clone());
    }
    add("CI_JOB_ID", job.id.to_string());
    add("CI_JOB_URL", format!("{project_url}/-/jobs/{}", job.id));
    add("CI_JOB_STARTED_AT", started.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
    add("CI_JOB_TIMEOUT", reading.timeout().to_string());
    add("CI_JOB_TOKEN", token.expose().to_owned());
    add("CI_REPOSITORY_URL", repo_url.to_owned());
    add("CI_RUNNER_ID", runner.id.to_string());
    add("CI_RUNNER_DESCRIPTION", runner.description.clone().unwrap_or_default());
    add("CI_RUNNER_TAGS", serde_json::json!(runner.tags.as_slice()).to_string());
    add("CI_RUNNER_SHORT_TOKEN", runner.short_token.clone());
    if let Some(user) = &reading.user {
        add("GITLAB_USER_ID", user.id.to_string());
        add("GITLAB_USER_LOGIN", user.username.clone());
        add("GITLAB_USER_NAME", user.name.clone());
        add("GITLAB_USER_EMAIL", user.email.clone());
    }
    all
}

pub fn given(merged: &Variables) -> Given {
    let secret = |name: &str| ["CI_JOB_TOKEN", "CI_REPOSITORY_URL"].contains(&name);
    let variables: Vec<PayloadVariable> = merged
        .iter()
        .map(|one| PayloadVariable {
            key: one.name.clone(),
            value: one.value.clone(),
            public: !secret(&one.name) && one.level < Level::Dotenv,
            masked: one.masked || one.name == "CI_JOB_TOKEN",
            file: one.file,
            raw: one.raw,
        })
        .collect();
    Given { masks: masks(&variables), variables }
}

/// What a log must not show, the longest first: one may begin with another.
fn masks(variables: &[PayloadVariable]) -> Vec<String> {
    let masked = variables.iter().filter(|one| one.masked && one.value.len() >= MIN_MASKED);
    let mut values: Vec<String> = masked.map(|one| one.value.clone()).collect();
    values.sort_by_key(|value| std::cmp::Reverse(value.len()));
    values.dedup();
    values
}
