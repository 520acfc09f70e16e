//! What REST shows of statuses, in wire order.

use super::store::Said;
use crate::pipelines::model::JobKind;
use identity::User;
use identity::entities::{UserBasic, basic};
use kernel::app::App;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

/// What a program says of a commit.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CommitStatus")]
pub struct CommitStatusEntity {
    pub id: i64,
    pub sha: String,
    #[serde(rename = "ref")]
    pub on_ref: String,
    pub status: String,
    pub name: String,
    pub target_url: Option<String>,
    pub description: Option<String>,
    pub created_at: String,
    pub started_at: Option<String>,
    pub finished_at: Option<String>,
    pub allow_failure: bool,
    pub coverage: Option<f64>,
    pub pipeline_id: i64,
    pub author: Option<UserBasic>,
}

impl CommitStatusEntity {
    /// `web_url` is that of the project.
    pub fn of(
        app: &App, said: Said, web_url: &str, people: &HashMap<i64, User>,
    ) -> CommitStatusEntity {
        let job = said.job;
        let own = (job.kind != JobKind::External).then(|| format!("{web_url}/-/jobs/{}", job.id));
        CommitStatusEntity {
            id: job.id,
            sha: said.sha,
            on_ref: said.on_ref,
            status: job.status.to_string(),
            target_url: said.target_url.or(own),
            description: said.description,
            created_at: wire::text(job.created_at),
            started_at: job.started_at.map(wire::text),
            finished_at: job.finished_at.map(wire::text),
            allow_failure: job.allow_failure,
            coverage: job.coverage,
            pipeline_id: job.pipeline_id,
            author: job.user_id.and_then(|id| people.get(&id)).map(|user| basic(app, user)),
            name: job.name,
        }
    }
}
