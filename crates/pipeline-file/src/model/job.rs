//! One job as the file has it.

use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::container::{Image, Service};
use super::environment::Environment;
use super::needs::Need;
use super::policy::Policy;
use super::rules::Rule;
use super::small::{IdToken, Inherit, Parallel, Release, Retry};
use super::storage::{Artifacts, Cache};
use super::trigger::Trigger;
use super::variables::FileVariable;
use crate::inputs::InputSpec;
use crate::message::Place;

/// A job: what it does, and when. What may come from `default:` is shared.
#[derive(Clone, Debug)]
pub struct Job {
    pub name: String,
    pub at: Place,
    pub stage: String,
    pub work: Work,
    pub before_script: Option<Arc<Vec<String>>>,
    pub after_script: Option<Arc<Vec<String>>>,
    pub pre_get_sources_script: Option<Arc<Vec<String>>>,
    pub image: Option<Arc<Image>>,
    pub services: Option<Arc<Vec<Service>>>,
    pub artifacts: Option<Arc<Artifacts>>,
    pub cache: Option<Arc<Vec<Cache>>>,
    pub retry: Option<Arc<Retry>>,
    pub tags: Option<Arc<Vec<String>>>,
    pub id_tokens: Option<Arc<IndexMap<String, IdToken>>>,
    /// Seconds.
    pub timeout: Option<u64>,
    pub interruptible: Option<bool>,
    pub rules: Option<Vec<Rule>>,
    pub only: Option<Policy>,
    pub except: Option<Policy>,
    /// Missing where the file does not say it.
    pub when: Option<When>,
    pub allow_failure: Option<AllowFailure>,
    pub manual_confirmation: Option<String>,
    pub needs: Option<Vec<Need>>,
    pub dependencies: Option<Vec<String>>,
    pub parallel: Option<Parallel>,
    pub resource_group: Option<String>,
    pub environment: Option<Environment>,
    /// The expression between the slashes.
    pub coverage: Option<String>,
    pub variables: Vec<FileVariable>,
    pub inherit: Inherit,
    pub release: Option<Release>,
    /// As written: the runner fetches them.
    pub secrets: Option<Json>,
    /// The folder of the site this job makes, where it makes one.
    pub pages: Option<String>,
    /// Values that may be given at a retry or a manual start.
    pub inputs: IndexMap<String, InputSpec>,
}

/// What a job does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    Script(Vec<String>),
    /// Steps, as written.
    Run(Json),
    Trigger(Trigger),
    /// Has the status of the latest pipeline of another project.
    Mirror {
        project: String,
    },
}

impl Work {
    /// Whether it runs on the server and not on a runner.
    pub fn is_bridge(&self) -> bool {
        matches!(self, Self::Trigger(_) | Self::Mirror { .. })
    }
}

/// After what a job starts; a delayed one after so many seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    #[default]
    OnSuccess,
    OnFailure,
    Always,
    Manual,
    Delayed(u64),
}

impl When {
    /// The word of the file and of the interfaces.
    pub fn word(self) -> &'static str {
        match self {
            Self::OnSuccess => "on_success",
            Self::OnFailure => "on_failure",
            Self::Always => "always",
            Self::Manual => "manual",
            Self::Delayed(_) => "delayed",
        }
    }
}

/// Whether the pipeline may succeed though the job fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AllowFailure {
    Always(bool),
    /// Only where the job ends with one of these codes.
    ExitCodes(Vec<i64>),
}
