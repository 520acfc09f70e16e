//! A configuration with types: what is in a file once all of it was checked.

mod container;
mod environment;
mod job;
mod needs;
mod policy;
mod reader;
mod root;
mod rules;
mod script;
mod small;
mod storage;
mod trigger;
mod variables;

pub use container::{Image, Service};
pub use environment::{Action, Environment};
pub use job::{AllowFailure, Job, When, Work};
pub use needs::{MatrixFilter, Need};
pub use policy::Policy;
pub(crate) use root::read;
pub(crate) use rules::include_rules;
pub use rules::{Changes, Clauses, Exists, Rule, RuleWhen};
pub use small::{IdToken, Inherit, Parallel, Release, ReleaseLink, Retry, Which};
pub use storage::{Access, Artifacts, Cache, CacheKey, CoverageReport, Policies, Upload};
pub use trigger::{Forward, Strategy, Target, Trigger};
pub use variables::FileVariable;

use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// What the whole file says.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    /// In order, `.pre` first and `.post` last.
    pub stages: Vec<String>,
    pub variables: Vec<FileVariable>,
    pub workflow: Workflow,
    /// Jobs that are not hidden, as they are written.
    pub jobs: IndexMap<String, Arc<Job>>,
}

/// When there is a pipeline at all, and how it behaves (contract 4).
#[derive(Clone, Debug, Default)]
pub struct Workflow {
    pub name: Option<String>,
    /// Missing where the file says nothing of them: every pipeline is made.
    pub rules: Option<Vec<Rule>>,
    pub auto_cancel: AutoCancel,
}

/// What a newer commit, or a failed job, does to a pipeline that runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AutoCancel {
    pub on_new_commit: Option<OnNewCommit>,
    pub on_job_failure: Option<OnJobFailure>,
}

impl AutoCancel {
    /// Key by key, the other's where it has one.
    pub(crate) fn with(self, over: Self) -> Self {
        Self {
            on_new_commit: over.on_new_commit.or(self.on_new_commit),
            on_job_failure: over.on_job_failure.or(self.on_job_failure),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnNewCommit {
    Conservative,
    Interruptible,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnJobFailure {
    None,
    All,
}
