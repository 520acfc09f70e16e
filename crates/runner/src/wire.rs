//! A job as the server hands it out (docs/interface/delivery.md 7): as much of it as is
//! needed here. What is null or left out is what it is by default.

use serde::{Deserialize, Deserializer};

#[derive(Debug, Deserialize)]
pub struct Job {
    pub id: i64,
    pub token: String,
    pub job_info: JobInfo,
    pub git_info: GitInfo,
    pub runner_info: RunnerInfo,
    #[serde(default, deserialize_with = "or_default")]
    pub variables: Vec<Variable>,
    #[serde(default, deserialize_with = "or_default")]
    pub steps: Vec<Step>,
    pub image: Option<Image>,
    #[serde(default, deserialize_with = "or_default")]
    pub services: Vec<Image>,
    #[serde(default, deserialize_with = "or_default")]
    pub artifacts: Vec<Artifact>,
    #[serde(default, deserialize_with = "or_default")]
    pub cache: Vec<Cache>,
    #[serde(default, deserialize_with = "or_default")]
    pub dependencies: Vec<Dependency>,
    #[serde(default, deserialize_with = "or_default")]
    pub hooks: Vec<Hook>,
}

#[derive(Debug, Deserialize)]
pub struct JobInfo {
    pub name: String,
    pub project_id: i64,
    pub project_full_path: String,
}

#[derive(Debug, Deserialize)]
pub struct GitInfo {
    pub repo_url: String,
    pub r#ref: String,
    pub sha: String,
    pub refspecs: Vec<String>,
    /// Commits that are fetched; all where it is 0.
    pub depth: u32,
}

#[derive(Debug, Deserialize)]
pub struct RunnerInfo {
    /// Seconds.
    pub timeout: u64,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Variable {
    pub key: String,
    #[serde(default, deserialize_with = "or_default")]
    pub value: String,
    /// The job is given the path of a file with the value.
    #[serde(default)]
    pub file: bool,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Step {
    pub name: String,
    pub script: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Image {
    pub name: String,
    pub alias: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub entrypoint: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub command: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub variables: Vec<Variable>,
}

/// After what a file is stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    #[default]
    OnSuccess,
    OnFailure,
    Always,
}

impl When {
    pub fn fits(self, succeeded: bool) -> bool {
        match self {
            When::Always => true,
            When::OnSuccess => succeeded,
            When::OnFailure => !succeeded,
        }
    }
}

#[derive(Debug, Deserialize)]
pub struct Artifact {
    pub name: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub untracked: bool,
    #[serde(default, deserialize_with = "or_default")]
    pub paths: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub exclude: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub when: When,
    pub expire_in: Option<String>,
    pub artifact_type: String,
    pub artifact_format: String,
}

#[derive(Debug, Deserialize)]
pub struct Cache {
    pub key: String,
    #[serde(default, deserialize_with = "or_default")]
    pub policy: String,
    #[serde(default, deserialize_with = "or_default")]
    pub paths: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub when: When,
    #[serde(default, deserialize_with = "or_default")]
    pub fallback_keys: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub struct Dependency {
    pub id: i64,
    pub name: String,
    pub token: String,
    pub artifacts_file: Option<DependencyFile>,
}

#[derive(Debug, Deserialize)]
pub struct DependencyFile {
    pub size: u64,
}

#[derive(Debug, Deserialize)]
pub struct Hook {
    pub name: String,
    pub script: Vec<String>,
}

fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    from: D,
) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(from)?.unwrap_or_default())
}

impl Job {
    /// The value of a variable.
    pub fn variable(&self, key: &str) -> Option<&str> {
        self.variables.iter().find(|one| one.key == key).map(|one| one.value.as_str())
    }

    pub fn script(&self, name: &str) -> Option<&[String]> {
        let steps = self.steps.iter().map(|step| (&step.name, &step.script));
        let hooks = self.hooks.iter().map(|hook| (&hook.name, &hook.script));
        let (_, script) = steps.chain(hooks).find(|(known, _)| *known == name)?;
        Some(script)
    }
}
