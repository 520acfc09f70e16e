//! A job as runners are given it: fields in the order of the wire.

use pipeline_file::model::Image;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

#[derive(Serialize, JsonSchema)]
pub struct JobPayload {
    pub id: i64,
    pub token: String,
    pub allow_git_fetch: bool,
    pub job_info: JobInfo,
    pub git_info: GitInfo,
    pub runner_info: RunnerInfo,
    pub variables: Vec<PayloadVariable>,
    pub steps: Vec<PayloadStep>,
    /// Steps as the file has them, as JSON in a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    pub image: Option<PayloadImage>,
    pub services: Vec<PayloadImage>,
    pub artifacts: Vec<PayloadArtifact>,
    pub cache: Vec<PayloadCache>,
    pub credentials: Vec<PayloadCredential>,
    pub dependencies: Vec<PayloadDependency>,
    pub features: PayloadFeatures,
    pub hooks: Vec<PayloadHook>,
    pub secrets: Map<String, Value>,
    pub policy_options: Map<String, Value>,
}

#[derive(Serialize, JsonSchema)]
pub struct JobInfo {
    pub id: i64,
    pub name: String,
    pub stage: String,
    pub pipeline_id: i64,
    pub project_id: i64,
    pub project_name: String,
    pub project_full_path: String,
    pub namespace_id: i64,
    pub root_namespace_id: i64,
    pub user_id: Option<i64>,
    pub time_in_queue_seconds: i64,
    pub project_jobs_running_on_instance_runners_count: String,
    pub queue_size: i64,
    pub queue_depth: i64,
}

#[derive(Serialize, JsonSchema)]
pub struct GitInfo {
    pub repo_url: String,
    pub repo_object_format: String,
    pub r#ref: String,
    pub sha: String,
    pub before_sha: String,
    pub ref_type: String,
    pub refspecs: Vec<String>,
    pub depth: i64,
    pub protected: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct RunnerInfo {
    /// Seconds.
    pub timeout: i64,
    pub runner_session_url: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct PayloadVariable {
    pub key: String,
    pub value: String,
    pub public: bool,
    pub masked: bool,
    pub file: bool,
    pub raw: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct PayloadStep {
    pub name: String,
    pub script: Vec<String>,
    pub timeout: i64,
    pub when: String,
    pub allow_failure: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct PayloadImage {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    pub entrypoint: Option<Vec<String>>,
    pub command: Option<Vec<String>>,
    pub ports: Vec<Value>,
    pub pull_policy: Option<Vec<String>>,
    pub executor_opts: Map<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<PayloadVariable>,
}

#[derive(Serialize, JsonSchema)]
pub struct PayloadArtifact {
    pub name: Option<String>,
    pub untracked: bool,
    pub paths: Vec<String>,
    pub exclude: Vec<String>,
    pub when: String,
    pub expire_in: Option<String>,
    pub artifact_type: String,
    pub artifact_format: String,
}

#[derive(Serialize, JsonSchema)]
pub struct PayloadCache {
    pub key: String,
    pub untracked: bool,
    pub policy: String,
    pub paths: Vec<String>,
    pub when: String,
    pub fallback_keys: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct PayloadCredential {
    pub r#type: String,
    pub url: String,
    pub username: String,
    pub password: String,
}

#[derive(Serialize, JsonSchema)]
pub struct PayloadDependency {
    pub id: i64,
    pub token: String,
    pub name: String,
    pub artifacts_file: PayloadFile,
}

#[derive(Serialize, JsonSchema)]
pub struct PayloadFile {
    pub filename: String,
    pub size: i64,
}

#[derive(Serialize, JsonSchema)]
pub struct PayloadFeatures {
    pub trace_sections: bool,
    pub token_mask_prefixes: Vec<String>,
    pub failure_reasons: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct PayloadHook {
    pub name: String,
    pub script: Vec<String>,
}

/// What only some executors understand, of an image.
pub fn executor(image: &Image) -> Map<String, Value> {
    let options = &image.executor;
    let mut docker = Map::new();
    for (name, text) in [("platform", &options.docker_platform), ("user", &options.docker_user)] {
        docker.extend(text.as_ref().map(|text| (name.to_owned(), text.as_str().into())));
    }
    let mut all = Map::new();
    if !docker.is_empty() {
        all.insert("docker".into(), Value::Object(docker));
    }
    if let Some(user) = &options.kubernetes_user {
        all.insert("kubernetes".into(), serde_json::json!({"user": user}));
    }
    all
}
