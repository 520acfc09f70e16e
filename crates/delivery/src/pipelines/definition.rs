//! What a job does, as its pipeline file said when the pipeline began: runners and
//! copies of the job read it, and the file is not read again.

use indexmap::IndexMap;
use pipeline_file::model::{
    Action, AllowFailure, Artifacts, Cache, IdToken, Image, Need, Release, Retry, Service, Work,
};
use pipeline_file::plan::PlannedEnvironment;
use pipeline_file::{PlannedJob, Variable};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// All of a job that does not decide on when it runs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Definition {
    /// Shared by the instances of a parallel job.
    pub group: String,
    pub work: Work,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_script: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_script: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pre_get_sources_script: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<Image>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<Service>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<Artifacts>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cache: Vec<Cache>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<Retry>,
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub id_tokens: IndexMap<String, IdToken>,
    /// The expression that finds the coverage in the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<Release>,
    /// As written: the runner fetches them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secrets: Option<Value>,
    /// The folder of the site it makes, where it makes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manual_confirmation: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Deployment>,
    /// Codes with which it may fail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_exit_codes: Vec<i64>,
    /// Jobs whose files it takes; none where that is by its needs or its stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependencies: Option<Vec<String>>,
    /// Files of other pipelines and projects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign_needs: Vec<Need>,
    /// Those of the file, as written: expanded when the job starts.
    pub variables: Vec<Variable>,
    /// `CI_JOB_NAME` and the like.
    pub predefined: Vec<Variable>,
    /// Which instance of a parallel job it is, counted from 1, and of how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<(u32, u32)>,
}

/// The environment of a job.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Deployment {
    /// With its variables expanded.
    #[serde(flatten)]
    pub environment: PlannedEnvironment,
    pub action: Action,
    /// The job that ends the environment.
    pub on_stop: Option<String>,
}

impl Definition {
    /// That of a job which a program elsewhere does.
    pub fn external() -> Definition {
        Definition {
            group: "external".to_owned(),
            work: Work::Script(Vec::new()),
            before_script: None,
            after_script: None,
            pre_get_sources_script: None,
            image: None,
            services: Vec::new(),
            artifacts: None,
            cache: Vec::new(),
            retry: None,
            id_tokens: IndexMap::new(),
            coverage: None,
            release: None,
            secrets: None,
            pages: None,
            manual_confirmation: None,
            environment: None,
            allowed_exit_codes: Vec::new(),
            dependencies: None,
            foreign_needs: Vec::new(),
            variables: Vec::new(),
            predefined: Vec::new(),
            node: None,
        }
    }

    pub fn of(planned: &PlannedJob) -> Definition {
        let job = &planned.job;
        let lines = |script: &Option<std::sync::Arc<Vec<String>>>| script.as_deref().cloned();
        Definition {
            group: planned.group.clone(),
            work: job.work.clone(),
            before_script: lines(&job.before_script),
            after_script: lines(&job.after_script),
            pre_get_sources_script: lines(&job.pre_get_sources_script),
            image: job.image.as_deref().cloned(),
            services: job.services.as_deref().cloned().unwrap_or_default(),
            artifacts: job.artifacts.as_deref().cloned(),
            cache: job.cache.as_deref().cloned().unwrap_or_default(),
            retry: job.retry.as_deref().cloned(),
            id_tokens: job.id_tokens.as_deref().cloned().unwrap_or_default(),
            coverage: job.coverage.clone(),
            release: job.release.clone(),
            secrets: job.secrets.clone(),
            pages: job.pages.clone(),
            manual_confirmation: job.manual_confirmation.clone(),
            environment: Deployment::of(planned),
            allowed_exit_codes: match &planned.allow_failure {
                AllowFailure::ExitCodes(codes) => codes.clone(),
                AllowFailure::Always(_) => Vec::new(),
            },
            dependencies: planned.dependencies.clone(),
            foreign_needs: planned.foreign_needs.clone(),
            variables: planned.variables.clone(),
            predefined: planned.predefined.clone(),
            node: planned.node,
        }
    }
}

impl Deployment {
    fn of(planned: &PlannedJob) -> Option<Deployment> {
        let (environment, written) =
            (planned.environment.clone()?, planned.job.environment.as_ref()?);
        Some(Deployment {
            environment,
            action: written.action,
            on_stop: written.on_stop.clone(),
        })
    }
}
