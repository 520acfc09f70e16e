//! A program says how far something is.

use super::model::State;
use super::store::{self, Said, Statement};
use crate::pipelines::access;
use crate::pipelines::create::named;
use crate::pipelines::model::{ConfigSource, Pipeline, Source};
use crate::pipelines::predefined::NO_COMMIT;
use crate::pipelines::process::process;
use crate::pipelines::requests::Told;
use crate::pipelines::status::Status;
use crate::pipelines::store::pipelines::{self, NewPipeline};
use ::store::Tx;
use kernel::error::{Error, Found, Result};
use pipeline_file::model::AutoCancel;
use repositories::model::Repository;
use serde_json::json;
use spaces::model::{Problems, Project};

/// Letters of a name, a description, and an address.
const LONGEST: usize = 255;
const LONGEST_TEXT: usize = 1_024;
/// Statuses of one commit, old ones too.
const MOST: i64 = 10_000;

/// Of which commit something is said.
#[derive(Debug, Clone)]
pub struct About {
    pub project: Project,
    pub repository: Repository,
    pub sha: String,
    /// The branch or tag, if one was named.
    pub on_ref: Option<String>,
    /// The branch of the commit.
    pub usual_ref: String,
    pub pipeline_id: Option<i64>,
}

/// Says it of the pipeline that is named, or of the newest one of the commit. What goes on
/// under that name for the same user is moved on; else another begins.
///
/// # Errors
///
/// `Exact` 400 where the state cannot follow the one there, `Invalid` where a text is
/// wrong, 404 for a pipeline of another commit.
pub fn say(tx: &mut Tx<'_>, about: &About, said: &Statement) -> Result<Said> {
    check(about, said)?;
    let pipeline = pipeline(tx, about, said.user_id)?;
    let before = store::newest(tx, pipeline.id, &said.name)?;
    let same = before.as_ref().filter(|one| one.job.user_id == said.user_id);
    let open = same.and_then(|one| Some((one.job.id, State::of(one.job.status)?)));
    let id = match open.filter(|(_, state)| state.is_open()) {
        Some((id, state)) => {
            if let Some(text) = said.state.refusal_after(state) {
                return Err(Error::Exact(400, json!({"message": text})));
            }
            store::update(tx, id, said)?;
            id
        }
        None => {
            if store::count(tx, about.project.id, &about.sha)? >= MOST {
                let text = format!("A commit has at most {MOST} statuses");
                return Err(Error::BadRequest(text));
            }
            if let Some(before) = before {
                store::retire(tx, before.job.id)?;
            }
            store::insert(tx, (about.project.id, pipeline.id, pipeline.protected), said)?
        }
    };
    process(tx, pipeline.id)?;
    store::by_id(tx, id)?.found("Commit status")
}

/// The pipeline that it is said of.
fn pipeline(tx: &mut Tx<'_>, about: &About, user_id: Option<i64>) -> Result<Pipeline> {
    let (project, sha) = (&about.project, about.sha.as_str());
    if let Some(id) = about.pipeline_id {
        let found = pipelines::of_project(tx, project.id, id)?;
        return found.filter(|one| one.sha == sha).found("Pipeline");
    }
    match pipelines::newest_of_commit(tx, project.id, sha, about.on_ref.as_deref())? {
        Some(found) => Ok(found),
        None => begin(tx, about, user_id),
    }
}

/// A pipeline that has nothing but what programs say.
fn begin(tx: &mut Tx<'_>, about: &About, user_id: Option<i64>) -> Result<Pipeline> {
    let on_ref = about.on_ref.as_ref().unwrap_or(&about.usual_ref);
    let found = named(tx, about.repository.id, on_ref)?;
    let tag = found.is_ok_and(|(name, _)| name.as_tag().is_some());
    let at = (on_ref.as_str(), tag);
    let new = NewPipeline {
        project_id: about.project.id,
        source: Source::External,
        status: Status::Created,
        on_ref: on_ref.clone(),
        tag,
        sha: about.sha.clone(),
        before_sha: NO_COMMIT.to_owned(),
        protected: access::is_protected(tx, &about.project, &about.repository, at)?,
        user_id,
        name: None,
        config_source: ConfigSource::Unknown,
        yaml_errors: None,
        failure_reason: None,
        auto_cancel: AutoCancel::default(),
        parent_pipeline_id: None,
        depth: 0,
        schedule_id: None,
        trigger_id: None,
        committed_at: None,
        told: Told::default(),
    };
    pipelines::insert(tx, &new)
}

fn check(about: &About, said: &Statement) -> Result<()> {
    let mut problems = Problems::default();
    let url = said.target_url.as_deref().unwrap_or_default();
    for (field, text, longest) in [
        ("name", said.name.as_str(), LONGEST),
        ("ref", about.on_ref.as_deref().unwrap_or_default(), LONGEST),
        ("description", said.description.as_deref().unwrap_or_default(), LONGEST_TEXT),
        ("target_url", url, LONGEST_TEXT),
    ] {
        if text.chars().count() > longest {
            problems.add(field, &format!("is too long (maximum is {longest} characters)"));
        }
    }
    let is_web = url.starts_with("http://") || url.starts_with("https://");
    if !url.is_empty() && (!is_web || url.chars().any(char::is_control)) {
        problems.add("target_url", "is blocked: Only allowed schemes are http, https");
    }
    if !said.coverage.is_none_or(|coverage| (0.0..=100.0).contains(&coverage)) {
        problems.add("coverage", "must be between 0 and 100");
    }
    problems.check()
}
